//! How far an estimate is from the truth, and what that does to a decision.

use super::{Estimate, Setup, truth_at};
use serde::Serialize;
use synergy_solver::model::Profile;

/// Error of an estimate over the grid of its set-up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorSummary {
    /// Mean of |estimate - truth| / truth.
    pub mean_relative_error: f64,
    /// Largest of these.
    pub max_relative_error: f64,
    /// Best-case CPUs by the estimate: largest throughput, then least CPU, then least memory.
    pub estimated_cpus: f64,
    /// Best-case memory by the estimate.
    pub estimated_memory_gb: f64,
    /// Best-case CPUs by the truth.
    pub true_cpus: f64,
    /// Best-case memory by the truth.
    pub true_memory_gb: f64,
    /// True throughput at the estimated best case / true throughput at the true one.
    pub throughput_kept: f64,
}

/// Gains below this share of the best are no reason to ask for more: noise would decide.
const FLAT: f64 = 0.01;

impl ErrorSummary {
    /// The error of `estimate` against `truth`.
    pub fn new(truth: &Profile, estimate: &Estimate, setup: &Setup) -> Self {
        let (mut sum, mut max) = (0.0, 0.0f64);
        for ((c, m), value) in estimate.throughput.indexed_iter() {
            let exact = truth_at(truth, setup.cpus[c], setup.memory_gb[m]);
            let error = (value - exact).abs() / exact.max(f64::MIN_POSITIVE);
            sum += error;
            max = max.max(error);
        }
        let by_estimate = best_case(setup, |c, m| estimate.throughput[(c, m)]);
        let by_truth = best_case(setup, |c, m| truth_at(truth, setup.cpus[c], setup.memory_gb[m]));
        let exact = |(c, m): (usize, usize)| truth_at(truth, setup.cpus[c], setup.memory_gb[m]);
        ErrorSummary {
            mean_relative_error: sum / estimate.throughput.len().max(1) as f64,
            max_relative_error: max,
            estimated_cpus: setup.cpus[by_estimate.0],
            estimated_memory_gb: setup.memory_gb[by_estimate.1],
            true_cpus: setup.cpus[by_truth.0],
            true_memory_gb: setup.memory_gb[by_truth.1],
            throughput_kept: exact(by_estimate) / exact(by_truth),
        }
    }
}

/// The point of least CPU, then least memory, whose throughput is within [`FLAT`] of the largest.
fn best_case(setup: &Setup, value: impl Fn(usize, usize) -> f64) -> (usize, usize) {
    let points = || (0..setup.cpus.len()).flat_map(|c| (0..setup.memory_gb.len()).map(move |m| (c, m)));
    let largest = points().map(|(c, m)| value(c, m)).fold(0.0, f64::max);
    points().find(|&(c, m)| value(c, m) >= largest * (1.0 - FLAT)).unwrap_or_default()
}
