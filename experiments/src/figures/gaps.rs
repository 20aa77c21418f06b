//! Mean gap of every mechanism with its interval, by group of instances.

use super::data::Data;
use super::inputs::{Study, with_unit};
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::bootstrap_mean;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "gaps",
    shows: "mean gap of every mechanism to a bound, with 95 % intervals, by group of instances",
    from: "a study",
    columns: &["group", "mechanism", "mean_percent", "low_percent", "high_percent", "n", "bound"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let bound = options.bound.as_deref().unwrap_or("best");
    let against = study.results.against(bound).map_err(|e| study.fault(e))?;
    let mut data = Data::new(FIGURE.columns);
    for (group, units) in &study.panels {
        for &m in &study.mechanisms {
            let gaps: Vec<f64> = units.iter().filter_map(|&i| study.results.gap(m, against, i)).collect();
            let name = study.name(m);
            let Some(mean) = bootstrap_mean(&gaps, &format!("{group} gap {name} {bound}")) else { continue };
            data.push([
                group.into(),
                name.into(),
                (100.0 * mean.mean).into(),
                (100.0 * mean.low).into(),
                (100.0 * mean.high).into(),
                gaps.len().into(),
                bound.into(),
            ]);
        }
    }
    if data.rows() == 0 {
        return Err(
            study.fault(format_args!("no gap to {bound} is known: it holds for none of the allocations"))
        );
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let groups = data.distinct("group");
    let bound = data.text(0, "bound");
    let ends = data.numbers("low_percent").into_iter().chain(data.numbers("high_percent"));
    let y = Axis::new(gap_label(bound), Scale::from_zero(ends));
    let single = groups.len() == 1 && groups[0].is_empty();
    let names = if single { vec![with_unit("all", "all instances")] } else { groups.clone() };
    let mut panel = Panel::new("", Axis::new("", Scale::Bands(names)), y);
    for (g, group) in groups.iter().enumerate() {
        for (m, (mechanism, look)) in series.iter().enumerate() {
            let x = g as f64 + (m as f64 + 1.0) / (series.len() as f64 + 1.0);
            for row in data.matching(&[("group", group), ("mechanism", mechanism)]) {
                if let (Some(low), Some(high)) =
                    (data.number(row, "low_percent"), data.number(row, "high_percent"))
                {
                    panel.marks.push(Mark::Interval { x, low, high, colour: look.colour });
                }
                if let Some(mean) = data.number(row, "mean_percent") {
                    panel.marks.push(Mark::Points { points: vec![(x, mean)], look, hollow: false });
                }
            }
        }
    }
    Sheet {
        key: series.key(style, Swatch::Point),
        notes: vec!["Bars: bootstrap 95 % interval of the mean".into()],
        panels: vec![panel],
        panel_height: 120.0,
        // One column of a paper holds six groups side by side.
        wide: groups.len() > 6,
        ..Sheet::default()
    }
}

/// Label of an axis of gaps in per cent.
pub fn gap_label(bound: &str) -> String {
    match bound {
        "best" => "gap to the best bound (%)".into(),
        bound => format!("gap to {bound} (%)"),
    }
}
