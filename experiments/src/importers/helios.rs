//! Helios (SenseTime) `cluster_log.csv`: job_id, user, vc, gpu_num, cpu_num, node_num, state,
//! submit_time, start_time, end_time, duration (seconds), queue (seconds).

use super::record::{Column, Record, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;
use std::sync::Arc;

pub(super) const COLUMNS: &[Column] = &[
    required("job_id"),
    optional("user"),
    optional("vc"),
    required("gpu_num"),
    optional("cpu_num"),
    optional("node_num"),
    optional("state"),
    required("submit_time"),
    optional("start_time"),
    optional("end_time"),
    required("duration"),
    optional("queue"),
];

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let arrival_s = record.moment_s("submit_time")?.ok_or(Reason::new("submit_time", "is missing"))?;
    let text = |name| record.text(name).map(Arc::from);
    let gpus = record.gpus("gpu_num")?;
    let duration_s = record.not_negative("duration")?.ok_or(Reason::new("duration", "is missing"))?;
    let queue_s = match record.not_negative("queue")? {
        Some(queue_s) => Some(queue_s),
        None => record.moment_s("start_time")?.map(|start_s| start_s - arrival_s).filter(|s| *s >= 0.0),
    };
    Ok(TraceJob {
        id: record.required_text("job_id")?.into(),
        arrival_s,
        gpus,
        duration_s: Some(duration_s),
        cpus: record.not_negative("cpu_num")?,
        queue_s,
        servers: record.not_negative("node_num")?.map(|nodes| nodes as u32).filter(|nodes| *nodes > 0),
        status: text("state"),
        group: text("vc"),
        user: text("user"),
        ..TraceJob::default()
    })
}
