//! How much sooner jobs complete than with the reference mechanism, against load, paired by seed.

use super::data::Data;
use super::jct_load::over_load;
use super::load::points;
use super::scale::Scale;
use super::sheet::{Axis, Sheet};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::error::suggestion;
use crate::statistics::student_mean;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "speedup-load",
    shows: "mean completion time of the reference over that of each mechanism, paired by seed, against load",
    from: "simulations at several loads (runs.parquet)",
    columns: &[
        "panel",
        "reference",
        "mechanism",
        "jobs_per_hour",
        "seeds",
        "speedup",
        "low",
        "high",
        "overloaded",
    ],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let reference = options.reference.as_deref().unwrap_or("proportional");
    // The reference is needed whether or not it is to be drawn.
    let mut wanted = options.clone();
    if !wanted.mechanisms.is_empty() && !wanted.mechanisms.iter().any(|name| name == reference) {
        wanted.mechanisms.push(reference.into());
    }
    let (points, mut notes) = points(inputs, &wanted)?;
    if !points.iter().any(|point| point.mechanism == reference) {
        let hint = suggestion(reference, points.iter().map(|point| point.mechanism.as_str()));
        let message = format!("no run has the reference mechanism {reference:?}{hint}");
        return Err(FigureError::data(inputs[0].display(), message));
    }
    let mut data = Data::new(FIGURE.columns);
    for point in points.iter().filter(|point| point.mechanism != reference) {
        let same = |other: &&_| {
            let other: &super::load::LoadPoint = other;
            other.mechanism == reference
                && other.panel == point.panel
                && other.jobs_per_hour.total_cmp(&point.jobs_per_hour).is_eq()
        };
        let Some(base) = points.iter().find(same) else {
            notes.push(format!(
                "{} at {} jobs/h: no run of {reference}",
                point.mechanism, point.jobs_per_hour
            ));
            continue;
        };
        let ratios: Vec<f64> = point
            .jct_h
            .iter()
            .filter_map(|(seed, jct)| Some(base.jct_h.get(seed)? / jct))
            .filter(|ratio| ratio.is_finite())
            .collect();
        let Some(mean) = student_mean(&ratios) else { continue };
        data.push([
            (&point.panel).into(),
            reference.into(),
            (&point.mechanism).into(),
            point.jobs_per_hour.into(),
            ratios.len().into(),
            mean.mean.into(),
            mean.low_from_zero().into(),
            mean.high().into(),
            (point.overloaded || base.overloaded).into(),
        ]);
    }
    if data.rows() == 0 {
        let message = format!("no mechanism shares a load and a seed with {reference}");
        return Err(FigureError::data(inputs[0].display(), message));
    }
    Ok(Collected { data, notes })
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let ends = [data.numbers("speedup"), data.numbers("low"), data.numbers("high"), vec![1.0]].concat();
    let reference = style.name(data.text(0, "reference"));
    let y = Axis::new(format!("JCT speedup over {reference}"), Scale::from_zero(ends));
    let mut sheet = over_load(data, style, ["speedup", "low", "high"], y, Some(1.0));
    for note in &mut sheet.notes {
        if note.starts_with("Hollow") {
            *note = "Hollow: the mechanism or its reference is overloaded".into();
        }
    }
    sheet
}
