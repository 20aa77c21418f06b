//! Workloads that fill a cluster with jobs whose matrices are shaped like the published ones.

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup};

/// CPUs per GPU where a model saturates, memory per GPU that its data set needs, and its share of jobs.
const MODELS: [(f64, f64, f64); 10] = [
    (9.0, 187.5, 0.07),
    (12.0, 250.0, 0.07),
    (12.0, 125.0, 0.06),
    (3.0, 62.5, 0.1),
    (1.0, 20.83, 0.2),
    (1.0, 20.83, 0.2),
    (1.0, 62.5, 0.1),
    (6.0, 62.5, 0.1),
    (4.0, 62.5, 0.05),
    (24.0, 187.5, 0.05),
];

/// A profile; `noise` in [0, 1) makes it one of its kind.
fn profile(name: String, model: usize, noise: impl Fn() -> f64) -> Arc<Profile> {
    let (cpus, memory) =
        (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 12.0, 24.0], vec![20.83, 62.5, 125.0, 187.5, 250.0]);
    let (enough_cpus, enough_memory, _) = MODELS[model];
    let mut matrix = Array2::from_shape_fn((cpus.len(), memory.len()), |(c, m)| {
        let fetched = if memory[m] >= enough_memory { 1.0 } else { 0.3 + 0.5 * memory[m] / enough_memory };
        (cpus[c] / enough_cpus).min(1.0).min(fetched) * (1.0 + 0.2 * noise())
    });
    for c in 0..cpus.len() {
        for m in 0..memory.len() {
            let below = if c > 0 { matrix[(c - 1, m)] } else { 0.0 };
            let left = if m > 0 { matrix[(c, m - 1)] } else { 0.0 };
            matrix[(c, m)] = matrix[(c, m)].max(below).max(left);
        }
    }
    Arc::new(Profile::new(name, cpus, memory, matrix).unwrap())
}

/// Ten models and four GPU demands; with `different`, every job has a matrix and a weight of its own.
pub fn instance(gpus: u32, different: bool) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let shared: Vec<_> = (0..MODELS.len()).map(|m| profile(format!("p{m}"), m, || 0.0)).collect();
    let mut left = gpus;
    let mut specs = Vec::new();
    while left > 0 {
        let draw: f64 = rng.random_range(0.0..1.0);
        let demand = if draw < 0.7 {
            1
        } else if draw < 0.8 {
            2
        } else if draw < 0.95 {
            4
        } else {
            8
        };
        let mut pick: f64 = rng.random_range(0.0..1.0);
        let mut model = 0;
        while model + 1 < MODELS.len() && pick > MODELS[model].2 {
            pick -= MODELS[model].2;
            model += 1;
        }
        let cell = std::cell::RefCell::new(&mut *rng);
        let profile = match different {
            true => profile(format!("p{}", specs.len()), model, || cell.borrow_mut().random_range(0.0..1.0)),
            false => Arc::clone(&shared[model]),
        };
        let weight = if different { rng.random_range(0.5..2.0) } else { 1.0 };
        let demand = demand.min(left);
        left -= demand;
        let id = format!("j{}", specs.len());
        specs.push(JobSpec { id, profile, gpus: demand, weight, arrival_s: None, work_s: None });
    }
    let server = ServerGroup {
        gpu_type: "v100".into(),
        count: gpus.div_ceil(8) as usize,
        gpus: 8,
        capacity: Amounts::new(24.0, 500.0),
    };
    Instance::new("bench", Cluster::new(vec![server]).unwrap(), specs, Rules::default()).unwrap()
}
