//! Tables of a set of simulations: `runs`, `jobs`, `rounds`, `timings`, each sorted by run.

use super::End;
use super::plan::{Plan, RunEnd, RunSpec};
use super::rows::{JobRow, Progress, RoundRow, Sink};
use super::spool::Spool;
use super::statistics::{Gatherer, Statistics};
use crate::tables::{Cell, Format, Metadata, Row, TableError, TableWriter, schema};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// Keeps the rows of a run on disk and its statistics in memory.
pub struct Recorder<'a> {
    rounds: Option<Spool<RoundRow>>,
    jobs: Spool<JobRow>,
    gatherer: Gatherer,
    /// The first write that failed; nothing is written after it.
    fault: Option<io::Error>,
    progress: &'a dyn Fn(Progress) -> ControlFlow<()>,
}

/// A run whose rows wait to be written.
pub struct Finished {
    /// How it went.
    pub end: RunEnd,
    /// One line on a status that is not `ok`.
    pub message: Option<String>,
    /// What it is summarised by.
    pub statistics: Statistics,
    /// Offered load at the baseline rate.
    pub load_baseline: Option<f64>,
    /// At the throughput that the mechanism reached.
    pub load_measured: Option<f64>,
    /// At the throughput of the LP.
    pub load_lp: Option<f64>,
    rounds: Option<Spool<RoundRow>>,
    jobs: Spool<JobRow>,
}

impl Finished {
    /// Status in tables.
    pub fn status(&self) -> &'static str {
        self.end.summary.as_ref().map_or(End::Failed.name(), |summary| summary.end.name())
    }
}

impl<'a> Recorder<'a> {
    /// A recorder that spools to `directory`, without rounds if they are not wanted.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(
        directory: &Path,
        keep_rounds: bool,
        progress: &'a dyn Fn(Progress) -> ControlFlow<()>,
    ) -> io::Result<Self> {
        Ok(Recorder {
            rounds: keep_rounds.then(|| Spool::new(directory)).transpose()?,
            jobs: Spool::new(directory)?,
            gatherer: Gatherer::default(),
            fault: None,
            progress,
        })
    }

    /// Runs `run` of `plan` into this recorder.
    ///
    /// # Errors
    /// A spool that could not be written. A run that fails is no error here but an outcome.
    pub fn record(mut self, plan: &Plan, run: &RunSpec) -> io::Result<Finished> {
        let end = plan.run(run, &mut self);
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let statistics = self.gatherer.finish(&plan.cluster);
        let load_baseline = plan.load(run).ok().and_then(|load| load.load);
        let at = |ratio: Option<f64>| Some(load_baseline? * ratio?);
        Ok(Finished {
            load_measured: at(statistics.gpu_seconds_ratio),
            load_lp: at(plan.lp_gpu_seconds_ratio(run)),
            load_baseline,
            message: match &end.summary {
                Ok(summary) => summary.message.clone(),
                Err(error) => Some(error.to_string()),
            },
            end,
            statistics,
            rounds: self.rounds,
            jobs: self.jobs,
        })
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
    }
}

impl Sink for Recorder<'_> {
    fn round(&mut self, row: RoundRow) {
        self.gatherer.round(&row);
        if let Some(rounds) = self.rounds.as_mut().filter(|_| self.fault.is_none()) {
            let result = rounds.push(&row);
            self.note(result);
        }
    }

    fn job(&mut self, row: JobRow) {
        self.gatherer.job(&row);
        if self.fault.is_none() {
            let result = self.jobs.push(&row);
            self.note(result);
        }
    }

    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        match self.fault {
            Some(_) => ControlFlow::Break(()),
            None => (self.progress)(progress),
        }
    }
}

