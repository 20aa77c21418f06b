//! Gap profile: on which share of all instances a mechanism is known to be within x of a bound.

use super::data::Data;
use super::gap_cdf::cumulative;
use super::gaps::gap_label;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch, steps};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "gap-profile",
    shows: "share of all instances on which the gap is known and at most x (log x); does not change when a mechanism joins",
    from: "a study",
    columns: &["panel", "bound", "mechanism", "gap_percent", "share", "instances"],
    data,
    draw,
};

/// Range of the axis in per cent; smaller gaps count from its beginning on.
const LEAST_PERCENT: f64 = 0.01;
const MOST_PERCENT: f64 = 100.0;

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let bound = options.bound.as_deref().unwrap_or("best");
    let against = study.results.against(bound).map_err(|e| study.fault(e))?;
    let mut data = Data::new(FIGURE.columns);
    for (panel, units) in &study.panels {
        for &m in &study.mechanisms {
            let gap = |&i: &usize| Some(100.0 * study.results.gap(m, against, i)?);
            let mut gaps: Vec<f64> = units.iter().filter_map(gap).collect();
            gaps.iter_mut().for_each(|gap| *gap = gap.max(LEAST_PERCENT));
            gaps.sort_by(f64::total_cmp);
            // Instances without a gap count: their curve does not reach 1.
            let known = gaps.len() as f64 / units.len() as f64;
            for (share, gap) in cumulative(&gaps) {
                data.push([
                    panel.into(),
                    bound.into(),
                    study.name(m).into(),
                    gap.into(),
                    (share * known).into(),
                    units.len().into(),
                ]);
            }
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
    let x =
        Axis::new(gap_label(data.text(0, "bound")), Scale::Log { low: LEAST_PERCENT, high: MOST_PERCENT });
    profiles(data, style, &series, &x, "gap_percent")
}

/// Share of instances over `column`, one step line per mechanism, one panel per group.
pub fn profiles(data: &Data, style: &Style, series: &Series, x: &Axis, column: &str) -> Sheet {
    let mut panels = Vec::new();
    let (Scale::Linear { low, high } | Scale::Log { low, high }) = x.scale else { return Sheet::default() };
    for heading in data.distinct("panel") {
        let y = Axis::new("share of instances", Scale::Linear { low: 0.0, high: 1.02 });
        let mut panel = Panel::new(&heading, x.clone(), y);
        for (mechanism, look) in series.iter() {
            let rows = data.matching(&[("panel", &heading), ("mechanism", mechanism)]);
            let points = data.pairs(&rows, column, "share");
            if !points.is_empty() {
                panel.marks.push(Mark::Line { points: steps(&points, (low, 0.0), high), look });
            }
        }
        panels.push(panel);
    }
    Sheet { key: series.key(style, Swatch::Line), panels, ..Sheet::default() }
}
