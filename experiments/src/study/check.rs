//! `synergy study check`: whether a results directory is what it says.

use super::directory::Directory;
use super::parts::{Index, Reader, UnitRows};
use super::plan::Plan;
use super::{StudyError, unit, write_tables};
use crate::tables::schema::INSTANCES;
use crate::tables::{Cell, Frame};

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckReport {
    /// Units of the plan.
    pub units: usize,
    /// Units that were computed again and compared.
    pub recomputed: usize,
    /// Rows by which the chain of bounds was checked.
    pub relations: usize,
    /// What is wrong, one line each.
    pub violations: Vec<String>,
    /// What is worth knowing and not wrong, one line each.
    pub notes: Vec<String>,
}

/// Relative tolerance of the chain of bounds.
const TOLERANCE: f64 = 1e-6;
/// Faults listed at most; a systematic one would otherwise fill the screen.
const MOST_LISTED: usize = 50;

/// Checks that every unit is present under its id, that the tables are what the parts say, byte for
/// byte, that the chain of bounds holds on every unit, and computes `sample` units again, spread over
/// the plan, comparing every number but seconds.
///
/// # Errors
/// A directory that cannot be read.
pub fn check(plan: &Plan, directory: &Directory, sample: usize) -> Result<CheckReport, StudyError> {
    let mut report = CheckReport { units: plan.units().len(), ..CheckReport::default() };
    let index = Index::open(&directory.parts())?;
    for (path, reason) in &index.damaged {
        report.violations.push(format!("{}: {reason}", path.display()));
    }
    check_tables(plan, directory, &mut report)?;
    if index.commits().len() > 1 {
        report.notes.push(format!(
            "parts come from {} builds: {}",
            index.commits().len(),
            index.commits().join(", ")
        ));
    }
    let methods = plan.methods();
    let mut reader = Reader::new(&index);
    let step = (plan.units().len() / sample.max(1)).max(1);
    for (position, &planned) in plan.units().iter().enumerate() {
        let missing = index.missing(planned.id, &methods, false);
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|name| name.as_str()).collect();
            report.violations.push(format!("unit {}: not computed: {}", planned.id, names.join(", ")));
            continue;
        }
        let rows = reader.rows(planned.id, &methods)?;
        check_chain(&planned.id.to_string(), &rows, &mut report);
        if sample > 0 && position % step == 0 && report.recomputed < sample {
            report.recomputed += 1;
            compare_again(plan, planned, &methods, &rows, &mut report);
        }
    }
    if report.violations.len() > MOST_LISTED {
        let more = report.violations.len() - MOST_LISTED;
        report.violations.truncate(MOST_LISTED);
        report.violations.push(format!("and {more} more"));
    }
    Ok(report)
}

/// Tables on disk against tables made again from the parts.
fn check_tables(plan: &Plan, directory: &Directory, report: &mut CheckReport) -> Result<(), StudyError> {
    let again = tempfile::tempdir().map_err(StudyError::io(directory.path()))?;
    write_tables(plan, directory, again.path())?;
    for table in super::STUDY_TABLES {
        let path = directory.table(table.name);
        let frame = match Frame::read(&path, table, &["unit"]) {
            Ok(frame) => frame,
            Err(e) => {
                report.violations.push(e.to_string());
                continue;
            }
        };
        if table.name == INSTANCES.name && frame.rows() != report.units {
            report.violations.push(format!(
                "{}: has {} units of {}; run the study again",
                path.display(),
                frame.rows(),
                report.units
            ));
        }
        let stored = std::fs::read(&path).map_err(StudyError::io(&path))?;
        let fresh_path = again.path().join(format!("{}.parquet", table.name));
        let fresh = std::fs::read(&fresh_path).map_err(StudyError::io(&fresh_path))?;
        if stored != fresh {
            let footer = Frame::read(&fresh_path, table, &["unit"])?;
            let same_build = frame.metadata() == footer.metadata();
            let reason = if same_build {
                "differs from what the parts say"
            } else {
                "was written by another build, or for another state of the study"
            };
            let line = format!("{}: {reason}; run the study again to renew it", path.display());
            if same_build { report.violations.push(line) } else { report.notes.push(line) }
        }
    }
    Ok(())
}

