//! Simulations of a recipe: run what is missing, keep each run as it ends, write tables of all.

use super::ReproduceError;
use super::progress::Progress;
use super::store::{self, Store};
use crate::simulator::{Plan, Recorder, RunSpec, rows_of};
use crate::study::UnitId;
use crate::study::parts::{self, Index, Reader, Record};
use crate::tables::{Cell, Format, Metadata, Row, Table, TableWriter, schema};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;

/// A set of simulations under a name: one directory with the tables that `synergy simulate` writes.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Name of the directory.
    pub name: String,
    /// What is simulated.
    pub plan: Plan,
    /// What stands for the jobs where the plan does not say it: hash of a trace's file, seed of its draws.
    pub source: String,
}

impl Batch {
    /// The resolved set as TOML.
    fn config(&self) -> Result<String, ReproduceError> {
        toml::to_string(&self.plan.spec).map_err(|error| ReproduceError::Internal(error.to_string()))
    }

    /// Id of one run: hash of its resolved specification alone, so that recipes share runs.
    fn id(&self, run: &RunSpec) -> Result<UnitId, ReproduceError> {
        let mut spec = self.plan.spec.clone();
        spec.policies = vec![run.policy.clone()];
        spec.mechanisms = vec![run.mechanism.clone()];
        spec.loads = run.jobs_per_hour.into_iter().collect();
        spec.seeds = vec![run.seed];
        let text = toml::to_string(&spec).map_err(|error| ReproduceError::Internal(error.to_string()))?;
        // Rows under other columns are no longer rows.
        let columns = [&schema::RUNS, &schema::JOBS]
            .map(|table| table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(","));
        let key = format!("synergy simulation\n{}\n{}\n{text}", columns.join("\n"), self.source);
        Ok(store::id(&key))
    }
}

/// Seconds that a run takes, relative to others: the long ones start first, and progress counts them
/// for what they are. An order of magnitude from measurements, no promise.
fn weight(run: &RunSpec) -> u64 {
    let policy = match run.policy.as_str() {
        "fifo" | "drf" => 1,
        "srtf" | "tetris" => 2,
        _ => 4,
    };
    let mechanism = match run.mechanism.as_str() {
        "lp" | "ilp" => 20,
        _ => 1,
    };
    policy * mechanism
}

/// Runs what `store` lacks of `batches`, in parallel. Each run is kept as soon as it ends.
///
/// # Errors
/// From the disk; [`ReproduceError::Interrupted`], with finished runs kept.
pub fn run(batches: &[&Batch], store: &Store, progress: &Progress) -> Result<(), ReproduceError> {
    let index = Index::open(store.path)?;
    let mut missing = Vec::new();
    for batch in batches {
        for run in &batch.plan.runs {
            let id = batch.id(run)?;
            let asked = missing.iter().any(|(_, _, other)| *other == id);
            if !asked && !index.contains(id) {
                missing.push((batch, run, id));
            }
        }
    }
    missing.sort_by_key(|(_, run, _)| std::cmp::Reverse(weight(run)));
    progress.expect(missing.iter().map(|(_, run, _)| weight(run)).sum(), missing.len() as u64);
    let one = |(batch, run, id): &(&&Batch, &RunSpec, UnitId)| -> Result<(), ReproduceError> {
        store.go_on()?;
        let stopped = || store.stop.load(Ordering::SeqCst);
        let watch = |_| if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let recorder = Recorder::new(store.path, false, &watch).map_err(ReproduceError::io(store.path))?;
        let finished = recorder.record(&batch.plan, run).map_err(ReproduceError::io(store.path))?;
        // What was cut short is no result.
        store.go_on()?;
        let failed = finished.status() != "ok";
        let mut rows = rows_of(&batch.plan, run, finished, &id.to_string())?;
        rows.retain(|row| match row.table().name {
            name if name == schema::JOBS.name => row.get("measured") == Cell::Flag(true),
            table => table == schema::RUNS.name,
        });
        parts::write(store.path, &[Record::new(*id, &[], failed, &rows)])?;
        progress.advance(weight(run));
        Ok(())
    };
    // One run at a time per thread, in this order: the last to start are the shortest.
    missing.par_iter().with_max_len(1).map(one).collect()
}

/// A run that ended, as its rows say.
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// Which run.
    pub run: RunSpec,
    /// Its row of `runs`.
    pub row: Row,
    /// Its measured jobs that ended.
    pub jobs: Vec<Completed>,
    job_rows: Vec<Row>,
}

/// A measured job that ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Completed {
    /// Id.
    pub id: i64,
    /// Work, in seconds at the baseline rate.
    pub work_s: f64,
    /// Completion time.
    pub jct_s: f64,
}

impl FinishedRun {
    /// Whether all measured jobs ended.
    pub fn ok(&self) -> bool {
        self.row.get("status") == Cell::Text("ok")
    }

    /// A column of its row; `None` for a run that did not end as it should.
    pub fn real(&self, column: &str) -> Option<f64> {
        match self.row.get(column) {
            Cell::Real(value) if self.ok() => Some(value),
            _ => None,
        }
    }

    /// Mean JCT in seconds.
    pub fn jct_mean_s(&self) -> Option<f64> {
        self.real("jct_mean_s")
    }

    /// Quantile of the JCT of jobs that `which` picks by their work in seconds.
    pub fn jct_quantile_s(&self, q: f64, which: impl Fn(f64) -> bool) -> Option<f64> {
        let jct_s: Vec<f64> = self.jobs.iter().filter(|job| which(job.work_s)).map(|job| job.jct_s).collect();
        crate::statistics::quantile(&crate::statistics::sorted(&jct_s), q).filter(|_| self.ok())
    }

