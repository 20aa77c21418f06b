//! The Philly release itself: `cluster_job_log`, one JSON list of
//! `{status, vc, jobid, attempts: [{start_time, end_time, detail: [{ip, gpus: [...]}]}], submitted_time, user}`.
//! Read element by element: the real file is large.

use super::Attempts;
use super::record::{gpus, moment_s};
use super::report::Reason;
use crate::trace::TraceJob;
use serde_json::Value;
use std::sync::Arc;

struct Attempt {
    start_s: Option<f64>,
    end_s: Option<f64>,
    gpus: usize,
    servers: usize,
}

/// Jobs of one element. An attempt without times is left out and noted, unless it is the last one:
/// then the job still ran at the snapshot, or its end is unknown.
pub(super) fn jobs(
    element: &Value,
    attempts_rule: Attempts,
    notes: &mut Vec<&'static str>,
) -> Result<Vec<TraceJob>, Reason> {
    let job = element.as_object().ok_or(Reason::new("element", "is no JSON object"))?;
    let text = |name: &str| {
        job.get(name).and_then(Value::as_str).filter(|s| !s.is_empty() && *s != "None").map(Arc::<str>::from)
    };
    let id = text("jobid").ok_or(Reason::new("jobid", "is missing"))?;
    let submitted_s = moment(job.get("submitted_time"), "submitted_time")?
        .ok_or(Reason::new("submitted_time", "is missing"))?;
    let listed = match job.get("attempts") {
        Some(Value::Array(list)) => list.as_slice(),
        Some(Value::Null) | None => &[],
        Some(_) => return Err(Reason::new("attempts", "is no list")),
    };
    let mut attempts = Vec::with_capacity(listed.len());
    for attempt in listed {
        let empty = Vec::new();
        let detail = attempt.get("detail").and_then(Value::as_array).unwrap_or(&empty);
        let on_server = |server: &Value| server.get("gpus").and_then(Value::as_array).map_or(0, Vec::len);
        attempts.push(Attempt {
            start_s: moment(attempt.get("start_time"), "start_time")?,
            end_s: moment(attempt.get("end_time"), "end_time")?,
            gpus: detail.iter().map(on_server).sum(),
            servers: detail.iter().filter(|server| on_server(server) > 0).count(),
        });
    }
    let Some(last) = attempts.last() else {
        return Err(Reason::new("attempts", "is empty (never started)"));
    };
    if last.start_s.is_some() && last.end_s.is_none() {
        return Err(Reason::new(
            "end_time",
            "of the last attempt is missing (still running at the snapshot)",
        ));
    }
    // Attempts may differ; the job's demand is the largest.
    let widest = attempts.iter().max_by_key(|attempt| attempt.gpus).map_or(0, |attempt| attempt.gpus);
    let demand = gpus("detail", widest as f64)?;
    let servers = attempts.iter().filter(|a| a.gpus == widest).map(|a| a.servers as u32).min();
    let first_start_s = attempts.iter().find_map(|attempt| attempt.start_s);
    let base = TraceJob {
        id: id.clone(),
        arrival_s: submitted_s,
        gpus: demand,
        queue_s: first_start_s.map(|start_s| start_s - submitted_s).filter(|s| *s >= 0.0),
        servers,
        attempts: Some(attempts.len() as u32),
        status: text("status"),
        group: text("vc"),
        user: text("user"),
        ..TraceJob::default()
    };
    let mut apart = Vec::new();
    let mut total_s = 0.0;
    let mut ready_s = submitted_s;
    for (index, attempt) in attempts.iter().enumerate() {
        let (Some(start_s), Some(end_s)) = (attempt.start_s, attempt.end_s) else {
            notes.push("an attempt without start or end is left out");
            continue;
        };
        if end_s < start_s {
            return Err(Reason::new("end_time", "is before start_time"));
        }
        total_s += end_s - start_s;
        apart.push(TraceJob {
            id: format!("{id}#{index}").into(),
            arrival_s: ready_s,
            gpus: if attempt.gpus > 0 { gpus("detail", attempt.gpus as f64)? } else { demand },
            duration_s: Some(end_s - start_s),
            queue_s: Some(start_s - ready_s).filter(|s| *s >= 0.0),
            servers: Some(attempt.servers as u32).filter(|servers| *servers > 0),
            attempts: Some(1),
            ..base.clone()
        });
        // A retry is submitted when the attempt before it has ended.
        ready_s = end_s;
    }
    if apart.is_empty() {
        return Err(Reason::new("attempts", "have neither start nor end"));
    }
    Ok(match attempts_rule {
        Attempts::Apart => apart,
        Attempts::Sum => vec![TraceJob { duration_s: Some(total_s), ..base }],
    })
}

/// A time that may be missing, null, or the text `None`.
fn moment(value: Option<&Value>, name: &'static str) -> Result<Option<f64>, Reason> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() || text == "None" => Ok(None),
        Some(Value::String(text)) => moment_s(name, text).map(Some),
        Some(Value::Number(number)) => moment_s(name, &number.to_string()).map(Some),
        Some(_) => Err(Reason::new(name, "is no date and no number")),
    }
}
