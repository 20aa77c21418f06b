//! Arrivals and offered work of a trace over time.

use super::data::Data;
use super::scale::Scale;
use super::sheet::{Axis, Mark, Panel, Sheet, steps};
use super::style::Style;
use super::trace_cdf::read;
use super::{Collected, Figure, FigureError, Options};
use crate::describe::Description;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "trace-load",
    shows: "arrivals of a trace over time, and the GPUs that they would keep busy",
    from: "a jobs table whose jobs do not arrive all at once",
    columns: &["measure", "from_days", "to_days", "value"],
    data,
    draw,
};

const JOBS: &str = "jobs per hour";
const GPUS: &str = "GPUs to keep busy";

fn data(inputs: &[PathBuf], _: &Options) -> Result<Collected, FigureError> {
    const DAY_S: f64 = 86_400.0;
    let description = Description::new(&read(inputs)?, None);
    let mut data = Data::new(FIGURE.columns);
    for window in &description.over_time {
        let (from, to) = (window.from_s / DAY_S, window.to_s / DAY_S);
        let rate = window.jobs as f64 * 3600.0 / (window.to_s - window.from_s);
        data.push([JOBS.into(), from.into(), to.into(), rate.into()]);
        if let Some(gpus) = window.offered_gpus {
            data.push([GPUS.into(), from.into(), to.into(), gpus.into()]);
        }
    }
    if data.rows() == 0 {
        return Err(FigureError::data(
            inputs[0].display(),
            "all jobs arrive at once: there is no time to draw",
        ));
    }
    let unknown = data.matching(&[("measure", GPUS)]).len() < data.matching(&[("measure", JOBS)]).len();
    let notes = unknown.then(|| "offered work is unknown where jobs have no duration".to_string());
    Ok(Collected { data, notes: notes.into_iter().collect() })
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let ends = [data.numbers("from_days"), data.numbers("to_days")].concat();
    let high = ends.iter().copied().fold(0.0, f64::max);
    let x = Axis::new("time since the first arrival (days)", Scale::Linear { low: 0.0, high });
    let look = style.looks(["trace"])[0];
    let panel = |measure: String| {
        let rows = data.matching(&[("measure", &measure)]);
        let points = data.pairs(&rows, "from_days", "value");
        let y = Axis::new(&measure, Scale::from_zero(points.iter().map(|point| point.1)));
        let mut panel = Panel::new("", x.clone(), y);
        let first = points.first().copied().unwrap_or_default();
        panel.marks.push(Mark::Line { points: steps(&points, first, high), look });
        panel
    };
    let panels = data.distinct("measure").into_iter().map(panel).collect();
    Sheet { panels, across: 1, panel_height: 70.0, ..Sheet::default() }
}
