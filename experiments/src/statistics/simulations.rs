//! The summary of a study of simulations: completion times with intervals, and speedups paired by
//! workload.

use super::summary::{Times, seconds_of, times};
use super::{Interval, Paired, Units, bootstrap_mean, compare_paired, quantile, sorted};
use crate::error::suggestion;
use crate::tables::schema::RUNS;
use crate::tables::{Frame, TableError};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Runs of a study of simulations: only the columns that statistics need.
#[derive(Debug)]
pub struct Runs {
    /// The units.
    pub units: Units,
    /// Mechanisms in the order of the study.
    pub mechanisms: Vec<String>,
    runs: Vec<Run>,
    seconds: BTreeMap<(String, String), Vec<f64>>,
}

#[derive(Debug)]
struct Run {
    unit: usize,
    policy: String,
    jobs_per_hour: Option<f64>,
    mechanism: usize,
    ended_well: bool,
    jct_mean_s: Option<f64>,
    jct_p99_s: Option<f64>,
    queueing_delay_mean_s: Option<f64>,
    gap_mean: Option<f64>,
    load_measured: Option<f64>,
}

/// Whether the results of a directory are simulations.
pub fn are_simulations(directory: &Path) -> bool {
    directory.join(format!("{}.parquet", RUNS.name)).exists()
        && !directory.join(format!("{}.parquet", crate::tables::schema::MECHANISMS.name)).exists()
}

impl Runs {
    /// Reads the tables of a results directory.
    ///
    /// # Errors
    /// A table that is missing, damaged, or of another schema version.
    pub fn read(directory: &Path) -> Result<Self, TableError> {
        let units = Units::read(directory)?;
        let place: HashMap<&str, usize> =
            units.ids.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        let numbers = [
            "jobs_per_hour",
            "jct_mean_s",
            "jct_p99_s",
            "queueing_delay_mean_s",
            "gap_mean",
            "load_measured",
        ];
        let columns: Vec<&str> =
            ["unit", "policy", "mechanism", "status"].into_iter().chain(numbers).collect();
        let frame = Frame::read(&directory.join(format!("{}.parquet", RUNS.name)), &RUNS, &columns)?;
        let (unit, policy) = (frame.text("unit")?, frame.text("policy")?);
        let (mechanism, status) = (frame.text("mechanism")?, frame.text("status")?);
        let mut values = HashMap::new();
        for name in numbers {
            values.insert(name, frame.real(name)?);
        }
        let (mut runs, mut mechanisms) = (Vec::with_capacity(frame.rows()), Vec::<String>::new());
        for row in 0..frame.rows() {
            let Some(&at) = unit[row].and_then(|unit| place.get(unit)) else { continue };
            let name = mechanism[row].unwrap_or_default();
            let known = mechanisms.iter().position(|known| known == name);
            let number = |name: &str| values.get(name).and_then(|column| column[row]);
            runs.push(Run {
                unit: at,
                policy: policy[row].unwrap_or_default().to_string(),
                jobs_per_hour: number("jobs_per_hour"),
                mechanism: known.unwrap_or_else(|| {
                    mechanisms.push(name.to_string());
                    mechanisms.len() - 1
                }),
                ended_well: status[row] == Some("ok"),
                jct_mean_s: number("jct_mean_s"),
                jct_p99_s: number("jct_p99_s"),
                queueing_delay_mean_s: number("queueing_delay_mean_s"),
                gap_mean: number("gap_mean"),
                load_measured: number("load_measured"),
            });
        }
        let seconds = seconds_of(directory)?;
        Ok(Runs { units, mechanisms, runs, seconds })
    }
}

/// The summary of a study of simulations.
#[derive(Debug, Clone, Serialize)]
pub struct SimulationSummary {
    /// Version of this structure.
    pub schema: &'static str,
    /// Where the results are.
    pub directory: String,
    /// Units in all.
    pub units: usize,
    /// Axes that groups are made by.
    pub by: Vec<String>,
    /// What speedups are against.
    pub reference: String,
    /// One per combination of the axes' values; a single one without axes.
    pub groups: Vec<SimulationGroup>,
    /// Times of every computation, over all units.
    pub times: Vec<Times>,
}

/// Statistics of one group of units.
#[derive(Debug, Clone, Serialize)]
pub struct SimulationGroup {
    /// Values of the axes.
    pub labels: Vec<String>,
    /// Units.
    pub units: usize,
    /// By policy, load and mechanism.
    pub completion: Vec<CompletionStatistics>,
    /// By policy, load and mechanism but the reference.
    pub speedups: Vec<SpeedupStatistics>,
}

/// Completion times of the runs of one policy, load and mechanism. A run that did not end well is left out.
#[derive(Debug, Clone, Serialize)]
pub struct CompletionStatistics {
    /// Policy.
    pub policy: String,
    /// Arrival rate, where the study sets it.
    pub jobs_per_hour: Option<f64>,
    /// Mechanism, or the bound in its place.
    pub mechanism: String,
    /// Runs.
    pub n: usize,
    /// Runs that starved, failed or ended early.
    pub without: usize,
    /// Mean JCT of a run: its mean over the runs.
    pub jct_mean_s: Option<Interval>,
    /// 99th percentile of a run's JCT: its mean over the runs.
    pub jct_p99_s: Option<Interval>,
    /// Mean queueing delay of a run: its mean over the runs.
    pub queueing_delay_mean_s: Option<Interval>,
    /// Mean gap of a run's rounds: its mean over the runs, where the study computes gaps.
    pub gap_mean: Option<Interval>,
    /// Largest offered load at the throughput that was reached; at 1 and above, means depend on the window.
    pub load_measured: Option<f64>,
}

