//! Random instances, odd ones included.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::model::{
    Amounts, Cluster, Instance, JobSpec, Objective, Profile, Rules, ServerGroup, ThroughputRule,
};

/// What kind of instance to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Unequal groups, any demands.
    Any,
    /// One group, any demands.
    OneGroup,
    /// Power-of-two demands and servers, all of one GPU count; several groups only where every job fits a server.
    PowersOfTwo,
    /// As `Any`, with some hundred servers.
    Large,
}

/// The instance of `seed`.
pub fn instance(seed: u64, kind: Kind) -> Instance {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        if let Some(instance) = draw(&mut rng, kind) {
            return instance;
        }
    }
}

fn pick<T: Copy>(rng: &mut impl Rng, choices: &[T]) -> T {
    *choices.choose(rng).unwrap()
}

fn draw(rng: &mut ChaCha8Rng, kind: Kind) -> Option<Instance> {
    let powers = kind == Kind::PowersOfTwo;
    let server_gpus: &[u32] = if powers { &[1, 2, 4, 8] } else { &[1, 2, 3, 4, 5, 6, 8] };
    let one_count = pick(rng, server_gpus);
    let groups = match kind {
        Kind::OneGroup => 1,
        _ => pick(rng, &[1, 1, 2, 3]),
    };
    let groups: Vec<ServerGroup> = (0..groups)
        .map(|index| {
            let gpus = if powers { one_count } else { pick(rng, server_gpus) };
            let cpus_per_gpu = pick(rng, &[1.0, 2.0, 2.5, 3.0, 3.7, 4.0, 6.0]);
            let memory_per_gpu = pick(rng, &[20.83, 50.0, 62.5, 100.0, 33.3]);
            ServerGroup {
                gpu_type: format!("type{index}"),
                count: if kind == Kind::Large { rng.random_range(50..=200) } else { rng.random_range(1..=8) },
                gpus,
                capacity: Amounts::new(cpus_per_gpu * f64::from(gpus), memory_per_gpu * f64::from(gpus)),
            }
        })
        .collect();
    let cluster = Cluster::new(groups).unwrap();
    let rules = Rules {
        throughput: pick(rng, &[ThroughputRule::Floor, ThroughputRule::Floor, ThroughputRule::Bilinear]),
        objective: pick(rng, &[Objective::Normalised, Objective::Gpus]),
        whole_cpus: rng.random_bool(0.25),
    };
    let share = cluster.smallest_share_per_gpu();
    let profiles: Vec<Arc<Profile>> = (0..rng.random_range(1..=6)).map(|_| profile(rng, &share)).collect();
    let demands: &[u32] =
        if powers { &[1, 1, 1, 2, 4, 8, 16] } else { &[1, 1, 1, 1, 2, 3, 4, 5, 7, 8, 12, 16] };
    let largest = cluster.groups().iter().map(|g| g.count as u32 * g.gpus).max().unwrap();
    let most = if powers && cluster.groups().len() > 1 { one_count } else { largest };
    let count = if kind == Kind::Large { rng.random_range(300..=1500) } else { rng.random_range(1..=40) };
    let jobs = (0..count).map(|index| {
        let fitting: Vec<u32> = demands.iter().copied().filter(|&g| g <= most).collect();
        JobSpec {
            id: format!("j{index}"),
            profile: Arc::clone(profiles.choose(rng).unwrap()),
            gpus: pick(rng, &fitting),
            weight: pick(rng, &[1.0, 1.0, 1.0, 0.5, 3.0, 0.0]),
            arrival_s: None,
            work_s: None,
        }
    });
    let jobs = jobs.collect();
    Instance::new("random", cluster, jobs, rules).ok()
}

/// Axes that start at or below the share, with points on it, between and beyond.
fn profile(rng: &mut ChaCha8Rng, share: &Amounts) -> Arc<Profile> {
    let axis = |rng: &mut ChaCha8Rng, share: f64| {
        let mut points: Vec<f64> =
            (0..rng.random_range(0..6)).map(|_| share * rng.random_range(0.1..4.0)).collect();
        points.push(share * pick(rng, &[1.0, 0.5, 0.33, 0.9]));
        if rng.random_bool(0.3) {
            points = points.iter().map(|p| p.ceil()).collect();
            points.push(1.0_f64.min(share));
        }
        points.sort_by(f64::total_cmp);
        points.dedup();
        points
    };
    let (cpus, memory) = (axis(rng, share.cpus()), axis(rng, share.memory_gb()));
    // Steps along each axis; a profile may need one resource, both or none.
    let steps = |rng: &mut ChaCha8Rng, points: usize| -> Vec<f64> {
        let size = pick(rng, &[0.0, 0.2, 1.0]);
        let mut level = 0.0;
        let step = |_| {
            level += size * rng.random_range(0.0..1.0_f64).powi(3);
            level
        };
        (0..points).map(step).collect()
    };
    let (by_cpus, by_memory) = (steps(rng, cpus.len()), steps(rng, memory.len()));
    let is_joint = rng.random_bool(0.5);
    let throughput = ndarray::Array2::from_shape_fn((cpus.len(), memory.len()), |(c, m)| {
        0.2 + if is_joint { by_cpus[c].min(by_memory[m]) } else { by_cpus[c] + by_memory[m] }
    });
    Arc::new(Profile::new("random", cpus, memory, throughput).unwrap())
}
