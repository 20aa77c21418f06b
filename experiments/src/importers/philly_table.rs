//! The Philly trace as a table: `timestamp,duration,num_gpus,gpu_time,cluster`, durations in seconds.
//! Published with AdaptDL; `cluster` is the virtual cluster.

use super::record::{Column, Record, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;
use std::sync::Arc;

pub(super) const COLUMNS: &[Column] = &[
    required("timestamp"),
    required("duration"),
    required("num_gpus"),
    optional("gpu_time"),
    optional("cluster"),
];

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let duration_s = record.not_negative("duration")?.ok_or(Reason::new("duration", "is missing"))?;
    Ok(TraceJob {
        arrival_s: record.moment_s("timestamp")?.ok_or(Reason::new("timestamp", "is missing"))?,
        gpus: record.gpus("num_gpus")?,
        duration_s: Some(duration_s),
        group: record.text("cluster").map(Arc::from),
        ..TraceJob::default()
    })
}
