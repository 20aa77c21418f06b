//! `synergy instance`: the queue of a cluster at a moment of a trace.

use super::Context;
use super::cluster::ClusterArgs;
use crate::error::{CliError, ExitCode, InputError, suggestion};
use crate::files::{Format, OutputPath, instance};
use crate::importers::parse_moment_s;
use crate::profiles;
use crate::simulator::Switches;
use crate::simulator::policies::{self, KeyMotion, Policy, View};
use crate::trace::{self, Trace, Waiting, queue_at};
use crate::workload::{ClusterSpec, ModelSet, ProfileSpec};
use std::path::PathBuf;
use std::sync::Arc;
use synergy_solver::model::{Cluster, Instance, JobSpec, Profile, Rules};

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
    let policy = policies::find(&args.policy, &Switches::PAPER).ok_or_else(|| {
        CliError::Usage(format!("no policy {:?}{}", args.policy, suggestion(&args.policy, policies::NAMES)))
    })?;
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
    // Every job of the trace on this cluster: for profiles, and for the demands that some policies order by.
    let all = instance_of(&trace, &models, &cluster, trace.jobs.iter().map(|job| job.duration_s).enumerate())
        .map_err(|e| invalid(&e))?;
    let queue = queue_at(
        &trace,
        cluster.gpus(),
        at_s,
        policy.motion() != KeyMotion::Always && args.policy != "las",
        &|job, now_s| key(policy.as_ref(), &all, job, now_s),
    )
    .map_err(|e| invalid(&format!("{e}; import it with durations")))?;
    let order: Vec<usize> = queue.iter().map(|job| job.job).collect();
    let taken = if args.whole_queue { order.clone() } else { all.runnable(&order) };
    let chosen =
        queue.iter().filter(|job| taken.contains(&job.job)).map(|job| (job.job, Some(job.remaining_s)));
    let mut found = instance_of(&trace, &models, &cluster, chosen).map_err(|e| invalid(&e))?;
    found.name = format!("{}-{}-{at_s}", trace.about.source, args.policy);
    let format = if args.out.ends_with(".toml") { Format::Toml } else { Format::Json };
    out.finish_with(instance::to_text(&found, format)?.as_bytes())?;
    let (jobs, gpus) = (found.jobs().len(), cluster.gpus());
    context.info(format_args!("{} jobs queued, {jobs} taken, {gpus} GPUs -> {}", queue.len(), args.out));
    Ok(ExitCode::Fine)
}

/// The policy's key of a job.
fn key(policy: &dyn Policy, all: &Instance, job: &Waiting, now_s: f64) -> f64 {
    let class = all.class_of(job.job);
    let (gpus, capacity) = (all.cluster().gpus() as f64, all.cluster().capacity());
    policy.key(&View {
        now_s,
        arrival_s: job.arrival_s,
        remaining_s: job.remaining_s,
        total_s: job.total_s,
        attained_gpu_s: job.attained_gpu_s,
        shares: [
            f64::from(job.gpus) / gpus,
            class.demand.cpus() / capacity.cpus(),
            class.demand.memory_gb() / capacity.memory_gb(),
        ],
    })
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

/// An instance of these jobs of the trace, with the work that is left of each.
fn instance_of(
    trace: &Trace,
    models: &ModelSet,
    cluster: &Cluster,
    jobs: impl Iterator<Item = (usize, Option<f64>)>,
) -> Result<Instance, String> {
    let profile = |name: &str| -> Option<Arc<Profile>> {
        let own = models.models().iter().map(|model| &model.profile).find(|profile| profile.name() == name);
        own.or(profiles::find(name).map(|model| &model.profile)).map(Arc::clone)
    };
    let mut specs = Vec::new();
    for (index, work_s) in jobs {
        let job = &trace.jobs[index];
        let name = job.profile.as_deref().ok_or("has jobs without a profile; import it with profiles")?;
        specs.push(JobSpec {
            id: job.id.to_string(),
            profile: profile(name)
                .ok_or_else(|| format!("profile {name:?} is neither built in nor in --profiles"))?,
            gpus: job.gpus,
            weight: 1.0,
            arrival_s: Some(job.arrival_s),
            work_s,
        });
    }
    Instance::new(trace.about.source.clone(), cluster.clone(), specs, Rules::default())
        .map_err(|e| e.to_string())
}
