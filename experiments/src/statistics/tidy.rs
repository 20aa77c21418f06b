//! Summaries as one tidy table: a row per number, with its interval where it has one.

use super::simulations::SimulationSummary;
use super::summary::{Group, Summary, Times};
use super::{Curve, Interval, Paired};
use crate::tables::schema::SUMMARY;
use crate::tables::{Cell, Format, Metadata, TableError, TableWriter};
use std::path::Path;

/// One number of a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    group: Option<String>,
    section: &'static str,
    method: String,
    against: Option<String>,
    measure: String,
    n: Option<usize>,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    unit: Option<String>,
}

/// Lines of one section of one group.
struct Section<'a> {
    lines: &'a mut Vec<Line>,
    group: &'a Option<String>,
    name: &'static str,
}

impl Section<'_> {
    fn push(
        &mut self,
        method: &str,
        against: Option<&str>,
        measure: &str,
        n: usize,
        value: Option<f64>,
    ) -> &mut Line {
        self.lines.push(Line {
            group: self.group.clone(),
            section: self.name,
            method: method.into(),
            against: against.map(str::to_string),
            measure: measure.into(),
            n: Some(n),
            value,
            ..Line::default()
        });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn interval(
        &mut self,
        method: &str,
        against: Option<&str>,
        measure: &str,
        n: usize,
        of: Option<&Interval>,
    ) {
        if let Some(of) = of {
            let line = self.push(method, against, measure, n, Some(of.mean));
            (line.low, line.high) = (Some(of.low), Some(of.high));
        }
    }

    fn paired(&mut self, method: &str, against: &str, p: &Paired) {
        let against = Some(against);
        for (measure, count) in [("wins", p.wins), ("ties", p.ties), ("losses", p.losses)] {
            self.push(method, against, measure, p.n, Some(count as f64));
        }
        for (measure, value) in [
            ("mean-difference", p.mean_difference),
            ("median-difference", p.median_difference),
            ("wilcoxon-p", p.p),
            ("rank-biserial", p.effect),
        ] {
            self.push(method, against, measure, p.n, value);
        }
    }

    fn curves(&mut self, curves: &[Curve], at: &[f64], n: usize) {
        for curve in curves {
            for (x, share) in at.iter().zip(&curve.share) {
                self.push(&curve.method, None, &format!("share-at-{x}"), n, Some(*share));
            }
        }
    }
}

/// `axis=value, ...`; nothing when all units are one group.
fn group_name(by: &[String], labels: &[String]) -> Option<String> {
    let pairs: Vec<String> = by.iter().zip(labels).map(|(axis, label)| format!("{axis}={label}")).collect();
    (!pairs.is_empty()).then(|| pairs.join(", "))
}

/// The lines of a study of instances.
pub fn of_instances(summary: &Summary) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in &summary.groups {
        group_lines(group, &group_name(&summary.by, &group.labels), &mut lines);
    }
    time_lines(&summary.times, &mut lines);
    lines
}

fn group_lines(group: &Group, name: &Option<String>, lines: &mut Vec<Line>) {
    let mut section = Section { lines, group: name, name: "value" };
    for value in &group.values {
        section.interval(&value.mechanism, None, "value-per-job", value.n, value.value_per_job.as_ref());
    }
    section.name = "gap";
    for gap in &group.gaps {
        let (method, against) = (gap.mechanism.as_str(), Some(gap.bound.as_str()));
        section.interval(method, against, "mean", gap.n, Some(&gap.mean));
        section.push(method, against, "p50", gap.n, Some(gap.p50));
        section.push(method, against, "p95", gap.n, Some(gap.p95));
        section.push(method, against, "worst", gap.n, Some(gap.worst)).unit = Some(gap.worst_unit.clone());
    }
    section.name = "decomposition";
    for part in &group.decomposition {
        for (measure, interval) in [
            ("walls", Some(&part.walls)),
            ("unproved", part.unproved.as_ref()),
            ("heuristic", Some(&part.heuristic)),
            ("integrality", part.integrality.as_ref()),
        ] {
            section.interval(&part.mechanism, Some("lp"), measure, part.n, interval);
        }
    }
    section.name = "paired";
    for pair in &group.paired {
        section.paired(&pair.mechanism, &pair.reference, &pair.paired);
    }
    section.name = "gap-profile";
    section.curves(&group.gap_profile, &group.gap_profile_at, group.units);
    section.name = "performance-profile";
    section.curves(&group.performance_profile, &group.performance_profile_at, group.units);
    section.name = "placement";
    for placement in &group.placements {
        let method = placement.placement.as_str();
        section.interval(method, None, "fragmented", placement.n, placement.fragmented.as_ref());
        section.push(method, None, "most-fragmented", placement.n, Some(placement.most as f64));
    }
    section.name = "price";
    for price in &group.prices {
        for (measure, interval) in [
            ("value-per-job", &price.value_per_job),
            ("value-of-a-cpu", &price.cpu),
            ("value-of-a-gb", &price.memory_gb),
        ] {
            section.interval(&price.bound, None, measure, group.units, interval.as_ref());
        }
    }
}

