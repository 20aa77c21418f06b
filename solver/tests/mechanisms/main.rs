//! Mechanisms and checker: hand-worked cases, a plain oracle, random properties, mutations.

mod checker;
mod golden;
mod oracle;
mod properties;
mod random;
mod registry;

use ndarray::array;
use std::sync::Arc;
use synergy_solver::model::{Allocation, Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup};

/// `count` servers of `gpus` GPUs.
fn group(count: usize, gpus: u32, cpus: f64, memory_gb: f64) -> ServerGroup {
    ServerGroup { gpu_type: "v100".into(), count, gpus, capacity: Amounts::new(cpus, memory_gb) }
}

/// A profile whose best point per GPU is `best`; it runs at `low` from the lowest point on, at twice
/// that at the best one.
fn profile(low: (f64, f64), best: (f64, f64)) -> Arc<Profile> {
    let axes = |a: f64, b: f64| if a == b { vec![a] } else { vec![a.min(b), a.max(b)] };
    let (cpus, memory) = (axes(low.0, best.0), axes(low.1, best.1));
    let throughput = ndarray::Array2::from_shape_fn((cpus.len(), memory.len()), |(c, m)| {
        if cpus[c] >= best.0 && memory[m] >= best.1 { 2.0 } else { 1.0 }
    });
    Arc::new(Profile::new("two points", cpus, memory, throughput).unwrap())
}

/// A profile with one point.
fn flat(cpus: f64, memory_gb: f64) -> Arc<Profile> {
    Arc::new(Profile::new("one point", vec![cpus], vec![memory_gb], array![[1.0]]).unwrap())
}

fn job(id: &str, gpus: u32, profile: &Arc<Profile>) -> JobSpec {
    JobSpec { id: id.into(), profile: Arc::clone(profile), gpus, weight: 1.0, arrival_s: None, work_s: None }
}

fn instance(groups: Vec<ServerGroup>, jobs: Vec<JobSpec>) -> Instance {
    Instance::new("by hand", Cluster::new(groups).unwrap(), jobs, Rules::default()).unwrap()
}

/// Per job id: (server, GPUs, CPUs, GB) of every part.
fn parts_of(instance: &Instance, allocation: &Allocation, id: &str) -> Vec<(usize, f64, f64, f64)> {
    let index = instance.jobs().iter().position(|job| job.id == id).unwrap();
    let entry = allocation.jobs.iter().find(|entry| entry.job == index);
    let parts = entry
        .map(|entry| entry.parts.iter().map(|p| (p.server, p.gpus, p.amounts.cpus(), p.amounts.memory_gb())));
    parts.map(Iterator::collect).unwrap_or_default()
}
