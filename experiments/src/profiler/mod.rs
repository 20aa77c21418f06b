//! The optimistic profiler against a hidden truth (problem statement, section 7).
//!
//! A [`Bench`] holds a model's true throughput over CPUs and memory of a whole job and answers
//! measurements of single points, with noise, counting points and minutes. A [`Method`] measures what
//! it wants and returns an estimate of the whole matrix:
//!
//! - [`Method::FullGrid`]: every point, 24 x 10 at one minute each: 240 minutes;
//! - [`Method::CpuAxis`]: the CPU axis at full memory; the memory axis by the [`cache`] model: 24 minutes;
//! - [`Method::BinarySearch`]: the same with at most 7 points of the CPU axis: under 8 minutes.

pub mod cache;
mod cost;
mod error;

pub use cost::estimated_instance;
pub use error::ErrorSummary;

use crate::workload::{Purpose, Stream, WorkloadError, running_maximum};
use cache::CacheModel;
use ndarray::Array2;
use std::collections::VecDeque;
use synergy_solver::model::{Amounts, Profile, ThroughputRule};

/// How a profile is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// Every point of the grid
    FullGrid,
    /// The CPU axis at full memory; memory by the cache model
    CpuAxis,
    /// As cpu-axis, with few CPU points by binary search
    BinarySearch,
}

impl Method {
    /// All, from the dearest to the cheapest.
    pub const ALL: [Method; 3] = [Method::FullGrid, Method::CpuAxis, Method::BinarySearch];

    /// Name on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Method::FullGrid => "full-grid",
            Method::CpuAxis => "cpu-axis",
            Method::BinarySearch => "binary-search",
        }
    }
}

/// What is measured and how long it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// CPU points, ascending: totals of a one-GPU job.
    pub cpus: Vec<f64>,
    /// Memory points in GB, ascending: totals of a one-GPU job.
    pub memory_gb: Vec<f64>,
    /// Time to measure one point.
    pub minutes_per_point: f64,
    /// Standard deviation of a measurement, relative to the true value.
    pub noise: f64,
    /// Gain below which a range of the CPU axis is not refined upwards.
    pub gain_threshold: f64,
    /// Most points that binary search measures, both ends included.
    pub most_points: usize,
}

impl Default for Setup {
    /// The paper's server: 24 CPUs, 500 GB in steps of 50; a minute per point; 10 %; 7 points.
    fn default() -> Self {
        Setup {
            cpus: (1..=24).map(f64::from).collect(),
            memory_gb: (1..=10).map(|step| 50.0 * f64::from(step)).collect(),
            minutes_per_point: 1.0,
            noise: 0.0,
            gain_threshold: 0.10,
            most_points: 7,
        }
    }
}

impl Setup {
    /// The default on a profile's own grid, so that nothing is lost by reading between points.
    pub fn on_grid_of(profile: &Profile) -> Self {
        Setup {
            cpus: profile.cpus_per_gpu().to_vec(),
            memory_gb: profile.memory_gb_per_gpu().to_vec(),
            ..Setup::default()
        }
    }
}

/// The hidden truth, and the clock of who measures it.
#[derive(Debug, Clone)]
pub struct Bench<'a> {
    truth: &'a Profile,
    setup: &'a Setup,
    noise: Stream,
    points: usize,
}

impl<'a> Bench<'a> {
    /// A bench for one model. The noise of each measurement depends on the seed and on how many were
    /// made before.
    pub fn new(truth: &'a Profile, setup: &'a Setup, seed: u64) -> Self {
        Bench { truth, setup, noise: Stream::new(seed, Purpose::Noise), points: 0 }
    }

    /// True throughput at a point: bilinear through the profile; below its grid in proportion to the
    /// scarcer resource, so that no point is unknown.
    pub fn truth_at(&self, cpus: f64, memory_gb: f64) -> f64 {
        truth_at(self.truth, cpus, memory_gb)
    }

    /// A measurement.
    pub fn measure(&mut self, cpus: f64, memory_gb: f64) -> f64 {
        self.points += 1;
        let error = self.setup.noise * self.noise.normal();
        (self.truth_at(cpus, memory_gb) * (1.0 + error)).max(0.0)
    }

    /// Points measured so far.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Minutes spent so far.
    pub fn minutes(&self) -> f64 {
        self.points as f64 * self.setup.minutes_per_point
    }
}

