//! What mechanisms lose when they decide on estimated profiles, by method of profiling and noise.

use super::bars::add_bars;
use super::data::Data;
use super::inputs::{in_order, simulations};
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::student_mean;
use crate::tables::schema::PROFILE_ERROR;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "profile-error",
    shows: "value lost by deciding on estimated profiles with 95 % intervals, by noise, a panel per method of profiling",
    from: "synergy reproduce profile-error (profile_error.parquet)",
    columns: &["method", "noise_percent", "mechanism", "lost_percent", "low", "high", "n"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let rows = simulations(inputs, &PROFILE_ERROR, &["method", "mechanism"], &["noise", "kept"], options)?;
    let mut noises: Vec<f64> = (0..rows.len()).filter_map(|row| rows.number("noise", row)).collect();
    noises.sort_by(f64::total_cmp);
    noises.dedup();
    let mut data = Data::new(FIGURE.columns);
    for method in in_order((0..rows.len()).map(|row| rows.label("method", row))) {
        for &noise in &noises {
            for mechanism in rows.mechanisms(options) {
                let is = |row: &usize| {
                    rows.label("method", *row) == method
                        && rows.label("mechanism", *row) == mechanism
                        && rows.number("noise", *row) == Some(noise)
                };
                let lost: Vec<f64> = (0..rows.len())
                    .filter(is)
                    .filter_map(|row| Some(100.0 * (1.0 - rows.number("kept", row)?)))
                    .collect();
                let Some(mean) = student_mean(&lost) else { continue };
                data.push([
                    (&method).into(),
                    (100.0 * noise).into(),
                    (&mechanism).into(),
                    mean.mean.into(),
                    mean.low().into(),
                    mean.high().into(),
                    lost.len().into(),
                ]);
            }
        }
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let noises = data.distinct("noise_percent");
    let values = [data.numbers("lost_percent"), data.numbers("low"), data.numbers("high")].concat();
    let y = Axis::new("value lost (%)", Scale::from_zero(values));
    let panels = data.distinct("method").into_iter().map(|method| {
        let x = Axis::new("noise (%)", Scale::Bands(noises.clone()));
        let mut panel = Panel::new(&method, x, y.clone());
        let of = |noise: &str, mechanism: &str| {
            data.matching(&[("method", &method), ("noise_percent", noise), ("mechanism", mechanism)])
        };
        add_bars(&mut panel, data, "lost_percent", &noises, &series, of);
        panel
    });
    Sheet {
        key: series.key(style, |look| Swatch::Area(look.into())),
        notes: vec!["Error bars: 95 % interval of the mean over instances (Student's t)".into()],
        panels: panels.collect(),
        across: 3,
        least_width: 56.0,
        ..Sheet::default()
    }
}
