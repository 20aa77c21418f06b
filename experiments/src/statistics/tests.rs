use super::*;

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} within {tolerance}");
}

#[test]
fn quantiles_are_those_of_numpy() {
    let values = sorted(&[3.0, 1.0, 2.0, 10.0]);
    // numpy.quantile([3, 1, 2, 10], q)
    for (q, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 2.5), (0.9, 7.9), (1.0, 10.0)] {
        near(quantile(&values, q).unwrap(), expected, 1e-12);
    }
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn shifted_geometric_mean_by_hand() {
    // (1 + 1)(7 + 1) = 16, whose square root is 4.
    near(shifted_geometric_mean(&[1.0, 7.0], 1.0).unwrap(), 3.0, 1e-12);
    assert_eq!(shifted_geometric_mean(&[], 1.0), None);
}

/// Standard normal quantiles of (i + 0.5) / n: a sample whose mean and deviation are known.
fn normal_sample(n: usize) -> Vec<f64> {
    use statrs::distribution::{ContinuousCDF, Normal};
    let normal = Normal::standard();
    (0..n).map(|i| normal.inverse_cdf((i as f64 + 0.5) / n as f64)).collect()
}

#[test]
fn bootstrap_interval_is_near_the_normal_one_and_repeats() {
    let sample: Vec<f64> = normal_sample(400).iter().map(|x| 5.0 + x).collect();
    let interval = bootstrap_mean(&sample, "test").unwrap();
    near(interval.mean, 5.0, 1e-9);
    let half = 1.96 / 400f64.sqrt();
    near(interval.low, 5.0 - half, 0.15 * half);
    near(interval.high, 5.0 + half, 0.15 * half);
    assert_eq!(bootstrap_mean(&sample, "test"), Some(interval));
    assert_ne!(bootstrap_mean(&sample, "other"), Some(interval));
    assert_eq!(bootstrap_mean(&[2.0], "one").map(|i| (i.low, i.high)), Some((2.0, 2.0)));
    assert_eq!(bootstrap_mean(&[], "none"), None);
}

#[test]
fn bootstrap_draws_every_value_alike() {
    // An interval of indicator values: the means are binomial.
    let mut sample = vec![0.0; 1001];
    sample[1000] = 1001.0;
    let interval = bootstrap_mean(&sample, "last").unwrap();
    // P(the last value is drawn k times) is Poisson(1): the 97.5 % quantile of k is 3.
    assert_eq!((interval.low, interval.high), (0.0, 3.0));
}

#[test]
fn students_interval_is_that_of_the_tables() {
    // t(0.975; 2) = 4.302653, deviation 1: half width 4.302653 / sqrt(3).
    let three = student_mean(&[4.0, 5.0, 6.0]).unwrap();
    near(three.mean, 5.0, 1e-12);
    near(three.half_width.unwrap(), 4.302_652_73 / 3f64.sqrt(), 1e-6);
    near(three.low().unwrap() + three.high().unwrap(), 10.0, 1e-12);
    assert_eq!(
        (three.low_from_zero(), student_mean(&[0.0, 9.0]).unwrap().low_from_zero()),
        (three.low(), Some(0.0))
    );
    assert_eq!(student_mean(&[3.0]).map(|m| (m.mean, m.half_width)), Some((3.0, None)));
    assert_eq!(student_mean(&[]), None);
}

#[test]
fn wilcoxon_is_scipys() {
    // scipy.stats.wilcoxon([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]): statistic 24, p 0.041259765625
    // (the plant heights of scipy's documentation, Darwin's data).
    let darwin = [6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0];
    let pairs: Vec<(f64, f64)> = darwin.iter().map(|d| (100.0 + d, 100.0)).collect();
    let paired = compare_paired(&pairs, 0.0);
    near(paired.p.unwrap(), 0.041259765625, 1e-12);
    near(paired.effect.unwrap(), (96.0 - 24.0) / 120.0, 1e-12);
    assert_eq!((paired.n, paired.wins, paired.ties, paired.losses), (15, 13, 0, 2));
}

#[test]
fn wilcoxon_with_ties_uses_the_corrected_normal() {
    // scipy.stats.wilcoxon(d, method="approx", correction=True) of these differences.
    let differences = [1.0, 1.0, -1.0, 2.0, 2.0, -2.0, 3.0, 4.0, 4.0, 5.0, 0.0, 6.0];
    let pairs: Vec<(f64, f64)> = differences.iter().map(|d| (50.0 + d, 50.0)).collect();
    let paired = compare_paired(&pairs, 0.0);
    near(paired.p.unwrap(), GOLDEN_TIES, 1e-9);
    assert_eq!(paired.ties, 1);
}

/// From scipy 1.x.
const GOLDEN_TIES: f64 = 0.022763792078605412;

#[test]
fn equal_methods_are_all_ties_without_a_test() {
    let paired = compare_paired(&[(1.0, 1.0), (2.0, 2.0 + 1e-12)], 1e-9);
    assert_eq!((paired.wins, paired.ties, paired.losses, paired.p), (0, 2, 0, None));
    assert_eq!(paired.mean_difference, Some(0.0));
}

#[test]
fn profiles_by_hand() {
    let methods = vec![
        ("a".to_string(), vec![Some(1.0), Some(4.0), None]),
        ("b".to_string(), vec![Some(2.0), Some(2.0), None]),
    ];
    let curves = performance_profile(&methods, &[1.0, 2.0]);
    assert_eq!(curves[0].share, vec![1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(curves[1].share, vec![1.0 / 3.0, 2.0 / 3.0]);
    let gaps = vec![("a".to_string(), vec![Some(0.0), Some(0.1), None, Some(0.01)])];
    assert_eq!(gap_profile(&gaps, &[0.0, 0.01, 1.0])[0].share, vec![0.25, 0.5, 0.75]);
}
