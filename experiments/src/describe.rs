//! What a trace looks like: demands, durations, queueing, locality, failures and retries by size, load
//! over time. The questions are those of the Philly characterisation (Jeon et al., ATC '19).

use crate::text_table::{TextTable, thousands};
use crate::trace::{Trace, TraceJob};
use crate::workload::OfferedLoad;
use serde::Serialize;
use std::collections::BTreeMap;

/// The probabilities of every list of quantiles.
pub const QUANTILES: [f64; 7] = [0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99];

/// Size classes of the Philly characterisation: name, least and most GPUs.
pub(crate) const SIZES: [(&str, u32, u32); 4] =
    [("1", 1, 1), ("2-4", 2, 4), ("5-8", 5, 8), (">8", 9, u32::MAX)];

/// Name of the size class of a demand.
pub fn size_class(gpus: u32) -> &'static str {
    SIZES.iter().find(|(_, low, high)| (*low..=*high).contains(&gpus)).map_or("", |(name, ..)| name)
}

/// Number of parts of the span that the load is given for.
const WINDOWS: usize = 48;

/// A description. Unknown numbers are null: the trace does not hold them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// Format of the source.
    pub format: String,
    /// Name of the source file.
    pub source: String,
    /// Whether any column holds what the source did not measure.
    pub semi_synthetic: bool,
    /// Where durations come from.
    pub durations: String,
    /// Where profiles come from.
    pub profiles: String,
    /// Number of jobs.
    pub jobs: u64,
    /// First arrival to last.
    pub span_s: f64,
    /// Share of jobs that ask for one GPU.
    pub single_gpu_share: f64,
    /// Run times of all jobs.
    pub duration_s: Option<Spread>,
    /// GPUs that the jobs keep busy on average.
    pub mean_busy_gpus: Option<f64>,
    /// Load on the cluster asked for.
    pub load: Option<OfferedLoad>,
    /// By GPU demand.
    pub demands: Vec<Demand>,
    /// By size class.
    pub sizes: Vec<Size>,
    /// How jobs ended, with their share of GPU time.
    pub statuses: Vec<Ended>,
    /// Jobs by profile.
    pub models: BTreeMap<String, u64>,
    /// Load over time.
    pub over_time: Vec<Window>,
}

/// A distribution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// Values it is made of.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Values at [`QUANTILES`], linear between order statistics.
    pub quantiles: Vec<f64>,
}

/// Jobs of one demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// GPU demand.
    pub gpus: u32,
    /// Jobs.
    pub jobs: u64,
    /// Share of jobs.
    pub job_share: f64,
    /// Share of GPU time.
    pub gpu_time_share: Option<f64>,
    /// Median run time.
    pub median_duration_s: Option<f64>,
}

/// Jobs of one size class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Size {
    /// GPUs: `1`, `2-4`, `5-8`, `>8`.
    pub gpus: String,
    /// Jobs.
    pub jobs: u64,
    /// Run times.
    pub duration_s: Option<Spread>,
    /// Queueing delays in the source's cluster.
    pub queue_s: Option<Spread>,
    /// Mean number of servers in the source's cluster.
    pub mean_servers: Option<f64>,
    /// Share of jobs on more than one server.
    pub spread_share: Option<f64>,
    /// Mean number of attempts.
    pub mean_attempts: Option<f64>,
    /// Share of jobs with more than one attempt.
    pub retried_share: Option<f64>,
    /// Share of jobs that failed.
    pub failed_share: Option<f64>,
}

/// Jobs that ended in one way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ended {
    /// The source's word.
    pub status: String,
    /// Jobs.
    pub jobs: u64,
    /// Share of jobs.
    pub job_share: f64,
    /// Share of GPU time.
    pub gpu_time_share: Option<f64>,
}

/// A part of the span.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Window {
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Arrivals in it.
    pub jobs: u64,
    /// Arriving GPU-seconds / length: GPUs that its arrivals would keep busy.
    pub offered_gpus: Option<f64>,
}

