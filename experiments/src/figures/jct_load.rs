//! Mean job completion time against load, one line per mechanism.

use super::data::Data;
use super::load::{OVERLOADED, points};
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Key, Mark, Panel, Sheet, Swatch};
use super::style::{Look, Style};
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::student_mean;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "jct-load",
    shows: "mean job completion time against load, with 95 % intervals over seeds",
    from: "simulations at several loads (runs.parquet)",
    columns: &["panel", "mechanism", "jobs_per_hour", "seeds", "mean_jct_h", "low_h", "high_h", "overloaded"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let (points, notes) = points(inputs, options)?;
    let mut data = Data::new(FIGURE.columns);
    for point in points {
        let values: Vec<f64> = point.jct_h.values().copied().collect();
        let Some(mean) = student_mean(&values) else { continue };
        data.push([
            point.panel.into(),
            point.mechanism.into(),
            point.jobs_per_hour.into(),
            values.len().into(),
            mean.mean.into(),
            mean.low_from_zero().into(),
            mean.high().into(),
            point.overloaded.into(),
        ]);
    }
    Ok(Collected { data, notes })
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let ends = [data.numbers("mean_jct_h"), data.numbers("low_h"), data.numbers("high_h")].concat();
    let (low, high) =
        data.numbers("mean_jct_h").iter().fold((f64::INFINITY, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
    // Beyond a factor of 30 the lower lines would lie on the axis.
    let y = if high > 30.0 * low { Scale::log(ends) } else { Scale::from_zero(ends) };
    over_load(data, style, ["mean_jct_h", "low_h", "high_h"], Axis::new("mean JCT (h)", y), None)
}

/// Lines over load with intervals; `level` is a line for reference.
pub fn over_load(data: &Data, style: &Style, columns: [&str; 3], y: Axis, level: Option<f64>) -> Sheet {
    let [mean, low, high] = columns;
    let series = Series::new(data.distinct("mechanism"), style);
    let x = Axis::new("load (jobs per hour)", Scale::linear(data.numbers("jobs_per_hour")));
    let mut panels = Vec::new();
    for heading in data.distinct("panel") {
        let mut panel = Panel::new(&heading, x.clone(), y.clone());
        if let (Some(level), Scale::Linear { low, high }) = (level, &x.scale) {
            panel.marks.push(Mark::Rule { from: (*low, level), to: (*high, level) });
        }
        for (mechanism, look) in series.iter() {
            let rows = data.matching(&[("panel", &heading), ("mechanism", mechanism)]);
            panel.marks.push(Mark::Line { points: data.pairs(&rows, "jobs_per_hour", mean), look });
            for &row in &rows {
                let x = data.number(row, "jobs_per_hour");
                if let (Some(x), Some(low), Some(high)) = (x, data.number(row, low), data.number(row, high)) {
                    panel.marks.push(Mark::Interval { x, low, high, colour: look.colour });
                }
            }
            for hollow in [false, true] {
                let some: Vec<usize> =
                    rows.iter().copied().filter(|&row| data.flag(row, "overloaded") == hollow).collect();
                let points = data.pairs(&some, "jobs_per_hour", mean);
                panel.marks.push(Mark::Points { points, look, hollow });
            }
        }
        panels.push(panel);
    }
    let key: Vec<Key> = series.key(style, |look: Look| Swatch::LinePoint(look));
    Sheet { key, notes: notes(data), panels, ..Sheet::default() }
}

fn notes(data: &Data) -> Vec<String> {
    let mut notes = Vec::new();
    let seeds = data.numbers("seeds");
    let (least, most) = seeds.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &n| (l.min(n), m.max(n)));
    notes.push(if most <= 1.0 {
        "One seed: no intervals".into()
    } else if least < most {
        format!("Bars: 95 % interval of the mean over {least} to {most} seeds (Student's t)")
    } else {
        format!("Bars: 95 % interval of the mean over {most} seeds (Student's t)")
    });
    if (0..data.rows()).any(|row| data.flag(row, "overloaded")) {
        notes.push(OVERLOADED.into());
    }
    notes
}
