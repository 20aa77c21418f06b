//! What a run is summarised by.

use super::rows::{JobRow, RoundRow};
use synergy_solver::model::Cluster;

/// Statistics of the measured jobs, and of the cluster over all rounds. `None` where nothing was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// Jobs that arrived.
    pub jobs: u64,
    /// Measured jobs.
    pub measured: u64,
    /// Measured jobs that ended; the rest is over these.
    pub measured_ended: u64,
    /// Jobs that came to keep the load on.
    pub beyond: u64,
    /// Mean job completion time.
    pub jct_mean_s: Option<f64>,
    /// Median.
    pub jct_p50_s: Option<f64>,
    /// 95th percentile.
    pub jct_p95_s: Option<f64>,
    /// 99th percentile.
    pub jct_p99_s: Option<f64>,
    /// 99.9th percentile.
    pub jct_p999_s: Option<f64>,
    /// Largest.
    pub jct_max_s: Option<f64>,
    /// Mean of first start - arrival.
    pub queueing_delay_mean_s: Option<f64>,
    /// Longest time in a row without GPUs, of any measured job.
    pub longest_wait_s: Option<f64>,
    /// Last completion of a measured job - first arrival of one.
    pub makespan_s: Option<f64>,
    /// Mean finish-time fairness.
    pub rho_mean: Option<f64>,
    /// Largest finish-time fairness.
    pub rho_max: Option<f64>,
    /// Jain's index of rho: 1 when all jobs are slowed alike.
    pub jain_index: Option<f64>,
    /// GPU-seconds held over GPU-seconds of work at the baseline rate: below 1 when the mechanism
    /// makes jobs faster.
    pub gpu_seconds_ratio: Option<f64>,
    /// Rounds x jobs passed over, reverted, preempted; over all jobs.
    pub skipped: u64,
    /// As above.
    pub reverted: u64,
    /// As above.
    pub preemptions: u64,
    /// Part of the cluster's GPUs that is held, over time.
    pub gpus_allocated: Option<f64>,
    /// Part of its CPUs.
    pub cpus_allocated: Option<f64>,
    /// Part of its CPUs without which throughput would be less.
    pub cpus_used: Option<f64>,
    /// Part of its memory.
    pub memory_allocated: Option<f64>,
    /// Part of its memory without which throughput would be less.
    pub memory_used: Option<f64>,
    /// Mean normalised throughput of scheduled jobs, over time.
    pub throughput_mean: Option<f64>,
    /// Rounds with a bound that holds.
    pub bounded_rounds: u64,
    /// Mean of their gaps.
    pub gap_mean: Option<f64>,
    /// Largest of their gaps.
    pub gap_max: Option<f64>,
}

/// Gathers statistics as rows come.
#[derive(Debug, Clone, Default)]
pub struct Gatherer {
    rounds: u64,
    gpus: f64,
    cpus: Option<f64>,
    cpus_used: Option<f64>,
    memory_gb: Option<f64>,
    memory_gb_used: Option<f64>,
    throughput: f64,
    scheduled: f64,
    bounded: u64,
    gaps: f64,
    gap_max: f64,
    statistics: Statistics,
    jct_s: Vec<f64>,
    rho: Vec<f64>,
    first_arrival_s: f64,
    last_completion_s: f64,
    queueing_delay_s: f64,
    longest_wait_s: f64,
    gpu_seconds: f64,
    gpu_work_s: f64,
}

impl Gatherer {
    /// Takes in rounds.
    pub fn round(&mut self, row: &RoundRow) {
        let rounds = row.rounds as f64;
        let add = |sum: &mut Option<f64>, amount: Option<f64>| {
            if let Some(amount) = amount {
                *sum = Some(sum.unwrap_or(0.0) + amount * rounds);
            }
        };
        self.rounds += row.rounds;
        self.gpus += row.gpus_allocated * rounds;
        add(&mut self.cpus, row.cpus_allocated);
        add(&mut self.cpus_used, row.cpus_used);
        add(&mut self.memory_gb, row.memory_gb_allocated);
        add(&mut self.memory_gb_used, row.memory_gb_used);
        self.throughput += row.throughput * rounds;
        self.scheduled += row.scheduled as f64 * rounds;
        if let Some(gap) = row.gap {
            self.bounded += row.rounds;
            self.gaps += gap * rounds;
            self.gap_max = if self.bounded == row.rounds { gap } else { self.gap_max.max(gap) };
        }
    }