/// See [`Bench::truth_at`].
pub(crate) fn truth_at(profile: &Profile, cpus: f64, memory_gb: f64) -> f64 {
    let low = |axis: &[f64]| axis.first().copied().unwrap_or(1.0);
    let (low_cpus, low_memory_gb) = (low(profile.cpus_per_gpu()), low(profile.memory_gb_per_gpu()));
    let scarcity = (cpus / low_cpus).min(memory_gb / low_memory_gb).min(1.0);
    let inside = Amounts::new(cpus.max(low_cpus), memory_gb.max(low_memory_gb));
    scarcity * profile.throughput_at(inside, ThroughputRule::Bilinear)
}

/// What profiling found and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Method.
    pub method: Method,
    /// Estimated throughput; rows are the CPU points, columns the memory points of the set-up.
    pub throughput: Array2<f64>,
    /// Points measured.
    pub points: usize,
    /// Minutes they took.
    pub minutes: f64,
    /// CPU points measured, by index, ascending.
    pub measured_cpus: Vec<usize>,
}

impl Estimate {
    /// The estimate as a profile on its own grid, raised to the running maximum where noise made it
    /// decrease.
    ///
    /// # Errors
    /// Axes that are no grid.
    pub fn profile(&self, name: &str, setup: &Setup) -> Result<Profile, WorkloadError> {
        let mut throughput = self.throughput.clone();
        running_maximum(&mut throughput);
        Ok(Profile::new(name, setup.cpus.clone(), setup.memory_gb.clone(), throughput)?)
    }
}

/// Profiles a model. `cache` is what is known of its data set and storage; without it the model's
/// memory axis is flat.
pub fn profile(
    method: Method,
    truth: &Profile,
    cache: Option<&CacheModel>,
    setup: &Setup,
    seed: u64,
) -> Estimate {
    let mut bench = Bench::new(truth, setup, seed);
    let (rows, columns) = (setup.cpus.len(), setup.memory_gb.len());
    let mut throughput = Array2::zeros((rows, columns));
    let mut measured_cpus: Vec<usize> = (0..rows).collect();
    if method == Method::FullGrid {
        for ((c, m), cell) in throughput.indexed_iter_mut() {
            *cell = bench.measure(setup.cpus[c], setup.memory_gb[m]);
        }
    } else {
        let full_gb = setup.memory_gb.last().copied().unwrap_or(0.0);
        let mut axis: Vec<Option<f64>> = vec![None; rows];
        match method {
            Method::BinarySearch => {
                binary_search(&mut axis, setup, |c| bench.measure(setup.cpus[c], full_gb))
            }
            _ => (0..rows).for_each(|c| axis[c] = Some(bench.measure(setup.cpus[c], full_gb))),
        }
        measured_cpus.retain(|&c| axis[c].is_some());
        // A point that was not measured takes the measured value below; the lowest always is.
        let mut below = 0.0;
        for (c, value) in axis.into_iter().enumerate() {
            below = value.unwrap_or(below);
            for (m, &memory_gb) in setup.memory_gb.iter().enumerate() {
                throughput[(c, m)] = cache.map_or(below, |cache| cache.throughput(below, memory_gb));
            }
        }
    }
    Estimate { method, throughput, points: bench.points(), minutes: bench.minutes(), measured_cpus }
}

/// Measures a few points of an axis: both ends, then the middle of a range, whose gain is against the
/// range's lower end. Below the threshold descend into the lower half, else refine the upper half too.
/// Ranges are taken breadth first, so that the limit on points leaves no part of the axis dark.
fn binary_search(axis: &mut [Option<f64>], setup: &Setup, mut measure: impl FnMut(usize) -> f64) {
    let Some(last) = axis.len().checked_sub(1) else { return };
    let mut points = 0;
    let mut measure_at = |axis: &mut [Option<f64>], at: usize| {
        if axis[at].is_none() && points < setup.most_points.max(1) {
            axis[at] = Some(measure(at));
            points += 1;
        }
        axis[at]
    };
    measure_at(axis, 0);
    measure_at(axis, last);
    let mut ranges = VecDeque::from([(0, last)]);
    while let Some((low, high)) = ranges.pop_front() {
        if high - low < 2 {
            continue;
        }
        let middle = low.midpoint(high);
        let (Some(at_low), Some(at_middle)) = (axis[low], measure_at(axis, middle)) else { return };
        ranges.push_back((low, middle));
        if at_middle >= at_low * (1.0 + setup.gain_threshold) {
            ranges.push_back((middle, high));
        }
    }
}

#[cfg(test)]
mod tests;
