//! Allocation files, schema `synergy-allocation/1`, as JSON or TOML.

use super::text::{Document, parse, read_text};
use crate::error::{InputError, suggestion};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use synergy_solver::model::{Allocation, Amounts, Instance, JobAllocation, Part};

/// Schema of allocation files.
pub const SCHEMA: &str = "synergy-allocation/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of an allocation")]
struct AllocationFile {
    schema: String,
    /// GPUs may be reals: the placement LP's allocations only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fractional: bool,
    jobs: Vec<JobEntry>,
}

impl Document for AllocationFile {
    const SCHEMA: &'static str = SCHEMA;
    fn schema(&self) -> &str {
        &self.schema
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys \"id\" and \"parts\"")]
struct JobEntry {
    id: String,
    parts: Vec<PartEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a part")]
struct PartEntry {
    server: usize,
    gpus: f64,
    cpus: f64,
    memory_gb: f64,
}

/// Reads an allocation for `instance`; `-` is standard input. Whether it is any good is the
/// checker's to say; here it only has to speak of the instance's jobs and servers.
///
/// # Errors
/// Wrong syntax, a job that the instance does not have or that is listed twice, a server that the
/// cluster does not have, a number that is negative or not finite.
pub fn read(file: &str, instance: &Instance) -> Result<Allocation, InputError> {
    from_text(file, &read_text(file)?, instance)
}

/// The allocation that `text`, the content of `file`, describes.
///
/// # Errors
/// As [`read`].
pub fn from_text(file: &str, text: &str, instance: &Instance) -> Result<Allocation, InputError> {
    let document: AllocationFile = parse(file, text)?;
    let index_of: HashMap<&str, usize> =
        instance.jobs().iter().enumerate().map(|(index, job)| (job.id.as_str(), index)).collect();
    let servers = instance.cluster().servers();
    let mut first: HashMap<usize, usize> = HashMap::new();
    let mut jobs = Vec::with_capacity(document.jobs.len());
    for (position, entry) in document.jobs.iter().enumerate() {
        let at = |field: String, message: String| {
            Err(InputError::at(file, format!("jobs[{position}].{field}"), message))
        };
        let Some(&job) = index_of.get(entry.id.as_str()) else {
            let known = instance.jobs().iter().map(|job| job.id.as_str());
            let message = format!("the instance has no job {:?}{}", entry.id, suggestion(&entry.id, known));
            return at("id".into(), message);
        };
        if let Some(earlier) = first.insert(job, position) {
            return at(
                "id".into(),
                format!("{:?} is already jobs[{earlier}]; list all parts there", entry.id),
            );
        }
        let mut parts: Vec<Part> = Vec::with_capacity(entry.parts.len());
        for (number, part) in entry.parts.iter().enumerate() {
            let of_part = |field: &str| format!("parts[{number}].{field}");
            if part.server >= servers {
                let message = format!("is {}, but servers are numbered 0 to {}", part.server, servers - 1);
                return at(of_part("server"), message);
            }
            if parts.iter().any(|other| other.server == part.server) {
                return at(
                    of_part("server"),
                    format!("server {} stands here twice; add the two up", part.server),
                );
            }
            for (field, value) in [("gpus", part.gpus), ("cpus", part.cpus), ("memory_gb", part.memory_gb)] {
                if !value.is_finite() || value < 0.0 {
                    return at(of_part(field), format!("is {value}; give a finite number, 0 or above"));
                }
            }
            let amounts = Amounts::new(part.cpus, part.memory_gb);
            parts.push(Part { server: part.server, gpus: part.gpus, amounts });
        }
        parts.sort_by_key(|part| part.server);
        jobs.push(JobAllocation { job, parts: parts.into() });
    }
    jobs.sort_by_key(|allocated| allocated.job);
    Ok(Allocation { fractional: document.fractional, jobs })
}

/// The text of an allocation file as JSON, one line per job. Same allocation, same bytes.
///
/// # Errors
/// None for allocations of the instance's jobs; the format's own writer could refuse.
pub fn to_json(instance: &Instance, allocation: &Allocation) -> anyhow::Result<String> {
    let mut lines = Vec::with_capacity(allocation.jobs.len());
    for allocated in &allocation.jobs {
        let parts = allocated.parts.iter().map(|part| PartEntry {
            server: part.server,
            gpus: part.gpus,
            cpus: part.amounts.cpus(),
            memory_gb: part.amounts.memory_gb(),
        });
        let entry = JobEntry { id: instance.jobs()[allocated.job].id.clone(), parts: parts.collect() };
        lines.push(serde_json::to_string(&entry)?);
    }
    let fractional = if allocation.fractional { "  \"fractional\": true,\n" } else { "" };
    let jobs = lines.join(",\n    ");
    Ok(format!("{{\n  \"schema\": {SCHEMA:?},\n{fractional}  \"jobs\": [\n    {jobs}\n  ]\n}}\n"))
}
