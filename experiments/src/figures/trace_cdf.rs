//! Distribution functions of what a trace holds: demand, run time and queueing delay.

use super::data::Data;
use super::gap_cdf::cumulative;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch, steps};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::describe::{SIZES, size_class};
use crate::trace::{self, Trace, TraceJob};
use std::path::PathBuf;

pub static DEMAND: Figure = Figure {
    name: "trace-demand",
    shows: "distribution of GPU demands over the jobs of a trace and over their GPU time",
    from: "a jobs table (synergy import or generate)",
    columns: &["of", "gpus", "share"],
    data: demand_data,
    draw: demand_sheet,
};

pub static DURATION: Figure = Figure {
    name: "trace-duration",
    shows: "distribution of run times of a trace, by GPU demand",
    from: "a jobs table with durations",
    columns: COLUMNS,
    data: |inputs, _| by_size(inputs, "no job has a duration", |job| job.duration_s),
    draw: |data, style| sheet(data, style, "run time (s)"),
};

pub static QUEUEING: Figure = Figure {
    name: "trace-queueing",
    shows: "distribution of queueing delays in a trace's own cluster, by GPU demand",
    from: "a jobs table with queueing delays",
    columns: COLUMNS,
    data: |inputs, _| by_size(inputs, "no job has a queueing delay", |job| job.queue_s),
    draw: |data, style| sheet(data, style, "queueing delay (s)"),
};

const COLUMNS: &[&str] = &["size", "seconds", "share", "jobs"];

/// Most points of a curve: more than a column of print has dots.
const MOST_POINTS: usize = 400;

/// Shortest time on the logarithmic axis.
const LEAST_S: f64 = 1.0;

/// The one trace of the inputs.
pub(super) fn read(inputs: &[PathBuf]) -> Result<Trace, FigureError> {
    match inputs {
        [file] if !file.is_dir() => Ok(trace::read(file)?),
        _ => Err(FigureError::data("inputs", "give one jobs table (synergy import ... --out jobs.parquet)")),
    }
}

/// As many of the points as a curve needs, each as it was; the first and the last always.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let last = points.len().saturating_sub(1);
    if last < MOST_POINTS {
        return points;
    }
    (0..=MOST_POINTS).map(|i| points[i * last / MOST_POINTS]).collect()
}

fn demand_data(inputs: &[PathBuf], _: &Options) -> Result<Collected, FigureError> {
    let trace = read(inputs)?;
    let mut data = Data::new(DEMAND.columns);
    let weighted = |weight: &dyn Fn(&TraceJob) -> Option<f64>| -> Option<Vec<(u32, f64)>> {
        let mut sums = std::collections::BTreeMap::new();
        for job in &trace.jobs {
            *sums.entry(job.gpus).or_insert(0.0) += weight(job)?;
        }
        let total: f64 = sums.values().sum();
        let mut below = 0.0;
        let share = |(gpus, sum): (u32, f64)| {
            below += sum;
            (gpus, below / total)
        };
        (total > 0.0).then(|| sums.into_iter().map(share).collect())
    };
    let mut notes = Vec::new();
    let gpu_time = weighted(&|job| Some(job.duration_s? * f64::from(job.gpus)));
    if gpu_time.is_none() {
        notes.push("GPU time is unknown: there are jobs without a duration".to_string());
    }
    for (of, curve) in [("jobs", weighted(&|_| Some(1.0))), ("GPU time", gpu_time)] {
        for (gpus, share) in curve.unwrap_or_default() {
            data.push([of.into(), f64::from(gpus).into(), share.into()]);
        }
    }
    Ok(Collected { data, notes })
}

fn demand_sheet(data: &Data, style: &Style) -> Sheet {
    let series = Series::new(data.distinct("of"), style);
    let scale = Scale::log(data.numbers("gpus"));
    let Scale::Log { low, high } = scale else { return Sheet::default() };
    let y = Axis::new("share at most as large", Scale::Linear { low: 0.0, high: 1.02 });
    let mut panel = Panel::new("", Axis::new("GPU demand of the job", scale), y);
    for (of, look) in series.iter() {
        let points = data.pairs(&data.matching(&[("of", of)]), "gpus", "share");
        panel.marks.push(Mark::Line { points: steps(&points, (low, 0.0), high), look });
    }
    Sheet { key: series.key(style, Swatch::Line), panels: vec![panel], ..Sheet::default() }
}

fn by_size(
    inputs: &[PathBuf],
    none: &str,
    of: fn(&TraceJob) -> Option<f64>,
) -> Result<Collected, FigureError> {
    let trace = read(inputs)?;
    let mut data = Data::new(COLUMNS);
    let mut unknown = 0;
    for (size, ..) in SIZES {
        let own = || trace.jobs.iter().filter(|job| size_class(job.gpus) == size);
        let mut seconds: Vec<f64> = own().filter_map(of).collect();
        unknown += own().count() - seconds.len();
        seconds.sort_by(f64::total_cmp);
        for (share, value) in thinned(cumulative(&seconds)) {
            data.push([format!("{size} GPU").into(), value.into(), share.into(), seconds.len().into()]);
        }
    }
    if data.rows() == 0 {
        return Err(FigureError::data(inputs[0].display(), none));
    }
    let notes = (unknown > 0).then(|| format!("{unknown} of {} jobs are unknown", trace.jobs.len()));
    Ok(Collected { data, notes: notes.into_iter().collect() })
}

fn sheet(data: &Data, style: &Style, label: &str) -> Sheet {
    let series = Series::new(data.distinct("size"), style);
    let seconds = data.numbers("seconds");
    let short = seconds.iter().any(|s| *s < LEAST_S);
    let scale = Scale::log(seconds.into_iter().map(|s| s.max(LEAST_S)));
    let Scale::Log { low, high } = scale else { return Sheet::default() };
    let y = Axis::new("share of jobs", Scale::Linear { low: 0.0, high: 1.02 });
    let mut panel = Panel::new("", Axis::new(label, scale), y);
    for (size, look) in series.iter() {
        let mut points = data.pairs(&data.matching(&[("size", size)]), "seconds", "share");
        points.iter_mut().for_each(|point| point.0 = point.0.max(LEAST_S));
        panel.marks.push(Mark::Line { points: steps(&points, (low, 0.0), high), look });
    }
    let notes = short.then(|| "Less than 1 s is drawn at 1 s".to_string()).into_iter().collect();
    Sheet { key: series.key(style, Swatch::Line), notes, panels: vec![panel], ..Sheet::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_ends_and_only_points_of_its_own() {
        let curve: Vec<(f64, f64)> = (0..12_345).map(|i| (f64::from(i), f64::from(i) / 7.0)).collect();
        let thin = thinned(curve.clone());
        assert_eq!((thin.len(), thin[0], thin[MOST_POINTS]), (MOST_POINTS + 1, curve[0], curve[12_344]));
        assert!(thin.iter().all(|point| curve.contains(point)));
        assert_eq!(thinned(curve[..MOST_POINTS].to_vec()), curve[..MOST_POINTS]);
        assert!(thinned(Vec::new()).is_empty());
    }
}
