//! Alibaba 2023, `openb_node_list`: sn, cpu_milli, memory_mib, gpu, model. Nodes import as a cluster.

use super::alibaba_2023::GB_PER_MIB;
use super::input::{Line, Lines, open};
use super::record::{Column, Layout, required, split};
use super::report::{Reason, Report};
use crate::error::InputError;
use crate::workload::GroupSpec;
use std::path::Path;

const COLUMNS: &[Column] =
    &[required("sn"), required("cpu_milli"), required("memory_mib"), required("gpu"), required("model")];

/// Server groups of a nodes file: nodes of equal type and size, in order of first appearance. Nodes
/// without GPUs are rejects by reason.
///
/// # Errors
/// A file that cannot be read, another header, or no node with a GPU.
pub fn import_nodes(path: &Path) -> Result<(Vec<GroupSpec>, Report), InputError> {
    let mut lines = Lines::new(open(path)?);
    let mut fields = Vec::new();
    let mut layout = None;
    let mut groups: Vec<GroupSpec> = Vec::new();
    let mut report = Report::default();
    loop {
        let number = lines.number() + 1;
        let at = |problem: String| InputError::at(path.display(), format!("line {number}"), problem);
        let line = match lines.next_line().map_err(|e| at(format!("cannot be read on: {e}")))? {
            None => break,
            Some(Line::Text(text)) if text.trim().is_empty() => continue,
            Some(Line::Text(text)) => split(text, ',', &mut fields),
            Some(Line::TooLong) => Err(Reason::new("line", "is longer than 1 MiB")),
            Some(Line::NotText) => Err(Reason::new("line", "is not UTF-8 text")),
        };
        let Some(layout) = &layout else {
            let count = line.map_err(|reason| at(reason.to_string()))?;
            let missing = |m: Vec<&str>| at(format!("the header has no column {}", m.join(", ")));
            layout = Some(Layout::from_header(COLUMNS, &fields[..count]).map_err(missing)?);
            continue;
        };
        report.rows_read += 1;
        let node = line.and_then(|count| {
            let record = layout.record(&fields[..count])?;
            let missing = |name| Reason::new(name, "is missing");
            Ok(GroupSpec {
                gpus: record.gpus("gpu")?,
                gpu_type: record.required_text("model")?.to_lowercase(),
                count: 1,
                cpus: record.not_negative("cpu_milli")?.ok_or(missing("cpu_milli"))? / 1000.0,
                memory_gb: record.not_negative("memory_mib")?.ok_or(missing("memory_mib"))? * GB_PER_MIB,
            })
        });
        match node {
            Ok(node) => {
                report.rows_kept += 1;
                let same = |g: &&mut GroupSpec| GroupSpec { count: 1, ..(**g).clone() } == node;
                match groups.iter_mut().find(same) {
                    Some(group) => group.count += 1,
                    None => groups.push(node),
                }
            }
            Err(reason) => report.reject(number, reason),
        }
    }
    if groups.is_empty() {
        return Err(InputError::whole(path.display(), "holds no node with a GPU"));
    }
    report.jobs = groups.iter().map(|group| group.count as u64).sum();
    Ok((groups, report))
}
