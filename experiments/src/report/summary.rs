//! What a reader wants to know first, from whichever tables a directory has.

use super::html::Html;
use crate::error::{CliError, InputError};
use crate::statistics::Interval;
use crate::statistics::mean;
use crate::statistics::summary::{Results, summarise};
use crate::tables::{Frame, schema};
use std::path::Path;

/// A small table with a sentence on what it shows.
#[derive(Debug)]
pub(super) struct Part {
    sentence: String,
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Part {
    pub(super) fn write(&self, page: &mut Html) {
        page.element("p", "", &self.sentence);
        page.table(&self.sentence, &self.headings, &self.rows);
    }
}

/// The summaries that the tables of a directory allow; `has` says which there are.
///
/// # Errors
/// A table that is damaged.
pub(super) fn of(directory: &Path, has: &dyn Fn(&str) -> bool) -> Result<Vec<Part>, CliError> {
    let mut parts = Vec::new();
    if has("claims") {
        parts.push(claims(directory)?);
    }
    if ["instances", "bounds", "placements", "mechanisms", "gaps", "timings"].iter().all(|name| has(name)) {
        parts.extend(study(directory)?);
    }
    if has("runs") {
        parts.push(simulations(directory)?);
    }
    Ok(parts)
}

fn percent(share: f64) -> String {
    // Certified bounds lie above the optimum by rounding: no "-0.00".
    format!("{:.2}", 100.0 * share).replace("-0.00", "0.00")
}

fn with_interval(interval: &Interval, show: impl Fn(f64) -> String) -> String {
    format!("{} [{}, {}]", show(interval.mean), show(interval.low), show(interval.high))
}

/// What a recipe of `synergy reproduce` found, beside what the paper says.
fn claims(directory: &Path) -> Result<Part, CliError> {
    let frame = Frame::read(&directory.join("claims.parquet"), &schema::CLAIMS, &[])?;
    let text = |name| Ok::<_, CliError>(frame.text(name)?.into_iter().map(|t| t.unwrap_or("-").to_string()));
    let (mut claims, mut titles, mut quantities) = (text("claim")?, text("title")?, text("quantity")?);
    let (mut units, mut papers) = (text("unit")?, text("paper")?);
    let (mut verdicts, mut reasons) = (text("verdict")?, text("why")?);
    let (values, lows, highs) = (frame.real("value")?, frame.real("low")?, frame.real("high")?);
    let mut rows = Vec::new();
    for row in 0..frame.rows() {
        let unit = units.next().filter(|unit| unit != "-").map_or(String::new(), |unit| format!(" {unit}"));
        let interval = lows[row].zip(highs[row]).map_or(String::new(), |(l, h)| format!(" [{l:.2}, {h:.2}]"));
        let ours = values[row].map_or("-".into(), |value| format!("{value:.2}{interval}{unit}"));
        let next = |column: &mut dyn Iterator<Item = String>| column.next().unwrap_or_default();
        rows.push(vec![
            next(&mut claims),
            next(&mut titles),
            next(&mut quantities),
            ours,
            next(&mut papers),
            next(&mut verdicts),
            next(&mut reasons),
        ]);
    }
    Ok(Part {
        sentence:
            "What was measured beside what the paper says; intervals are 95 % of the mean (Student's t)."
                .into(),
        headings: vec!["<claim", "<measured", "<quantity", "ours", "<paper", "<verdict", "<why"],
        rows,
    })
}

/// Values and gaps by mechanism.
fn study(directory: &Path) -> Result<Vec<Part>, CliError> {
    let results = Results::read(directory)?;
    let reference = if results.mechanisms.iter().any(|name| name == "tune") {
        "tune".to_string()
    } else {
        results.mechanisms.first().cloned().unwrap_or_default()
    };
    let invalid = |message: String| CliError::from(InputError::whole(directory.display(), message));
    let summary = summarise(&results, directory, &[], &reference).map_err(invalid)?;
    let mut parts = Vec::new();
    // A study of simulations has instances and no gaps.
    for group in summary.groups.iter().filter(|group| !group.gaps.is_empty()) {
        let values = |mechanism: &str| {
            let found = group.values.iter().find(|value| value.mechanism == mechanism);
            let value = found.and_then(|value| value.value_per_job.as_ref());
            value.map_or("-".into(), |interval| with_interval(interval, |v| format!("{v:.4}")))
        };
        let rows = (group.gaps.iter())
            .map(|gap| {
                vec![
                    gap.mechanism.clone(),
                    gap.bound.clone(),
                    gap.n.to_string(),
                    gap.without.to_string(),
                    with_interval(&gap.mean, percent),
                    percent(gap.p50),
                    percent(gap.p95),
                    percent(gap.worst),
                    values(&gap.mechanism),
                ]
            })
            .collect();
        parts.push(Part {
            sentence: format!(
                "{} instances. Gaps are (bound - value) / bound in percent, against bounds that hold for the \
                 allocation (best: the least of them); intervals are bootstrap 95 % of the mean.",
                group.units
            ),
            headings: vec![
                "<mechanism",
                "<bound",
                "instances",
                "without a gap",
                "gap % [95 %]",
                "median",
                "95th percentile",
                "worst",
                "value per job [95 %]",
            ],
            rows,
        });
    }
    Ok(parts)
}

/// Mean completion times by policy, load and mechanism.
fn simulations(directory: &Path) -> Result<Part, CliError> {
    let frame = Frame::read(&directory.join("runs.parquet"), &schema::RUNS, &[])?;
    let (policies, mechanisms) = (frame.labels("policy")?, frame.labels("mechanism")?);
    let rates = frame.real("jobs_per_hour")?;
    let (statuses, sizes) = (frame.labels("status")?, frame.labels("gpus")?);
    let (loads, jct, p99) =
        (frame.real("load_baseline")?, frame.real("jct_mean_s")?, frame.real("jct_p99_s")?);
    let (rho, gpus) = (frame.real("rho_mean")?, frame.real("gpus_allocated")?);
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for row in 0..frame.rows() {
        let same = |&(first, _): &(usize, Vec<usize>)| {
            policies[first] == policies[row]
                && mechanisms[first] == mechanisms[row]
                && sizes[first] == sizes[row]
                && rates[first].map(f64::to_bits) == rates[row].map(f64::to_bits)
        };
        match groups.iter().position(same) {
            Some(group) => groups[group].1.push(row),
            None => groups.push((row, vec![row])),
        }
    }
    let over = |column: &[Option<f64>], rows: &[usize]| {
        mean(&rows.iter().filter_map(|&row| column[row]).collect::<Vec<f64>>())
    };
    let shown = |value: Option<f64>, factor: f64, decimals: usize| {
        value.map_or("-".to_string(), |value| format!("{:.decimals$}", factor * value))
    };
    let rows = (groups.iter())
        .map(|(first, rows)| {
            let mut ends: Vec<&str> = rows.iter().map(|&row| statuses[row].as_str()).collect();
            ends.sort_unstable();
            ends.dedup();
            vec![
                policies[*first].clone(),
                mechanisms[*first].clone(),
                sizes[*first].clone(),
                rates[*first].map_or("-".into(), |rate| rate.to_string()),
                rows.len().to_string(),
                shown(over(&loads, rows), 1.0, 3),
                shown(over(&jct, rows), 1.0 / 3600.0, 2),
                shown(over(&p99, rows), 1.0 / 3600.0, 2),
                shown(over(&rho, rows), 1.0, 3),
                shown(over(&gpus, rows), 100.0, 1),
                ends.join(", "),
            ]
        })
        .collect();
    Ok(Part {
        sentence: format!(
            "{} simulations. Numbers are means over the runs of a row; load is at the baseline rate, and above 1 \
             the queue grows without end.",
            frame.rows()
        ),
        headings: vec![
            "<policy",
            "<mechanism",
            "GPUs",
            "jobs per hour",
            "runs",
            "load",
            "mean JCT (h)",
            "p99 JCT (h)",
            "mean rho",
            "GPUs held (%)",
            "<ended",
        ],
        rows,
    })
}
