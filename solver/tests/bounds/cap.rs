//! The per-server cap with unequal groups, and bounds of nothing.

use ndarray::array;
use std::sync::Arc;
use synergy_solver::bounds::{BoundOptions, LpMethod, by_name};
use synergy_solver::check::check;
use synergy_solver::model::{
    Allocation, Amounts, Cluster, Instance, JobAllocation, JobSpec, Part, Profile, Rules, ServerGroup,
};
use synergy_solver::status::Status;

/// A job of 8 GPUs on two poor servers of 4 GPUs, with 2 CPUs per GPU, and two rich ones, with 6. Its share is 2 CPUs per GPU;
/// on the rich servers it is consolidated with 6 and runs three times as fast.
#[test]
fn a_job_larger_than_every_server_may_hold_the_share_of_the_richest_group() {
    let group = |cpus| ServerGroup {
        gpu_type: "v100".into(),
        count: 2,
        gpus: 4,
        capacity: Amounts::new(4.0 * cpus, 250.0),
    };
    let profile = Profile::new("net", vec![2.0, 6.0, 7.0], vec![62.5], array![[1.0], [3.0], [4.0]]).unwrap();
    let job = JobSpec {
        id: "wide".into(),
        profile: Arc::new(profile),
        gpus: 8,
        weight: 1.0,
        arrival_s: None,
        work_s: None,
    };
    let cluster = Cluster::new(vec![group(2.0), group(6.0)]).unwrap();
    let instance = Instance::new("unequal", cluster, vec![job], Rules::default()).unwrap();
    let part = |server| Part { server, gpus: 4.0, amounts: Amounts::new(24.0, 250.0) };
    let held = JobAllocation { job: 0, parts: [part(2), part(3)].into_iter().collect() };
    let allocation = Allocation { fractional: false, jobs: vec![held] };
    let report = check(&instance, &instance.queue(), &allocation);
    assert!(report.verdicts.valid && report.verdicts.fair && report.verdicts.consolidated);
    assert_eq!(report.value, 3.0);
    for name in ["lp", "ilp", "lp-skip", "lp-groups"] {
        let options = BoundOptions { per_server_cap: true, ..BoundOptions::default() };
        let bound = by_name(name, options).unwrap().evaluate(&instance, &instance.queue());
        assert_eq!(bound.status, Status::Optimal, "{name}");
        // 7 CPUs per GPU no group provides, though the cluster as a whole has them.
        assert!((bound.value.unwrap() - 3.0).abs() < 1e-9, "{name}: {:?}", bound.value);
    }
}

#[test]
fn the_bounds_of_an_empty_queue_are_optimal_and_0() {
    let instance = crate::support::instance(crate::support::EQUAL, 1);
    for name in ["lp", "ilp", "lp-skip", "lp-groups", "config"] {
        for method in [None, Some(LpMethod::Direct), Some(LpMethod::Aggregated), Some(LpMethod::Dual)] {
            let options = BoundOptions { method, ..BoundOptions::default() };
            let bound = by_name(name, options).unwrap().evaluate(&instance, &[]);
            assert_eq!(bound.status, Status::Optimal, "{name} by {method:?}");
            assert_eq!((bound.value, bound.certified), (Some(0.0), Some(0.0)), "{name} by {method:?}");
        }
    }
}
