use super::cache::CacheModel;
use super::*;
use crate::profiles;
use crate::workload::{DemandSpec, Workload, WorkloadSpec};
use synergy_solver::model::Rules;

fn run(model: &str, method: Method, noise: f64) -> (Estimate, ErrorSummary) {
    let truth = &profiles::find(model).unwrap().profile;
    let setup = Setup { noise, ..Setup::default() };
    let cache = CacheModel::calibrated(truth, &setup);
    let estimate = profile(method, truth, Some(&cache), &setup, 7);
    let error = ErrorSummary::new(truth, &estimate, &setup);
    (estimate, error)
}

/// The paper's minutes: 240, 24, under 8.
#[test]
fn the_published_minutes_are_reproduced_for_every_model() {
    for model in profiles::builtin() {
        for noise in [0.0, 0.02] {
            let minutes = |method| run(model.name(), method, noise).0.minutes;
            assert_eq!(minutes(Method::FullGrid), 240.0);
            assert_eq!(minutes(Method::CpuAxis), 24.0);
            assert!(minutes(Method::BinarySearch) < 8.0, "{}", model.name());
        }
    }
}

#[test]
fn a_full_grid_without_noise_is_the_truth() {
    for model in profiles::builtin() {
        let (_, error) = run(model.name(), Method::FullGrid, 0.0);
        assert_eq!((error.max_relative_error, error.throughput_kept), (0.0, 1.0), "{}", model.name());
    }
}

/// Without noise the CPU axis at full memory is exact, whatever the cache model says of the rest.
#[test]
fn the_cpu_axis_is_exact_at_full_memory() {
    for model in profiles::builtin() {
        let (estimate, _) = run(model.name(), Method::CpuAxis, 0.0);
        let setup = Setup::default();
        for (c, &cpus) in setup.cpus.iter().enumerate() {
            let exact = truth_at(&model.profile, cpus, 500.0);
            assert!((estimate.throughput[(c, 9)] - exact).abs() < 1e-12, "{} {cpus}", model.name());
        }
    }
}

#[test]
fn a_point_that_was_not_measured_takes_the_value_below() {
    for model in profiles::builtin() {
        let (estimate, error) = run(model.name(), Method::BinarySearch, 0.0);
        let measured = &estimate.measured_cpus;
        assert_eq!((measured[0], *measured.last().unwrap()), (0, 23));
        assert!(measured.len() <= 7 && measured.len() == estimate.points);
        for c in 0..24 {
            let below = measured.iter().rev().find(|&&m| m <= c).unwrap();
            let exact = truth_at(&model.profile, (below + 1) as f64, 500.0);
            assert!((estimate.throughput[(c, 9)] - exact).abs() < 1e-12);
        }
        assert!(error.throughput_kept > 0.85, "{}: {error:?}", model.name());
    }
}

/// The walk itself, by hand: a step between points 15 and 16 of 0..=23, threshold 10 %.
#[test]
fn binary_search_walks_as_described() {
    let mut asked = Vec::new();
    let mut axis = vec![None; 24];
    binary_search(&mut axis, &Setup::default(), |at| {
        asked.push(at);
        if at >= 8 { 2.0 } else { 1.0 }
    });
    // Ends; 11 gains: both halves; 5 does not: its lower half only; 17 against 11 neither; then 2, 14.
    assert_eq!(asked, [0, 23, 11, 5, 17, 2, 14]);
    let mut flat = Vec::new();
    binary_search(&mut vec![None; 24], &Setup::default(), |at| {
        flat.push(at);
        1.0
    });
    assert_eq!(flat, [0, 23, 11, 5, 2, 1]);
    for length in 0..3 {
        let mut axis = vec![None; length];
        binary_search(&mut axis, &Setup::default(), |_| 1.0);
        assert!(axis.iter().all(Option::is_some));
    }
}

#[test]
fn the_cache_model_is_the_documented_function() {
    // 100 GB of data, 10 GB of process, storage feeds 0.5: at 60 GB half is cached.
    let cache = CacheModel::of_storage(100.0, 10.0, 1.0, 0.2, 10.0);
    assert_eq!(cache.storage_rate, 0.5);
    assert_eq!(cache.hit_share(60.0), 0.5);
    assert_eq!(cache.throughput(2.0, 60.0), 1.0);
    assert_eq!(cache.throughput(0.7, 60.0), 0.7);
    assert_eq!(cache.throughput(2.0, 5.0), 0.5);
    assert_eq!(cache.throughput(2.0, 110.0), 2.0);
    let steps: Vec<f64> = (0..120).map(|m| cache.throughput(2.0, f64::from(m))).collect();
    assert!(steps.windows(2).all(|w| w[0] <= w[1]));
}

#[test]
fn noise_is_reproducible_unbiased_and_never_breaks_a_profile() {
    let truth = &profiles::find("resnet18").unwrap().profile;
    let setup = Setup { noise: 0.05, ..Setup::default() };
    let one = profile(Method::FullGrid, truth, None, &setup, 1);
    assert_eq!(one, profile(Method::FullGrid, truth, None, &setup, 1));
    assert_ne!(one.throughput, profile(Method::FullGrid, truth, None, &setup, 2).throughput);
    let ratio =
        |((c, m), value): ((usize, usize), &f64)| value / truth_at(truth, setup.cpus[c], setup.memory_gb[m]);
    let mean = one.throughput.indexed_iter().map(ratio).sum::<f64>() / 240.0;
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    for seed in 0..50 {
        let wild = Setup { noise: 2.0, ..Setup::default() };
        profile(Method::FullGrid, truth, None, &wild, seed).profile("x", &wild).unwrap();
    }
}

#[test]
fn the_schedulers_instance_has_the_same_jobs_and_without_error_the_same_matrices() {
    let spec = WorkloadSpec { demand: DemandSpec::Multi {}, ..WorkloadSpec::default() };
    let truth = Workload::new(spec).unwrap().instance(Rules::default()).unwrap();
    let exact = estimated_instance(&truth, Method::FullGrid, 0.0, 1).unwrap();
    assert_eq!(exact.classes().len(), truth.classes().len());
    for (a, b) in exact.classes().iter().zip(truth.classes()) {
        assert_eq!((a.profile.throughput(), a.gpus), (b.profile.throughput(), b.gpus));
    }
    let noisy = estimated_instance(&truth, Method::BinarySearch, 0.05, 1).unwrap();
    assert_eq!(noisy.jobs().len(), truth.jobs().len());
    assert!(noisy.classes().iter().zip(truth.classes()).any(|(a, b)| a.demand != b.demand));
}
