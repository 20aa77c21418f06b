//! Performance profile (Dolan & Moré, 2002) of the values of allocations.

use super::data::Data;
use super::gap_cdf::cumulative;
use super::gap_profile::profiles;
use super::inputs::Study;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Sheet};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "performance-profile",
    shows: "share of instances on which the best value of all mechanisms is at most x times the mechanism's",
    from: "a study",
    columns: &["panel", "mechanism", "ratio", "share", "instances"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    let mut data = Data::new(FIGURE.columns);
    for (panel, units) in &study.panels {
        let value = |m: usize, i: usize| study.results.value(m, i).filter(|value| *value > 0.0);
        let best = |i: usize| study.mechanisms.iter().filter_map(|&m| value(m, i)).reduce(f64::max);
        let best: Vec<Option<f64>> = units.iter().map(|&i| best(i)).collect();
        for &m in &study.mechanisms {
            let ratio = |(&i, best): (&usize, &Option<f64>)| Some((*best)? / value(m, i)?);
            let mut ratios: Vec<f64> = units.iter().zip(&best).filter_map(ratio).collect();
            ratios.sort_by(f64::total_cmp);
            // An instance without a value is not solved, and counts.
            let solved = ratios.len() as f64 / units.len() as f64;
            for (share, ratio) in cumulative(&ratios) {
                data.push([
                    panel.into(),
                    study.name(m).into(),
                    ratio.into(),
                    (share * solved).into(),
                    units.len().into(),
                ]);
            }
        }
    }
    if data.rows() == 0 {
        return Err(study.fault("no mechanism has a value on any instance"));
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("mechanism"), style);
    let most = 1.02 * data.numbers("ratio").into_iter().fold(1.0, f64::max);
    let scale =
        if most > 4.0 { Scale::Log { low: 1.0, high: most } } else { Scale::Linear { low: 1.0, high: most } };
    profiles(data, style, &series, &Axis::new("best value / value", scale), "ratio")
}