/// Writes all tables of finished runs, in the order of the plan, into `directory`.
///
/// # Errors
/// A table or spool that cannot be written or read.
pub fn write_tables(
    directory: &Path,
    plan: &Plan,
    finished: Vec<Finished>,
    config: &str,
) -> Result<(), TableError> {
    let metadata = Metadata::new(config, None);
    let open = |table: &'static schema::Table| {
        TableWriter::create(
            &directory.join(format!("{}.parquet", table.name)),
            table,
            &metadata,
            Format::Parquet,
        )
    };
    let (mut runs, mut jobs, mut timings) =
        (open(&schema::RUNS)?, open(&schema::JOBS)?, open(&schema::TIMINGS)?);
    let mut rounds =
        finished.iter().any(|run| run.rounds.is_some()).then(|| open(&schema::ROUNDS)).transpose()?;
    let spool_fault = |source| TableError::Read { path: directory.to_path_buf(), source };
    for (run, mut finished) in plan.runs.iter().zip(finished) {
        runs.push(&run_cells(plan, run, &finished, None))?;
        let label = run.index.to_string();
        for (kind, method, seconds) in [
            ("simulation", &run.policy, finished.end.seconds),
            ("mechanism", &run.mechanism, finished.end.mechanism_seconds),
            ("bound", &plan.spec.gap_bound, finished.end.bound_seconds),
        ] {
            timings.push(&timing_cells(&label, kind, method, seconds))?;
        }
        let profiles = finished.end.summary.as_ref().map(|summary| &summary.profiles[..]).unwrap_or_default();
        for job in finished.jobs.read().map_err(spool_fault)? {
            jobs.push(&job_cells(plan, run, &job.map_err(spool_fault)?, profiles, None))?;
        }
        if let (Some(table), Some(spool)) = (&mut rounds, finished.rounds.take()) {
            for round in spool.read().map_err(spool_fault)? {
                table.push(&round_cells(run, plan, &round.map_err(spool_fault)?))?;
            }
        }
    }
    for table in [Some(runs), Some(jobs), rounds, Some(timings)].into_iter().flatten() {
        table.finish()?;
    }
    Ok(())
}

/// Rows of the tables `runs`, `jobs` and `timings` of a finished run, as a part of unit `unit` of a study.
///
/// # Errors
/// A spool that cannot be read.
pub fn rows_of(plan: &Plan, run: &RunSpec, finished: Finished, unit: &str) -> Result<Vec<Row>, TableError> {
    let mut rows = vec![Row::new(&schema::RUNS, &run_cells(plan, run, &finished, Some(unit)))?];
    for (kind, seconds) in
        [("simulation", finished.end.seconds), ("mechanism", finished.end.mechanism_seconds)]
    {
        rows.push(Row::new(&schema::TIMINGS, &timing_cells(unit, kind, &run.mechanism, seconds))?);
    }
    let spool_fault = |source| TableError::Read { path: "temporary file".into(), source };
    let profiles = finished.end.summary.as_ref().map(|summary| &summary.profiles[..]).unwrap_or_default();
    for job in finished.jobs.read().map_err(spool_fault)? {
        let cells = job_cells(plan, run, &job.map_err(spool_fault)?, profiles, Some(unit));
        rows.push(Row::new(&schema::JOBS, &cells)?);
    }
    Ok(rows)
}

fn timing_cells<'a>(
    unit: &'a str,
    kind: &'a str,
    method: &'a str,
    time: Duration,
) -> [(&'static str, Cell<'a>); 4] {
    [
        ("unit", unit.into()),
        ("kind", kind.into()),
        ("method", method.into()),
        ("seconds", time.as_secs_f64().into()),
    ]
}

/// Columns that say which run a row belongs to. A study numbers its runs when it writes its tables.
fn run_key<'a>(run: &'a RunSpec, unit: Option<&str>) -> [(&'static str, Cell<'a>); 5] {
    [
        ("run", Some(run.index).filter(|_| unit.is_none()).into()),
        ("policy", (&run.policy).into()),
        ("mechanism", (&run.mechanism).into()),
        ("jobs_per_hour", run.jobs_per_hour.into()),
        ("seed", run.seed.into()),
    ]
}

