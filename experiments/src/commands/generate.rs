//! `synergy generate`: an instance from a workload.

use super::Context;
use super::cluster::ClusterArgs;
use super::import::table_format;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::{Format, OutputPath, instance, read_text};
use crate::trace::TraceWriter;
use crate::workload::{
    ArrivalSpec, DemandSpec, DurationSpec, ModelChoice, ProfileSpec, TraceSpec, Workload, WorkloadError,
    WorkloadSpec,
};
use std::path::{Path, PathBuf};
use synergy_solver::model::Rules;

/// Generate an instance: jobs with published profiles that fill the GPUs of a cluster
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Weights of image, language and speech tasks [default: 20,70,10]
    #[arg(long, value_name = "I,L,S", allow_negative_numbers = true, value_delimiter = ',')]
    split: Option<Vec<f64>>,
    /// GPU demands: single (1 each), multi (70 % 1, 10 % 2, 15 % 4, 5 % 8), mixture:GPUS=WEIGHT,...,
    /// power-law:EXPONENT,MAX_GPUS, empirical, trace [default: single]
    #[arg(long, value_name = "KIND")]
    demand: Option<DemandSpec>,
    /// Arrivals: at-zero, poisson:JOBS_PER_HOUR, trace, trace:SPEEDUP [default: at-zero]
    #[arg(long, value_name = "KIND")]
    arrivals: Option<ArrivalSpec>,
    /// Durations: published, log-normal:MEDIAN_S,SIGMA, fixed:SECONDS, empirical, trace [default: published]
    #[arg(long, value_name = "KIND")]
    durations: Option<DurationSpec>,
    /// Profiles: published, file:PATH, synthetic:random, synthetic:all-sensitive,
    /// synthetic:none-sensitive, synthetic:half-sensitive [default: published]
    #[arg(long, value_name = "KIND")]
    profiles: Option<ProfileSpec>,
    /// Raise profiles of a file that decrease along an axis to their running maximum, with a warning
    #[arg(long)]
    repair_profiles: bool,
    /// Models inside a class [default: random]
    #[arg(long, value_enum)]
    models: Option<ModelChoice>,
    /// Jobs table that knobs of kind trace and empirical draw on; alone, all of them are the trace's own
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Number of jobs [default: as many as fill the GPUs exactly]
    #[arg(long, value_name = "N")]
    jobs: Option<u64>,
    /// Seed of the random draws [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// TOML file of a workload; flags go before what it says
    #[arg(long, value_name = "FILE")]
    spec: Option<String>,
    /// Instance file to write, JSON or (by its ending) TOML; a jobs table in arrival order for .parquet
    /// and .csv, which needs --jobs; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

/// Writes the instance, or the jobs.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let origin = args.spec.as_deref().unwrap_or("command line");
    let invalid = |error: WorkloadError| CliError::from(InputError::whole(origin, error));
    let path = Path::new(&args.out);
    if [Some("parquet"), Some("csv")].contains(&path.extension().and_then(|ending| ending.to_str())) {
        let workload = spec(args).and_then(|spec| Workload::new(spec).map_err(invalid))?;
        let about = workload.about().map_err(invalid)?;
        let mut table = TraceWriter::create(&about, path, table_format(path))?;
        let mut jobs = 0u64;
        for job in workload.trace_jobs().map_err(invalid)? {
            table.push(&job)?;
            jobs += 1;
        }
        table.finish()?;
        context.info(format_args!("{jobs} jobs -> {}", args.out));
        say_load(&workload, context);
        return Ok(ExitCode::Fine);
    }
    let out = OutputPath::from(args.out.as_str()).open()?;
    let workload = spec(args).and_then(|spec| Workload::new(spec).map_err(invalid))?;
    let instance = workload.instance(Rules::default()).map_err(invalid)?;
    let format = if args.out.ends_with(".toml") { Format::Toml } else { Format::Json };
    out.finish_with(instance::to_text_with_load(&instance, workload.load(), format)?.as_bytes())?;
    let (jobs, gpus) = (instance.jobs().len(), instance.cluster().gpus());
    context.info(format_args!("{jobs} jobs on {gpus} GPUs -> {}", args.out));
    say_load(&workload, context);
    Ok(ExitCode::Fine)
}

/// The load, and warnings: above 1, and of profiles that were repaired.
fn say_load(workload: &Workload, context: &Context) {
    workload.models().repairs().iter().for_each(|repair| context.warn(repair.warning()));
    let load = workload.load();
    context.info(load.summary());
    if let Some(warning) = load.warning() {
        context.warn(warning);
    }
}

fn spec(args: &Args) -> Result<WorkloadSpec, CliError> {
    let mut spec = match &args.spec {
        Some(file) => {
            WorkloadSpec::from_toml(&read_text(file)?).map_err(|error| InputError::whole(file, error))?
        }
        None => WorkloadSpec::default(),
    };
    args.cluster.apply(&mut spec.cluster)?;
    if let Some(split) = &args.split {
        spec.mix.split = Some(split.clone());
    }
    if let Some(path) = &args.trace {
        if args.spec.is_none() {
            let all = WorkloadSpec::of_trace(path);
            (spec.mix.models, spec.arrivals) = (all.mix.models, all.arrivals);
            (spec.durations, spec.demand) = (all.durations, all.demand);
        }
        let first_job = spec.trace.as_ref().map_or(0, |trace| trace.first_job);
        spec.trace = Some(TraceSpec { path: path.clone(), first_job });
    }
    if let Some(demand) = &args.demand {
        spec.demand = demand.clone();
    }
    if let Some(arrivals) = &args.arrivals {
        spec.arrivals = arrivals.clone();
    }
    if let Some(durations) = &args.durations {
        spec.durations = durations.clone();
    }
    if let Some(profiles) = &args.profiles {
        spec.profiles = profiles.clone();
    }
    if args.repair_profiles {
        spec.profiles = spec.profiles.repairing();
    }
    spec.mix.models = args.models.unwrap_or(spec.mix.models);
    spec.jobs = args.jobs.or(spec.jobs);
    spec.seed = args.seed.unwrap_or(spec.seed);
    Ok(spec)
}
