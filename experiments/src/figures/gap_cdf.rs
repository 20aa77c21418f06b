//! Distribution of gaps over instances.

use super::data::Data;
use super::gaps::gap_label;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch, steps};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "gap-cdf",
    shows: "share of instances whose gap is at most x, among those on which the bound holds",
    from: "a study",
    columns: &["panel", "bound", "mechanism", "gap_percent", "share", "instances"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let bound = options.bound.as_deref().unwrap_or("best");
    let against = study.results.against(bound).map_err(|e| study.fault(e))?;
    let mut data = Data::new(FIGURE.columns);
    let mut notes = Vec::new();
    for (panel, units) in &study.panels {
        for &m in &study.mechanisms {
            let mut gaps: Vec<f64> = units.iter().filter_map(|&i| study.results.gap(m, against, i)).collect();
            gaps.sort_by(f64::total_cmp);
            let name = study.name(m);
            if gaps.len() < units.len() {
                notes.push(format!(
                    "{name}: no gap to {bound} on {} of {} instances",
                    units.len() - gaps.len(),
                    units.len()
                ));
            }
            for (share, gap) in cumulative(&gaps) {
                data.push([
                    panel.into(),
                    bound.into(),
                    name.into(),
                    (100.0 * gap).into(),
                    share.into(),
                    gaps.len().into(),
                ]);
            }
        }
    }
    if data.rows() == 0 {
        return Err(
            study.fault(format_args!("no gap to {bound} is known: it holds for none of the allocations"))
        );
    }
    Ok(Collected { data, notes })
}

/// Share of ascending values at or below each distinct one.
pub fn cumulative(ascending: &[f64]) -> Vec<(f64, f64)> {
    let n = ascending.len() as f64;
    (0..ascending.len())
        .filter(|&i| ascending.get(i + 1) != Some(&ascending[i]))
        .map(|i| ((i + 1) as f64 / n, ascending[i]))
        .collect()
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let scale = Scale::from_zero(data.numbers("gap_percent"));
    let Scale::Linear { low, high } = scale else { return Sheet::default() };
    let mut panels = Vec::new();
    for heading in data.distinct("panel") {
        let x = Axis::new(gap_label(data.text(0, "bound")), scale.clone());
        let y = Axis::new("share of instances", Scale::Linear { low: 0.0, high: 1.02 });
        let mut panel = Panel::new(&heading, x, y);
        for (mechanism, look) in series.iter() {
            let rows = data.matching(&[("panel", &heading), ("mechanism", mechanism)]);
            let points = data.pairs(&rows, "gap_percent", "share");
            if !points.is_empty() {
                panel.marks.push(Mark::Line { points: steps(&points, (low, 0.0), high), look });
            }
        }
        panels.push(panel);
    }
    Sheet { key: series.key(style, Swatch::Line), panels, ..Sheet::default() }
}
