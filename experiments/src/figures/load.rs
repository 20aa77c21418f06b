//! Mean completion times by load, for the figures that have load on their x axis.

use super::inputs::{Rows, simulations};
use super::{FigureError, Options};
use crate::tables::schema::RUNS;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Runs of one mechanism at one load that differ in their seed.
pub struct LoadPoint {
    /// Panel.
    pub panel: String,
    /// Mechanism.
    pub mechanism: String,
    /// Arrival rate.
    pub jobs_per_hour: f64,
    /// Mean completion time in hours, by seed.
    pub jct_h: BTreeMap<String, f64>,
    /// Whether the mechanism cannot keep up at one of the seeds: offered load at its own rate of 1 or more.
    pub overloaded: bool,
}

/// Every point by panel, mechanism and load; and notes on runs without a completion time.
pub fn points(inputs: &[PathBuf], options: &Options) -> Result<(Vec<LoadPoint>, Vec<String>), FigureError> {
    let labels = ["policy", "mechanism", "seed", "gpus", "semantics", "status"];
    let rows =
        simulations(inputs, &RUNS, &labels, &["jobs_per_hour", "jct_mean_s", "load_measured"], options)?;
    let (panel, panels) = rows.panels(&["policy", "gpus", "semantics"], options)?;
    let mut notes = Vec::new();
    let mut points: BTreeMap<(usize, usize, u64), LoadPoint> = BTreeMap::new();
    let mechanisms = rows.mechanisms(options);
    let place = |list: &[String], name: &str| list.iter().position(|known| known == name).unwrap_or_default();
    for row in 0..rows.len() {
        let (mechanism, seed) = (rows.label("mechanism", row), rows.label("seed", row));
        let Some(load) = rows.number("jobs_per_hour", row) else { continue };
        let Some(jct) = rows.number("jct_mean_s", row) else {
            let status = rows.label("status", row);
            notes.push(format!("{mechanism} at {load} jobs/h, seed {seed}: no completion time ({status})"));
            continue;
        };
        // Loads are positive, so their bits sort as they do.
        let key = (place(&panels, &panel[row]), place(&mechanisms, mechanism), load.to_bits());
        let point = points.entry(key).or_insert_with(|| LoadPoint {
            panel: panel[row].clone(),
            mechanism: mechanism.into(),
            jobs_per_hour: load,
            jct_h: BTreeMap::new(),
            overloaded: false,
        });
        if point.jct_h.insert(seed.into(), jct / 3600.0).is_some() {
            return Err(twice(&rows, mechanism, load, seed));
        }
        point.overloaded |= rows.number("load_measured", row).is_some_and(|load| load >= 1.0);
    }
    if points.is_empty() {
        return Err(rows.fault(
            "no run has both an arrival rate and a completion time; simulate with --load A,B,... to draw over load",
        ));
    }
    Ok((points.into_values().collect(), notes))
}

fn twice(rows: &Rows, mechanism: &str, load: f64, seed: &str) -> FigureError {
    rows.fault(format_args!(
        "{mechanism} at {load} jobs/h with seed {seed} is there twice; choose with --only input=NAME, or give each \
         input its own panel with --by input"
    ))
}

/// What stands under a figure with overloaded runs.
pub const OVERLOADED: &str = "Hollow: overloaded (offered load of 1 or more at its own rate)";
