//! What every allocation of a mechanism must be, over thousands of random instances.

use crate::random::{self, Kind};
use synergy_solver::bounds::{BoundOptions, by_name};
use synergy_solver::check::{Report, check};
use synergy_solver::mechanisms::{ALL, Entry, Greedy, Mechanism, Proportional, Takes, Tune, TuneLocal};
use synergy_solver::model::Instance;

const KINDS: [Kind; 3] = [Kind::Any, Kind::OneGroup, Kind::PowersOfTwo];

/// The mechanisms that need no solver; those of the configuration LP have tests of their own.
fn heuristics() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().filter(|entry| !entry.about.name.starts_with("opt"))
}

fn checked(mechanism: &dyn Mechanism, instance: &Instance) -> Report {
    let queue = instance.queue();
    let outcome = mechanism.allocate(instance, &queue).unwrap();
    check(instance, &queue, &outcome.allocation)
}

#[test]
fn every_mechanism_keeps_what_it_promises() {
    for entry in heuristics() {
        let mechanism = (entry.build)(&Default::default()).unwrap();
        // Searches take longer; both are held against each other in tests/tight_bound.
        let seeds = match entry.about.name {
            "opt-deployable" => 40,
            "optimum" => 0,
            _ => 1000,
        };
        for seed in 0..seeds {
            for kind in KINDS {
                let instance = random::instance(seed, kind);
                let report = checked(&*mechanism, &instance);
                let place = || {
                    let said: Vec<String> = report.violations.iter().map(|v| v.describe(&instance)).collect();
                    format!("{} on {kind:?} {seed}: {said:?}", entry.about.name)
                };
                let promise = entry.about.guarantees;
                assert!(report.verdicts.valid, "{}", place());
                assert!(report.verdicts.fair || !promise.fair, "{}", place());
                assert!(report.verdicts.complete || !promise.complete, "{}", place());
                if promise.consolidated && kind == Kind::PowersOfTwo {
                    assert!(report.verdicts.consolidated, "{}", place());
                }
                // No GPU idle that a runnable job asked for.
                if promise.complete && entry.about.takes == Takes::RunnableSet {
                    let runnable = instance.runnable(&instance.queue());
                    let asked: u64 = runnable.iter().map(|&job| u64::from(instance.gpus(job))).sum();
                    assert_eq!(report.gpus_idle, (instance.cluster().gpus() - asked) as f64, "{}", place());
                }
            }
        }
    }
}

#[test]
fn tune_is_never_below_proportional_on_one_group() {
    let mut better = 0;
    for seed in 0..3000 {
        let instance = random::instance(seed, Kind::OneGroup);
        let (tune, proportional) = (checked(&Tune, &instance).value, checked(&Proportional, &instance).value);
        assert!(tune >= proportional * (1.0 - 1e-9), "seed {seed}: {tune} < {proportional}");
        better += usize::from(tune > proportional * 1.01);
    }
    assert!(better > 300, "the random instances leave TUNE nothing to gain: {better}");
}

#[test]
fn greedy_skips_only_jobs_that_fit_nowhere() {
    let mut skipped_any = 0;
    for seed in 0..3000 {
        let instance = random::instance(seed, Kind::Any);
        let queue = instance.queue();
        let outcome = Greedy.allocate(&instance, &queue).unwrap();
        let cluster = instance.cluster();
        let mut free: Vec<(f64, [f64; 2])> = (0..cluster.servers())
            .map(|s| (f64::from(cluster.server(s).gpus), cluster.server(s).capacity.0))
            .collect();
        for part in outcome.allocation.jobs.iter().flat_map(|job| &job.parts) {
            free[part.server].0 -= part.gpus;
            free[part.server].1[0] -= part.amounts.cpus();
            free[part.server].1[1] -= part.amounts.memory_gb();
        }
        for &job in &queue {
            let class = instance.class_of(job);
            if class.larger_than_server || outcome.allocation.jobs.iter().any(|placed| placed.job == job) {
                continue;
            }
            skipped_any += 1;
            let clearly_fits = |(gpus, amounts): &(f64, [f64; 2])| {
                *gpus >= f64::from(class.gpus) && (0..2).all(|r| amounts[r] > class.demand[r] + 1e-6)
            };
            assert!(!free.iter().any(clearly_fits), "seed {seed}: job {job} was skipped but fits");
        }
    }
    assert!(skipped_any > 1000);
}

#[test]
fn local_search_is_never_below_tune() {
    let mut better = 0;
    for seed in 0..1000 {
        for kind in KINDS {
            let instance = random::instance(seed, kind);
            let tune = checked(&Tune, &instance).value;
            let local = checked(&TuneLocal { evaluations: 20 }, &instance).value;
            assert!(local >= tune * (1.0 - 1e-9), "{kind:?} {seed}: {local} < {tune}");
            better += usize::from(local > tune * 1.001);
        }
    }
    assert!(better > 300, "the search finds nothing: {better}");
}

#[test]
fn no_value_is_above_a_bound_that_holds_for_it() {
    let mut covered = [0, 0];
    for seed in 0..400 {
        let instance = random::instance(seed, KINDS[seed as usize % 3]);
        let queue = instance.queue();
        for (count, name) in covered.iter_mut().zip(["lp", "lp-skip"]) {
            let bound = by_name(name, BoundOptions::default()).unwrap().evaluate(&instance, &queue);
            let certified = bound.certified.unwrap();
            for entry in heuristics() {
                let report = checked(&*(entry.build)(&Default::default()).unwrap(), &instance);
                if bound.scope.covers(&report.verdicts) {
                    *count += 1;
                    let (value, mechanism) = (report.value, entry.about.name);
                    assert!(
                        value <= certified * (1.0 + 1e-6),
                        "{mechanism}, {name}, seed {seed}: {value} > {certified}"
                    );
                }
            }
        }
    }
    assert!(covered.iter().all(|&count| count > 1000), "{covered:?}");
}
