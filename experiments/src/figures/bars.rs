//! Bars with intervals by one parameter: class split, CPU:GPU ratio, or whatever the inputs differ in.

use super::data::Data;
use super::gaps::gap_label;
use super::inputs::{Study, is_simulation, simulations, with_unit};
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::{bootstrap_mean, student_mean};
use crate::tables::schema::RUNS;
use plotters::style::BLACK;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "bars",
    shows: "mean gap (study) or mean completion time (simulations) of every mechanism with 95 % intervals, by a parameter or by input",
    from: "a study, or simulations (runs.parquet)",
    columns: &["quantity", "interval", "group", "mechanism", "mean", "low", "high", "n"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    if inputs.first().is_some_and(|input| is_simulation(input)) {
        of_simulations(inputs, options)
    } else {
        of_study(inputs, options).map(Collected::from)
    }
}

fn of_simulations(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let mut options = options.clone();
    if options.by.is_empty() {
        options.by = vec!["input".into()];
    }
    let keys = ["input", "policy", "jobs_per_hour", "gpus", "semantics"];
    let labels = [&keys[1..], &["mechanism", "seed", "status"]].concat();
    let rows = simulations(inputs, &RUNS, &labels, &["jct_mean_s"], &options)?;
    let (group, groups) = rows.panels(&keys, &options)?;
    let mut notes = Vec::new();
    let mut samples: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in 0..rows.len() {
        let mechanism = rows.label("mechanism", row);
        match rows.number("jct_mean_s", row) {
            Some(jct) => samples.entry((&group[row], mechanism)).or_default().push(jct / 3600.0),
            None => notes.push(format!(
                "{mechanism}, {}, seed {}: no completion time ({})",
                group[row],
                rows.label("seed", row),
                rows.label("status", row)
            )),
        }
    }
    let mut data = Data::new(FIGURE.columns);
    for name in &groups {
        for mechanism in rows.mechanisms(&options) {
            let Some(values) = samples.get(&(name.as_str(), mechanism.as_str())) else { continue };
            let Some(mean) = student_mean(values) else { continue };
            data.push([
                "mean JCT (h)".into(),
                "95 % interval of the mean over seeds (Student's t)".into(),
                name.into(),
                (&mechanism).into(),
                mean.mean.into(),
                mean.low_from_zero().into(),
                mean.high().into(),
                values.len().into(),
            ]);
        }
    }
    if data.rows() == 0 {
        return Err(rows.fault("no run has a completion time"));
    }
    Ok(Collected { data, notes })
}

fn of_study(inputs: &[PathBuf], options: &Options) -> Result<Data, FigureError> {
    let study = Study::read(inputs, options)?;
    let bound = options.bound.as_deref().unwrap_or("best");
    let against = study.results.against(bound).map_err(|e| study.fault(e))?;
    let mut data = Data::new(FIGURE.columns);
    for (group, units) in &study.panels {
        for &m in &study.mechanisms {
            let gaps: Vec<f64> =
                units.iter().filter_map(|&i| Some(100.0 * study.results.gap(m, against, i)?)).collect();
            let name = study.name(m);
            let Some(mean) = bootstrap_mean(&gaps, &format!("{group} gap {name} {bound}")) else { continue };
            data.push([
                gap_label(bound).into(),
                "bootstrap 95 % interval of the mean".into(),
                if group.is_empty() { with_unit("all", "all instances") } else { group.clone() }.into(),
                name.into(),
                mean.mean.into(),
                mean.low.into(),
                mean.high.into(),
                gaps.len().into(),
            ]);
        }
    }
    if data.rows() == 0 {
        return Err(
            study.fault(format_args!("no gap to {bound} is known: it holds for none of the allocations"))
        );
    }
    Ok(data)
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let groups = data.distinct("group");
    let values = [data.numbers("mean"), data.numbers("low"), data.numbers("high")].concat();
    let y = Axis::new(data.text(0, "quantity"), Scale::from_zero(values));
    let mut panel = Panel::new("", Axis::new("", Scale::Bands(groups.clone())), y);
    let of = |group: &str, mechanism: &str| data.matching(&[("group", group), ("mechanism", mechanism)]);
    add_bars(&mut panel, data, "mean", &groups, &series, of);
    let counts = data.numbers("n");
    let single = counts.iter().all(|n| *n <= 1.0);
    let note = if single {
        "One value each: no intervals".into()
    } else {
        format!("Error bars: {}", data.text(0, "interval"))
    };
    Sheet {
        key: series.key(style, |look| Swatch::Area(look.into())),
        notes: vec![note],
        panels: vec![panel],
        wide: groups.len() * series.len() > 32,
        ..Sheet::default()
    }
}

/// Adds a bar per group and series to a panel whose x axis has a band per group: as high as column
/// `mean`, with an interval from `low` to `high`, of the rows that `of` names.
pub(super) fn add_bars(
    panel: &mut Panel,
    data: &Data,
    mean: &str,
    groups: &[String],
    series: &Series,
    of: impl Fn(&str, &str) -> Vec<usize>,
) {
    let bar = 0.84 / series.len() as f64;
    for (g, group) in groups.iter().enumerate() {
        for (m, (name, look)) in series.iter().enumerate() {
            for row in of(group, name) {
                let Some(mean) = data.number(row, mean) else { continue };
                let left = g as f64 + 0.08 + m as f64 * bar;
                panel.marks.push(Mark::Area {
                    from: (left, 0.0),
                    to: (left + 0.94 * bar, mean),
                    fill: look.into(),
                    text: String::new(),
                });
                if let (Some(low), Some(high)) = (data.number(row, "low"), data.number(row, "high")) {
                    // On black bars a black interval would vanish.
                    let x = left + 0.47 * bar;
                    let colour = if look.colour == BLACK { super::layout::INTERVAL_ON_BLACK } else { BLACK };
                    panel.marks.push(Mark::Interval { x, low, high, colour });
                }
            }
        }
    }
}
