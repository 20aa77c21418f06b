//! Alibaba 2023, `openb_pod_list`: name, cpu_milli, memory_mib, num_gpu, gpu_milli (1000 = a whole GPU),
//! gpu_spec, qos, pod_phase, creation_time, deletion_time, scheduled_time (seconds). A pod is a job.
//! A pod that still ran when the trace ends has the trace's end as its time of deletion.

use super::record::{Column, Record, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;
use std::sync::Arc;

pub(super) const COLUMNS: &[Column] = &[
    required("name"),
    required("cpu_milli"),
    required("memory_mib"),
    required("num_gpu"),
    required("gpu_milli"),
    optional("gpu_spec"),
    optional("qos"),
    optional("pod_phase"),
    required("creation_time"),
    required("deletion_time"),
    required("scheduled_time"),
];

/// Bytes of a MiB over bytes of a GB.
pub(super) const GB_PER_MIB: f64 = 1_048_576.0 / 1e9;

pub(super) fn job(record: &Record, notes: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let gpus = record.gpus("num_gpu")?;
    match record.number("gpu_milli")? {
        Some(milli) if milli >= 1000.0 => {}
        _ => return Err(Reason::new("gpu_milli", "asks for a fraction of a GPU")),
    }
    let arrival_s = record.required_number("creation_time")?;
    let Some(start_s) = record.number("scheduled_time")? else {
        return Err(Reason::new("scheduled_time", "is missing (never started)"));
    };
    let Some(end_s) = record.number("deletion_time")? else {
        return Err(Reason::new("deletion_time", "is missing (not ended)"));
    };
    if end_s < start_s {
        return Err(Reason::new("deletion_time", "is before scheduled_time"));
    }
    let status = record.text("pod_phase");
    if status == Some("Running") {
        notes.push("still ran when the trace ends: its duration is a lower limit");
    }
    Ok(TraceJob {
        id: record.required_text("name")?.into(),
        arrival_s,
        gpus,
        duration_s: Some(end_s - start_s),
        cpus: record.not_negative("cpu_milli")?.map(|milli| milli / 1000.0),
        memory_gb: record.not_negative("memory_mib")?.map(|mib| mib * GB_PER_MIB),
        queue_s: Some(start_s - arrival_s).filter(|s| *s >= 0.0),
        status: status.map(Arc::from),
        group: record.text("qos").map(Arc::from),
        ..TraceJob::default()
    })
}
