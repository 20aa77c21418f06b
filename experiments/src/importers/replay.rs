//! The published simulator's replay format: id, model, arrival in seconds, iterations, GPUs; no header.
//! A job's duration is its iterations times the model's published seconds per iteration at the
//! GPU-proportional share.

use super::record::{Column, Record, required};
use super::report::Reason;
use crate::profiles;
use crate::trace::TraceJob;

pub(super) const COLUMNS: &[Column] =
    &[required("id"), required("model"), required("arrival_s"), required("iterations"), required("gpus")];

/// Short names of the replay files, and the profiles that they stand for.
const SHORT_NAMES: [(&str, &str); 4] = [
    ("res18", "resnet18"),
    ("res50", "resnet50"),
    ("mobilenet", "mobilenetv2"),
    ("shufflenet", "shufflenetv2"),
];

/// The profile that a model's name in a replay file stands for.
pub fn replay_profile(model: &str) -> &str {
    SHORT_NAMES.iter().find(|(short, _)| *short == model).map_or(model, |(_, full)| full)
}

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    let name = record.required_text("model")?;
    let full = replay_profile(name);
    let model = profiles::find(full).ok_or(Reason::new("model", "is no built-in profile"))?;
    let iterations = record.not_negative("iterations")?.ok_or(Reason::new("iterations", "is missing"))?;
    Ok(TraceJob {
        id: record.required_text("id")?.into(),
        arrival_s: record.required_number("arrival_s")?,
        gpus: record.gpus("gpus")?,
        duration_s: Some(iterations * model.iteration_s),
        iterations: Some(iterations),
        application: Some(name.into()),
        profile: Some(full.into()),
        ..TraceJob::default()
    })
}
