//! Offered load: whether the cluster can ever keep up (problem statement, section 6).

use serde::{Deserialize, Serialize};

/// Load of a workload at the baseline rate. Unknown numbers are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OfferedLoad {
    /// GPUs of the cluster.
    pub gpus: u64,
    /// Mean GPU demand of a job.
    pub mean_gpus: f64,
    /// Mean of duration x GPU demand, at the baseline rate; `None` without durations.
    pub mean_gpu_s: Option<f64>,
    /// Arrival rate; `None` when all jobs arrive together.
    pub jobs_per_hour: Option<f64>,
    /// Arrival rate x mean GPU-seconds / GPUs.
    pub load: Option<f64>,
    /// Arrival rate at which the load is 1.
    pub saturation_jobs_per_hour: Option<f64>,
}

impl OfferedLoad {
    /// The load from its parts.
    pub fn new(gpus: u64, mean_gpus: f64, mean_gpu_s: Option<f64>, jobs_per_hour: Option<f64>) -> Self {
        let saturation_jobs_per_hour = mean_gpu_s.filter(|s| *s > 0.0).map(|s| gpus as f64 * 3600.0 / s);
        let load = match (jobs_per_hour, mean_gpu_s) {
            (Some(rate), Some(gpu_s)) if gpus > 0 => Some(rate * gpu_s / 3600.0 / gpus as f64),
            _ => None,
        };
        OfferedLoad { gpus, mean_gpus, mean_gpu_s, jobs_per_hour, load, saturation_jobs_per_hour }
    }

    /// What to warn of, if anything: a load above 1 means that the queue grows without end.
    pub fn warning(&self) -> Option<String> {
        let load = self.load.filter(|load| *load > 1.0)?;
        let at = self.saturation_jobs_per_hour?;
        Some(format!(
            "offered load is {load:.2} at the baseline rate: above {at:.2} jobs per hour the queue of these {} GPUs \
             grows without end, and a mean over it depends on the window",
            self.gpus
        ))
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let number = |value: Option<f64>| value.map_or("unknown".to_string(), |v| format!("{v:.2}"));
        let load = match self.jobs_per_hour {
            None => "no offered load: all jobs arrive together (".to_string(),
            Some(rate) => {
                let load = self.load.map_or("unknown".to_string(), |v| format!("{v:.3}"));
                format!("offered load {load} ({rate:.2} jobs per hour, ")
            }
        };
        format!(
            "{load}saturation at {} jobs per hour; mean demand {:.2} GPUs, {} GPU-hours per job)",
            number(self.saturation_jobs_per_hour),
            self.mean_gpus,
            number(self.mean_gpu_s.map(|s| s / 3600.0)),
        )
    }
}
