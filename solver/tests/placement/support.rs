//! Random placement problems, small and odd, and instances that fill their GPUs.

use ndarray::Array2;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup};
use synergy_solver::placement::{Placement, RESOURCES, Shape, StageTwo, Vector};

/// How the demands are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Demands {
    /// Whole amounts, as profiles give them: many jobs are alike and loads can balance exactly.
    Grid,
    /// Reals: no two jobs are alike.
    Reals,
    /// Grid, reals, zeros in some or all resources, and jobs larger than a server.
    Odd,
}

pub const ALL_DEMANDS: [Demands; 3] = [Demands::Grid, Demands::Reals, Demands::Odd];

/// Jobs on `servers` servers of 8 GPUs, with one resource full at least, the others at random loads.
pub fn problem(seed: u64, servers: usize, demands: Demands) -> StageTwo {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let capacity: Vector = [8.0, 24.0, 24.0];
    let mut jobs: Vec<Vector> = Vec::new();
    let mut load = [0.0; RESOURCES];
    let mut misses = 0;
    while misses < 12 {
        let gpus = *[1.0, 1.0, 1.0, 2.0, 4.0, 8.0].choose(rng).unwrap();
        let mut job = match demands {
            Demands::Grid => [
                gpus,
                gpus * f64::from(rng.random_range(1..=6)),
                gpus * *[1.0, 3.0, 6.0].choose(rng).unwrap(),
            ],
            _ => [gpus, gpus * rng.random_range(0.5..6.0), gpus * rng.random_range(0.2..6.0)],
        };
        if demands == Demands::Odd {
            match rng.random_range(0..8) {
                0 => job = [0.0; RESOURCES],
                1 => job[rng.random_range(0..RESOURCES)] = 0.0,
                2 => job = job.map(|amount| amount * 2.5),
                3 => job = job.map(f64::round),
                _ => {}
            }
        }
        let fits = |r: usize| load[r] + job[r] <= capacity[r] * servers as f64;
        if (0..RESOURCES).all(fits) {
            (0..RESOURCES).for_each(|r| load[r] += job[r]);
            jobs.push(job);
        } else {
            misses += 1;
        }
        if jobs.len() > 12 * servers + 20 {
            break;
        }
    }
    if rng.random_bool(0.7) {
        // Fill one auxiliary resource to the brim with what the last jobs hold.
        let r = rng.random_range(1..RESOURCES);
        let missing = capacity[r] * servers as f64 - load[r];
        if let Some(job) = jobs.last_mut() {
            job[r] += missing.min(0.5 * capacity[r]);
        }
    }
    StageTwo { shapes: vec![Shape { servers, capacity }], demands: jobs }
}

/// Recomputes the rows from the problem's raw data, in another way than the library does: server by server.
#[track_caller]
pub fn assert_feasible(problem: &StageTwo, placement: &Placement, what: &str) {
    let mut server = 0;
    for shape in &problem.shapes {
        for _ in 0..shape.servers {
            for r in 0..RESOURCES {
                let here = placement.shares.iter().filter(|share| share.server as usize == server);
                let load: f64 =
                    here.map(|share| share.fraction * problem.demands[share.job as usize][r]).sum();
                assert!(
                    load <= shape.capacity[r] * (1.0 + 1e-6),
                    "{what}: server {server} holds {load} of {} in resource {r}",
                    shape.capacity[r]
                );
            }
            server += 1;
        }
    }
    for job in 0..problem.demands.len() {
        let of_job: Vec<_> = placement.shares.iter().filter(|share| share.job as usize == job).collect();
        let placed: f64 = of_job.iter().map(|share| share.fraction).sum();
        assert!((placed - 1.0).abs() < 1e-6, "{what}: {placed} of job {job} is placed");
        assert!(of_job.iter().all(|share| share.fraction > 0.0), "{what}: job {job} has an empty share");
        let mut servers: Vec<u32> = of_job.iter().map(|share| share.server).collect();
        servers.dedup();
        assert_eq!(servers.len(), of_job.len(), "{what}: job {job} is listed twice on a server");
    }
    assert!(placement.violation(problem) < 1e-6, "{what}: the library finds a violation");
}

/// An instance that fills the GPUs of `servers` servers of 8, with matrices on the published grid.
pub fn full_instance(servers: usize, multi: bool, cpus_per_gpu: f64, seed: u64) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let profiles: Vec<Arc<Profile>> = (0..8).map(|p| Arc::new(profile(&format!("p{p}"), rng))).collect();
    let mut free = 8 * servers as u32;
    let mut specs = Vec::new();
    while free > 0 {
        let demands: &[u32] = if multi { &[1, 1, 1, 1, 1, 1, 1, 2, 4, 8] } else { &[1] };
        let fitting: Vec<u32> = demands.iter().copied().filter(|&g| g <= free).collect();
        let gpus = *fitting.choose(rng).unwrap();
        free -= gpus;
        specs.push(JobSpec {
            id: format!("j{}", specs.len()),
            profile: Arc::clone(profiles.choose(rng).unwrap()),
            gpus,
            weight: 1.0,
            arrival_s: None,
            work_s: None,
        });
    }
    let group = ServerGroup {
        gpu_type: "v100".into(),
        count: servers,
        gpus: 8,
        capacity: Amounts::new(8.0 * cpus_per_gpu, 500.0),
    };
    Instance::new("full", Cluster::new(vec![group]).unwrap(), specs, Rules::default()).unwrap()
}

/// A matrix on the published grid that rises to a plateau along both axes.
fn profile(name: &str, rng: &mut ChaCha8Rng) -> Profile {
    let cpus: Vec<f64> = (1..=9).map(f64::from).collect();
    let memory = vec![62.5 / 3.0, 62.5, 125.0, 187.5, 250.0];
    let (cpu_need, memory_need): (f64, f64) = (rng.random_range(1.0..9.0), rng.random_range(15.0..200.0));
    let throughput = Array2::from_shape_fn((9, 5), |(c, m)| {
        (cpus[c] / cpu_need).min(1.0) * (0.4 + 0.6 * (memory[m] / memory_need).min(1.0))
    });
    Profile::new(name, cpus, memory, throughput).unwrap()
}
