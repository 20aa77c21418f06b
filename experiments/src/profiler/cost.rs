//! What profiling error costs: an instance as the scheduler sees it.

use super::cache::CacheModel;
use super::{Method, Setup, profile};
use crate::workload::WorkloadError;
use std::collections::HashMap;
use std::sync::Arc;
use synergy_solver::model::{Instance, JobSpec, Profile};

/// The same cluster and jobs with every profile replaced by its estimate on its own grid. A mechanism
/// decides on this instance; its allocation is scored on the true one, job index by job index.
///
/// # Errors
/// An estimate that no instance takes, such as one whose noise brought a baseline to 0.
pub fn estimated_instance(
    truth: &Instance,
    method: Method,
    noise: f64,
    seed: u64,
) -> Result<Instance, WorkloadError> {
    let mut estimates: HashMap<*const Profile, Arc<Profile>> = HashMap::new();
    let mut specs = Vec::with_capacity(truth.jobs().len());
    for (index, job) in truth.jobs().iter().enumerate() {
        let class = truth.class_of(index);
        let next = estimates.len() as u64;
        let estimate = match estimates.get(&Arc::as_ptr(&class.profile)) {
            Some(estimate) => Arc::clone(estimate),
            None => {
                let setup = Setup { noise, ..Setup::on_grid_of(&class.profile) };
                let cache = CacheModel::calibrated(&class.profile, &setup);
                // Models are measured one after another: each has its own noise.
                let found = profile(method, &class.profile, Some(&cache), &setup, seed.wrapping_add(next));
                let estimate = Arc::new(found.profile(class.profile.name(), &setup)?);
                estimates.insert(Arc::as_ptr(&class.profile), Arc::clone(&estimate));
                estimate
            }
        };
        specs.push(JobSpec {
            id: job.id.clone(),
            profile: estimate,
            gpus: class.gpus,
            weight: job.weight,
            arrival_s: job.arrival_s,
            work_s: job.work_s,
        });
    }
    Ok(Instance::new(truth.name.clone(), truth.cluster().clone(), specs, truth.rules())?)
}
