//! Locality, retries and failures of a trace by GPU demand.

use super::data::Data;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::trace_cdf::read;
use super::{Collected, Figure, FigureError, Options};
use crate::describe::{Description, Size};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "trace-sizes",
    shows: "share of a trace's jobs on several servers, tried again, and failed, by GPU demand",
    from: "a jobs table with servers, attempts or ends",
    columns: &["measure", "size", "percent", "jobs"],
    data,
    draw,
};

/// A share of the jobs of one size, where it is known.
type Share = fn(&Size) -> Option<f64>;

/// What is shown of every size, where the trace holds it.
const MEASURES: [(&str, Share); 3] = [
    ("on several servers", |size| size.spread_share),
    ("tried again", |size| size.retried_share),
    ("failed", |size| size.failed_share),
];

fn data(inputs: &[PathBuf], _: &Options) -> Result<Collected, FigureError> {
    let description = Description::new(&read(inputs)?, None);
    let mut data = Data::new(FIGURE.columns);
    let mut notes = Vec::new();
    for (measure, of) in MEASURES {
        if description.sizes.iter().all(|size| of(size).is_none()) {
            notes.push(format!("the trace does not hold which jobs were {measure}"));
        }
        for size in &description.sizes {
            if let Some(share) = of(size) {
                data.push([
                    measure.into(),
                    (&size.gpus).into(),
                    (100.0 * share).into(),
                    (size.jobs as usize).into(),
                ]);
            }
        }
    }
    if data.rows() == 0 {
        let message = "holds neither servers nor attempts nor ends of jobs";
        return Err(FigureError::data(inputs[0].display(), message));
    }
    Ok(Collected { data, notes })
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let sizes = data.distinct("size");
    let series = Series::new(data.distinct("measure"), style);
    let y = Axis::new("share of jobs (%)", Scale::from_zero(data.numbers("percent")));
    let mut panel = Panel::new("", Axis::new("GPU demand of the job", Scale::Bands(sizes.clone())), y);
    let bar = 0.84 / series.len().max(1) as f64;
    for (s, size) in sizes.iter().enumerate() {
        for (m, (measure, look)) in series.iter().enumerate() {
            for row in data.matching(&[("measure", measure), ("size", size)]) {
                let Some(percent) = data.number(row, "percent") else { continue };
                let left = s as f64 + 0.08 + m as f64 * bar;
                panel.marks.push(Mark::Area {
                    from: (left, 0.0),
                    to: (left + 0.94 * bar, percent),
                    fill: look.into(),
                    text: String::new(),
                });
            }
        }
    }
    Sheet {
        key: series.key(style, |look| Swatch::Area(look.into())),
        panels: vec![panel],
        ..Sheet::default()
    }
}
