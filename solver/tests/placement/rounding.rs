//! `opt-rounded`: what it promises, on the instances that the other mechanisms are tried on.

use crate::support::full_instance;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::bounds::{BoundOptions, lp};
use synergy_solver::check::check;
use synergy_solver::mechanisms::{Mechanism, OptRounded, Tune, by_name};
use synergy_solver::model::{
    Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup, ThroughputRule,
};
use synergy_solver::status::Status;

fn random_instance(seed: u64, powers_of_two: bool) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let one = *[1, 2, 4, 8].choose(rng).unwrap();
    let groups = if powers_of_two { 1 } else { rng.random_range(1..=3) };
    let group = |_| {
        let gpus: u32 = if powers_of_two { one } else { rng.random_range(1..=8) };
        let per_gpu = Amounts::new(rng.random_range(1.0..6.0), rng.random_range(20.0..100.0));
        ServerGroup {
            gpu_type: "t".into(),
            count: rng.random_range(1..=6),
            gpus,
            capacity: per_gpu.scaled(f64::from(gpus)),
        }
    };
    let cluster = Cluster::new((0..groups).map(group).collect()).unwrap();
    let share = cluster.smallest_share_per_gpu();
    let profile = |p: usize, rng: &mut ChaCha8Rng| {
        let axis = |share: f64, rng: &mut ChaCha8Rng| {
            let mut points = vec![share * rng.random_range(0.3..1.0)];
            (0..rng.random_range(0..5))
                .for_each(|_| points.push(points[points.len() - 1] * rng.random_range(1.1..2.0)));
            points
        };
        let (cpus, memory) = (axis(share.cpus(), rng), axis(share.memory_gb(), rng));
        let mut level = 0.3;
        let steps: Vec<f64> = (0..cpus.len() + memory.len())
            .map(|_| {
                level += rng.random_range(0.0..0.5);
                level
            })
            .collect();
        let throughput = ndarray::Array2::from_shape_fn((cpus.len(), memory.len()), |(c, m)| steps[c + m]);
        Arc::new(Profile::new(format!("p{p}"), cpus, memory, throughput).unwrap())
    };
    let profiles: Vec<_> = (0..4).map(|p| profile(p, rng)).collect();
    let demands: &[u32] = if powers_of_two { &[1, 1, 2, 4, 8, 16] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 11] };
    let largest = cluster.groups().iter().map(|g| g.count as u32 * g.gpus).max().unwrap();
    let fitting: Vec<u32> = demands.iter().copied().filter(|&g| g <= largest).collect();
    let spec = |j| JobSpec {
        id: format!("j{j}"),
        profile: profiles.choose(rng).unwrap().clone(),
        gpus: *fitting.choose(rng).unwrap(),
        weight: *[1.0, 1.0, 2.0, 0.0].choose(rng).unwrap(),
        arrival_s: None,
        work_s: None,
    };
    let specs = (0..30).map(spec).collect();
    let rules = Rules {
        whole_cpus: false,
        throughput: if seed.is_multiple_of(5) { ThroughputRule::Bilinear } else { ThroughputRule::Floor },
        ..Rules::default()
    };
    Instance::new("random", cluster, specs, rules).unwrap()
}

#[test]
fn it_is_valid_fair_complete_and_integral_everywhere() {
    let mut rounded = 0;
    for seed in 0..300 {
        let instance = random_instance(seed, false);
        let queue = instance.queue();
        let outcome = OptRounded::default().allocate(&instance, &queue).unwrap();
        let report = check(&instance, &queue, &outcome.allocation);
        let verdicts = report.verdicts;
        assert!(!outcome.allocation.fractional);
        assert!(verdicts.valid && verdicts.fair && verdicts.complete, "seed {seed}: {:?}", report.violations);
        match outcome.status {
            Status::Ok => {
                rounded += 1;
                assert!(verdicts.consolidated, "seed {seed}: {:?}", report.violations);
            }
            Status::NotFound => {
                let tune = Tune.allocate(&instance, &queue).unwrap();
                assert_eq!(outcome.allocation, tune.allocation, "seed {seed}");
            }
            other => panic!("seed {seed}: {other}"),
        }
    }
    assert!(rounded > 100, "only {rounded} of 300 were rounded");
}

#[test]
fn it_is_consolidated_with_powers_of_two() {
    for seed in 0..200 {
        let instance = random_instance(seed, true);
        let queue = instance.queue();
        let outcome = OptRounded::default().allocate(&instance, &queue).unwrap();
        assert_eq!(outcome.status, Status::Ok, "seed {seed}");
        let report = check(&instance, &queue, &outcome.allocation);
        assert!(report.verdicts.consolidated && report.verdicts.fair, "seed {seed}: {:?}", report.violations);
    }
}

#[test]
fn it_is_no_worse_than_tune_from_every_placement_and_mostly_better() {
    let mut better = 0;
    for seed in 0..6 {
        let instance = full_instance(8, seed % 2 == 0, [3.0, 4.0, 6.0][seed as usize % 3], seed);
        let queue = instance.queue();
        let bound = lp::solve(&instance, &queue, &BoundOptions::default()).bound.certified.unwrap();
        let value = |name: &str| {
            let outcome = by_name(name).unwrap().allocate(&instance, &queue).unwrap();
            let report = check(&instance, &queue, &outcome.allocation);
            assert!(report.verdicts.valid && report.verdicts.fair && report.verdicts.complete, "{name}");
            assert!(report.value <= bound * (1.0 + 1e-6), "{name}: {} above {bound}", report.value);
            report.value
        };
        let tune = value("tune");
        for placement in ["vertex", "bisection-fast", "bisection", "reweighted", "bisection+merge"] {
            let kept = value(&format!("opt-rounded[placement={placement}]"));
            assert!(kept >= 0.99 * tune, "seed {seed} {placement}: {kept}, tune {tune}");
            better += usize::from(kept > 1.1 * tune);
        }
    }
    assert!(better >= 15, "better than TUNE by a tenth in only {better} of 30 cases");
}
