//! Simulations.

use crate::errors::{invalid, raise};
use crate::table::Table;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use synergy_experiments::error::CliError;
use synergy_experiments::simulator::{
    Plan, Progress, Recorder, RunSpec, SimulationSpec, Source, write_tables,
};

/// How often progress is told and Ctrl-C is looked for.
const EVERY: Duration = Duration::from_millis(200);

/// Tables by name.
type Tables = Vec<(String, Table)>;

/// Runs a specification (JSON of `simulation.toml`) one run after another. `progress` gets a JSON object now and
/// then. Gives the tables by name, and one message per run that did not end well.
#[pyfunction]
#[pyo3(signature = (specification, progress=None))]
pub fn simulate(
    py: Python<'_>,
    specification: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Tables, Vec<String>)> {
    let spec: SimulationSpec = serde_json::from_str(specification).map_err(invalid)?;
    let plan = Plan::new(spec, Source::Generated).map_err(invalid)?;
    py.detach(|| {
        let internal = |error: std::io::Error| raise(CliError::Internal(error.into()));
        let place = tempfile::tempdir().map_err(internal)?;
        let teller = Teller {
            runs: plan.runs.len(),
            progress,
            told: Mutex::new(Told { at: Instant::now(), fault: None }),
        };
        let mut finished = Vec::new();
        for run in &plan.runs {
            let tell = |now: Progress| teller.tell(run, &now);
            let recorder = Recorder::new(place.path(), true, &tell).map_err(internal)?;
            finished.push(recorder.record(&plan, run).map_err(internal)?);
            if let Some(fault) = teller.fault() {
                return Err(fault);
            }
        }
        let label = |run: &RunSpec| format!("{} + {}, seed {}", run.policy, run.mechanism, run.seed);
        let messages = plan.runs.iter().zip(&finished);
        let messages = messages
            .filter_map(|(run, end)| {
                Some(format!("{}: {}: {}", label(run), end.status(), end.message.as_ref()?))
            })
            .collect();
        write_tables(place.path(), &plan, finished, specification).map_err(raise)?;
        let read =
            |name: &str| Ok((name.to_owned(), Table::read(&place.path().join(format!("{name}.parquet")))?));
        Ok((["runs", "jobs", "rounds", "timings"].into_iter().map(read).collect::<PyResult<_>>()?, messages))
    })
}

/// Tells a function of Python, and keeps what it raised.
struct Teller {
    runs: usize,
    progress: Option<Py<PyAny>>,
    told: Mutex<Told>,
}

struct Told {
    at: Instant,
    fault: Option<PyErr>,
}

impl Teller {
    fn tell(&self, run: &RunSpec, now: &Progress) -> ControlFlow<()> {
        let Ok(mut told) = self.told.lock() else { return ControlFlow::Break(()) };
        if told.at.elapsed() < EVERY {
            return ControlFlow::Continue(());
        }
        told.at = Instant::now();
        let result = Python::attach(|py| {
            py.check_signals()?;
            let Some(progress) = &self.progress else { return Ok(()) };
            let line = serde_json::json!({
                "run": run.index,
                "runs": self.runs,
                "policy": run.policy,
                "mechanism": run.mechanism,
                "simulated_h": now.time_s / 3600.0,
                "rounds": now.rounds,
                "queue": now.queue,
                "done": now.ended,
                "measured_left": now.measured_left,
            });
            progress.call1(py, (line.to_string(),)).map(drop)
        });
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                told.fault = Some(fault);
                ControlFlow::Break(())
            }
        }
    }

    fn fault(&self) -> Option<PyErr> {
        self.told.lock().ok()?.fault.take()
    }
}
