//! Traces: jobs that came from a file of the field, in one form whatever the source.
//!
//! A trace lives in a `jobs.parquet` file: table `trace_jobs`, with the source, the rules that filled
//! what the source does not have, and the import's account in the footer.

mod snapshot;
mod table;

use crate::workload::OfferedLoad;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use snapshot::{Waiting, queue_at};
pub use table::{read, write};

/// One job of a trace. What the source does not say is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceJob {
    /// Id in the source, or `row-N` where it has none.
    pub id: String,
    /// Line of the source, from 1.
    pub line: u64,
    /// Arrival, from the first arrival of the trace.
    pub arrival_s: f64,
    /// GPU demand.
    pub gpus: u32,
    /// Run time at the baseline rate.
    pub duration_s: Option<f64>,
    /// Iterations.
    pub iterations: Option<f64>,
    /// What the source calls the job's model or application.
    pub application: Option<String>,
    /// Name of the sensitivity profile.
    pub profile: Option<String>,
    /// CPUs that the job asked for, in all.
    pub cpus: Option<f64>,
    /// Memory that the job asked for, in all, in GB.
    pub memory_gb: Option<f64>,
    /// Time from submission to first start.
    pub queue_s: Option<f64>,
    /// Servers that it ran on.
    pub servers: Option<u32>,
    /// Attempts that were made to run it.
    pub attempts: Option<u32>,
    /// How it ended, in the source's words.
    pub status: Option<String>,
    /// Virtual cluster, partition or queue.
    pub group: Option<String>,
    /// Who submitted it.
    pub user: Option<String>,
}

/// Where a trace comes from and what was added to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct About {
    /// Name of the format.
    pub format: String,
    /// Name of the source file, without its folder.
    pub source: String,
    /// BLAKE3 of the source file's bytes.
    pub source_blake3: String,
    /// Moment of the first arrival, in seconds since 1970, where the source has dates.
    pub origin_unix_s: Option<f64>,
    /// Where durations come from.
    pub durations: String,
    /// Where profiles come from.
    pub profiles: String,
    /// Whether any column holds what the source did not measure.
    pub semi_synthetic: bool,
    /// Arrival rate x mean GPU-seconds: GPUs that the jobs keep busy on average.
    #[serde(default)]
    pub mean_busy_gpus: Option<f64>,
    /// Load on the cluster that the workload was made for, or that the user named.
    #[serde(default)]
    pub load: Option<OfferedLoad>,
    /// What else a reader must know of the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The import's account: rows read, kept and rejected by reason.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub report: serde_json::Value,
}

/// Jobs in arrival order, and where they come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Jobs by arrival.
    pub jobs: Vec<TraceJob>,
    /// Where they come from.
    pub about: About,
}

impl Trace {
    /// Time from the first arrival to the last.
    pub fn span_s(&self) -> f64 {
        match (self.jobs.first(), self.jobs.last()) {
            (Some(first), Some(last)) => last.arrival_s - first.arrival_s,
            _ => 0.0,
        }
    }

    /// Number of jobs by GPU demand.
    pub fn demand_histogram(&self) -> BTreeMap<u32, u64> {
        let mut histogram = BTreeMap::new();
        for job in &self.jobs {
            *histogram.entry(job.gpus).or_insert(0) += 1;
        }
        histogram
    }

    /// Arrivals per hour; `None` when all jobs arrive together.
    pub fn jobs_per_hour(&self) -> Option<f64> {
        let span_s = self.span_s();
        (span_s > 0.0).then(|| (self.jobs.len() - 1) as f64 * 3600.0 / span_s)
    }

    /// Mean of duration x GPU demand; `None` unless every job has a duration.
    pub fn mean_gpu_s(&self) -> Option<f64> {
        let total: Option<f64> = self.jobs.iter().map(|j| Some(j.duration_s? * f64::from(j.gpus))).sum();
        total.filter(|_| !self.jobs.is_empty()).map(|total| total / self.jobs.len() as f64)
    }

    /// Arrival rate x mean GPU-seconds: the number of GPUs that the trace keeps busy on average.
    pub fn mean_busy_gpus(&self) -> Option<f64> {
        Some(self.jobs_per_hour()? / 3600.0 * self.mean_gpu_s()?)
    }

    /// Load on a cluster of `gpus` GPUs.
    pub fn load(&self, gpus: u64) -> OfferedLoad {
        let jobs = self.jobs.len().max(1) as f64;
        let mean_gpus = self.jobs.iter().map(|job| f64::from(job.gpus)).sum::<f64>() / jobs;
        OfferedLoad::new(gpus, mean_gpus, self.mean_gpu_s(), self.jobs_per_hour())
    }
}
