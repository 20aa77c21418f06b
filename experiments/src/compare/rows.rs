//! Comparisons as one tidy table: a row per instance and method.

use super::{BoundRecord, Comparison, MechanismRecord, PlacementRecord};
use crate::tables::{Cell, TableError, TableWriter};

/// Appends a row of table `comparison` for every bound, placement and mechanism.
///
/// # Errors
/// The output cannot be written.
pub fn write_rows(comparison: &Comparison, writer: &mut TableWriter) -> Result<(), TableError> {
    let instance = &comparison.instance;
    let mut push = |kind: &str, name: &str, status: &str, rest: Fields| {
        let Fields { bound, placement, mechanism, seconds, message } = rest;
        let result = bound.map(|b| &b.result);
        let prices = result.and_then(|r| r.shadow_prices);
        let checked = mechanism.and_then(|m| m.checked);
        let verdicts = checked.map(|c| c.verdicts);
        let gap = |bound: &str| {
            mechanism.and_then(|m| m.gaps.iter().find(|(name, _)| name == bound)).and_then(|(_, gap)| *gap)
        };
        writer.push(&[
            ("instance", Cell::Text(&instance.name)),
            ("jobs", instance.jobs.into()),
            ("gpus", instance.gpus.into()),
            ("requested_gpus", instance.requested_gpus.into()),
            ("kind", kind.into()),
            ("method", name.into()),
            ("status", status.into()),
            ("message", message.into()),
            ("value", checked.map(|c| c.value).or(result.and_then(|r| r.value)).into()),
            ("value_per_job", checked.and_then(|c| c.value_per_job).into()),
            ("certified", result.and_then(|r| r.certified).into()),
            ("incumbent", result.and_then(|r| r.incumbent).into()),
            ("trusted", result.map(|r| r.trusted).into()),
            ("scope", result.map(|r| r.scope.name()).into()),
            ("shadow_price_cpu", prices.map(|p| p.cpus()).into()),
            ("shadow_price_memory_gb", prices.map(|p| p.memory_gb()).into()),
            ("gap_lp", gap("lp").into()),
            ("gap_lp_groups", gap("lp-groups").into()),
            ("gap_ilp", gap("ilp").into()),
            ("gap_lp_skip", gap("lp-skip").into()),
            ("gap_config", gap("config").into()),
            ("bound", mechanism.and_then(|m| m.bound).or(placement.and_then(|p| p.bound)).into()),
            ("gap", mechanism.and_then(|m| m.certified_gap).or(placement.and_then(|p| p.gap)).into()),
            ("valid", verdicts.map(|v| v.valid).into()),
            ("consolidated", verdicts.map(|v| v.consolidated).into()),
            ("fair", verdicts.map(|v| v.fair).into()),
            ("complete", verdicts.map(|v| v.complete).into()),
            ("placed", checked.map(|c| c.placed).into()),
            ("skipped", checked.map(|c| c.skipped).into()),
            ("gpus_idle", checked.map(|c| c.gpus_idle).into()),
            ("reverted", checked.map(|c| c.reverted).into()),
            ("fragmented", checked.map(|c| c.fragmented).or(placement.and_then(|p| p.fragmented)).into()),
            ("pieces", placement.and_then(|p| p.pieces).into()),
            ("limit", placement.and_then(|p| p.limit).into()),
            ("seconds", seconds.into()),
        ])
    };
    for record in &comparison.bounds {
        let fields = Fields {
            bound: Some(record),
            seconds: record.seconds,
            message: record.result.note.as_deref(),
            ..Fields::default()
        };
        push("bound", &record.name, record.result.status.name(), fields)?;
    }
    for record in &comparison.placements {
        let fields = Fields {
            placement: Some(record),
            seconds: record.seconds,
            message: record.message.as_deref(),
            ..Fields::default()
        };
        push("placement", &record.name, record.status.name(), fields)?;
    }
    for record in &comparison.mechanisms {
        let fields = Fields {
            mechanism: Some(record),
            seconds: record.seconds,
            message: record.message.as_deref(),
            ..Fields::default()
        };
        push("mechanism", &record.name, record.status.name(), fields)?;
    }
    Ok(())
}

/// What a row is made of: one of the three records, and what they share.
#[derive(Default)]
struct Fields<'a> {
    bound: Option<&'a BoundRecord>,
    placement: Option<&'a PlacementRecord>,
    mechanism: Option<&'a MechanismRecord>,
    seconds: Option<f64>,
    message: Option<&'a str>,
}
