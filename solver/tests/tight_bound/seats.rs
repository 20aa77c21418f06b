//! The seat program, for jobs that nearly all differ, against the configuration LP with every pattern.

use crate::plain;
use crate::random::{Kind, SMALL, generator, instance};
use rand::RngExt;
use std::sync::Arc;
use synergy_solver::bounds::lp::Lp;
use synergy_solver::bounds::{Bound, Config};
use synergy_solver::check::check;
use synergy_solver::config_lp::MOST_CLASSES;
use synergy_solver::config_lp::packing::{Packing, classes};
use synergy_solver::config_lp::seats::{SeatLimits, SeatMaster, SeatPrices, Seats};
use synergy_solver::config_lp::units::Rounding;
use synergy_solver::mechanisms::{Mechanism, OptDeployable, Tune};
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, ServerGroup};
use synergy_solver::status::Status;

/// The instance with a weight of its own for every job, so that no two are alike.
fn all_different(instance: &Instance, seed: u64) -> Instance {
    let mut rng = generator(seed);
    let specs = instance.jobs().iter().enumerate().map(|(index, job)| JobSpec {
        id: job.id.clone(),
        profile: Arc::clone(&instance.class_of(index).profile),
        gpus: instance.gpus(index),
        weight: rng.random_range(0.5..2.0),
        arrival_s: None,
        work_s: None,
    });
    let (specs, cluster) = (specs.collect(), instance.cluster().clone());
    Instance::new(instance.name.clone(), cluster, specs, instance.rules()).unwrap()
}

const KINDS: [Kind; 4] = [
    Kind { servers: 4, ..SMALL },
    Kind { groups: 2, servers: 3, ..SMALL },
    Kind { gpus: 5, demand: 5, servers: 3, powers_of_two: false, ..SMALL },
    Kind { gpus: 3, demand: 8, servers: 4, powers_of_two: false, whole_cpus: true, ..SMALL },
];

fn bound(seats: &Seats, limits: &SeatLimits) -> (f64, bool) {
    let mut master = SeatMaster::new(seats, SeatPrices::of_amounts(seats, Amounts::new(0.1, 0.01)));
    let solution = master.solve(limits).unwrap();
    (master.bound, solution.converged && solution.uncovered < 1e-6)
}

/// Never below, and with every used size in plenty equal: here a few per cent at most.
#[test]
fn the_bound_is_above_that_of_every_pattern_and_near_it() {
    let (mut compared, mut near) = (0, 0);
    for seed in 0..120 {
        let instance = all_different(&instance(seed, KINDS[seed as usize % KINDS.len()]), seed);
        let runnable = instance.runnable(&instance.queue());
        let all = classes(&instance, &runnable, 1.0);
        let Some(exact) = plain(&Packing::of_classes(&instance, all.clone(), Rounding::Down)) else {
            continue;
        };
        let (found, converged) = bound(&Seats::new(&instance, &all), &SeatLimits::default());
        assert!(converged, "seed {seed}");
        assert!(found >= exact * (1.0 - 1e-9), "seed {seed}: {found} below {exact}");
        // Under a limit, and with prices from a few jobs that stand for all, it is a bound still.
        let (early, _) = bound(&Seats::new(&instance, &all), &SeatLimits { rounds: 2, tolerance: 0.0 });
        let (rough, _) = bound(&Seats::with_blocks(&instance, &all, 4), &SeatLimits::default());
        assert!(early >= exact * (1.0 - 1e-9) && rough >= exact * (1.0 - 1e-9), "seed {seed}");
        compared += 1;
        near += usize::from(found <= exact * 1.02);
    }
    assert!(compared > 60 && near * 10 > compared * 8, "{near} of {compared} within 2 %");
}

#[test]
fn many_different_jobs_get_a_bound_and_an_allocation_near_it() {
    for (seed, floor) in [(1, 1.0), (2, 1.0), (3, 0.5)] {
        let kind = Kind { servers: 48, gpus: 8, demand: 3, profiles: 8, ..SMALL };
        let mut seeds = (seed * 100..).map(|s| all_different(&instance(s, kind), s));
        let many = |i: &Instance| i.runnable(&i.queue()).len() > MOST_CLASSES;
        let instance = seeds.find(many).unwrap();
        let queue = instance.queue();
        let config = Config { floor, ..Config::default() }.evaluate(&instance, &queue);
        let bound = config.value.unwrap();
        let lp = Lp::default().evaluate(&instance, &queue).certified.unwrap();
        assert_eq!(config.status, Status::Optimal, "seed {seed}");
        assert!(floor < 1.0 || bound <= lp * (1.0 + 1e-9), "seed {seed}: {bound} above {lp}");
        let outcome =
            OptDeployable { floor, ..OptDeployable::default() }.allocate(&instance, &queue).unwrap();
        let report = check(&instance, &queue, &outcome.allocation);
        assert!(report.verdicts.valid && report.verdicts.complete && report.verdicts.consolidated);
        assert!(report.verdicts.fair || floor < 1.0);
        assert_eq!(outcome.bound, Some(bound), "seed {seed}");
        let tune = check(&instance, &queue, &Tune.allocate(&instance, &queue).unwrap().allocation).value;
        assert!(report.value >= tune && report.value <= bound * (1.0 + 1e-6), "seed {seed}");
        assert!(report.value >= 0.97 * bound, "seed {seed}: {} of {bound}", report.value);
    }
}

/// 240 jobs of 3 GPUs ask for 720 of 800 GPUs, but a server of 4 holds one: 200 are bounded, the others named.
#[test]
fn what_cannot_be_packed_is_refused_by_gpus() {
    let small = instance(0, SMALL);
    let group = ServerGroup { count: 200, gpus: 4, ..small.cluster().groups()[0].clone() };
    let specs = (0..240).map(|job| JobSpec {
        id: format!("j{job}"),
        profile: Arc::clone(&small.class_of(0).profile),
        gpus: 3,
        weight: 1.0 + f64::from(job) / 1000.0,
        arrival_s: None,
        work_s: None,
    });
    let cluster = Cluster::new(vec![group]).unwrap();
    let instance = Instance::new("threes", cluster, specs.collect(), small.rules()).unwrap();
    let config = Config::default().evaluate(&instance, &instance.queue());
    assert_eq!(config.status, Status::NoConsolidatedAllocation);
    let note = config.note.unwrap();
    assert!(note.contains("40 of 240 jobs with 3 GPUs cannot be added to the other 200"), "{note}");
    // Whoever is kept has a server alone: the bound is what they are worth at their best there.
    let class = instance.class_of(0);
    let kept: f64 = instance.queue()[..200].iter().map(|&job| instance.objective_weight(job)).sum();
    let best = kept * class.demand_throughput;
    assert!((config.value.unwrap() - best).abs() <= 1e-6 * best, "{:?} for {best}", config.value);
    let outcome = OptDeployable::default().allocate(&instance, &instance.queue()).unwrap();
    assert_eq!((outcome.status, outcome.bound), (Status::NoConsolidatedAllocation, None));
}