/// Mean JCT of the reference / mean JCT of a mechanism on the same workload, policy and load: above 1
/// the mechanism is faster.
#[derive(Debug, Clone, Serialize)]
pub struct SpeedupStatistics {
    /// Policy.
    pub policy: String,
    /// Arrival rate, where the study sets it.
    pub jobs_per_hour: Option<f64>,
    /// The mechanism.
    pub mechanism: String,
    /// Mean of the ratios.
    pub speedup: Interval,
    /// Median of the ratios.
    pub p50: f64,
    /// Smallest of the ratios.
    pub least: f64,
    /// Speedup - 1, paired by workload.
    #[serde(flatten)]
    pub paired: Paired,
}

/// Relative difference of completion times up to which two mechanisms tie.
const TIE: f64 = 1e-9;

/// Summarises runs by the values of `by`, policy and load; speedups are against `reference`.
///
/// # Errors
/// An axis or reference that the results do not have.
pub fn summarise_runs(
    runs: &Runs,
    directory: &Path,
    by: &[String],
    reference: &str,
) -> Result<SimulationSummary, String> {
    let known = runs.mechanisms.iter().position(|name| name == reference);
    let known = known.ok_or_else(|| {
        let names = runs.mechanisms.iter().map(String::as_str);
        format!("the results have no mechanism {reference:?}{}", suggestion(reference, names))
    })?;
    let members = runs.units.grouped(by)?;
    let mut groups = Vec::with_capacity(members.len());
    for (labels, units) in members {
        groups.push(group(runs, labels, &units, known));
    }
    Ok(SimulationSummary {
        schema: "synergy-simulation-summary/1",
        directory: directory.display().to_string(),
        units: runs.units.ids.len(),
        by: by.to_vec(),
        reference: reference.to_string(),
        groups,
        times: times(&runs.seconds),
    })
}

fn group(runs: &Runs, labels: Vec<String>, units: &[usize], reference: usize) -> SimulationGroup {
    // In the order of the tables, which is that of the study.
    let mut cells: Vec<(&str, Option<f64>)> = Vec::new();
    let mut members: Vec<Vec<&Run>> = Vec::new();
    for run in runs.runs.iter().filter(|run| units.binary_search(&run.unit).is_ok()) {
        let cell = (run.policy.as_str(), run.jobs_per_hour);
        let at = cells.iter().position(|known| *known == cell).unwrap_or_else(|| {
            cells.push(cell);
            members.push(Vec::new());
            cells.len() - 1
        });
        members[at].push(run);
    }
    let label = labels.join(" ");
    let (mut completion, mut speedups) = (Vec::new(), Vec::new());
    for ((policy, jobs_per_hour), members) in cells.into_iter().zip(members) {
        let of_unit = |mechanism: usize| -> HashMap<usize, f64> {
            let ended = members.iter().filter(|run| run.mechanism == mechanism && run.ended_well);
            ended.filter_map(|run| Some((run.unit, run.jct_mean_s?))).collect()
        };
        let base = of_unit(reference);
        for (m, mechanism) in runs.mechanisms.iter().enumerate() {
            let own: Vec<&&Run> = members.iter().filter(|run| run.mechanism == m).collect();
            if own.is_empty() {
                continue;
            }
            let purpose = |what: &str| format!("{label} {policy} {jobs_per_hour:?} {mechanism} {what}");
            let interval = |what: &str, of: fn(&Run) -> Option<f64>| {
                let ended = own.iter().filter(|run| run.ended_well);
                bootstrap_mean(&ended.filter_map(|run| of(run)).collect::<Vec<_>>(), &purpose(what))
            };
            let ended = own.iter().filter(|run| run.ended_well).count();
            completion.push(CompletionStatistics {
                policy: policy.into(),
                jobs_per_hour,
                mechanism: mechanism.clone(),
                n: ended,
                without: own.len() - ended,
                jct_mean_s: interval("jct", |run| run.jct_mean_s),
                jct_p99_s: interval("jct p99", |run| run.jct_p99_s),
                queueing_delay_mean_s: interval("delay", |run| run.queueing_delay_mean_s),
                gap_mean: interval("gap", |run| run.gap_mean),
                load_measured: own.iter().filter_map(|run| run.load_measured).reduce(f64::max),
            });
            if m == reference {
                continue;
            }
            let theirs = of_unit(m);
            let ratios: Vec<f64> = units
                .iter()
                .filter_map(|unit| Some((*base.get(unit)?, *theirs.get(unit)?)))
                .filter(|(_, ours)| *ours > 0.0)
                .map(|(base, ours)| base / ours)
                .collect();
            let ascending = sorted(&ratios);
            if let (Some(speedup), Some(p50)) =
                (bootstrap_mean(&ratios, &purpose("speedup")), quantile(&ascending, 0.5))
            {
                let pairs: Vec<(f64, f64)> = ratios.iter().map(|ratio| (*ratio, 1.0)).collect();
                speedups.push(SpeedupStatistics {
                    policy: policy.into(),
                    jobs_per_hour,
                    mechanism: mechanism.clone(),
                    speedup,
                    p50,
                    least: ascending[0],
                    paired: compare_paired(&pairs, TIE),
                });
            }
        }
    }
    SimulationGroup { units: units.len(), completion, speedups, labels }
}
