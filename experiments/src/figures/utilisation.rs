//! GPUs, CPUs and memory over time.

use super::data::Data;
use super::inputs::simulations;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::simulator::SimulationSpec;
use crate::tables::schema::ROUNDS;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "utilisation",
    shows: "GPUs held, CPUs and memory held and needed, as shares of the cluster over time",
    from: "simulations (rounds.parquet)",
    columns: &["panel", "resource", "mechanism", "time_h", "share"],
    data,
    draw,
};

/// Stretches of time that are averaged over: more would be noise in a column.
const BINS: usize = 120;

/// Resources: name, column, and whether it is of the cluster's GPUs, CPUs or memory.
const RESOURCES: [(&str, &str, usize); 5] = [
    ("GPUs held", "gpus_allocated", 0),
    ("CPUs held", "cpus_allocated", 1),
    ("CPUs needed", "cpus_used", 1),
    ("memory held", "memory_gb_allocated", 2),
    ("memory needed", "memory_gb_used", 2),
];

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let labels = ["input", "policy", "mechanism", "jobs_per_hour", "seed"];
    let mut numbers = vec!["time_s", "rounds"];
    numbers.extend(RESOURCES.iter().map(|(_, column, _)| *column));
    let rows = simulations(inputs, &ROUNDS, &labels[1..], &numbers, options)?;
    let (panel, panels) = rows.panels(&["input", "policy", "jobs_per_hour"], options)?;
    let mut notes = Vec::new();
    let seeds = rows.distinct("seed");
    let seed = seeds[0].clone();
    if seeds.len() > 1 && !options.by.iter().any(|by| by == "seed") {
        notes.push(format!("seed {seed} of {}; choose another with --only seed=N", seeds.join(", ")));
    }
    let any_seed = options.by.iter().any(|by| by == "seed");
    let mut data = Data::new(FIGURE.columns);
    for name in &panels {
        for (resource, column, kind) in RESOURCES {
            for mechanism in rows.mechanisms(options) {
                let members: Vec<usize> = (0..rows.len())
                    .filter(|&row| {
                        panel[row] == *name
                            && rows.label("mechanism", row) == mechanism
                            && (any_seed || rows.label("seed", row) == seed)
                    })
                    .collect();
                let Some(&first) = members.first() else { continue };
                let (capacity, round_s) = cluster(&rows, rows.label("input", first))?;
                let stretches: Vec<(f64, f64, f64)> = members
                    .iter()
                    .filter_map(|&row| {
                        let start = rows.number("time_s", row)?;
                        let end = start + rows.number("rounds", row)? * round_s;
                        Some((start, end, rows.number(column, row)? / capacity[kind]))
                    })
                    .collect();
                if stretches.is_empty() && kind > 0 {
                    notes.push(format!("{mechanism}: {resource} is unknown"));
                }
                for (time_s, share) in averages(&stretches) {
                    data.push([
                        name.into(),
                        resource.into(),
                        (&mechanism).into(),
                        (time_s / 3600.0).into(),
                        share.into(),
                    ]);
                }
            }
        }
    }
    notes.dedup();
    Ok(Collected { data, notes })
}

/// GPUs, CPUs and GB of an input's cluster, and the length of its rounds.
fn cluster(rows: &super::inputs::Rows, input: &str) -> Result<([f64; 3], f64), FigureError> {
    let text = rows.configurations.get(input).map_or("", String::as_str);
    let fault = |reason: String| {
        rows.fault(format_args!("the footer of rounds.parquet holds no simulation ({reason})"))
    };
    let spec: SimulationSpec = toml::from_str(text).map_err(|e| fault(e.message().to_string()))?;
    let cluster = spec.workload.cluster.build().map_err(|e| fault(e.to_string()))?;
    let capacity = cluster.capacity();
    Ok(([cluster.gpus() as f64, capacity.cpus(), capacity.memory_gb()], spec.round_s))
}

/// Means over [`BINS`] equal stretches of time, each at its middle. Time that no stretch covers does
/// not count; a bin without any is left out.
fn averages(stretches: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let start = stretches.iter().map(|s| s.0).fold(f64::INFINITY, f64::min);
    let end = stretches.iter().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
    let width = (end - start) / BINS as f64;
    if !(width.is_finite() && width > 0.0) {
        return Vec::new();
    }
    let mut sums = [(0.0, 0.0); BINS];
    for &(from, to, share) in stretches {
        let first = (((from - start) / width) as usize).min(BINS - 1);
        let last = (((to - start) / width) as usize).min(BINS - 1);
        for (bin, sum) in sums.iter_mut().enumerate().take(last + 1).skip(first) {
            let left = start + bin as f64 * width;
            let covered = (to.min(left + width) - from.max(left)).max(0.0);
            sum.0 += covered;
            sum.1 += covered * share;
        }
    }
    let middle = |bin: usize| start + (bin as f64 + 0.5) * width;
    let bins = sums.iter().enumerate().filter(|(_, (covered, _))| *covered > 0.0);
    bins.map(|(bin, (covered, sum))| (middle(bin), sum / covered)).collect()
}

fn draw(data: &Data, style: &Style) -> Sheet {
    /// Beyond this many hours a reader counts days.
    const DAYS_FROM_H: f64 = 120.0;
    let series = Series::new(data.distinct("mechanism"), style);
    let hours = data.numbers("time_h");
    let days = hours.iter().copied().fold(0.0, f64::max) > DAYS_FROM_H;
    let (unit_h, label) = if days { (24.0, "time (days)") } else { (1.0, "time (h)") };
    let x = Axis::new(label, Scale::linear(hours.iter().map(|h| h / unit_h)));
    let mut panels = Vec::new();
    for heading in data.distinct("panel") {
        for resource in data.distinct("resource") {
            let title = if heading.is_empty() { resource.clone() } else { format!("{heading}: {resource}") };
            let mut panel =
                Panel::new(title, x.clone(), Axis::new("share", Scale::Linear { low: 0.0, high: 1.05 }));
            for (mechanism, look) in series.iter() {
                let cells = [("panel", heading.as_str()), ("resource", &resource), ("mechanism", mechanism)];
                let mut points = data.pairs(&data.matching(&cells), "time_h", "share");
                points.iter_mut().for_each(|point| point.0 /= unit_h);
                panel.marks.push(Mark::Line { points, look });
            }
            panels.push(panel);
        }
    }
    Sheet { key: series.key(style, Swatch::Line), panels, across: 1, panel_height: 48.0, ..Sheet::default() }
}

#[cfg(test)]
mod tests {
    use super::{BINS, averages};

    #[test]
    fn averages_weigh_by_time() {
        let end = BINS as f64;
        // Share 1 until the middle of the second bin, then 0.
        let means = averages(&[(0.0, 1.5, 1.0), (1.5, end, 0.0)]);
        assert_eq!(means.len(), BINS);
        assert_eq!(means[0], (0.5, 1.0));
        assert!((means[1].1 - 0.5).abs() < 1e-12 && means[2].1 == 0.0);
        assert!(averages(&[]).is_empty());
        // A hole of time is no idle time.
        assert_eq!(averages(&[(0.0, 1.0, 0.5), (end - 1.0, end, 0.5)]).len(), 2);
    }
}