/// What must hold on every instance (problem statement, section 4), within tolerance.
fn check_chain(unit: &str, rows: &UnitRows, report: &mut CheckReport) {
    let real = |cell: Cell| if let Cell::Real(number) = cell { Some(number) } else { None };
    let bound = |name: &str| {
        rows.bounds
            .iter()
            .find(|row| row.get("bound") == Cell::Text(name))
            .and_then(|row| real(row.get("published")))
    };
    let mechanism = |name: &str| rows.mechanisms.iter().find(|row| row.get("mechanism") == Cell::Text(name));
    let mut at_least = |larger: (&str, Option<f64>), smaller: (&str, Option<f64>)| {
        let (Some(a), Some(b)) = (larger.1, smaller.1) else { return };
        report.relations += 1;
        if a < b - TOLERANCE * b.abs().max(1.0) {
            report.violations.push(format!("unit {unit}: {} = {a} is below {} = {b}", larger.0, smaller.0));
        }
    };
    at_least(("lp", bound("lp")), ("ilp", bound("ilp")));
    at_least(("lp", bound("lp")), ("config", bound("config")));
    at_least(("lp-skip", bound("lp-skip")), ("lp", bound("lp")));
    let value = |name: &str| {
        mechanism(name)
            .filter(|row| row.get("consolidated") == Cell::Flag(true))
            .and_then(|row| real(row.get("value")))
    };
    at_least(("opt-deployable", value("opt-deployable")), ("tune", value("tune")));
    for row in &rows.mechanisms {
        if row.get("valid") == Cell::Flag(false) {
            report
                .violations
                .push(format!("unit {unit}: the allocation of {:?} is not valid", row.get("mechanism")));
        }
    }
    match unit::gap_rows(rows) {
        Ok(gaps) => {
            for gap in gaps {
                let Some(number) = real(gap.get("gap")) else { continue };
                report.relations += 1;
                if number < -TOLERANCE {
                    report.violations.push(format!(
                        "unit {unit}: {:?} exceeds the bound {:?} by {}",
                        gap.get("mechanism"),
                        gap.get("bound"),
                        -number
                    ));
                }
            }
        }
        Err(e) => report.violations.push(format!("unit {unit}: {e}")),
    }
}

/// Generates, solves and checks a unit again; the checker then judges the allocations again too.
fn compare_again(
    plan: &Plan,
    planned: super::PlannedUnit,
    methods: &[String],
    rows: &UnitRows,
    report: &mut CheckReport,
) {
    let again = unit::run(plan, planned, methods).rows;
    let kept = rows.instances.iter().chain(&rows.bounds).chain(&rows.placements).chain(&rows.mechanisms);
    for row in kept {
        // Its key: unit, and the method's name but for the instance itself.
        let key = if row.table().name == INSTANCES.name { 1 } else { 2 };
        let twin = again.iter().find(|other| {
            other.table().name == row.table().name && (0..key).all(|i| other.cell(i) == row.cell(i))
        });
        let ended_by_clock = |row: &crate::tables::Row| row.get("status") == Cell::Text("time-limit");
        match twin {
            Some(twin) if twin == row || ended_by_clock(twin) || ended_by_clock(row) => {}
            Some(twin) => {
                let columns = row.table().columns;
                let differing = (0..columns.len()).find(|&i| row.cell(i) != twin.cell(i)).unwrap_or(0);
                report.violations.push(format!(
                    "unit {}: {} {:?}: {} is {:?}, computed again {:?}",
                    planned.id,
                    row.table().name,
                    row.cell(key - 1),
                    columns[differing].name,
                    row.cell(differing),
                    twin.cell(differing)
                ));
            }
            None => report.violations.push(format!(
                "unit {}: a row of {} was not found again",
                planned.id,
                row.table().name
            )),
        }
    }
}