impl Description {
    /// Describes a trace; `gpus` is the cluster that the load is stated for, by default the one that the
    /// trace was made or imported for.
    pub fn new(trace: &Trace, gpus: Option<u64>) -> Self {
        let gpus = gpus.or(trace.about.load.map(|load| load.gpus));
        let all: Vec<&TraceJob> = trace.jobs.iter().collect();
        let count = all.len().max(1) as f64;
        let total_gpu_s = gpu_s(&all);
        let share = |jobs: &[&TraceJob]| Some(gpu_s(jobs)? / total_gpu_s.filter(|s| *s > 0.0)?);
        let demands = trace
            .demand_histogram()
            .into_iter()
            .map(|(gpus, jobs)| {
                let own: Vec<&TraceJob> = all.iter().copied().filter(|job| job.gpus == gpus).collect();
                Demand {
                    gpus,
                    jobs,
                    job_share: jobs as f64 / count,
                    gpu_time_share: share(&own),
                    median_duration_s: Spread::new(own.iter().map(|job| job.duration_s))
                        .map(|s| s.quantiles[2]),
                }
            })
            .collect::<Vec<_>>();
        let mut by_status: BTreeMap<&str, Vec<&TraceJob>> = BTreeMap::new();
        for job in &trace.jobs {
            if let Some(status) = &job.status {
                by_status.entry(status).or_default().push(job);
            }
        }
        let statuses = by_status.into_iter().map(|(status, own)| Ended {
            status: status.to_string(),
            jobs: own.len() as u64,
            job_share: own.len() as f64 / count,
            gpu_time_share: share(&own),
        });
        let mut models = BTreeMap::new();
        for profile in trace.jobs.iter().filter_map(|job| job.profile.as_deref()) {
            *models.entry(profile.to_string()).or_insert(0) += 1;
        }
        Description {
            format: trace.about.format.clone(),
            source: trace.about.source.clone(),
            semi_synthetic: trace.about.semi_synthetic,
            durations: trace.about.durations.clone(),
            profiles: trace.about.profiles.clone(),
            jobs: all.len() as u64,
            span_s: trace.span_s(),
            single_gpu_share: demands.iter().find(|d| d.gpus == 1).map_or(0.0, |d| d.job_share),
            duration_s: Spread::new(all.iter().map(|job| job.duration_s)),
            mean_busy_gpus: trace.mean_busy_gpus(),
            load: gpus.map(|gpus| trace.load(gpus)),
            sizes: SIZES.iter().filter_map(|&(name, low, high)| Size::new(name, low, high, &all)).collect(),
            statuses: statuses.collect(),
            models,
            over_time: windows(trace),
            demands,
        }
    }

