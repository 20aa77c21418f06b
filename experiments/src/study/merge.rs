//! From parts to tables: one pass over the plan in order, one thread, memory for a few parts.

use super::directory::Directory;
use super::parts::{Index, Reader};
use super::plan::Plan;
use super::{StudyError, unit};
use crate::files::write_file;
use crate::tables::schema::{BOUNDS, GAPS, INSTANCES, JOBS, MECHANISMS, PLACEMENTS, RUNS, TIMINGS};
use crate::tables::{Format, Metadata, Table, TableWriter};
use std::path::Path;

/// The tables of a study of instances, in the order of the documentation.
pub const STUDY_TABLES: [&Table; 6] = [&INSTANCES, &BOUNDS, &PLACEMENTS, &MECHANISMS, &GAPS, &TIMINGS];
/// The tables of a study of simulations.
pub const SIMULATION_TABLES: [&Table; 4] = [&INSTANCES, &RUNS, &JOBS, &TIMINGS];

/// What a merge found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Units written.
    pub units: usize,
    /// Units of the plan without a result.
    pub missing: usize,
}

/// Writes the tables of a study to `target` from the parts in `directory`. Each appears when it is complete.
///
/// # Errors
/// From the disk; parts that cannot be read.
pub fn write_tables(plan: &Plan, directory: &Directory, target: &Path) -> Result<MergeReport, StudyError> {
    let index = Index::open(&directory.parts())?;
    let metadata = Metadata::new(&plan.study().resolved(), Some(plan.study().seed));
    let mut writers = Vec::with_capacity(plan.tables().len());
    for &table in plan.tables() {
        let path = target.join(format!("{}.parquet", table.name));
        writers.push((table, TableWriter::create(&path, table, &metadata, Format::Parquet)?));
    }
    let methods = plan.methods();
    let mut reader = Reader::new(&index);
    let mut report = MergeReport::default();
    let mut runs = 0;
    for planned in plan.units() {
        if !index.contains(planned.id) {
            report.missing += 1;
            continue;
        }
        report.units += 1;
        let mut rows = reader.rows(planned.id, methods)?;
        runs += rows.number_runs(runs);
        let gaps = if plan.simulates() { Vec::new() } else { unit::gap_rows(&rows)? };
        for (table, writer) in &mut writers {
            let rows = if table.name == GAPS.name { &gaps[..] } else { rows.of(table) };
            for row in rows {
                writer.push_row(row)?;
            }
        }
    }
    for (_, writer) in writers {
        writer.finish()?;
    }
    Ok(report)
}

/// Copies the parts of another directory into this one. Names are hashes of contents, so nothing is
/// overwritten by something else.
///
/// # Errors
/// From the disk.
pub fn gather(from: &Path, into: &Directory) -> Result<(), StudyError> {
    let source = from.join("parts");
    let same = source.canonicalize().ok() == into.parts().canonicalize().ok();
    if same {
        return Ok(());
    }
    for entry in std::fs::read_dir(&source).map_err(StudyError::io(&source))? {
        let path = entry.map_err(StudyError::io(&source))?.path();
        let target = into.parts().join(path.file_name().unwrap_or_default());
        if path.extension().is_some_and(|extension| extension == "zst") && !target.exists() {
            let bytes = std::fs::read(&path).map_err(StudyError::io(&path))?;
            write_file(&target, &bytes)?;
        }
    }
    Ok(())
}

/// How much of a plan is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completion {
    /// Units without a result, or without one for every method.
    pub missing: usize,
    /// Units with a failure.
    pub failed: usize,
}

/// How much of a plan the parts of a directory cover.
///
/// # Errors
/// From the disk.
pub fn progress_of(plan: &Plan, directory: &Directory) -> Result<Completion, StudyError> {
    let index = Index::open(&directory.parts())?;
    let methods = plan.methods();
    let mut completion = Completion::default();
    for unit in plan.units() {
        completion.missing += usize::from(!index.missing(unit.id, methods, false).is_empty());
        completion.failed += usize::from(index.failed(unit.id));
    }
    Ok(completion)
}
