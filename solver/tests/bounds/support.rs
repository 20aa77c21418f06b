//! Random instances, small and odd.

use ndarray::Array2;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::bounds::BoundOptions;
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Objective, Profile, Rules, ServerGroup};

/// What kind of instances to draw.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub groups: usize,
    pub servers: usize,
    pub jobs: usize,
    /// Throughputs on a coarse scale, so that many configurations and prices tie.
    pub ties: bool,
}

pub const EQUAL: Kind = Kind { groups: 1, servers: 3, jobs: 14, ties: false };
pub const UNEQUAL: Kind = Kind { groups: 3, servers: 3, jobs: 14, ties: false };
pub const TIED: Kind = Kind { groups: 1, servers: 3, jobs: 14, ties: true };
pub const KINDS: [Kind; 3] = [EQUAL, UNEQUAL, TIED];

/// The instances that a test runs over, each with its seed for messages.
pub fn instances(kind: Kind, count: u64) -> impl Iterator<Item = (u64, Instance)> {
    (0..count).map(move |seed| (seed, instance(kind, seed)))
}

pub fn instance(kind: Kind, seed: u64) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let cluster = cluster(kind, rng);
    let profiles: Vec<Arc<Profile>> =
        (0..rng.random_range(1..=5)).map(|p| Arc::new(profile(&format!("p{p}"), kind.ties, rng))).collect();
    let largest = cluster.groups().iter().map(|g| g.count as u32 * g.gpus).max().unwrap();
    let jobs = rng.random_range(1..=kind.jobs);
    let spec = |job| JobSpec {
        id: format!("j{job}"),
        profile: Arc::clone(profiles.choose(rng).unwrap()),
        gpus: (*[1, 1, 1, 2, 2, 3, 4, 8, 9].choose(rng).unwrap()).min(largest),
        weight: *[1.0, 1.0, 1.0, 2.0, 0.3, 0.0].choose(rng).unwrap(),
        arrival_s: None,
        work_s: None,
    };
    let specs = (0..jobs).map(spec).collect();
    let rules = Rules {
        objective: if rng.random_bool(0.2) { Objective::Gpus } else { Objective::Normalised },
        whole_cpus: rng.random_bool(0.2),
        ..Rules::default()
    };
    Instance::new(format!("random{seed}"), cluster, specs, rules).unwrap()
}

fn cluster(kind: Kind, rng: &mut ChaCha8Rng) -> Cluster {
    let groups = rng.random_range(1..=kind.groups);
    let group = |_| {
        let gpus = *[1, 2, 3, 4, 8].choose(rng).unwrap();
        let per_gpu: (f64, f64) =
            (*[2.0, 3.0, 3.5, 6.0].choose(rng).unwrap(), *[31.25, 62.5, 100.0].choose(rng).unwrap());
        ServerGroup {
            gpu_type: "v100".into(),
            count: rng.random_range(1..=kind.servers),
            gpus,
            capacity: Amounts::new(per_gpu.0, per_gpu.1).scaled(f64::from(gpus)),
        }
    };
    Cluster::new((0..groups).map(group).collect()).unwrap()
}

/// A monotone matrix. The grid begins below every share, so that no baseline is 0.
pub fn profile(name: &str, ties: bool, rng: &mut ChaCha8Rng) -> Profile {
    let axis = |first: f64, rest: &[f64], rng: &mut ChaCha8Rng| {
        let mut points = vec![first];
        points.extend(rest.iter().copied().filter(|_| rng.random_bool(0.5)));
        points
    };
    let cpus = axis(0.5, &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0], rng);
    let memory = axis(10.0, &[20.83, 31.25, 62.5, 100.0, 125.0, 250.0], rng);
    let mut matrix = Array2::zeros((cpus.len(), memory.len()));
    for row in 0..cpus.len() {
        for column in 0..memory.len() {
            let below: f64 = if row > 0 { matrix[(row - 1, column)] } else { 0.2 };
            let left: f64 = if column > 0 { matrix[(row, column - 1)] } else { 0.2 };
            let step = match ties {
                true => *[0.0, 0.0, 0.25, 0.5].choose(rng).unwrap(),
                false => rng.random_range(0.0..0.5),
            };
            matrix[(row, column)] = below.max(left) + step;
        }
    }
    Profile::new(name, cpus, memory, matrix).unwrap()
}

/// Instances where no two jobs are alike: every job has a matrix of its own.
pub fn all_different(jobs: usize, seed: u64, ties: bool) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let specs: Vec<JobSpec> = (0..jobs)
        .map(|job| JobSpec {
            id: format!("j{job}"),
            profile: Arc::new(profile(&format!("p{job}"), ties, rng)),
            gpus: *[1, 1, 1, 2, 4, 8].choose(rng).unwrap(),
            weight: if ties { 1.0 } else { rng.random_range(0.5..2.0) },
            arrival_s: None,
            work_s: None,
        })
        .collect();
    let gpus: u32 = specs.iter().map(|spec| spec.gpus).sum();
    let group = ServerGroup {
        gpu_type: "v100".into(),
        count: gpus.div_ceil(8) as usize,
        gpus: 8,
        capacity: Amounts::new(24.0, 500.0),
    };
    Instance::new("different", Cluster::new(vec![group]).unwrap(), specs, Rules::default()).unwrap()
}

pub fn default_options() -> BoundOptions {
    BoundOptions::default()
}

/// `a` and `b` agree within a relative tolerance.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64, what: impl std::fmt::Display) {
    let difference = (a - b).abs();
    assert!(
        difference <= tolerance * a.abs().max(b.abs()).max(1.0),
        "{what}: {a} and {b} differ by {difference:e}"
    );
}

/// HiGHS behind `good_lp`, on one thread as our own solves: it fixes the number at a thread's first solve.
pub fn highs(problem: good_lp::variable::UnsolvedProblem) -> good_lp::solvers::highs::HighsProblem {
    good_lp::solvers::highs::highs(problem).set_threads(1)
}
