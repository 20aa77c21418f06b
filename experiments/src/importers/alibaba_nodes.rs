//! Alibaba 2023, `openb_node_list`: sn, cpu_milli, memory_mib, gpu, model. Nodes import as a cluster.

use super::alibaba_2023::GB_PER_MIB;
use super::input::open;
use super::record::{Column, Layout, required};
use super::records::Records;
use super::report::{Reason, Report};
use crate::error::InputError;
use crate::workload::GroupSpec;
use std::io::BufRead;
use std::path::Path;

const COLUMNS: &[Column] =
    &[required("sn"), required("cpu_milli"), required("memory_mib"), required("gpu"), required("model")];

/// Server groups of a nodes file: nodes of equal type and size, in order of first appearance. Nodes
/// without GPUs are rejects by reason.
///
/// # Errors
/// A file that cannot be read, another header, or no node with a GPU.
pub fn import_nodes(path: &Path) -> Result<(Vec<GroupSpec>, Report), InputError> {
    import_nodes_from(open(path)?, &path.display().to_string())
}

/// [`import_nodes`] for text from anywhere; `file` stands in messages.
///
/// # Errors
/// As [`import_nodes`].
pub fn import_nodes_from(
    source: Box<dyn BufRead>,
    file: &str,
) -> Result<(Vec<GroupSpec>, Report), InputError> {
    let mut records = Records::new(source, Some(','));
    let mut layout = None;
    let mut groups: Vec<GroupSpec> = Vec::new();
    let mut report = Report::default();
    loop {
        let next = records.line();
        let at = |line: u64, problem: String| InputError::at(file, format!("line {line}"), problem);
        let (number, row) = match records.next_record() {
            Ok(Some(found)) => found,
            Ok(None) => break,
            Err(e) => return Err(at(next, format!("cannot be read on: {e}"))),
        };
        let Some(layout) = &layout else {
            let header = row.map_err(|reason| at(number, reason.to_string()))?;
            let missing = |m: Vec<&str>| at(number, format!("the header has no column {}", m.join(", ")));
            layout = Some(Layout::from_header(COLUMNS, header).map_err(missing)?);
            continue;
        };
        report.rows_read += 1;
        let node = row.and_then(|row| {
            let record = layout.record(row)?;
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
        return Err(InputError::whole(file, "holds no node with a GPU"));
    }
    report.jobs = groups.iter().map(|group| group.count as u64).sum();
    Ok((groups, report))
}
