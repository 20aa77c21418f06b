//! Performance profile (Dolan & Moré, 2002) of the values of allocations.

use super::data::Data;
use super::gap_profile::profiles;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Sheet};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::performance_profile;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "performance-profile",
    shows: "share of instances on which the best value of all mechanisms is at most x times the mechanism's",
    from: "a study",
    columns: &["panel", "mechanism", "ratio", "share", "instances"],
    data,
    draw,
};

/// Points of a curve.
const POINTS: u32 = 240;

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let mut data = Data::new(FIGURE.columns);
    for (panel, units) in &study.panels {
        // Costs are to be small: the inverse of the value.
        let costs = |&m: &usize| {
            let cost =
                |&i: &usize| study.results.value(m, i).filter(|value| *value > 0.0).map(|value| 1.0 / value);
            (study.name(m).to_string(), units.iter().map(cost).collect::<Vec<Option<f64>>>())
        };
        let methods: Vec<_> = study.mechanisms.iter().map(costs).collect();
        let worst = (0..units.len()).filter_map(|i| {
            let known = methods.iter().filter_map(|(_, costs)| costs[i]);
            let (best, worst) = known.fold((f64::INFINITY, 0.0f64), |(b, w), c| (b.min(c), w.max(c)));
            (worst > 0.0).then_some(worst / best)
        });
        let Some(worst) = worst.reduce(f64::max) else {
            return Err(study.fault("no mechanism has a value on any instance"));
        };
        let most = (worst * 1.02).max(1.01);
        let ratios: Vec<f64> = (0..=POINTS).map(|k| most.powf(f64::from(k) / f64::from(POINTS))).collect();
        for curve in performance_profile(&methods, &ratios) {
            for (ratio, share) in ratios.iter().zip(curve.share) {
                data.push([
                    panel.into(),
                    (&curve.method).into(),
                    (*ratio).into(),
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
    let most = data.numbers("ratio").into_iter().fold(1.0, f64::max);
    let scale =
        if most > 4.0 { Scale::Log { low: 1.0, high: most } } else { Scale::Linear { low: 1.0, high: most } };
    profiles(data, style, &series, &Axis::new("best value / value", scale), "ratio")
}
