//! Leaving configurations out changes no value.

use crate::support::{KINDS, assert_close, default_options, instances};
use synergy_solver::bounds::candidates::candidates;
use synergy_solver::bounds::{BoundOptions, NAMES, Pruning, by_name};
use synergy_solver::lp::{Kind, LinearProgram, Options, Outcome, Sense, highs};
use synergy_solver::model::Configuration;

#[test]
fn values_are_the_same_with_and_without_pruning() {
    for kind in KINDS {
        for (seed, instance) in instances(kind, 40) {
            for name in ["ilp", "lp", "lp-groups", "lp-skip"] {
                assert!(NAMES.contains(&name));
                let value = |pruning| {
                    let bound = by_name(name, BoundOptions { pruning, ..default_options() }).unwrap();
                    bound.evaluate(&instance, &instance.queue()).value.unwrap()
                };
                let all = value(Pruning::Nothing);
                for pruning in [Pruning::Dominated, Pruning::Hull] {
                    assert_close(
                        value(pruning),
                        all,
                        1e-7,
                        format!("{name}, {pruning:?}, seed {seed} of {kind:?}"),
                    );
                }
            }
        }
    }
}

/// Every configuration that the hull leaves out is matched by a mix of what it keeps.
#[test]
fn the_hull_matches_what_it_leaves_out() {
    let mut left_out = 0;
    for kind in KINDS {
        for (seed, instance) in instances(kind, 20) {
            for class in instance.classes() {
                let hull = candidates(&instance, class, false, 1.0, Pruning::Hull);
                for k in &class.configurations {
                    assert!(matched(&hull, k), "{k:?} of {}, seed {seed} of {kind:?}", class.profile.name());
                }
                left_out += class.configurations.len() - hull.len();
            }
        }
    }
    assert!(left_out > 0);
}

/// Whether the LP `max sum W y` over mixes of the hull within k's amounts reaches k's throughput.
fn matched(hull: &[Configuration], k: &Configuration) -> bool {
    let mut program = LinearProgram::new(Sense::Maximise);
    for amount in k.amounts.iter() {
        program.add_row(f64::NEG_INFINITY, amount);
    }
    program.add_row(1.0, 1.0);
    for other in hull {
        let rows = other.amounts.iter().enumerate().chain([(2, 1.0)]);
        program.add_column(Kind::Continuous, other.throughput, (0.0, f64::INFINITY), rows);
    }
    let solution = highs::solve(&program, &Options::default());
    solution.outcome == Outcome::Optimal && solution.objective >= k.throughput - 1e-7
}
