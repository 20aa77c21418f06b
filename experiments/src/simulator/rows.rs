//! What a simulation emits.

use std::ops::ControlFlow;

/// Rounds in a row in which everything below is the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundRow {
    /// Start of the first of them.
    pub time_s: f64,
    /// How many.
    pub rounds: u64,
    /// Jobs that have arrived and not ended.
    pub runnable: u64,
    /// Those that are not scheduled.
    pub queued: u64,
    /// Scheduled jobs.
    pub scheduled: u64,
    /// Jobs of the runnable set (for mechanisms that take the whole queue: jobs ahead of the last one
    /// scheduled) that are not scheduled.
    pub skipped: u64,
    /// Scheduled jobs that hold less than they asked for.
    pub reverted: u64,
    /// GPUs of scheduled jobs.
    pub gpus_allocated: f64,
    /// CPUs allocated; `None` for bounds, as are the next three.
    pub cpus_allocated: Option<f64>,
    /// CPUs without which throughput would be less.
    pub cpus_used: Option<f64>,
    /// Memory allocated.
    pub memory_gb_allocated: Option<f64>,
    /// Memory without which throughput would be less.
    pub memory_gb_used: Option<f64>,
    /// Sum of normalised throughput x placement penalty.
    pub throughput: f64,
    /// Value of the allocation: sum of weight x normalised throughput.
    pub value: f64,
    /// Upper bound on the value for the same jobs at the same state, where asked for and where one holds.
    pub bound: Option<f64>,
    /// (bound - value) / bound.
    pub gap: Option<f64>,
}

impl RoundRow {
    /// Whether the rows differ in time alone.
    pub fn repeats(&self, other: &RoundRow) -> bool {
        RoundRow { time_s: 0.0, rounds: 0, ..*self } == RoundRow { time_s: 0.0, rounds: 0, ..*other }
    }
}

/// A job's account. Times are `None` for what has not happened.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Id, as in the trace or by arrival.
    pub job_id: i64,
    /// Index in arrival order.
    pub index: usize,
    /// Class, whose profile [`Summary`](super::Summary) names.
    pub class: usize,
    /// GPU demand.
    pub gpus: u32,
    /// Work, in seconds at the baseline rate.
    pub work_s: f64,
    /// Arrival.
    pub arrival_s: f64,
    /// First start.
    pub first_start_s: Option<f64>,
    /// Completion.
    pub completion_s: Option<f64>,
    /// Completion - arrival.
    pub jct_s: Option<f64>,
    /// First start - arrival.
    pub queueing_delay_s: Option<f64>,
    /// Time without GPUs, from the first round that it could run in.
    pub waited_s: f64,
    /// Longest time in a row without GPUs.
    pub longest_wait_s: f64,
    /// GPUs x seconds held.
    pub gpu_seconds: f64,
    /// Progress per second run, in seconds at the baseline rate.
    pub mean_throughput: Option<f64>,
    /// JCT over the time that its work takes at the baseline rate.
    pub rho: Option<f64>,
    /// Rounds run.
    pub rounds_run: u64,
    /// Times that it lost its GPUs before it had ended.
    pub preemptions: u64,
    /// Times that it changed servers between rounds in a row.
    pub moves: u64,
    /// Rounds in which it held less than it asked for.
    pub rounds_reverted: u64,
    /// Rounds in which it was passed over.
    pub rounds_skipped: u64,
    /// Most servers that it ran on at once.
    pub most_servers: u32,
    /// Seconds x throughput, summed over its rounds: work + overshoot + lost.
    pub gross_s: f64,
    /// Beyond the end of its work in its last round.
    pub overshoot_s: f64,
    /// Lost to changes of lease and fractions of iterations.
    pub lost_s: f64,
    /// Whether its id is in the measured window.
    pub measured: bool,
    /// Whether it came after the jobs that were asked for, to keep the load on.
    pub beyond: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All measured jobs ended.
    Done,
    /// The published simulator's end: a round without a job, while some were still to come.
    IdleRound,
    /// A measured job waits beyond the limit, or nothing can ever run again.
    Starved,
    /// Stopped by the caller.
    Interrupted,
    /// The mechanism failed.
    Failed,
}

impl End {
    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            End::Done => "ok",
            End::IdleRound => "idle-round",
            End::Starved => "starved",
            End::Interrupted => "interrupted",
            End::Failed => "failed",
        }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Simulated time.
    pub time_s: f64,
    /// Rounds since the start.
    pub rounds: u64,
    /// Jobs in the queue, running ones included.
    pub queue: usize,
    /// Jobs that have ended.
    pub ended: usize,
    /// Measured jobs still to end.
    pub measured_left: usize,
}

/// Takes what a simulation emits.
pub trait Sink {
    /// Rounds, in order of time.
    fn round(&mut self, row: RoundRow);

    /// Jobs, by index, after the last round.
    fn job(&mut self, row: JobRow);

    /// Called every few thousand rounds; may end the run.
    fn progress(&mut self, progress: Progress) -> ControlFlow<()>;
}
