//! `synergy generate`: an instance from a workload.

use super::Context;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::{Format, OutputPath, instance, read_text};
use crate::workload::{DemandSpec, Workload, WorkloadError, WorkloadSpec};
use clap::ValueEnum;
use synergy_solver::model::Rules;

/// Generate an instance: jobs with published profiles that fill the GPUs of a cluster
#[derive(Debug, clap::Args)]
pub struct Args {
    /// GPUs of the cluster [default: 128]
    #[arg(long, value_name = "GPUS")]
    gpus: Option<u32>,
    /// Servers of the cluster, instead of --gpus
    #[arg(long, value_name = "N", conflicts_with = "gpus")]
    servers: Option<u32>,
    /// GPUs of a server [default: 8]
    #[arg(long, value_name = "GPUS")]
    gpus_per_server: Option<u32>,
    /// CPUs per GPU, the CPU:GPU ratio [default: 3]
    #[arg(long, value_name = "CPUS", allow_negative_numbers = true)]
    cpus_per_gpu: Option<f64>,
    /// Memory of a server in GB [default: 62.5 per GPU]
    #[arg(long, value_name = "GB", allow_negative_numbers = true)]
    memory_gb: Option<f64>,
    /// Weights of image, language and speech tasks [default: 20,70,10]
    #[arg(long, value_name = "I,L,S", allow_negative_numbers = true, value_delimiter = ',')]
    split: Option<Vec<f64>>,
    /// GPU demands: 1 each, or 70 % 1, 10 % 2, 15 % 4, 5 % 8 [default: single]
    #[arg(long)]
    demand: Option<Demand>,
    /// Number of jobs [default: as many as fill the GPUs exactly]
    #[arg(long, value_name = "N")]
    jobs: Option<u64>,
    /// Seed of the random draws [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// TOML file of a workload; flags go before what it says
    #[arg(long, value_name = "FILE")]
    spec: Option<String>,
    /// Instance file to write, JSON or (by its ending) TOML; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

/// GPU demands by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Demand {
    /// 1 GPU each
    Single,
    /// 70 % 1, 10 % 2, 15 % 4, 5 % 8 GPUs
    Multi,
}

/// Writes the instance.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let out = OutputPath::from(args.out.as_str()).open()?;
    let origin = args.spec.as_deref().unwrap_or("command line");
    let invalid = |error: WorkloadError| CliError::from(InputError::whole(origin, error));
    let workload = spec(args).and_then(|spec| Workload::new(spec).map_err(invalid))?;
    let instance = workload.instance(Rules::default()).map_err(invalid)?;
    let format = if args.out.ends_with(".toml") { Format::Toml } else { Format::Json };
    out.finish_with(instance::to_text(&instance, format)?.as_bytes())?;
    let (jobs, gpus) = (instance.jobs().len(), instance.cluster().gpus());
    context.info(format_args!("{jobs} jobs on {gpus} GPUs -> {}", args.out));
    Ok(ExitCode::Fine)
}

fn spec(args: &Args) -> Result<WorkloadSpec, CliError> {
    let mut spec = match &args.spec {
        Some(file) => {
            WorkloadSpec::from_toml(&read_text(file)?).map_err(|error| InputError::whole(file, error))?
        }
        None => WorkloadSpec::default(),
    };
    let cluster = &mut spec.cluster;
    let shaped = args.gpus.is_some() || args.servers.is_some() || args.gpus_per_server.is_some();
    if shaped || args.cpus_per_gpu.is_some() || args.memory_gb.is_some() {
        cluster.groups.clear();
    }
    cluster.gpus_per_server = args.gpus_per_server.unwrap_or(cluster.gpus_per_server);
    if let Some(gpus) = args.gpus {
        cluster.gpus = gpus;
    }
    if let Some(servers) = args.servers {
        cluster.gpus = servers.checked_mul(cluster.gpus_per_server).ok_or_else(|| {
            CliError::Usage(format!("--servers {servers}: too many GPUs in all; give fewer servers"))
        })?;
    }
    if let Some(cpus_per_gpu) = args.cpus_per_gpu {
        cluster.cpus_per_gpu = cpus_per_gpu;
    }
    if let Some(memory_gb) = args.memory_gb {
        cluster.memory_gb_per_gpu = memory_gb / f64::from(cluster.gpus_per_server.max(1));
    }
    if let Some(split) = &args.split {
        spec.mix.split = Some(split.clone());
    }
    match args.demand {
        Some(Demand::Single) => spec.demand = DemandSpec::Single {},
        Some(Demand::Multi) => spec.demand = DemandSpec::Multi {},
        None => {}
    }
    spec.jobs = args.jobs.or(spec.jobs);
    spec.seed = args.seed.unwrap_or(spec.seed);
    Ok(spec)
}