    /// The description as tables for people.
    pub fn text(&self, colour: bool) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let maybe_percent = |share: Option<f64>| share.map_or(String::new(), percent);
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.2}"));
        let seconds = |value: f64| thousands(value.round() as u64);
        let mut text = format!(
            "{} jobs over {:.2} days, {} single-GPU; {} ({})\n",
            thousands(self.jobs),
            self.span_s / 86_400.0,
            percent(self.single_gpu_share),
            self.source,
            self.format
        );
        text += &format!("durations: {}; profiles: {}\n", self.durations, self.profiles);
        if let Some(spread) = &self.duration_s {
            text += &format!(
                "run time: median {} s, mean {} s, 95th percentile {} s\n",
                seconds(spread.quantiles[2]),
                seconds(spread.mean),
                seconds(spread.quantiles[5])
            );
        }
        if let Some(gpus) = self.mean_busy_gpus {
            text += &format!("offered work keeps {gpus:.1} GPUs busy on average\n");
        }
        if let Some(load) = &self.load {
            text += &format!("on {} GPUs: {}\n", load.gpus, load.summary());
        }
        let mut demands = TextTable::new(["GPUs", "jobs", "share", "GPU time", "median run time s"]);
        for demand in &self.demands {
            demands.row(vec![
                demand.gpus.to_string().into(),
                thousands(demand.jobs).into(),
                percent(demand.job_share).into(),
                maybe_percent(demand.gpu_time_share).into(),
                demand.median_duration_s.map_or(String::new(), seconds).into(),
            ]);
        }
        text += &format!("\nDemand\n{}", demands.render(colour));
        let mut sizes = TextTable::new([
            "<GPUs",
            "jobs",
            "run p50 s",
            "run p95 s",
            "queue p50 s",
            "queue p95 s",
            "servers",
            "spread",
            "attempts",
            "retried",
            "failed",
        ]);
        for size in &self.sizes {
            let at = |spread: &Option<Spread>, index: usize| {
                spread.as_ref().map_or(String::new(), |spread| seconds(spread.quantiles[index]))
            };
            sizes.row(vec![
                size.gpus.clone().into(),
                thousands(size.jobs).into(),
                at(&size.duration_s, 2).into(),
                at(&size.duration_s, 5).into(),
                at(&size.queue_s, 2).into(),
                at(&size.queue_s, 5).into(),
                number(size.mean_servers).into(),
                maybe_percent(size.spread_share).into(),
                number(size.mean_attempts).into(),
                maybe_percent(size.retried_share).into(),
                maybe_percent(size.failed_share).into(),
            ]);
        }
        text += &format!("\nBy size (empty: not in the trace)\n{}", sizes.render(colour));
        if !self.statuses.is_empty() {
            let mut statuses = TextTable::new(["<ended", "jobs", "share", "GPU time"]);
            for ended in &self.statuses {
                statuses.row(vec![
                    ended.status.clone().into(),
                    thousands(ended.jobs).into(),
                    percent(ended.job_share).into(),
                    maybe_percent(ended.gpu_time_share).into(),
                ]);
            }
            text += &format!("\nEnd\n{}", statuses.render(colour));
        }
        let most = self.over_time.iter().filter_map(|w| w.offered_gpus).fold(0.0, f64::max);
        if most > 0.0 {
            let mut over_time = TextTable::new(["from day", "jobs", "GPUs offered", "<"]);
            for window in &self.over_time {
                let offered = window.offered_gpus.unwrap_or(0.0);
                over_time.row(vec![
                    format!("{:.1}", window.from_s / 86_400.0).into(),
                    thousands(window.jobs).into(),
                    format!("{offered:.0}").into(),
                    "#".repeat((30.0 * offered / most).round() as usize).into(),
                ]);
            }
            text += &format!("\nLoad over time\n{}", over_time.render(colour));
        }
        text
    }
}

impl Spread {
    /// The distribution of the values that are known, if any.
    pub fn new(values: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.flatten().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |p: f64| {
            let place = p * last as f64;
            let (low, part) = (place.floor() as usize, place.fract());
            sorted[low] + part * (sorted[(low + 1).min(last)] - sorted[low])
        };
        Some(Spread {
            count: sorted.len() as u64,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            quantiles: QUANTILES.iter().map(|&p| at(p)).collect(),
        })
    }
}

