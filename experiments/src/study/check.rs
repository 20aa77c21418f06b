//! `synergy study check`: whether a results directory is what it says.

use super::directory::Directory;
use super::parts::{Index, Reader, UnitRows};
use super::plan::Plan;
use super::unit::{self, Computed, Runner};
use super::{StudyError, write_tables};
use crate::plugins::command_of;
use crate::tables::schema::{BOUNDS, INSTANCES, MECHANISMS, RUNS};
use crate::tables::{Cell, Frame, Row};
use std::sync::atomic::AtomicBool;

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
    let stop = AtomicBool::new(false);
    let runner = if sample > 0 && programs_are_as_they_were(plan, &mut report) {
        Some(Runner::new(plan, &stop)?)
    } else {
        None
    };
    let mut reader = Reader::new(&index);
    let step = (plan.units().len() / sample.max(1)).max(1);
    for (position, &planned) in plan.units().iter().enumerate() {
        let missing = index.missing(planned.id, methods, false);
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
            report.violations.push(format!("unit {}: not computed: {}", planned.id, names.join(", ")));
            continue;
        }
        let rows = reader.rows(planned.id, methods)?;
        check_chain(&planned.id.to_string(), &rows, &mut report);
        if let Some(runner) = runner.as_ref().filter(|_| position % step == 0 && report.recomputed < sample) {
            report.recomputed += 1;
            if let Some(again) = runner.run(planned, methods) {
                compare_again(plan, planned, &rows, &again, &mut report);
            }
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
    for &table in plan.tables() {
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
        rows.of(&BOUNDS)
            .iter()
            .find(|row| row.get("bound") == Cell::Text(name))
            .and_then(|row| real(row.get("published")))
    };
    let mechanism =
        |name: &str| rows.of(&MECHANISMS).iter().find(|row| row.get("mechanism") == Cell::Text(name));
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
    for run in rows.of(&RUNS) {
        let quantiles = ["jct_p50_s", "jct_p95_s", "jct_p99_s", "jct_p999_s", "jct_max_s"];
        for pair in quantiles.windows(2) {
            at_least((pair[1], real(run.get(pair[1]))), (pair[0], real(run.get(pair[0]))));
        }
    }
    for row in rows.of(&MECHANISMS) {
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

/// Whether plug-ins are the programs that the study was run with; a note for each that is not.
fn programs_are_as_they_were(plan: &Plan, report: &mut CheckReport) -> bool {
    let mut same = true;
    for (name, hash) in &plan.study().programs {
        let now = command_of(name).and_then(Result::ok).and_then(|command| command.fingerprint());
        if now.as_ref() != Some(hash) {
            same = false;
            let is = if now.is_some() { "has changed" } else { "is not there" };
            report
                .notes
                .push(format!("{name}: the program {is} since the study was run: no unit is computed again"));
        }
    }
    same
}

/// Compares a unit with itself computed again: every number but seconds. The checker has then judged
/// the allocations again too.
fn compare_again(
    plan: &Plan,
    planned: super::PlannedUnit,
    kept: &UnitRows,
    again: &Computed,
    report: &mut CheckReport,
) {
    let ended_by_clock = |row: &Row| row.get("status") == Cell::Text("time-limit");
    for &table in plan.tables().iter().filter(|table| table.reproducible) {
        let mut twins = again.rows.iter().filter(|row| row.table().name == table.name);
        for row in kept.of(table) {
            let Some(twin) = twins.next() else {
                let line = format!("unit {}: a row of {} was not found again", planned.id, table.name);
                report.violations.push(line);
                break;
            };
            if twin == row || ended_by_clock(twin) || ended_by_clock(row) {
                continue;
            }
            let differing = (0..table.columns.len()).find(|&i| row.cell(i) != twin.cell(i)).unwrap_or(0);
            let key = if table.name == INSTANCES.name { 0 } else { 1 };
            report.violations.push(format!(
                "unit {}: {} {:?}: {} is {:?}, computed again {:?}",
                planned.id,
                table.name,
                row.cell(key),
                table.columns[differing].name,
                row.cell(differing),
                twin.cell(differing)
            ));
        }
    }
}
