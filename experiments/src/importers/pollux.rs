//! Workloads of Pollux and Sia: `name,time,application,num_replicas,batch_size`; `time` is the arrival
//! in seconds. They have no durations.

use super::record::{Column, Record, optional, required};
use super::report::Reason;
use crate::trace::TraceJob;

pub(super) const COLUMNS: &[Column] = &[
    required("name"),
    required("time"),
    required("application"),
    required("num_replicas"),
    optional("batch_size"),
];

pub(super) fn job(record: &Record, _: &mut Vec<&'static str>) -> Result<TraceJob, Reason> {
    Ok(TraceJob {
        id: record.required_text("name")?.into(),
        arrival_s: record.required_number("time")?,
        gpus: record.gpus("num_replicas")?,
        application: Some(record.required_text("application")?.into()),
        ..TraceJob::default()
    })
}

/// The published profile that an application stands for; those without a counterpart have none.
pub(super) fn profile(application: &str) -> Option<&'static str> {
    match application {
        "cifar10" => Some("resnet18"),
        "imagenet" => Some("resnet50"),
        "deepspeech2" => Some("deepspeech"),
        "bert" => Some("bert"),
        _ => None,
    }
}
