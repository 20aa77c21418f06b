//! The fast programs against the readable ones, with two solvers.

use crate::readable;
use crate::support::highs;
use crate::support::{EQUAL, KINDS, Kind, TIED, assert_close, default_options, instances};
use good_lp::solvers::{clarabel::clarabel, microlp::microlp};
use synergy_solver::bounds::{BoundOptions, BoundResult, LpMethod, by_name};
use synergy_solver::model::Instance;
use synergy_solver::status::Status;

fn evaluate(name: &str, instance: &Instance, options: BoundOptions) -> BoundResult {
    let result = by_name(name, options).unwrap().evaluate(instance, &instance.queue());
    assert_eq!(result.status, Status::Optimal, "{name} on {}", instance.name);
    result
}

const METHODS: [Option<LpMethod>; 4] =
    [None, Some(LpMethod::Direct), Some(LpMethod::Aggregated), Some(LpMethod::Dual)];

fn agree(name: &str, kind: Kind, count: u64, readable: impl Fn(&Instance) -> [f64; 2]) {
    for (seed, instance) in instances(kind, count) {
        let expected = readable(&instance);
        for method in METHODS {
            let result = evaluate(name, &instance, BoundOptions { method, ..default_options() });
            let what = format!("{name} by {method:?}, seed {seed} of {kind:?}");
            for expected in expected {
                assert_close(result.value.unwrap(), expected, 1e-6, &what);
            }
            assert_close(result.certified.unwrap(), result.value.unwrap(), 1e-9, &what);
        }
    }
}

#[test]
fn lp_agrees_with_the_readable_formulation() {
    for kind in KINDS {
        agree("lp", kind, 100, |instance| {
            let queue = instance.queue();
            [
                readable::stage_one(instance, &queue, 1.0, false, highs),
                readable::stage_one(instance, &queue, 1.0, false, clarabel),
            ]
        });
    }
}

#[test]
fn lp_skip_agrees_with_the_readable_formulation() {
    for kind in KINDS {
        agree("lp-skip", kind, 100, |instance| {
            let queue = instance.queue();
            [readable::skip(instance, &queue, highs), readable::skip(instance, &queue, clarabel)]
        });
    }
}

#[test]
fn lp_groups_agrees_with_the_readable_formulation() {
    for kind in KINDS {
        agree("lp-groups", kind, 100, |instance| {
            let queue = instance.queue();
            [readable::groups(instance, &queue, highs), readable::groups(instance, &queue, clarabel)]
        });
    }
}

#[test]
fn ilp_agrees_with_the_readable_formulation() {
    for kind in KINDS {
        let kind = Kind { jobs: 6, ..kind };
        for (seed, instance) in instances(kind, 60) {
            let queue = instance.queue();
            let result = evaluate("ilp", &instance, default_options());
            for expected in [
                readable::stage_one(&instance, &queue, 1.0, true, highs),
                readable::stage_one(&instance, &queue, 1.0, true, microlp),
            ] {
                assert_close(result.value.unwrap(), expected, 1e-6, format!("ilp, seed {seed} of {kind:?}"));
            }
            assert_close(
                result.incumbent.unwrap(),
                result.value.unwrap(),
                1e-6,
                format!("incumbent, seed {seed}"),
            );
            assert!(result.trusted);
        }
    }
}

/// Every combination of configurations, one by one.
fn best_of_all(instance: &Instance, jobs: &[usize], used: [f64; 2]) -> f64 {
    let Some((&job, rest)) = jobs.split_first() else { return 0.0 };
    let capacity = instance.cluster().capacity();
    let mut best = f64::NEG_INFINITY;
    for k in &instance.class_of(job).configurations {
        let used = [used[0] + k.amounts[0], used[1] + k.amounts[1]];
        let fits = (0..2).all(|r| used[r] <= capacity[r] * (1.0 + 1e-9));
        if k.throughput >= 1.0 - 1e-9 && fits {
            let value = instance.objective_weight(job) * k.throughput + best_of_all(instance, rest, used);
            best = best.max(value);
        }
    }
    best
}

#[test]
fn ilp_is_the_best_of_all_choices_on_tiny_instances() {
    for kind in [EQUAL, TIED] {
        let kind = Kind { jobs: 3, servers: 2, ..kind };
        for (seed, instance) in instances(kind, 150) {
            let expected = best_of_all(&instance, &instance.runnable(&instance.queue()), [0.0; 2]);
            let result = evaluate("ilp", &instance, default_options());
            assert_close(result.value.unwrap(), expected, 1e-6, format!("seed {seed} of {kind:?}"));
        }
    }
}

#[test]
fn the_bounds_stand_in_order() {
    for kind in KINDS {
        for (seed, instance) in instances(kind, 60) {
            let bound = |name, options| evaluate(name, &instance, options).value.unwrap();
            let plain = default_options();
            let lp = bound("lp", plain);
            let tolerance = 1e-6 * lp.max(1.0);
            assert!(bound("ilp", plain) <= lp + tolerance, "ilp, seed {seed} of {kind:?}");
            assert!(bound("lp-groups", plain) <= lp + tolerance, "lp-groups, seed {seed} of {kind:?}");
            let capped = BoundOptions { per_server_cap: true, ..plain };
            assert!(bound("lp", capped) <= lp + tolerance, "cap, seed {seed} of {kind:?}");
            // Dropping the floor can only help, and the whole queue without floors is lp-skip's.
            let mut last = lp;
            for floor in [0.75, 0.5, 0.25, 0.0] {
                let free = bound("lp", BoundOptions { fairness_floor: floor, ..plain });
                assert!(free >= last - tolerance, "floor {floor}, seed {seed} of {kind:?}");
                last = free;
            }
            assert!(bound("lp-skip", plain) >= last - tolerance, "lp-skip, seed {seed} of {kind:?}");
        }
    }
}

#[test]
fn a_fairness_floor_agrees_with_the_readable_formulation() {
    for kind in KINDS {
        for (seed, instance) in instances(kind, 40) {
            for fairness_floor in [0.0, 0.4, 0.9] {
                let expected =
                    readable::stage_one(&instance, &instance.queue(), fairness_floor, false, highs);
                for method in METHODS {
                    let options = BoundOptions { fairness_floor, method, ..default_options() };
                    let value = evaluate("lp", &instance, options).value.unwrap();
                    assert_close(
                        value,
                        expected,
                        1e-6,
                        format!("floor {fairness_floor}, {method:?}, seed {seed}"),
                    );
                }
            }
        }
    }
}

#[test]
fn an_unknown_bound_is_an_error_that_lists_the_known() {
    let error = by_name("lpp", default_options()).err().unwrap().to_string();
    assert!(error.contains("\"lpp\"") && error.contains("lp-skip") && error.contains("ilp"), "{error}");
}
