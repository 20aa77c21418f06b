//! Jobs of a trace, as the simulator takes them.

use super::SimJob;
use crate::error::InputError;
use crate::importers::replay_profile;
use crate::workload::{Workload, WorkloadError, WorkloadSpec};
use crate::{profiles, trace};
use std::sync::Arc;

/// Jobs of a trace.
#[derive(Debug, Clone)]
pub struct Trace {
    /// In arrival order.
    pub jobs: Vec<SimJob>,
    /// Arrival on the first line of the file, which need not be the earliest: the published simulator's
    /// first round follows it.
    pub first_line_s: f64,
}

impl Trace {
    /// The published simulator's replay format: id, model, arrival in seconds, iterations, GPUs. Arrivals
    /// stay as they are (an import counts them from the first), because rounds start at multiples of 300 s.
    ///
    /// # Errors
    /// A line of another form, an unknown model, a number that is none; `file` stands in messages.
    pub fn replay(file: &str, text: &str) -> Result<Self, InputError> {
        let mut jobs = Vec::new();
        for (line, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let fault = |what: &str| InputError::at(file, format!("line {}", line + 1).as_str(), what);
            let cells: Vec<&str> = text.split(',').map(str::trim).collect();
            let [id, model, arrival_s, iterations, gpus] = cells[..] else {
                return Err(fault(
                    "a replay file has 5 columns: id, model, arrival in seconds, iterations, GPUs",
                ));
            };
            let name = replay_profile(model);
            let model =
                profiles::find(name).ok_or_else(|| fault(&format!("{name} is no built-in profile")))?;
            let number = |cell: &str, what: &str| match cell.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
                _ => Err(fault(&format!("{what} is {cell:?}; give a number, 0 or more"))),
            };
            let iterations = number(iterations, "iterations")?;
            let id: Result<i64, _> = id.parse();
            jobs.push(SimJob {
                id: id.clone().unwrap_or(line as i64),
                trace_id: id.is_err().then(|| cells[0].into()),
                profile: Arc::clone(&model.profile),
                gpus: number(gpus, "GPUs")? as u32,
                arrival_s: number(arrival_s, "arrival")?,
                work_s: iterations * model.iteration_s,
                weight: 1.0,
                iterations: Some(iterations as u64),
            });
        }
        let first_line_s = jobs.first().map_or(0.0, |job: &SimJob| job.arrival_s);
        jobs.sort_by(|a, b| a.arrival_s.total_cmp(&b.arrival_s));
        Ok(Trace { jobs, first_line_s })
    }

    /// The jobs of an imported or generated table; `file` stands in messages.
    ///
    /// # Errors
    /// Jobs without a duration or with a profile that is not known.
    pub fn of_table(file: &str, table: trace::Trace) -> Result<Self, WorkloadError> {
        let table = Arc::new(table);
        let workload = Workload::with_trace(WorkloadSpec::of_trace(file), Some(Arc::clone(&table)))?;
        Trace::imported(&workload, &table)
    }

    /// The jobs of an imported trace; `workload` follows it row by row.
    ///
    /// # Errors
    /// A trace without durations.
    pub fn imported(workload: &Workload, table: &trace::Trace) -> Result<Self, WorkloadError> {
        let jobs = workload.stream()?.zip(&table.jobs).map(|(job, row)| SimJob {
            id: job.index as i64,
            trace_id: Some(Arc::clone(&row.id)),
            profile: Arc::clone(workload.profile(job.model)),
            gpus: job.gpus,
            arrival_s: job.arrival_s,
            work_s: job.work_s,
            weight: 1.0,
            iterations: row.iterations.map(|iterations| iterations as u64),
        });
        let first = table.jobs.iter().min_by_key(|job| job.line);
        Ok(Trace { jobs: jobs.collect(), first_line_s: first.map_or(0.0, |job| job.arrival_s) })
    }
}