/// The lines of a study of simulations.
pub fn of_simulations(summary: &SimulationSummary) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in &summary.groups {
        let name = group_name(&summary.by, &group.labels);
        let cell = |policy: &str, load: Option<f64>| {
            let load = load.map(|load| format!("load={load}"));
            let parts = name.iter().cloned().chain([format!("policy={policy}")]).chain(load);
            Some(parts.collect::<Vec<_>>().join(", "))
        };
        for row in &group.completion {
            let group = cell(&row.policy, row.jobs_per_hour);
            let mut section = Section { lines: &mut lines, group: &group, name: "completion" };
            for (measure, interval) in [
                ("jct-mean-s", &row.jct_mean_s),
                ("jct-p99-s", &row.jct_p99_s),
                ("queueing-delay-mean-s", &row.queueing_delay_mean_s),
                ("gap-mean", &row.gap_mean),
            ] {
                section.interval(&row.mechanism, None, measure, row.n, interval.as_ref());
            }
            section.push(
                &row.mechanism,
                None,
                "runs-not-ended",
                row.n + row.without,
                Some(row.without as f64),
            );
        }
        for row in &group.speedups {
            let group = cell(&row.policy, row.jobs_per_hour);
            let mut section = Section { lines: &mut lines, group: &group, name: "speedup" };
            let against = Some(summary.reference.as_str());
            section.interval(&row.mechanism, against, "mean", row.paired.n, Some(&row.speedup));
            section.push(&row.mechanism, against, "p50", row.paired.n, Some(row.p50));
            section.push(&row.mechanism, against, "least", row.paired.n, Some(row.least));
            section.paired(&row.mechanism, &summary.reference, &row.paired);
        }
    }
    time_lines(&summary.times, &mut lines);
    lines
}

fn time_lines(times: &[Times], lines: &mut Vec<Line>) {
    let mut section = Section { lines, group: &None, name: "time" };
    for time in times {
        for (measure, seconds) in [
            ("geometric-mean-s", time.shifted_geometric_mean_s),
            ("p50-s", time.p50_s),
            ("p95-s", time.p95_s),
            ("most-s", time.most_s),
        ] {
            section.push(&time.method, Some(&time.kind), measure, time.n, Some(seconds));
        }
    }
}

/// Writes the table `summary`; `config` says what was summarised.
///
/// # Errors
/// A path that cannot be written.
pub fn write(lines: &[Line], path: &Path, format: Format, config: &str) -> Result<(), TableError> {
    let mut writer = TableWriter::create(path, &SUMMARY, &Metadata::new(config, None), format)?;
    for line in lines {
        writer.push(&[
            ("group", Cell::from(line.group.as_ref())),
            ("section", line.section.into()),
            ("method", (&line.method).into()),
            ("against", line.against.as_ref().into()),
            ("measure", (&line.measure).into()),
            ("n", line.n.into()),
            ("value", line.value.into()),
            ("low", line.low.into()),
            ("high", line.high.into()),
            ("unit", line.unit.as_ref().into()),
        ])?;
    }
    writer.finish()
}
