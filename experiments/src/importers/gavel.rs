//! Gavel's traces, tab separated, no header. Three widths are in use:
//!
//! - 7: job type, command, steps argument, needs data, steps, arrival, GPUs;
//! - 10: job type, command, folder, steps argument, needs data, steps, GPUs, weight, SLO, arrival;
//! - 12 (Shockwave): as 10, with the mode of adaptation before the weight and the duration before the
//!   arrival.
//!
//! Only the last has durations. Of the others a duration is steps times seconds per step, which the
//! user gives.

use super::record::{Column, Record, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;

pub(super) const COLUMNS_7: &[Column] = &[
    required("job_type"),
    required("command"),
    required("steps_argument"),
    required("needs_data"),
    required("steps"),
    required("arrival_s"),
    required("gpus"),
];

pub(super) const COLUMNS_10: &[Column] = &[
    required("job_type"),
    required("command"),
    required("folder"),
    required("steps_argument"),
    required("needs_data"),
    required("steps"),
    required("gpus"),
    required("weight"),
    required("slo"),
    required("arrival_s"),
];

pub(super) const COLUMNS_12: &[Column] = &[
    required("job_type"),
    required("command"),
    required("folder"),
    required("steps_argument"),
    required("needs_data"),
    required("steps"),
    required("gpus"),
    required("mode"),
    required("weight"),
    required("slo"),
    optional("duration_s"),
    required("arrival_s"),
];

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let steps = record.not_negative("steps")?.ok_or(Reason::new("steps", "is missing"))?;
    Ok(TraceJob {
        arrival_s: record.required_number("arrival_s")?,
        gpus: record.gpus("gpus")?,
        duration_s: record.not_negative("duration_s")?,
        iterations: Some(steps),
        application: Some(record.required_text("job_type")?.into()),
        ..TraceJob::default()
    })
}

/// The published profile that a job type stands for; types without a counterpart have none.
pub(super) fn profile(job_type: &str) -> Option<&'static str> {
    let model = job_type.split(" (").next().unwrap_or(job_type);
    match model {
        "ResNet-18" => Some("resnet18"),
        "ResNet-50" => Some("resnet50"),
        "Transformer" => Some("transformer"),
        "LM" => Some("lstm"),
        _ => None,
    }
}
