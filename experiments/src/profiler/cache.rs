//! What memory does to throughput, without measuring it: the cache model of optimistic profiling.
//!
//! A cache of x GB over a data set of D GB, used so that every epoch has the same number of hits
//! (items stay once they are in), hits the share min(1, x/D) of the items, and fetches the rest from
//! storage. A job that could run at rate r, bound by its CPUs, then runs at
//!
//! ```text
//! min(r, s / (1 - min(1, (m - w)/D)))
//! ```
//!
//! with m GB of memory, w of them for the process itself. s is the **storage rate**: the throughput
//! that storage alone sustains when nothing is cached, bandwidth / (size of a batch x batches per
//! second at relative throughput 1).

use super::{Setup, truth_at};
use synergy_solver::model::Profile;

/// The model's constants for one job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheModel {
    /// Size of the data set D.
    pub data_set_gb: f64,
    /// Memory of the process itself, w.
    pub process_gb: f64,
    /// Storage rate s, in units of relative throughput.
    pub storage_rate: f64,
}

impl CacheModel {
    /// From what can be looked up: data set, storage bandwidth, size of a batch, and batches per second
    /// at relative throughput 1.
    pub fn of_storage(
        data_set_gb: f64,
        process_gb: f64,
        bandwidth_gb_per_s: f64,
        batch_gb: f64,
        batches_per_s: f64,
    ) -> Self {
        CacheModel { data_set_gb, process_gb, storage_rate: bandwidth_gb_per_s / (batch_gb * batches_per_s) }
    }

    /// Share of items that the cache holds with `memory_gb` in all.
    pub fn hit_share(&self, memory_gb: f64) -> f64 {
        ((memory_gb - self.process_gb).max(0.0) / self.data_set_gb).min(1.0)
    }

    /// Throughput with `memory_gb` of a job that its CPUs would let run at `cpu_bound`.
    pub fn throughput(&self, cpu_bound: f64, memory_gb: f64) -> f64 {
        let misses = 1.0 - self.hit_share(memory_gb);
        if misses <= 0.0 { cpu_bound } else { cpu_bound.min(self.storage_rate / misses) }
    }

    /// The constants that fit the truth's memory axis at most CPUs best (least squares of relative
    /// errors over a fixed lattice). Stands for what an operator knows of data sets and storage where a
    /// profile comes without them; the profiler itself never sees the truth.
    pub fn calibrated(truth: &Profile, setup: &Setup) -> Self {
        let most_cpus = setup.cpus.last().copied().unwrap_or(1.0);
        let targets: Vec<(f64, f64)> =
            setup.memory_gb.iter().map(|&m| (m, truth_at(truth, most_cpus, m))).collect();
        let full = targets.last().map_or(1.0, |(_, value)| *value);
        let most_gb = setup.memory_gb.last().copied().unwrap_or(1.0);
        let error = |model: &CacheModel| -> f64 {
            let relative = |(m, value): &(f64, f64)| (model.throughput(full, *m) - value) / value.max(1e-9);
            targets.iter().map(|target| relative(target).powi(2)).sum()
        };
        // No effect of memory, unless something fits better.
        let mut best = CacheModel { data_set_gb: most_gb, process_gb: 0.0, storage_rate: full };
        let mut least = error(&best);
        for process in 0..=LATTICE {
            for data_set in 1..=LATTICE {
                for rate in 1..=LATTICE {
                    let part = |i: u32| f64::from(i) / f64::from(LATTICE);
                    let model = CacheModel {
                        data_set_gb: most_gb * part(data_set),
                        process_gb: 0.2 * most_gb * part(process),
                        storage_rate: full * part(rate),
                    };
                    let found = error(&model);
                    if found < least {
                        (best, least) = (model, found);
                    }
                }
            }
        }
        best
    }
}

/// Steps of the calibration lattice per constant.
const LATTICE: u32 = 40;
