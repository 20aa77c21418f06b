//! The bound and the mechanisms on it, against each other and against plain enumeration.

mod pricing;
mod random;
mod seats;

use random::{Kind, SMALL, every_pattern, instance};
use synergy_solver::bounds::lp::Lp;
use synergy_solver::bounds::{Bound, BoundOptions, Config, by_name};
use synergy_solver::check::check;
use synergy_solver::config_lp::master::{Generator, Limits};
use synergy_solver::config_lp::packing::Packing;
use synergy_solver::config_lp::units::Rounding;
use synergy_solver::config_lp::{order, solve, start_prices};
use synergy_solver::lp::{Kind as ColumnKind, LinearProgram, Options, Sense, highs};
use synergy_solver::mechanisms::{Mechanism, OptDeployable, Optimum, Tune};
use synergy_solver::model::{Amounts, Instance};
use synergy_solver::status::Status;

const KINDS: [Kind; 6] = [
    SMALL,
    Kind { servers: 3, weights: true, ..SMALL },
    Kind { groups: 2, ..SMALL },
    Kind { gpus: 5, demand: 5, servers: 3, powers_of_two: false, ..SMALL },
    Kind { gpus: 3, demand: 8, servers: 4, powers_of_two: false, whole_cpus: true, ..SMALL },
    Kind { groups: 2, gpus: 4, demand: 7, servers: 3, powers_of_two: false, ..SMALL },
];

fn kind(seed: u64) -> Kind {
    KINDS[seed as usize % KINDS.len()]
}

fn value(instance: &Instance, allocation: &synergy_solver::model::Allocation) -> f64 {
    check(instance, &instance.queue(), allocation).value
}

/// The configuration LP with every pattern as a column; `None` when it has no solution.
fn plain(packing: &Packing) -> Option<f64> {
    let mut program = LinearProgram::new(Sense::Maximise);
    let counts = packing.counts();
    counts.iter().for_each(|&n| {
        program.add_row(n as f64, n as f64);
    });
    for (shape, data) in packing.shapes.iter().enumerate() {
        let row = program.add_row(f64::NEG_INFINITY, data.count as f64);
        for pattern in every_pattern(packing, shape, &counts) {
            let jobs = pattern.per_class(packing).into_iter().map(|(class, n)| (class, n as f64));
            let entries: Vec<_> = jobs.chain([(row, pattern.servers as f64)]).collect();
            program.add_column(ColumnKind::Continuous, pattern.value, (0.0, f64::INFINITY), entries);
        }
    }
    let solution = highs::solve(&program, &Options::default());
    (solution.outcome == highs::Outcome::Optimal).then_some(solution.objective)
}

#[test]
fn column_generation_agrees_with_every_pattern() {
    let (mut solved_all, mut refused) = (0, 0);
    for seed in 0..120 {
        let instance = instance(seed, kind(seed));
        let runnable = instance.runnable(&instance.queue());
        let packing = Packing::new(&instance, &runnable, 1.0, Rounding::Down);
        let mut generator = Generator::new(&packing);
        let start = start_prices(&packing, Amounts::new(0.1, 0.01));
        let jobs = order(&packing, &runnable, instance.jobs().len());
        let solved = solve(&mut generator, &jobs, &start, &Limits::default());
        match plain(&packing) {
            Some(plain) => {
                let bound = solved.relaxation.bound;
                assert!((bound - plain).abs() < 2e-6 * plain, "seed {seed}: {bound} for {plain}");
                assert_eq!(solved.status, Status::Optimal, "seed {seed}");
                solved_all += 1;
            }
            None => {
                assert_eq!(solved.status, Status::NoConsolidatedAllocation, "seed {seed}");
                assert!(solved.packed.iter().sum::<usize>() < runnable.len());
                refused += 1;
            }
        }
    }
    assert!(solved_all > 60 && refused > 5, "{solved_all} {refused}");
}

