//! What profiling costs and how far off it is, by model and method.

use super::data::Data;
use super::inputs::in_order;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::files::read_text;
use serde::Deserialize;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "profiler",
    shows: "minutes of profiling and mean error of the estimated matrix, by model and method",
    from: "synergy profile --format csv --out FILE",
    columns: &[
        "model",
        "method",
        "points",
        "minutes",
        "mean_error_percent",
        "max_error_percent",
        "kept_percent",
    ],
    data,
    draw,
};

/// The columns that are used of what `synergy profile` writes.
#[derive(Deserialize)]
struct Profiled {
    model: String,
    method: String,
    points: usize,
    minutes: f64,
    mean_relative_error: f64,
    max_relative_error: f64,
    throughput_kept: f64,
}

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let [file] = inputs else {
        return Err(FigureError::data("inputs", format_args!("give one file ({})", FIGURE.from)));
    };
    let name = file.display().to_string();
    let text = read_text(&name)?;
    let fault = |e: csv::Error| {
        FigureError::data(&name, format_args!("is no table of profiling ({e}); {} writes one", FIGURE.from))
    };
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
        let row: Profiled = row.map_err(fault)?;
        rows.push(row);
    }
    let methods = in_order(rows.iter().map(|row| row.method.as_str()));
    if let Some(unknown) = options.mechanisms.iter().find(|method| !methods.contains(method)) {
        let hint = crate::error::suggestion(unknown, methods.iter().map(String::as_str));
        return Err(FigureError::data(&name, format_args!("no row has the method {unknown:?}{hint}")));
    }
    let mut data = Data::new(FIGURE.columns);
    for row in rows {
        if options.mechanisms.is_empty() || options.mechanisms.contains(&row.method) {
            data.push([
                row.model.into(),
                row.method.into(),
                row.points.into(),
                row.minutes.into(),
                (100.0 * row.mean_relative_error).into(),
                (100.0 * row.max_relative_error).into(),
                (100.0 * row.throughput_kept).into(),
            ]);
        }
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("method"), style);
    let models = data.distinct("model");
    let minutes = data.numbers("minutes");
    let fast = minutes.iter().copied().filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
    let slow = minutes.iter().copied().fold(0.0, f64::max);
    let cost = if slow > 8.0 * fast { Scale::log(minutes) } else { Scale::from_zero(minutes) };
    let error = Scale::from_zero(data.numbers("mean_error_percent"));
    let y = Axis::new("", Scale::Bands(models.clone()));
    let panels = [("minutes", "cost (minutes)", cost), ("mean_error_percent", "mean error (%)", error)];
    let panels = panels.into_iter().map(|(column, label, scale)| {
        let mut panel = Panel::new("", Axis::new(label, scale), y.clone());
        for (m, (method, look)) in series.iter().enumerate() {
            // Side by side within the band of the model, so that equal values do not hide each other.
            let offset = (m as f64 + 1.0) / (series.len() as f64 + 1.0);
            let rows = data.matching(&[("method", method)]);
            let point = |&row: &usize| {
                let band = models.iter().position(|model| model == data.text(row, "model"))?;
                Some((data.number(row, column)?, band as f64 + offset))
            };
            let points = rows.iter().filter_map(point).collect();
            panel.marks.push(Mark::Points { points, look, hollow: false });
        }
        panel
    });
    Sheet {
        key: series.key(style, Swatch::Point),
        panels: panels.collect(),
        least_width: 100.0,
        panel_height: (4.0 + 4.0 * series.len() as f64).max(11.0) * models.len() as f64,
        ..Sheet::default()
    }
}