    /// Takes in a job.
    pub fn job(&mut self, row: &JobRow) {
        let statistics = &mut self.statistics;
        statistics.jobs += 1;
        statistics.beyond += u64::from(row.beyond);
        statistics.skipped += row.rounds_skipped;
        statistics.reverted += row.rounds_reverted;
        statistics.preemptions += row.preemptions;
        if !row.measured {
            return;
        }
        if statistics.measured == 0 {
            self.first_arrival_s = row.arrival_s;
        }
        statistics.measured += 1;
        let (Some(jct_s), Some(completion_s)) = (row.jct_s, row.completion_s) else { return };
        statistics.measured_ended += 1;
        self.jct_s.push(jct_s);
        self.rho.extend(row.rho);
        self.last_completion_s = self.last_completion_s.max(completion_s);
        self.queueing_delay_s += row.queueing_delay_s.unwrap_or(0.0);
        self.longest_wait_s = self.longest_wait_s.max(row.longest_wait_s);
        self.gpu_seconds += row.gpu_seconds;
        self.gpu_work_s += f64::from(row.gpus) * row.work_s;
    }

    /// The statistics of all that was taken in, on `cluster`.
    pub fn finish(mut self, cluster: &Cluster) -> Statistics {
        let mut statistics = self.statistics;
        self.jct_s.sort_by(f64::total_cmp);
        let ended = self.jct_s.len() as f64;
        if ended > 0.0 {
            statistics.jct_mean_s = Some(self.jct_s.iter().sum::<f64>() / ended);
            statistics.jct_p50_s = quantile(&self.jct_s, 0.5);
            statistics.jct_p95_s = quantile(&self.jct_s, 0.95);
            statistics.jct_p99_s = quantile(&self.jct_s, 0.99);
            statistics.jct_p999_s = quantile(&self.jct_s, 0.999);
            statistics.jct_max_s = self.jct_s.last().copied();
            statistics.queueing_delay_mean_s = Some(self.queueing_delay_s / ended);
            statistics.longest_wait_s = Some(self.longest_wait_s);
            statistics.makespan_s = Some(self.last_completion_s - self.first_arrival_s);
            let (sum, squares) = self.rho.iter().fold((0.0, 0.0), |(s, q), rho| (s + rho, q + rho * rho));
            if squares > 0.0 {
                statistics.rho_mean = Some(sum / self.rho.len() as f64);
                statistics.rho_max = self.rho.iter().copied().reduce(f64::max);
                statistics.jain_index = Some(sum * sum / (self.rho.len() as f64 * squares));
            }
            if self.gpu_work_s > 0.0 {
                statistics.gpu_seconds_ratio = Some(self.gpu_seconds / self.gpu_work_s);
            }
        }
        if self.rounds > 0 {
            let rounds = self.rounds as f64;
            let part = |sum: Option<f64>, of: f64| sum.filter(|_| of > 0.0).map(|sum| sum / rounds / of);
            let capacity = cluster.capacity();
            statistics.gpus_allocated = part(Some(self.gpus), cluster.gpus() as f64);
            statistics.cpus_allocated = part(self.cpus, capacity.cpus());
            statistics.cpus_used = part(self.cpus_used, capacity.cpus());
            statistics.memory_allocated = part(self.memory_gb, capacity.memory_gb());
            statistics.memory_used = part(self.memory_gb_used, capacity.memory_gb());
        }
        if self.scheduled > 0.0 {
            statistics.throughput_mean = Some(self.throughput / self.scheduled);
        }
        if self.bounded > 0 {
            statistics.bounded_rounds = self.bounded;
            statistics.gap_mean = Some(self.gaps / self.bounded as f64);
            statistics.gap_max = Some(self.gap_max);
        }
        statistics
    }
}

/// Quantile of ascending numbers, linear between order statistics.
fn quantile(sorted: &[f64], level: f64) -> Option<f64> {
    let place = level * (sorted.len().checked_sub(1)?) as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_linear_between_order_statistics() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.0), Some(1.0));
        assert_eq!(quantile(&sorted, 0.5), Some(3.0));
        assert_eq!(quantile(&sorted, 1.0), Some(8.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