    /// Mean JCT of jobs that `which` picks.
    pub fn jct_mean_of_s(&self, which: impl Fn(f64) -> bool) -> Option<f64> {
        let jct_s: Vec<f64> = self.jobs.iter().filter(|job| which(job.work_s)).map(|job| job.jct_s).collect();
        crate::statistics::mean(&jct_s).filter(|_| self.ok())
    }
}

/// The runs of a batch, in the order of its plan.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    /// All of them.
    pub runs: Vec<FinishedRun>,
}

/// A quantity of a run.
pub type Of<'a> = &'a dyn Fn(&FinishedRun) -> Option<f64>;

impl Runs {
    /// Reads a batch back from the store.
    ///
    /// # Errors
    /// A run that is not there; from the disk.
    pub fn read(batch: &Batch, index: &Index) -> Result<Self, ReproduceError> {
        let mut reader = Reader::new(index);
        let mut runs = Vec::with_capacity(batch.plan.runs.len());
        for run in &batch.plan.runs {
            let id = batch.id(run)?;
            let row = reader.table_rows(id, &schema::RUNS)?.into_iter().next();
            let row = row.ok_or_else(|| ReproduceError::Internal(format!("run {id} is not in the store")))?;
            let job_rows = reader.table_rows(id, &schema::JOBS)?;
            let completed = |row: &Row| match (row.get("job_id"), row.get("work_s"), row.get("jct_s")) {
                (Cell::Int(id), Cell::Real(work_s), Cell::Real(jct_s)) => {
                    Some(Completed { id, work_s, jct_s })
                }
                _ => None,
            };
            let jobs = job_rows.iter().filter_map(completed).collect();
            runs.push(FinishedRun { run: run.clone(), row, jobs, job_rows });
        }
        Ok(Runs { runs })
    }

    /// The runs of a policy and mechanism at a load, by seed.
    fn at<'a>(
        &'a self,
        policy: &'a str,
        mechanism: &'a str,
        load: Option<f64>,
    ) -> impl Iterator<Item = &'a FinishedRun> {
        self.runs.iter().filter(move |r| {
            r.run.policy == policy && r.run.mechanism == mechanism && r.run.jobs_per_hour == load
        })
    }

    /// A quantity at a load, seed by seed.
    pub fn values(&self, policy: &str, mechanism: &str, load: Option<f64>, of: Of) -> Vec<f64> {
        self.at(policy, mechanism, load).filter_map(of).collect()
    }

    /// Quantity of `above` / quantity of `below` at a load, seed by seed: runs of one seed have the same
    /// jobs.
    pub fn ratios(&self, policy: &str, [above, below]: [&str; 2], load: Option<f64>, of: Of) -> Vec<f64> {
        let ratio = |above: &FinishedRun| {
            let below = self.at(policy, below, load).find(|below| below.run.seed == above.run.seed)?;
            Some(of(above)? / of(below)?)
        };
        self.at(policy, above, load).filter_map(ratio).collect()
    }

    /// Loads, ascending.
    pub fn loads(&self) -> Vec<f64> {
        let mut loads: Vec<f64> = self.runs.iter().filter_map(|r| r.run.jobs_per_hour).collect();
        loads.sort_by(f64::total_cmp);
        loads.dedup();
        loads
    }

    /// What the first run of a policy and mechanism that has no value says.
    pub fn fault(&self, policy: &str, mechanism: &str) -> Option<String> {
        let is = |r: &&FinishedRun| r.run.policy == policy && r.run.mechanism == mechanism && !r.ok();
        match self.runs.iter().find(is)?.row.get("message") {
            Cell::Text(message) => Some(message.to_string()),
            _ => None,
        }
    }

    /// Whether a policy and mechanism have a run at a load that did not end as it should.
    pub fn broken(&self, policy: &str, mechanism: &str, load: Option<f64>) -> bool {
        self.at(policy, mechanism, load).any(|run| !run.ok())
    }
}

/// Writes the tables `runs` and `jobs` (measured jobs) of a batch, and its resolved set.
///
/// # Errors
/// From the disk.
pub fn write_tables(batch: &Batch, runs: &Runs, directory: &Path) -> Result<(), ReproduceError> {
    std::fs::create_dir_all(directory).map_err(ReproduceError::io(directory))?;
    let config = batch.config()?;
    crate::files::write_file(&directory.join("simulation.toml"), config.as_bytes())?;
    let metadata = Metadata::new(&config, None);
    let open = |table: &'static Table| {
        let path = directory.join(format!("{}.parquet", table.name));
        TableWriter::create(&path, table, &metadata, Format::Parquet)
    };
    let (mut run_table, mut job_table) = (open(&schema::RUNS)?, open(&schema::JOBS)?);
    for finished in &runs.runs {
        run_table.push(&numbered(&finished.row, finished.run.index))?;
        for row in &finished.job_rows {
            job_table.push(&numbered(row, finished.run.index))?;
        }
    }
    run_table.finish()?;
    job_table.finish()?;
    Ok(())
}

/// A row with its number in this plan: the store knows that of the plan that ran it first.
fn numbered(row: &Row, run: usize) -> Vec<(&'static str, Cell<'_>)> {
    let columns = row.table().columns.iter().enumerate();
    let cell = |(index, column): (usize, &'static crate::tables::Column)| match column.name {
        "run" => ("run", Cell::from(run)),
        // The study's, in studies.
        "unit" => ("unit", Cell::Null),
        name => (name, row.cell(index)),
    };
    columns.map(cell).collect()
}