/// Problem statement, section 4: lp >= config >= optimum >= opt-deployable >= tune, each allocation checked.
#[test]
fn the_chain_holds_on_random_instances() {
    let (mut tight, mut compared, mut refused) = (0, 0, 0);
    for seed in 1000..1240 {
        let instance = instance(seed, kind(seed));
        let queue = instance.queue();
        let config = Config::default().evaluate(&instance, &queue);
        let bound = config.value.unwrap();
        let optimum = Optimum::default().allocate(&instance, &queue).unwrap();
        let deployable = OptDeployable::default().allocate(&instance, &queue).unwrap();
        let tune = Tune.allocate(&instance, &queue).unwrap();
        let near = 2e-6 * bound;
        if optimum.status == Status::NoConsolidatedAllocation {
            refused += usize::from(config.status == Status::NoConsolidatedAllocation);
            assert_ne!(deployable.status, Status::Optimal, "seed {seed}");
            assert!(!check(&instance, &queue, &tune.allocation).verdicts.consolidated, "seed {seed}");
            continue;
        }
        assert_eq!(optimum.status, Status::Optimal, "seed {seed}");
        assert_eq!(config.status, Status::Optimal, "seed {seed}: {:?}", config.note);
        let best = value(&instance, &optimum.allocation);
        let lp = Lp::default().evaluate(&instance, &queue).certified.unwrap();
        assert!(lp >= bound - near && bound >= best - near, "seed {seed}: {lp} {bound} {best}");
        compared += 1;
        tight += usize::from(bound <= best * 1.01);
        for outcome in [&optimum, &deployable] {
            let report = check(&instance, &queue, &outcome.allocation);
            let verdicts = report.verdicts;
            assert!(
                verdicts.valid && verdicts.fair && verdicts.complete && verdicts.consolidated,
                "seed {seed}: {:?} {:?}",
                outcome.status,
                report.violations
            );
            assert!(
                report.value <= best + near && report.value <= outcome.bound.unwrap() + near,
                "seed {seed}"
            );
        }
        if check(&instance, &queue, &tune.allocation).verdicts.consolidated {
            let (found, start) =
                (value(&instance, &deployable.allocation), value(&instance, &tune.allocation));
            assert!(found >= start - near, "seed {seed}: {found} below {start}");
        }
    }
    assert!(
        compared > 120 && tight * 10 > compared * 8,
        "{tight} of {compared} within 1 %; {refused} refused"
    );
    assert!(refused > 0);
}

#[test]
fn a_bound_under_any_limit_is_valid() {
    let mut limited = 0;
    for seed in 0..20 {
        let instance = instance(seed, Kind { servers: 5, gpus: 8, demand: 8, profiles: 6, ..SMALL });
        let queue = instance.queue();
        let full = Config::default().evaluate(&instance, &queue).value.unwrap();
        for rounds in 1..4 {
            let limits = Limits { rounds, ..Limits::default() };
            let result = Config { limits, ..Config::default() }.evaluate(&instance, &queue);
            limited += usize::from(result.status == Status::NodeLimit);
            assert!(result.value.unwrap() >= full * (1.0 - 2e-6), "seed {seed} rounds {rounds}");
        }
    }
    assert!(limited > 20, "{limited}");
}

/// The bound falls as the floor rises, and at floor 0 nothing but values counts.
#[test]
fn fairness_has_a_price() {
    let mut strict = 0;
    for seed in 0..20 {
        let instance = instance(seed, Kind { servers: 3, profiles: 4, ..SMALL });
        let queue = instance.queue();
        let bounds: Vec<f64> = [0.0, 0.5, 1.0]
            .iter()
            .map(|&floor| {
                let config = Config { floor, ..Config::default() }.evaluate(&instance, &queue).value.unwrap();
                // At any floor, and at 0 too, where a job may hold nothing but GPUs.
                for name in ["lp", "lp-groups"] {
                    let options = BoundOptions { fairness_floor: floor, ..BoundOptions::default() };
                    let lp = by_name(name, options).unwrap().evaluate(&instance, &queue).certified.unwrap();
                    assert!(
                        lp >= config * (1.0 - 2e-6),
                        "seed {seed} floor {floor}: {name} {lp} for {config}"
                    );
                }
                config
            })
            .collect();
        assert!(bounds.windows(2).all(|w| w[0] >= w[1] * (1.0 - 2e-6)), "seed {seed}: {bounds:?}");
        strict += usize::from(bounds[0] > bounds[2] * 1.001);
    }
    assert!(strict > 5, "{strict}");
}
