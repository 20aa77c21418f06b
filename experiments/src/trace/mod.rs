//! Traces: jobs that came from a file of the field, in one form whatever the source.
//!
//! A trace lives in a `jobs.parquet` file: table `trace_jobs`, with the source, the rules that filled
//! what the source does not have, and the import's account in the footer.

mod snapshot;
mod table;

use crate::workload::OfferedLoad;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

pub use snapshot::{Waiting, queue_at};
pub use table::{TraceWriter, read, write};

/// One job of a trace. What the source does not say is `None`. Texts are shared: jobs of one user hold one
/// copy of the name (see [`Texts`]), so that a trace of millions of jobs fits in memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceJob {
    /// Id in the source, or `row-N` where it has none.
    pub id: Arc<str>,
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
    pub application: Option<Arc<str>>,
    /// Name of the sensitivity profile.
    pub profile: Option<Arc<str>>,
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
    pub status: Option<Arc<str>>,
    /// Virtual cluster, partition or queue.
    pub group: Option<Arc<str>>,
    /// Who submitted it.
    pub user: Option<Arc<str>>,
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

/// One copy of every text that jobs share.
#[derive(Debug, Clone, Default)]
pub struct Texts(HashSet<Arc<str>>);

impl Texts {
    /// The one copy of `text`.
    pub fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }

    /// Makes a job hold the one copy of each of its texts but its id.
    pub fn share(&mut self, job: &mut TraceJob) {
        let texts = [&mut job.application, &mut job.profile, &mut job.status, &mut job.group, &mut job.user];
        for text in texts.into_iter().flatten() {
            *text = self.shared(text);
        }
    }
}

/// Sums over jobs in arrival order, without the jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    jobs: u64,
    first_s: f64,
    last_s: f64,
    /// `None` once a job had no duration.
    gpu_s: Option<f64>,
}

impl Totals {
    /// Of jobs given as arrival in seconds, GPU demand, and duration in seconds.
    pub fn of(jobs: impl IntoIterator<Item = (f64, u32, Option<f64>)>) -> Self {
        let mut totals = Totals { jobs: 0, first_s: 0.0, last_s: 0.0, gpu_s: Some(0.0) };
        for (arrival_s, gpus, duration_s) in jobs {
            if totals.jobs == 0 {
                totals.first_s = arrival_s;
            }
            totals.jobs += 1;
            totals.last_s = arrival_s;
            totals.gpu_s = totals.gpu_s.zip(duration_s).map(|(sum, seconds)| sum + seconds * f64::from(gpus));
        }
        totals
    }

    /// How many jobs there are.
    pub fn jobs(&self) -> u64 {
        self.jobs
    }

    /// Arrivals per hour; `None` when all jobs arrive together.
    pub fn jobs_per_hour(&self) -> Option<f64> {
        let span_s = self.last_s - self.first_s;
        (span_s > 0.0).then(|| (self.jobs - 1) as f64 * 3600.0 / span_s)
    }

    /// Mean of duration x GPU demand; `None` unless every job has a duration.
    pub fn mean_gpu_s(&self) -> Option<f64> {
        self.gpu_s.filter(|_| self.jobs > 0).map(|total| total / self.jobs as f64)
    }

    /// Arrival rate x mean GPU-seconds: the number of GPUs that the jobs keep busy on average.
    pub fn mean_busy_gpus(&self) -> Option<f64> {
        Some(self.jobs_per_hour()? / 3600.0 * self.mean_gpu_s()?)
    }
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

    /// What the load follows from.
    pub fn totals(&self) -> Totals {
        Totals::of(self.jobs.iter().map(|job| (job.arrival_s, job.gpus, job.duration_s)))
    }

    /// See [`Totals::jobs_per_hour`].
    pub fn jobs_per_hour(&self) -> Option<f64> {
        self.totals().jobs_per_hour()
    }

    /// See [`Totals::mean_gpu_s`].
    pub fn mean_gpu_s(&self) -> Option<f64> {
        self.totals().mean_gpu_s()
    }

    /// See [`Totals::mean_busy_gpus`].
    pub fn mean_busy_gpus(&self) -> Option<f64> {
        self.totals().mean_busy_gpus()
    }

    /// Load on a cluster of `gpus` GPUs.
    pub fn load(&self, gpus: u64) -> OfferedLoad {
        let jobs = self.jobs.len().max(1) as f64;
        let mean_gpus = self.jobs.iter().map(|job| f64::from(job.gpus)).sum::<f64>() / jobs;
        OfferedLoad::new(gpus, mean_gpus, self.mean_gpu_s(), self.jobs_per_hour())
    }
}
