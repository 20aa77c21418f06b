//! Distribution of job completion times, short and long jobs apart as in the paper.

use super::data::Data;
use super::gap_cdf::cumulative;
use super::inputs::simulations;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch, steps};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::tables::schema::JOBS;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "jct-cdf",
    shows: "distribution of job completion times, jobs of less and of more than 4 h of work apart",
    from: "simulations (jobs.parquet)",
    columns: &["panel", "class", "mechanism", "jct_h", "share", "jobs", "unfinished"],
    data,
    draw,
};

/// Jobs of less work are short: the paper's limit, at the baseline rate.
const SHORT_S: f64 = 4.0 * 3600.0;
const CLASSES: [&str; 2] = ["short jobs (< 4 h)", "long jobs (≥ 4 h)"];

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let labels = ["policy", "mechanism", "jobs_per_hour"];
    let rows = simulations(inputs, &JOBS, &labels, &["work_s", "jct_s", "measured"], options)?;
    let (panel, panels) = rows.panels(&["input", "policy", "jobs_per_hour"], options)?;
    let mechanisms = rows.mechanisms(options);
    let mut data = Data::new(FIGURE.columns);
    let mut notes = Vec::new();
    let measured: Vec<usize> =
        (0..rows.len()).filter(|&row| rows.number("measured", row) == Some(1.0)).collect();
    for name in &panels {
        for (class, label) in CLASSES.iter().enumerate() {
            for mechanism in &mechanisms {
                let members: Vec<usize> = measured
                    .iter()
                    .copied()
                    .filter(|&row| {
                        let long = rows.number("work_s", row).map(|work| work >= SHORT_S);
                        panel[row] == *name
                            && rows.label("mechanism", row) == mechanism
                            && long == Some(class == 1)
                    })
                    .collect();
                let mut hours: Vec<f64> =
                    members.iter().filter_map(|&row| rows.number("jct_s", row)).map(|s| s / 3600.0).collect();
                hours.sort_by(f64::total_cmp);
                let unfinished = members.len() - hours.len();
                if unfinished > 0 {
                    notes.push(format!("{mechanism}: {unfinished} of {} {label} did not end", members.len()));
                }
                let ended = hours.len() as f64 / members.len().max(1) as f64;
                for (share, jct_h) in cumulative(&hours) {
                    data.push([
                        name.into(),
                        (*label).into(),
                        mechanism.into(),
                        jct_h.into(),
                        // Jobs that did not end count: their curve does not reach 1.
                        (share * ended).into(),
                        members.len().into(),
                        unfinished.into(),
                    ]);
                }
            }
        }
    }
    if data.rows() == 0 {
        return Err(rows.fault("no measured job has ended: there is no completion time to draw"));
    }
    Ok(Collected { data, notes })
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let mut panels = Vec::new();
    let headings = data.distinct("panel");
    for heading in &headings {
        for class in CLASSES {
            let of_class = data.matching(&[("class", class)]);
            let scale = Scale::log(of_class.iter().filter_map(|&row| data.number(row, "jct_h")));
            let Scale::Log { low, high } = scale else { continue };
            if data.matching(&[("panel", heading), ("class", class)]).is_empty() {
                continue;
            }
            let title = if heading.is_empty() { class.to_string() } else { format!("{heading}, {class}") };
            let y = Axis::new("share of jobs", Scale::Linear { low: 0.0, high: 1.02 });
            let mut panel = Panel::new(title, Axis::new("job completion time (h)", scale), y);
            for (mechanism, look) in series.iter() {
                let cells = [("panel", heading.as_str()), ("class", class), ("mechanism", mechanism)];
                let points = data.pairs(&data.matching(&cells), "jct_h", "share");
                if !points.is_empty() {
                    panel.marks.push(Mark::Line { points: steps(&points, (low, 0.0), high), look });
                }
            }
            panels.push(panel);
        }
    }
    Sheet { key: series.key(style, Swatch::Line), panels, ..Sheet::default() }
}