impl Size {
    fn new(name: &str, low: u32, high: u32, all: &[&TraceJob]) -> Option<Self> {
        let own: Vec<&TraceJob> =
            all.iter().copied().filter(|job| (low..=high).contains(&job.gpus)).collect();
        if own.is_empty() {
            return None;
        }
        let mean = |of: fn(&TraceJob) -> Option<u32>| {
            let known: Vec<f64> = own.iter().filter_map(|job| of(job)).map(f64::from).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let above_one = |of: fn(&TraceJob) -> Option<u32>| {
            let known: Vec<u32> = own.iter().filter_map(|job| of(job)).collect();
            let above = known.iter().filter(|value| **value > 1).count();
            (!known.is_empty()).then(|| above as f64 / known.len() as f64)
        };
        let ended: Vec<&str> = own.iter().filter_map(|job| job.status.as_deref()).collect();
        let failed = ended.iter().filter(|status| status.to_lowercase().starts_with("fail")).count();
        Some(Size {
            gpus: name.to_string(),
            jobs: own.len() as u64,
            duration_s: Spread::new(own.iter().map(|job| job.duration_s)),
            queue_s: Spread::new(own.iter().map(|job| job.queue_s)),
            mean_servers: mean(|job| job.servers),
            spread_share: above_one(|job| job.servers),
            mean_attempts: mean(|job| job.attempts),
            retried_share: above_one(|job| job.attempts),
            failed_share: (!ended.is_empty()).then(|| failed as f64 / ended.len() as f64),
        })
    }
}

/// GPU-seconds; `None` unless all durations are known.
fn gpu_s(jobs: &[&TraceJob]) -> Option<f64> {
    jobs.iter().map(|job| Some(job.duration_s? * f64::from(job.gpus))).sum()
}

/// The span in equal parts.
fn windows(trace: &Trace) -> Vec<Window> {
    let length_s = trace.span_s() / WINDOWS as f64;
    if length_s <= 0.0 {
        return Vec::new();
    }
    let mut parts: Vec<Vec<&TraceJob>> = vec![Vec::new(); WINDOWS];
    for job in &trace.jobs {
        parts[((job.arrival_s / length_s) as usize).min(WINDOWS - 1)].push(job);
    }
    let window = |(index, jobs): (usize, Vec<&TraceJob>)| Window {
        from_s: index as f64 * length_s,
        to_s: (index + 1) as f64 * length_s,
        jobs: jobs.len() as u64,
        offered_gpus: gpu_s(&jobs).map(|gpu_s| gpu_s / length_s),
    };
    parts.into_iter().enumerate().map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        let job = |arrival_s: f64, gpus, duration_s, attempts, status: &str| TraceJob {
            arrival_s,
            gpus,
            duration_s: Some(duration_s),
            attempts: Some(attempts),
            servers: Some(gpus.div_ceil(8)),
            status: Some(status.into()),
            ..TraceJob::default()
        };
        let jobs = vec![
            job(0.0, 1, 10.0, 1, "Pass"),
            job(24.0, 1, 20.0, 1, "Pass"),
            job(48.0, 16, 30.0, 3, "Failed"),
            job(96.0, 1, 40.0, 1, "Killed"),
        ];
        Trace { jobs, ..Trace::default() }
    }

    #[test]
    fn numbers_by_hand() {
        let found = Description::new(&trace(), Some(16));
        assert_eq!((found.jobs, found.single_gpu_share, found.span_s), (4, 0.75, 96.0));
        let spread = found.duration_s.as_ref().unwrap();
        assert_eq!((spread.mean, spread.quantiles[2]), (25.0, 25.0));
        // 550 GPU-seconds, 480 of the large job; 3 gaps in 96 s.
        assert_eq!(found.demands[1].gpu_time_share, Some(480.0 / 550.0));
        assert_eq!(found.mean_busy_gpus, Some(3.0 / 96.0 * 137.5));
        assert_eq!(found.load.unwrap().load, Some(3.0 / 96.0 * 137.5 / 16.0));
        let large = &found.sizes[1];
        assert_eq!(
            (large.gpus.as_str(), large.mean_servers, large.spread_share),
            (">8", Some(2.0), Some(1.0))
        );
        assert_eq!(
            (large.mean_attempts, large.retried_share, large.failed_share),
            (Some(3.0), Some(1.0), Some(1.0))
        );
        assert_eq!(found.sizes[0].failed_share, Some(0.0));
        assert_eq!(found.statuses.iter().map(|s| s.jobs).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(found.over_time.iter().map(|w| w.jobs).sum::<u64>(), 4);
        assert_eq!(found.over_time[24].offered_gpus, Some(480.0 / 2.0));
        assert!(found.text(false).contains("75.0 % single-GPU"));
    }

    #[test]
    fn what_the_trace_does_not_hold_is_unknown() {
        let mut bare = trace();
        bare.jobs.iter_mut().for_each(|job| (job.duration_s, job.queue_s, job.status) = (None, None, None));
        let found = Description::new(&bare, Some(16));
        assert_eq!((found.duration_s, found.mean_busy_gpus, found.load.unwrap().load), (None, None, None));
        assert!(found.statuses.is_empty() && found.sizes[0].failed_share.is_none());
        let empty = Description::new(&Trace::default(), None);
        assert_eq!((empty.jobs, empty.over_time.len()), (0, 0));
        empty.text(false);
    }
}
