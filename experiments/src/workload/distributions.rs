//! Distributions of durations and demands, with what they take from a trace.

use super::models::pick;
use super::spec::{DemandSpec, DurationSpec, WorkloadError, fault};
use super::streams::Stream;
use crate::trace::{Trace, TraceJob};

/// Lengths of jobs at the baseline rate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Durations {
    /// See [`DurationSpec::Published`].
    Published,
    /// See [`DurationSpec::LogNormal`].
    LogNormal { median_s: f64, sigma: f64 },
    /// See [`DurationSpec::Fixed`].
    Fixed(f64),
    /// Independent draws from these, ascending.
    Empirical(Vec<f64>),
    /// The row's own.
    Trace { mean_s: Option<f64> },
}

/// A part of the published mixture: `share` of the jobs take 10^U(low, high) minutes.
#[derive(Clone, Copy)]
struct LogUniform {
    share: f64,
    low: f64,
    high: f64,
}

const PUBLISHED: [LogUniform; 2] =
    [LogUniform { share: 0.8, low: 1.5, high: 3.0 }, LogUniform { share: 0.2, low: 3.0, high: 4.0 }];

impl Durations {
    /// The distribution of a spec.
    ///
    /// # Errors
    /// A trace without durations to draw from.
    pub(crate) fn new(spec: &DurationSpec, trace: Option<&Trace>) -> Result<Self, WorkloadError> {
        let jobs = trace.map(|trace| trace.jobs.as_slice()).unwrap_or_default();
        Ok(match spec {
            DurationSpec::Published {} => Durations::Published,
            DurationSpec::LogNormal { median_s, sigma } => {
                Durations::LogNormal { median_s: *median_s, sigma: *sigma }
            }
            DurationSpec::Fixed { duration_s } => Durations::Fixed(*duration_s),
            DurationSpec::Empirical {} => {
                let mut sorted: Vec<f64> = jobs.iter().filter_map(|job| job.duration_s).collect();
                sorted.sort_by(f64::total_cmp);
                if sorted.is_empty() {
                    return Err(no_durations());
                }
                Durations::Empirical(sorted)
            }
            DurationSpec::Trace {} => {
                let sum_s: Option<f64> = jobs.iter().map(|job| job.duration_s).sum();
                Durations::Trace { mean_s: sum_s.map(|sum_s| sum_s / jobs.len() as f64) }
            }
        })
    }

    /// A duration; takes two draws whatever the distribution. `None`: the row has none.
    pub(crate) fn draw_s(&self, stream: &mut Stream, row: Option<&TraceJob>) -> Option<f64> {
        let (first, second) = (stream.positive(), stream.uniform());
        Some(match self {
            Durations::Published => {
                let [short, long] = PUBLISHED;
                let part = if first <= short.share { short } else { long };
                60.0 * 10f64.powf(part.low + (part.high - part.low) * second)
            }
            Durations::LogNormal { median_s, sigma } => {
                let normal = (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos();
                median_s * (sigma * normal).exp()
            }
            Durations::Fixed(duration_s) => *duration_s,
            Durations::Empirical(sorted) => sorted[(second * sorted.len() as f64) as usize],
            Durations::Trace { .. } => return row.and_then(|job| job.duration_s),
        })
    }

    /// Mean duration; `None` where a trace leaves some out.
    pub(crate) fn mean_s(&self) -> Option<f64> {
        Some(match self {
            Durations::Published => PUBLISHED
                .iter()
                .map(|part| {
                    let span = (part.high - part.low) * std::f64::consts::LN_10;
                    part.share * 60.0 * (10f64.powf(part.high) - 10f64.powf(part.low)) / span
                })
                .sum(),
            Durations::LogNormal { median_s, sigma } => median_s * (sigma * sigma / 2.0).exp(),
            Durations::Fixed(duration_s) => *duration_s,
            Durations::Empirical(sorted) => sorted.iter().sum::<f64>() / sorted.len() as f64,
            Durations::Trace { mean_s } => return *mean_s,
        })
    }
}

pub(super) fn no_durations() -> WorkloadError {
    fault(
        "durations",
        "the trace has jobs without a duration; give durations.kind = \"published\", or import it with durations",
    )
}

/// GPU demands.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Demands {
    /// Demands, ascending, with weights.
    Drawn { gpus: Vec<u32>, weights: Vec<f64> },
    /// The row's own.
    Trace { mean_gpus: f64, largest: u32 },
}

impl Demands {
    /// The distribution of a spec.
    ///
    /// # Errors
    /// No demand of a positive, finite weight.
    pub(super) fn new(spec: &DemandSpec, trace: Option<&Trace>) -> Result<Self, WorkloadError> {
        let mut pairs: Vec<(u32, f64)> = match spec {
            DemandSpec::Single {} => vec![(1, 1.0)],
            DemandSpec::Multi {} => vec![(1, 70.0), (2, 10.0), (4, 15.0), (8, 5.0)],
            DemandSpec::Mixture { gpus, weights } => {
                gpus.iter().copied().zip(weights.iter().copied()).collect()
            }
            DemandSpec::PowerLaw { exponent, max_gpus, powers_of_two } => (1..=*max_gpus)
                .filter(|g| !powers_of_two || g.is_power_of_two())
                .map(|g| (g, f64::from(g).powf(-exponent)))
                .collect(),
            DemandSpec::Empirical {} => {
                let histogram = trace.map(Trace::demand_histogram).unwrap_or_default();
                histogram.into_iter().map(|(gpus, jobs)| (gpus, jobs as f64)).collect()
            }
            DemandSpec::Trace {} => {
                let jobs = trace.map(|trace| trace.jobs.as_slice()).unwrap_or_default();
                let sum: f64 = jobs.iter().map(|job| f64::from(job.gpus)).sum();
                let largest = jobs.iter().map(|job| job.gpus).max().unwrap_or(0);
                return Ok(Demands::Trace { mean_gpus: sum / jobs.len().max(1) as f64, largest });
            }
        };
        pairs.retain(|(_, weight)| *weight > 0.0);
        pairs.sort_by_key(|(gpus, _)| *gpus);
        let (gpus, weights): (Vec<u32>, Vec<f64>) = pairs.into_iter().unzip();
        if gpus.is_empty() || !weights.iter().sum::<f64>().is_finite() {
            return Err(fault("demand", "has no demand of a positive, finite weight"));
        }
        Ok(Demands::Drawn { gpus, weights })
    }

    pub(super) fn mean(&self) -> f64 {
        match self {
            Demands::Drawn { gpus, weights } => {
                let sum: f64 = weights.iter().sum();
                gpus.iter().zip(weights).map(|(g, w)| f64::from(*g) * w).sum::<f64>() / sum
            }
            Demands::Trace { mean_gpus, .. } => *mean_gpus,
        }
    }

    pub(super) fn largest(&self) -> u32 {
        match self {
            Demands::Drawn { gpus, .. } => gpus.last().copied().unwrap_or(0),
            Demands::Trace { largest, .. } => *largest,
        }
    }

    /// A demand of at most `limit` GPUs: the one that the draw falls on among those, or the row's own.
    pub(super) fn draw(&self, stream: &mut Stream, limit: u64, row: Option<&TraceJob>) -> Option<u32> {
        let draw = stream.uniform();
        match self {
            Demands::Drawn { gpus, weights } => {
                let fitting = gpus.partition_point(|g| u64::from(*g) <= limit);
                (fitting > 0).then(|| gpus[pick(&weights[..fitting], draw)])
            }
            Demands::Trace { .. } => row.map(|job| job.gpus).filter(|gpus| u64::from(*gpus) <= limit),
        }
    }
}
