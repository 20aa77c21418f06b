//! Mechanisms against a reference, instance by instance.

use super::data::Data;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "scatter",
    shows: "value per job of each mechanism against that of the reference, one point per instance, with the diagonal",
    from: "a study",
    columns: &["panel", "reference", "mechanism", "unit", "reference_value_per_job", "value_per_job"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let reference = options.reference.as_deref().unwrap_or("tune");
    let base = study.results.mechanism(reference).map_err(|e| study.fault(format_args!("reference: {e}")))?;
    let mut data = Data::new(FIGURE.columns);
    for (panel, units) in &study.panels {
        for &m in study.mechanisms.iter().filter(|&&m| m != base) {
            for &i in units {
                let of = |m: usize| study.results.value_per_job(m, i);
                let (Some(x), Some(y)) = (of(base), of(m)) else { continue };
                data.push([
                    panel.into(),
                    reference.into(),
                    study.name(m).into(),
                    (&study.results.units().ids[i]).into(),
                    x.into(),
                    y.into(),
                ]);
            }
        }
    }
    if data.rows() == 0 {
        let message = format!("no instance has a value of both {reference} and another mechanism");
        return Err(study.fault(message));
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let values = [data.numbers("reference_value_per_job"), data.numbers("value_per_job")].concat();
    // One range for both axes: the diagonal is then the diagonal.
    let scale = Scale::linear(values);
    let Scale::Linear { low, high } = scale else { return Sheet::default() };
    let reference = style.name(data.text(0, "reference"));
    let mut panels = Vec::new();
    for heading in data.distinct("panel") {
        // One panel per mechanism: in one, the last would hide the others.
        for (mechanism, look) in series.iter() {
            let rows = data.matching(&[("panel", &heading), ("mechanism", mechanism)]);
            let points = data.pairs(&rows, "reference_value_per_job", "value_per_job");
            if points.is_empty() {
                continue;
            }
            let name = style.name(mechanism);
            let title = if heading.is_empty() { name.to_string() } else { format!("{heading}, {name}") };
            let x = Axis::new(format!("value per job, {reference}"), scale.clone());
            let mut panel = Panel::new(title, x, Axis::new("value per job", scale.clone()));
            panel.square = true;
            panel.marks.push(Mark::Rule { from: (low, low), to: (high, high) });
            panel.marks.push(Mark::Points { points, look, hollow: rows.len() > 40 });
            panels.push(panel);
        }
    }
    Sheet { panels, across: 3, least_width: 110.0, ..Sheet::default() }
}