fn run_cells<'a>(
    plan: &'a Plan,
    run: &'a RunSpec,
    finished: &'a Finished,
    unit: Option<&'a str>,
) -> Vec<(&'static str, Cell<'a>)> {
    let s = &finished.statistics;
    let summary = finished.end.summary.as_ref().ok();
    let mut row = run_key(run, unit).to_vec();
    row.extend([
        ("semantics", Cell::from(plan.semantics())),
        ("bound_in_place", plan.is_bound(run).into()),
        ("status", finished.status().into()),
        ("message", finished.message.as_deref().into()),
        ("gpus", plan.cluster.gpus().into()),
        ("jobs", s.jobs.into()),
        ("jobs_beyond", s.beyond.into()),
        ("measured", s.measured.into()),
        ("measured_ended", s.measured_ended.into()),
        ("rounds", summary.map(|summary| summary.rounds).into()),
        ("decisions", summary.map(|summary| summary.decisions).into()),
        ("checked", finished.end.checked.into()),
        ("start_s", summary.map(|summary| summary.start_s).into()),
        ("end_s", summary.map(|summary| summary.end_s).into()),
        ("load_baseline", finished.load_baseline.into()),
        ("load_measured", finished.load_measured.into()),
        ("load_lp", finished.load_lp.into()),
        ("jct_mean_s", s.jct_mean_s.into()),
        ("jct_p50_s", s.jct_p50_s.into()),
        ("jct_p95_s", s.jct_p95_s.into()),
        ("jct_p99_s", s.jct_p99_s.into()),
        ("jct_p999_s", s.jct_p999_s.into()),
        ("jct_max_s", s.jct_max_s.into()),
        ("queueing_delay_mean_s", s.queueing_delay_mean_s.into()),
        ("longest_wait_s", s.longest_wait_s.into()),
        ("makespan_s", s.makespan_s.into()),
        ("rho_mean", s.rho_mean.into()),
        ("rho_max", s.rho_max.into()),
        ("jain_index", s.jain_index.into()),
        ("gpus_allocated", s.gpus_allocated.into()),
        ("cpus_allocated", s.cpus_allocated.into()),
        ("cpus_used", s.cpus_used.into()),
        ("memory_allocated", s.memory_allocated.into()),
        ("memory_used", s.memory_used.into()),
        ("throughput_mean", s.throughput_mean.into()),
        ("preemptions", s.preemptions.into()),
        ("job_rounds_reverted", s.reverted.into()),
        ("job_rounds_skipped", s.skipped.into()),
        ("bounded_rounds", s.bounded_rounds.into()),
        ("gap_mean", s.gap_mean.into()),
        ("gap_max", s.gap_max.into()),
        ("unit", unit.into()),
    ]);
    row
}

fn job_cells<'a>(
    plan: &'a Plan,
    run: &'a RunSpec,
    job: &JobRow,
    profiles: &'a [String],
    unit: Option<&'a str>,
) -> Vec<(&'static str, Cell<'a>)> {
    let trace_id = plan.trace().and_then(|trace| trace.jobs.get(job.index)?.trace_id.as_deref());
    let mut row = run_key(run, unit).to_vec();
    row.extend([
        ("job_id", Cell::from(job.job_id)),
        ("trace_id", trace_id.into()),
        ("profile", profiles.get(job.class).into()),
        ("gpus", job.gpus.into()),
        ("work_s", job.work_s.into()),
        ("arrival_s", job.arrival_s.into()),
        ("first_start_s", job.first_start_s.into()),
        ("completion_s", job.completion_s.into()),
        ("jct_s", job.jct_s.into()),
        ("queueing_delay_s", job.queueing_delay_s.into()),
        ("waiting_s", job.waited_s.into()),
        ("longest_wait_s", job.longest_wait_s.into()),
        ("gpu_seconds", job.gpu_seconds.into()),
        ("mean_throughput", job.mean_throughput.into()),
        ("rho", job.rho.into()),
        ("rounds_run", job.rounds_run.into()),
        ("preemptions", job.preemptions.into()),
        ("moves", job.moves.into()),
        ("rounds_reverted", job.rounds_reverted.into()),
        ("rounds_skipped", job.rounds_skipped.into()),
        ("fragments", job.most_servers.into()),
        ("overshoot_s", job.overshoot_s.into()),
        ("lost_s", job.lost_s.into()),
        ("measured", job.measured.into()),
        ("beyond", job.beyond.into()),
        ("unit", unit.into()),
    ]);
    row
}

fn round_cells<'a>(run: &'a RunSpec, plan: &'a Plan, round: &RoundRow) -> Vec<(&'static str, Cell<'a>)> {
    let mut row = run_key(run, None).to_vec();
    row.extend([
        ("time_s", Cell::from(round.time_s)),
        ("rounds", round.rounds.into()),
        ("runnable", round.runnable.into()),
        ("queued", round.queued.into()),
        ("scheduled", round.scheduled.into()),
        ("skipped", round.skipped.into()),
        ("reverted", round.reverted.into()),
        ("gpus_allocated", round.gpus_allocated.into()),
        ("cpus_allocated", round.cpus_allocated.into()),
        ("cpus_used", round.cpus_used.into()),
        ("memory_gb_allocated", round.memory_gb_allocated.into()),
        ("memory_gb_used", round.memory_gb_used.into()),
        ("throughput", round.throughput.into()),
        ("value", round.value.into()),
        ("bound", round.bound.map(|_| plan.spec.gap_bound.as_str()).into()),
        ("bound_value", round.bound.into()),
        ("gap", round.gap.into()),
    ]);
    row
}
