//! Gap profile: on which share of all instances a mechanism is known to be within x of a bound.

use super::data::Data;
use super::gaps::gap_label;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::gap_profile;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "gap-profile",
    shows: "share of all instances on which the gap is known and at most x (log x); does not change when a mechanism joins",
    from: "a study",
    columns: &["panel", "bound", "mechanism", "gap_percent", "share", "instances"],
    data,
    draw,
};

/// From 0.01 % to 100 %, 40 to a decade.
fn abscissae() -> Vec<f64> {
    (0..=160).map(|k| 10f64.powf(-4.0 + f64::from(k) / 40.0)).collect()
}

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let bound = options.bound.as_deref().unwrap_or("best");
    let against = study.results.against(bound).map_err(|e| study.fault(e))?;
    let gaps = abscissae();
    let mut data = Data::new(FIGURE.columns);
    for (panel, units) in &study.panels {
        let known = |&m: &usize| {
            let gaps: Vec<Option<f64>> = units.iter().map(|&i| study.results.gap(m, against, i)).collect();
            (study.name(m).to_string(), gaps)
        };
        let methods: Vec<_> = study.mechanisms.iter().map(known).collect();
        if methods.iter().all(|(_, gaps)| gaps.iter().all(Option::is_none)) {
            let none = "no gap to it is known: it holds for none of the allocations";
            return Err(study.fault(format_args!("{bound}: {none}")));
        }
        for curve in gap_profile(&methods, &gaps) {
            for (gap, share) in gaps.iter().zip(curve.share) {
                data.push([
                    panel.into(),
                    bound.into(),
                    (&curve.method).into(),
                    (100.0 * gap).into(),
                    share.into(),
                    units.len().into(),
                ]);
            }
        }
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let x = Axis::new(gap_label(data.text(0, "bound")), Scale::Log { low: 0.01, high: 100.0 });
    profiles(data, style, &series, &x, "gap_percent")
}

/// Share of instances over `column`, one line per mechanism, one panel per group.
pub fn profiles(data: &Data, style: &Style, series: &Series, x: &Axis, column: &str) -> Sheet {
    let mut panels = Vec::new();
    for heading in data.distinct("panel") {
        let y = Axis::new("share of instances", Scale::Linear { low: 0.0, high: 1.02 });
        let mut panel = Panel::new(&heading, x.clone(), y);
        for (mechanism, look) in series.iter() {
            let rows = data.matching(&[("panel", &heading), ("mechanism", mechanism)]);
            panel.marks.push(Mark::Line { points: data.pairs(&rows, column, "share"), look });
        }
        panels.push(panel);
    }
    Sheet { key: series.key(style, Swatch::Line), panels, ..Sheet::default() }
}
