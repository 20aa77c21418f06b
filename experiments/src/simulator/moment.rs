//! The queue of a trace at a moment as a static instance: what a mechanism would have had to decide.

use super::policies::{self, KeyMotion, Policy, View};
use super::switches::Switches;
use crate::profiles;
use crate::trace::{Trace, Waiting, queue_at};
use crate::workload::ModelSet;
use std::sync::Arc;
use synergy_solver::model::{Cluster, Instance, JobSpec, Profile, Rules};

/// Which moment.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Seconds from the first arrival.
    pub at_s: f64,
    /// Name of the policy that orders the queue, before and at the moment.
    pub policy: &'a str,
    /// The whole queue, not only the jobs that fit the GPUs.
    pub whole_queue: bool,
}

/// The instance at a moment, and how many jobs are queued then.
///
/// # Errors
/// No such policy; jobs without duration or profile; jobs that the cluster cannot hold.
pub fn instance_at(
    trace: &Trace,
    models: &ModelSet,
    cluster: &Cluster,
    rules: Rules,
    moment: &Moment,
) -> Result<(Instance, usize), String> {
    let policy = policies::find(moment.policy, &Switches::PAPER).ok_or_else(|| {
        format!("no policy {:?}{}", moment.policy, crate::error::suggestion(moment.policy, policies::NAMES))
    })?;
    // Every job of the trace on this cluster: for profiles, and for the demands that some policies order by.
    let all_jobs = trace.jobs.iter().map(|job| job.duration_s).enumerate();
    let all = instance_of(trace, models, cluster, rules, all_jobs)?;
    let queue = queue_at(
        trace,
        cluster.gpus(),
        moment.at_s,
        policy.motion() != KeyMotion::Always && moment.policy != "las",
        &|job, now_s| key(policy.as_ref(), &all, job, now_s),
    )
    .map_err(|e| format!("{e}; import it with durations"))?;
    let order: Vec<usize> = queue.iter().map(|job| job.job).collect();
    let taken = if moment.whole_queue { order.clone() } else { all.runnable(&order) };
    let chosen =
        queue.iter().filter(|job| taken.contains(&job.job)).map(|job| (job.job, Some(job.remaining_s)));
    if taken.is_empty() {
        return Err(format!("no job is queued at {} s; choose another moment", moment.at_s));
    }
    let mut found = instance_of(trace, models, cluster, rules, chosen)?;
    found.name = format!("{}-{}-{}", trace.about.source, moment.policy, moment.at_s);
    Ok((found, queue.len()))
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

/// An instance of these jobs of the trace, with the work that is left of each.
fn instance_of(
    trace: &Trace,
    models: &ModelSet,
    cluster: &Cluster,
    rules: Rules,
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
    Instance::new(trace.about.source.clone(), cluster.clone(), specs, rules).map_err(|e| e.to_string())
}
