//! The choices behind stage one: fair, within the capacities, few splits, least resources.

use crate::readable;
use crate::support::highs;
use crate::support::{EQUAL, KINDS, TIED, all_different, assert_close, default_options, instances};
use synergy_solver::bounds::{BoundOptions, LpMethod, StageOne, lp, lp_groups};
use synergy_solver::model::{AUXILIARY, Amounts, Instance};
use synergy_solver::status::Status;

const METHODS: [LpMethod; 3] = [LpMethod::Direct, LpMethod::Aggregated, LpMethod::Dual];

fn solve(instance: &Instance, method: LpMethod) -> StageOne {
    let options = BoundOptions { method: Some(method), ..default_options() };
    let stage = lp::solve(instance, &instance.queue(), &options);
    assert_eq!(stage.bound.status, Status::Optimal);
    // The dual may fall back to the whole LP, and says so.
    assert!(stage.bound.method == Some(method) || method == LpMethod::Dual);
    stage
}

/// What holds for the choices of any stage one.
fn check(instance: &Instance, stage: &StageOne, what: &str) {
    let jobs: Vec<usize> = stage.jobs.iter().map(|choice| choice.job).collect();
    assert_eq!(jobs, instance.runnable(&instance.queue()), "{what}: runnable jobs in queue order");
    let groups = instance.cluster().groups();
    let mut load = vec![(0.0, Amounts::ZERO); groups.len()];
    for choice in &stage.jobs {
        assert!(choice.throughput >= 1.0 - 1e-7, "{what}: job {} has {}", choice.job, choice.throughput);
        let fractions: f64 = choice.mix.iter().map(|(_, fraction)| fraction).sum();
        assert_close(fractions, 1.0, 1e-9, what);
        let mixed = choice.mix.iter().fold(Amounts::ZERO, |sum, (k, part)| sum + k.amounts.scaled(*part));
        let parts = choice.parts.iter().fold(Amounts::ZERO, |sum, part| sum + part.amounts);
        for resource in 0..AUXILIARY {
            assert_close(choice.amounts[resource], mixed[resource], 1e-9, what);
            assert_close(choice.amounts[resource], parts[resource], 1e-9, what);
        }
        assert_close(choice.parts.iter().map(|part| part.fraction).sum(), 1.0, 1e-9, what);
        for part in &choice.parts {
            load[part.group].0 += part.fraction * f64::from(instance.gpus(choice.job));
            load[part.group].1 += part.amounts;
        }
        for (k, _) in &choice.mix {
            assert!(instance.class_of(choice.job).configurations.contains(k), "{what}: {k:?} is on no grid");
        }
    }
    let value = stage.value(|job| instance.objective_weight(job));
    assert_close(value, stage.bound.value.unwrap(), 1e-7, what);
    let total = load.iter().fold(Amounts::ZERO, |sum, (_, amounts)| sum + *amounts);
    for resource in 0..AUXILIARY {
        assert!(
            total[resource] <= instance.cluster().capacity()[resource] * (1.0 + 1e-7),
            "{what}: over capacity"
        );
    }
}

#[test]
fn choices_are_fair_and_within_the_capacities() {
    for kind in KINDS {
        for (seed, instance) in instances(kind, 150) {
            for method in METHODS {
                check(&instance, &solve(&instance, method), &format!("{method}, seed {seed} of {kind:?}"));
            }
        }
    }
}

#[test]
fn choices_per_group_are_within_each_group() {
    for kind in KINDS {
        for (seed, instance) in instances(kind, 150) {
            let stage = lp_groups::solve(&instance, &instance.queue(), &default_options());
            let what = format!("lp-groups, seed {seed} of {kind:?}");
            check(&instance, &stage, &what);
            for (h, group) in instance.cluster().groups().iter().enumerate() {
                let parts = || {
                    let of = |choice: &synergy_solver::bounds::JobChoice| {
                        let gpus = f64::from(instance.gpus(choice.job));
                        choice
                            .parts
                            .iter()
                            .filter(|p| p.group == h)
                            .map(|p| (gpus * p.fraction, p.amounts))
                            .collect::<Vec<_>>()
                    };
                    stage.jobs.iter().flat_map(of)
                };
                let gpus: f64 = parts().map(|part| part.0).sum();
                assert!(
                    gpus <= group.count as f64 * f64::from(group.gpus) * (1.0 + 1e-7),
                    "{what}: GPUs of {h}"
                );
                for resource in 0..AUXILIARY {
                    let used: f64 = parts().map(|part| part.1[resource]).sum();
                    let capacity = group.count as f64 * group.capacity[resource];
                    assert!(used <= capacity * (1.0 + 1e-7), "{what}: resource {resource} of {h}");
                }
            }
        }
    }
}

#[test]
fn a_vertex_splits_at_most_two_jobs_and_those_with_tight_fairness() {
    let mut split = 0;
    for kind in KINDS {
        for (seed, instance) in instances(kind, 200) {
            let stage = solve(&instance, LpMethod::Direct);
            let tight = stage.jobs.iter().filter(|choice| choice.throughput <= 1.0 + 1e-7).count();
            assert!(stage.split_jobs() <= AUXILIARY + tight, "seed {seed} of {kind:?}");
            split += stage.split_jobs();
        }
    }
    assert!(split > 0, "no job was ever split: the test tests nothing");
}

#[test]
fn ties_go_to_least_cpu_then_least_memory() {
    for kind in [EQUAL, TIED] {
        for (seed, instance) in instances(kind, 60) {
            let expected = readable::least_resources(&instance, &instance.queue(), highs);
            for method in METHODS {
                let stage = solve(&instance, method);
                let used = stage.jobs.iter().fold(Amounts::ZERO, |sum, choice| sum + choice.amounts);
                for resource in 0..AUXILIARY {
                    let what = format!("resource {resource}, {method}, seed {seed} of {kind:?}");
                    // The loosened optimum of the readable LPs buys a little.
                    assert_close(used[resource], expected[resource], 2e-4, what);
                }
            }
        }
    }
}

#[test]
fn all_different_jobs_agree_by_every_method() {
    for ties in [false, true] {
        for seed in 0..40 {
            let instance = all_different(60, seed, ties);
            let direct = solve(&instance, LpMethod::Direct);
            for method in [LpMethod::Aggregated, LpMethod::Dual] {
                let what = format!("{method}, seed {seed}, ties {ties}");
                let stage = solve(&instance, method);
                check(&instance, &stage, &what);
                assert_close(stage.bound.value.unwrap(), direct.bound.value.unwrap(), 1e-7, &what);
                assert_close(stage.bound.certified.unwrap(), stage.bound.value.unwrap(), 1e-9, &what);
            }
        }
    }
}
