//! Standard Workload Format, version 2: 18 numbers per line, -1 for unknown, `;` before comments.
//! Processors are read as GPUs.

use super::record::{Column, Record, required};
use super::report::Reason;
use crate::trace::TraceJob;

pub(super) const COLUMNS: &[Column] = &[
    required("job"),
    required("submit_s"),
    required("wait_s"),
    required("run_s"),
    required("processors"),
    required("cpu_s"),
    required("memory_used_kb"),
    required("requested_processors"),
    required("requested_s"),
    required("requested_memory_kb"),
    required("status"),
    required("user"),
    required("user_group"),
    required("application"),
    required("queue"),
    required("partition"),
    required("preceding_job"),
    required("think_s"),
];

pub(super) const REMARK: &str = "processors are read as GPUs";

/// Words of the status codes.
const STATUS: [&str; 6] =
    ["failed", "completed", "partial", "partial-completed", "partial-failed", "cancelled"];

pub(super) fn job(record: &Record, notes: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let known = |name| record.number(name).map(|value| value.filter(|v| *v >= 0.0));
    let gpus = match known("requested_processors")? {
        Some(requested) if requested > 0.0 => super::record::gpus("requested_processors", requested)?,
        _ => {
            notes.push("requested processors unknown: the allocated ones are taken");
            record.gpus("processors")?
        }
    };
    let duration_s = known("run_s")?.ok_or(Reason::new("run_s", "is unknown"))?;
    let arrival_s = record.required_number("submit_s")?;
    let memory_gb = known("requested_memory_kb")?.map(|kb| kb * 1024.0 / 1e9 * f64::from(gpus));
    let name = |name| known(name).map(|value| value.map(|number| number.to_string().into()));
    Ok(TraceJob {
        id: record.required_text("job")?.into(),
        arrival_s,
        gpus,
        duration_s: Some(duration_s),
        application: name("application")?,
        memory_gb,
        queue_s: known("wait_s")?,
        status: known("status")?.and_then(|code| STATUS.get(code as usize)).map(|s| (*s).into()),
        group: name("queue")?,
        user: name("user")?,
        ..TraceJob::default()
    })
}
