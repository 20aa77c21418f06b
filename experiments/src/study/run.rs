//! Runs what is missing of a study, in parallel, writing parts as units finish.

use super::StudyError;
use super::directory::{Directory, Shard};
use super::method::Method;
use super::parts::{self, Index, Record};
use super::plan::{Plan, PlannedUnit};
use super::progress::Progress;
use super::unit::Runner;
use crate::files::say;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// Worker threads; all cores when absent.
    pub jobs: Option<usize>,
    /// The part of the plan to run; all of it when absent.
    pub shard: Option<Shard>,
    /// Run units that failed again.
    pub retry_failed: bool,
    /// Show progress on stderr.
    pub progress: bool,
}

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Units of the plan, or of the shard.
    pub units: usize,
    /// Units that were complete before.
    pub done_before: usize,
    /// Units computed now.
    pub computed: usize,
    /// Units with a failure, among all that are done.
    pub failed: usize,
    /// Ended before all was done.
    pub interrupted: bool,
}

/// A part is written after this time or this many units, whichever is first: what a kill can lose.
const PART_AGE: Duration = Duration::from_secs(2);
const PART_UNITS: usize = 64;
/// Or this many bytes: what waits to be written is in memory.
const PART_BYTES: usize = 4 << 20;

/// Runs what is missing. `stop` ends it after the units at work.
///
/// # Errors
/// From the disk; finished units are kept.
pub fn run(
    plan: &Plan,
    directory: &Directory,
    options: RunOptions,
    stop: &AtomicBool,
) -> Result<RunReport, StudyError> {
    let index = Index::open(&directory.parts())?;
    for (path, reason) in &index.damaged {
        say(format_args!("warning: {}: {reason}; set aside, its units run again", path.display()));
    }
    let tasks = Tasks::missing(plan, &index, options);
    let mut report =
        RunReport { units: tasks.units, done_before: tasks.units - tasks.list.len(), ..RunReport::default() };
    let mut failed_now = 0;
    if !tasks.list.is_empty() {
        let progress = Progress::start(&plan.study().name, tasks.list.len() as u64, options.progress);
        (report.computed, failed_now) = work(plan, &tasks, directory, options, stop, &progress)?;
        progress.finish();
    }
    report.interrupted = report.computed < tasks.list.len();
    let pending: std::collections::HashSet<_> = tasks.list.iter().map(|task| task.unit.id).collect();
    let failed_before = |unit: &&PlannedUnit| !pending.contains(&unit.id) && index.failed(unit.id);
    report.failed = failed_now + plan.units().iter().filter(failed_before).count();
    Ok(report)
}

/// Units that lack something, with what they lack.
struct Tasks {
    list: Vec<Task>,
    /// Distinct lists of methods: mostly one.
    methods: Vec<Vec<Method>>,
    units: usize,
}

#[derive(Clone, Copy)]
struct Task {
    unit: PlannedUnit,
    methods: usize,
}

impl Tasks {
    fn missing(plan: &Plan, index: &Index, options: RunOptions) -> Self {
        let all = plan.methods();
        let mut tasks = Tasks { list: Vec::new(), methods: Vec::new(), units: 0 };
        for (position, &unit) in plan.units().iter().enumerate() {
            if options.shard.is_some_and(|shard| !shard.has(position)) {
                continue;
            }
            tasks.units += 1;
            let missing: Vec<Method> =
                index.missing(unit.id, all, options.retry_failed).into_iter().cloned().collect();
            if missing.is_empty() {
                continue;
            }
            let known = tasks.methods.iter().position(|list| *list == missing);
            let methods = known.unwrap_or_else(|| {
                tasks.methods.push(missing);
                tasks.methods.len() - 1
            });
            tasks.list.push(Task { unit, methods });
        }
        tasks
    }
}

/// Computes the tasks; returns how many, and how many of them failed.
fn work(
    plan: &Plan,
    tasks: &Tasks,
    directory: &Directory,
    options: RunOptions,
    stop: &AtomicBool,
    progress: &Progress,
) -> Result<(usize, usize), StudyError> {
    let threads = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| StudyError::Io { path: "threads".into(), source: std::io::Error::other(e) })?;
    let runner = Runner::new(plan, stop)?;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel::<Record>(4 * threads);
    std::thread::scope(|scope| {
        let (pool, next, runner) = (&pool, &next, &runner);
        scope.spawn(move || {
            // In the order of the plan, one at a time: neighbours land in one part, and no thread
            // is left with a long queue at the end.
            pool.broadcast(|_| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(task) = tasks.list.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let Some(record) = runner.record(task.unit, &tasks.methods[task.methods]) else { break };
                    if sender.send(record).is_err() {
                        break;
                    }
                }
            });
        });
        let parts = directory.parts();
        let mut finished: Vec<Record> = Vec::new();
        let mut bytes = 0;
        let (mut computed, mut failed) = (0, 0);
        let mut last_part = Instant::now();
        loop {
            let received = receiver.recv_timeout(Duration::from_millis(200));
            let ended = matches!(received, Err(RecvTimeoutError::Disconnected));
            if let Ok(record) = received {
                progress.advance(record.failed);
                computed += 1;
                failed += usize::from(record.failed);
                bytes += record.size();
                finished.push(record);
            }
            let full = finished.len() >= PART_UNITS || bytes >= PART_BYTES;
            let due = full || last_part.elapsed() >= PART_AGE || ended;
            if due && !finished.is_empty() {
                // On an error the receiver is dropped, which ends the workers after their units.
                parts::write(&parts, &finished)?;
                finished.clear();
                bytes = 0;
                last_part = Instant::now();
            }
            if ended {
                return Ok((computed, failed));
            }
        }
    })
}

/// What a pilot measured.
#[derive(Debug, Clone, Copy)]
pub struct Pilot {
    /// Units that were run.
    pub units: usize,
    /// Mean seconds of one unit on one thread.
    pub seconds_per_unit: f64,
}

/// Runs a few units, spread over the plan, for some seconds, and forgets their results.
///
/// # Errors
/// A plug-in that does not start.
pub fn pilot(plan: &Plan, stop: &AtomicBool) -> Result<Pilot, StudyError> {
    const MOST_UNITS: usize = 24;
    const MOST_TIME: Duration = Duration::from_secs(10);
    let units = plan.units();
    let runner = Runner::new(plan, stop)?;
    let count = units.len().min(MOST_UNITS);
    let start = Instant::now();
    let mut done = 0;
    // Multiples of the golden ratio are spread evenly however soon the time is up.
    while done < count && start.elapsed() < MOST_TIME && !stop.load(Ordering::Relaxed) {
        let position = (done as f64 * 0.618_033_988_749_895).fract() * units.len() as f64;
        runner.run(units[position as usize], plan.methods());
        done += 1;
    }
    Ok(Pilot { units: done, seconds_per_unit: start.elapsed().as_secs_f64() / done.max(1) as f64 })
}
