//! `synergy instance`: the queue of a cluster at a moment of a trace.

use super::Context;
use super::cluster::ClusterArgs;
use crate::error::{CliError, ExitCode, InputError, suggestion};
use crate::files::{Format, OutputPath, instance};
use crate::importers::parse_moment_s;
use crate::simulator::{Moment, Switches, instance_at, policies};
use crate::trace::{self, Trace};
use crate::workload::{ClusterSpec, ProfileSpec};
use std::path::PathBuf;
use synergy_solver::model::Rules;

/// Take the runnable set at a moment of a trace as an instance
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Jobs table that `synergy import` wrote (Parquet)
    jobs: PathBuf,
    /// The moment: seconds from the first arrival, or a date where the trace has dates
    #[arg(long, value_name = "TIME")]
    at: String,
    /// Order of the queue, before and at the moment: fifo, srtf, las, ftf, drf, tetris
    #[arg(long, default_value = "fifo")]
    policy: String,
    /// The whole queue, not only the jobs that fit the GPUs
    #[arg(long)]
    whole_queue: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Profiles that the trace names: published, or file:PATH
    #[arg(long, value_name = "KIND", default_value = "published")]
    profiles: ProfileSpec,
    /// Raise profiles of a file that decrease along an axis to their running maximum, with a warning
    #[arg(long)]
    repair_profiles: bool,
    /// Instance file to write, JSON or (by its ending) TOML; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

/// Writes the instance.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let out = OutputPath::from(args.out.as_str()).open()?;
    if policies::find(&args.policy, &Switches::PAPER).is_none() {
        let hint = suggestion(&args.policy, policies::NAMES);
        return Err(CliError::Usage(format!("no policy {:?}{hint}", args.policy)));
    }
    let mut spec = ClusterSpec::default();
    args.cluster.apply(&mut spec)?;
    let cluster = spec.build().map_err(|e| InputError::whole("command line", e))?;
    let trace = trace::read(&args.jobs)?;
    let invalid = |e: &dyn std::fmt::Display| CliError::from(InputError::whole(args.jobs.display(), e));
    let at_s = moment_s(&args.at, &trace)?;
    let profiles = args.profiles.clone();
    let profiles = if args.repair_profiles { profiles.repairing() } else { profiles };
    let models = profiles.models(0).map_err(|e| invalid(&e))?;
    models.repairs().iter().for_each(|repair| context.warn(repair.warning()));
    let moment = Moment { at_s, policy: &args.policy, whole_queue: args.whole_queue };
    let (found, queued) =
        instance_at(&trace, &models, &cluster, Rules::default(), &moment).map_err(|e| invalid(&e))?;
    let format = if args.out.ends_with(".toml") { Format::Toml } else { Format::Json };
    out.finish_with(instance::to_text(&found, format)?.as_bytes())?;
    let (jobs, gpus) = (found.jobs().len(), cluster.gpus());
    context.info(format_args!("{queued} jobs queued, {jobs} taken, {gpus} GPUs -> {}", args.out));
    Ok(ExitCode::Fine)
}

fn moment_s(text: &str, trace: &Trace) -> Result<f64, CliError> {
    let moment = parse_moment_s(text)
        .ok_or_else(|| CliError::Usage(format!("--at {text}: is no time; give seconds or a date")))?;
    let at_s = match (text.parse::<f64>(), trace.about.origin_unix_s) {
        (Ok(_), _) => moment,
        (Err(_), Some(origin_s)) => moment - origin_s,
        (Err(_), None) => {
            return Err(CliError::Usage(format!(
                "--at {text}: the trace has no dates; give seconds from its first arrival"
            )));
        }
    };
    if at_s < 0.0 {
        return Err(CliError::Usage(format!("--at {text}: lies before the first arrival")));
    }
    Ok(at_s)
}
