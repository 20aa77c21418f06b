//! Alibaba PAI 2020, `pai_task_table`: job_name, task_name, inst_num, status, start_time, end_time,
//! plan_cpu (100 = 1 core), plan_mem (GB), plan_gpu (100 = 1 GPU), gpu_type; plans are per instance.
//! The published file has no header. A task is a job here; its demand is instances x GPUs per
//! instance. The table has no time of submission: arrivals are start times.

use super::record::{Column, Record, gpus, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;
use std::sync::Arc;

pub(super) const COLUMNS: &[Column] = &[
    required("job_name"),
    required("task_name"),
    required("inst_num"),
    required("status"),
    required("start_time"),
    required("end_time"),
    required("plan_cpu"),
    required("plan_mem"),
    required("plan_gpu"),
    optional("gpu_type"),
];

pub(super) const REMARK: &str = "arrivals are start times: the table has no time of submission";

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let instances = record.not_negative("inst_num")?.unwrap_or(1.0);
    let gpus_each = record.number("plan_gpu")?.ok_or(Reason::new("plan_gpu", "asks for no GPU"))? / 100.0;
    // A half of a GPU in two instances is no GPU of its own.
    gpus("plan_gpu", gpus_each)?;
    let gpus = gpus("inst_num", gpus_each * instances)?;
    let start_s = record.moment_s("start_time")?.ok_or(Reason::new("start_time", "is missing"))?;
    let end_s = record.moment_s("end_time")?.ok_or(Reason::new("end_time", "is missing (not ended)"))?;
    if end_s < start_s {
        return Err(Reason::new("end_time", "is before start_time"));
    }
    Ok(TraceJob {
        id: format!("{}/{}", record.required_text("job_name")?, record.required_text("task_name")?).into(),
        arrival_s: start_s,
        gpus,
        duration_s: Some(end_s - start_s),
        application: record.text("task_name").map(Arc::from),
        cpus: record.not_negative("plan_cpu")?.map(|cpu| cpu / 100.0 * instances),
        memory_gb: record.not_negative("plan_mem")?.map(|memory| memory * instances),
        status: record.text("status").map(Arc::from),
        group: record.text("gpu_type").map(Arc::from),
        ..TraceJob::default()
    })
}
