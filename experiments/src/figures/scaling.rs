//! Solve time and fragmented jobs against the size of the cluster, with fitted exponents.

use super::data::Data;
use super::inputs::{in_order, study_tables};
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Key, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::error::suggestion;
use crate::statistics::{mean, quantile, sorted};
use crate::tables::Frame;
use crate::tables::schema::{INSTANCES, PLACEMENTS, TIMINGS};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "scaling",
    shows: "median solve time and mean fragmented jobs against GPUs (log-log), with the exponent fitted over all sizes",
    from: "studies of several cluster sizes",
    columns: &["panel", "method", "kind", "gpus", "n", "value", "exponent"],
    data,
    draw,
};

const TIME: &str = "median solve time (s)";
const FRAGMENTS: &str = "mean fragmented jobs";

/// Values by method, kind and cluster size.
type Samples = BTreeMap<(usize, String, u64), Vec<f64>>;

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let directories = study_tables(inputs)?;
    let mut names: Vec<String> = Vec::new();
    let (mut seconds, mut fragmented) = (Samples::new(), Samples::new());
    for directory in directories {
        let table = |name: &str| directory.join(format!("{name}.parquet"));
        let instances = Frame::read(&table("instances"), &INSTANCES, &["unit", "gpus"])?;
        let units = instances.text("unit")?;
        let gpus: HashMap<&str, u64> = units
            .iter()
            .zip(instances.int("gpus")?)
            .filter_map(|(unit, gpus)| Some(((*unit)?, u64::try_from(gpus?).ok()?)))
            .collect();
        let mut add = |samples: &mut Samples, kind: &str, method: &str, unit: &str, value: f64| {
            let method = names.iter().position(|name| name == method).unwrap_or_else(|| {
                names.push(method.into());
                names.len() - 1
            });
            if let Some(&gpus) = gpus.get(unit) {
                samples.entry((method, kind.into(), gpus)).or_default().push(value);
            }
        };
        let frame = Frame::read(&table("timings"), &TIMINGS, &["unit", "kind", "method", "seconds"])?;
        let (unit, kind, method) = (frame.text("unit")?, frame.text("kind")?, frame.text("method")?);
        for (row, value) in frame.real("seconds")?.into_iter().enumerate() {
            if let (Some(unit), Some(kind), Some(method), Some(value)) =
                (unit[row], kind[row], method[row], value)
                && kind != "generate"
            {
                add(&mut seconds, kind, method, unit, value);
            }
        }
        let frame = Frame::read(&table("placements"), &PLACEMENTS, &["unit", "placement", "fragmented"])?;
        let (unit, method) = (frame.text("unit")?, frame.text("placement")?);
        for (row, value) in frame.int("fragmented")?.into_iter().enumerate() {
            if let (Some(unit), Some(method), Some(value)) = (unit[row], method[row], value) {
                add(&mut fragmented, "placement", method, unit, value as f64);
            }
        }
    }
    let place = inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    for name in &options.mechanisms {
        if !names.contains(name) {
            let hint = suggestion(name, names.iter().map(String::as_str));
            return Err(FigureError::data(place, format!("no computation is called {name:?}{hint}")));
        }
    }
    let order: Vec<String> =
        if options.mechanisms.is_empty() { names.clone() } else { options.mechanisms.clone() };
    let mut data = Data::new(FIGURE.columns);
    let mut notes = Vec::new();
    for (panel, samples) in [(TIME, &seconds), (FRAGMENTS, &fragmented)] {
        for name in &order {
            for kind in ["bound", "placement", "mechanism"] {
                let curve: Vec<(u64, usize, f64)> = samples
                    .iter()
                    .filter(|((method, of, _), _)| names[*method] == *name && of == kind)
                    .filter_map(|((_, _, gpus), values)| {
                        let middle =
                            if panel == TIME { quantile(&sorted(values), 0.5) } else { mean(values) };
                        Some((*gpus, values.len(), middle?))
                    })
                    .collect();
                let exponent = exponent(&curve);
                if curve.iter().any(|(_, _, value)| *value <= 0.0) {
                    notes.push(format!("{name}: sizes with {panel} 0 are not drawn and not fitted"));
                }
                for (gpus, n, value) in curve {
                    data.push([
                        panel.into(),
                        name.into(),
                        kind.into(),
                        (gpus as f64).into(),
                        n.into(),
                        value.into(),
                        exponent.into(),
                    ]);
                }
            }
        }
    }
    if !(0..data.rows()).any(|row| data.number(row, "value").is_some_and(|value| value > 0.0)) {
        return Err(FigureError::data(place, "no computation has a time or fragmented jobs above 0"));
    }
    Ok(Collected { data, notes })
}

/// Slope of the least-squares line through the logarithms; `None` for fewer than two sizes.
fn exponent(curve: &[(u64, usize, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = curve
        .iter()
        .filter(|(gpus, _, value)| *gpus > 0 && *value > 0.0)
        .map(|(gpus, _, value)| ((*gpus as f64).ln(), value.ln()))
        .collect();
    let n = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    let along: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (logs.len() > 1 && spread > 0.0).then(|| along / spread)
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("method"), style);
    let x = Axis::new("GPUs", Scale::log(data.numbers("gpus")));
    let mut panels = Vec::new();
    for label in data.distinct("panel") {
        let rows = data.matching(&[("panel", &label)]);
        let values: Vec<f64> =
            rows.iter().filter_map(|&row| data.number(row, "value")).filter(|value| *value > 0.0).collect();
        if values.is_empty() {
            continue;
        }
        let mut panel = Panel::new("", x.clone(), Axis::new(label.as_str(), Scale::log(values)));
        for (method, look) in series.iter() {
            for kind in in_order(rows.iter().map(|&row| data.text(row, "kind"))) {
                let rows = data.matching(&[("panel", &label), ("method", method), ("kind", &kind)]);
                let mut points = data.pairs(&rows, "gpus", "value");
                points.retain(|(_, value)| *value > 0.0);
                panel.marks.push(Mark::Line { points: points.clone(), look });
                panel.marks.push(Mark::Points { points, look, hollow: false });
            }
        }
        panels.push(panel);
    }
    let key: Vec<Key> = series
        .iter()
        .map(|(method, look)| {
            let fitted = |panel: &str| {
                let rows = data.matching(&[("panel", panel), ("method", method)]);
                rows.iter().find_map(|&row| data.number(row, "exponent"))
            };
            let name = style.name(method);
            let label = match (fitted(TIME), fitted(FRAGMENTS)) {
                (Some(time), Some(fragments)) => format!("{name} ({time:.2}; {fragments:.2})"),
                (Some(time), None) => format!("{name} ({time:.2})"),
                (None, Some(fragments)) => format!("{name} (–; {fragments:.2})"),
                (None, None) => name.to_string(),
            };
            Key::new(label, Swatch::LinePoint(look))
        })
        .collect();
    let fits = !data.numbers("exponent").is_empty();
    let notes = if fits {
        vec!["In brackets: exponents of GPUs fitted to time; to fragmented jobs".into()]
    } else {
        Vec::new()
    };
    Sheet { key, notes, panels, ..Sheet::default() }
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let curve: Vec<(u64, usize, f64)> =
            [64u64, 128, 512, 4096].iter().map(|&n| (n, 1, 3.0 * (n as f64).powf(1.25))).collect();
        assert!((exponent(&curve).unwrap() - 1.25).abs() < 1e-12);
        assert_eq!(exponent(&curve[..1]), None);
        assert_eq!(exponent(&[]), None);
    }
}
