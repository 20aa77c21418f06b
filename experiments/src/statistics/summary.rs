//! The summary of a results directory: where the gaps come from, how sure that is, and where it is worst.

use super::units::Units;
use super::{
    Curve, Interval, Paired, bootstrap_mean, compare_paired, gap_profile, performance_profile, quantile,
    shifted_geometric_mean, sorted,
};
use crate::study::scope_of;
use crate::tables::schema::{BOUNDS, MECHANISMS, PLACEMENTS, TIMINGS};
use crate::tables::{Frame, TableError};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use synergy_solver::bounds::Scope;
use synergy_solver::check::Verdicts;

/// A study's tables by unit, in memory: only the columns that statistics need.
#[derive(Debug)]
pub struct Results {
    units: Units,
    /// Names in the order of the study.
    pub mechanisms: Vec<String>,
    /// Names in the order of the study.
    pub bounds: Vec<String>,
    placements: Vec<String>,
    /// By mechanism and unit.
    values: Vec<Vec<Option<Outcome>>>,
    /// By bound and unit.
    published: Vec<Vec<Option<BoundValue>>>,
    /// Fragmented jobs, by placement and unit.
    fragmented: Vec<Vec<Option<i64>>>,
    /// Bounds that could not be certified.
    pub uncertified: usize,
    /// Seconds, by kind and method.
    seconds: BTreeMap<(String, String), Vec<f64>>,
}

/// What one mechanism reached on one instance.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome {
    value: f64,
    value_per_job: Option<f64>,
    verdicts: Verdicts,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct BoundValue {
    published: f64,
    scope: Scope,
    shadow_price_cpu: Option<f64>,
    shadow_price_memory_gb: Option<f64>,
}

/// Reads one table after the other; what a table holds beside its numbers is gone before the next.
struct Tables<'a> {
    directory: &'a Path,
    place: HashMap<&'a str, usize>,
    units: usize,
}

/// Names, and an entry by name and unit.
type ByUnit<T> = (Vec<String>, Vec<Vec<Option<T>>>);

impl Tables<'_> {
    fn path(&self, table: &crate::tables::Table) -> PathBuf {
        self.directory.join(format!("{}.parquet", table.name))
    }

    fn at(&self, unit: Option<&str>) -> Option<usize> {
        self.place.get(unit?).copied()
    }

    /// What every mechanism reached.
    fn mechanisms(&self) -> Result<ByUnit<Outcome>, TableError> {
        let frame = Frame::read(
            &self.path(&MECHANISMS),
            &MECHANISMS,
            &["unit", "mechanism", "value", "value_per_job", "valid", "consolidated", "fair", "complete"],
        )?;
        let mut mechanisms = Names::default();
        let mut values: Vec<Vec<Option<Outcome>>> = Vec::new();
        let (unit, name) = (frame.text("unit")?, frame.text("mechanism")?);
        let (value, per_job) = (frame.real("value")?, frame.real("value_per_job")?);
        let flags =
            [frame.flag("valid")?, frame.flag("fair")?, frame.flag("complete")?, frame.flag("consolidated")?];
        for row in 0..frame.rows() {
            let (Some(i), Some(name)) = (self.at(unit[row]), name[row]) else { continue };
            let m = mechanisms.index(name, &mut values, self.units);
            let flag = |f: usize| flags[f][row] == Some(true);
            values[m][i] = value[row].map(|value| Outcome {
                value,
                value_per_job: per_job[row],
                verdicts: Verdicts {
                    valid: flag(0),
                    fair: flag(1),
                    complete: flag(2),
                    consolidated: flag(3),
                },
            });
        }
        Ok((mechanisms.0, values))
    }

    /// Every bound, and how many could not be certified.
    fn bounds(&self) -> Result<(ByUnit<BoundValue>, usize), TableError> {
        let frame = Frame::read(
            &self.path(&BOUNDS),
            &BOUNDS,
            &["unit", "bound", "status", "scope", "published", "shadow_price_cpu", "shadow_price_memory_gb"],
        )?;
        let mut bounds = Names::default();
        let mut published: Vec<Vec<Option<BoundValue>>> = Vec::new();
        let (unit, name, scope) = (frame.text("unit")?, frame.text("bound")?, frame.text("scope")?);
        let statuses = frame.text("status")?;
        let uncertified = statuses.iter().filter(|status| **status == Some("uncertified")).count();
        let number = frame.real("published")?;
        let (cpu, memory) = (frame.real("shadow_price_cpu")?, frame.real("shadow_price_memory_gb")?);
        for row in 0..frame.rows() {
            let (Some(i), Some(name)) = (self.at(unit[row]), name[row]) else { continue };
            let Some(scope) = scope[row].and_then(scope_of) else { continue };
            let b = bounds.index(name, &mut published, self.units);
            published[b][i] = number[row].map(|published| BoundValue {
                published,
                scope,
                shadow_price_cpu: cpu[row],
                shadow_price_memory_gb: memory[row],
            });
        }
        Ok(((bounds.0, published), uncertified))
    }

    /// Fragmented jobs of every placement.
    fn placements(&self) -> Result<ByUnit<i64>, TableError> {
        let frame = Frame::read(&self.path(&PLACEMENTS), &PLACEMENTS, &["unit", "placement", "fragmented"])?;
        let mut placements = Names::default();
        let mut fragmented: Vec<Vec<Option<i64>>> = Vec::new();
        let (unit, name, jobs) = (frame.text("unit")?, frame.text("placement")?, frame.int("fragmented")?);
        for row in 0..frame.rows() {
            let (Some(i), Some(name)) = (self.at(unit[row]), name[row]) else { continue };
            let p = placements.index(name, &mut fragmented, self.units);
            fragmented[p][i] = jobs[row];
        }
        Ok((placements.0, fragmented))
    }
}

impl Results {
    /// Reads the tables of a results directory.
    ///
    /// # Errors
    /// A table that is missing, damaged, or of another schema version.
    pub fn read(directory: &Path) -> Result<Self, TableError> {
        let units = Units::read(directory)?;
        let place = units.ids.iter().enumerate().map(|(i, unit)| (unit.as_str(), i)).collect();
        let tables = Tables { directory, place, units: units.ids.len() };
        let (mechanisms, values) = tables.mechanisms()?;
        let ((bounds, published), uncertified) = tables.bounds()?;
        let (placements, fragmented) = tables.placements()?;
        let seconds = seconds_of(directory)?;
        Ok(Results {
            units,
            mechanisms,
            bounds,
            placements,
            values,
            published,
            fragmented,
            uncertified,
            seconds,
        })
    }

    /// The units of the study: their ids and parameters.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Gap of mechanism `m` to bound `b` on unit `i`, where the bound holds for that allocation.
    pub fn gap(&self, m: usize, b: Against, i: usize) -> Option<f64> {
        let outcome = self.values[m][i].as_ref()?;
        let bound = match b {
            Against::Bound(b) => {
                self.published[b][i].filter(|bound| bound.scope.covers(&outcome.verdicts))?.published
            }
            Against::Best => self
                .published
                .iter()
                .filter_map(|bound| bound[i].filter(|bound| bound.scope.covers(&outcome.verdicts)))
                .map(|bound| bound.published)
                .reduce(f64::min)?,
        };
        (bound > 0.0).then(|| (bound - outcome.value) / bound)
    }

    /// Whether any gap is known.
    pub fn has_gaps(&self) -> bool {
        (0..self.mechanisms.len())
            .any(|m| (0..self.units.ids.len()).any(|i| self.gap(m, Against::Best, i).is_some()))
    }

    /// Value of mechanism `m`'s allocation of unit `i`.
    pub fn value(&self, m: usize, i: usize) -> Option<f64> {
        self.values[m][i].map(|outcome| outcome.value)
    }

    /// The same per job: over the sum of weights of the runnable set.
    pub fn value_per_job(&self, m: usize, i: usize) -> Option<f64> {
        self.values[m][i]?.value_per_job
    }

    /// What a gap is measured against, by name: a bound, or `best`, the least that holds.
    ///
    /// # Errors
    /// No such bound.
    pub fn against(&self, name: &str) -> Result<Against, String> {
        if name == "best" {
            return Ok(Against::Best);
        }
        let known = self.bounds.iter().map(String::as_str).chain(["best"]);
        let found = self.bounds.iter().position(|bound| bound == name).map(Against::Bound);
        found.ok_or_else(|| {
            format!("the results have no bound {name:?}{}", crate::error::suggestion(name, known))
        })
    }

    /// A mechanism by name.
    ///
    /// # Errors
    /// No such mechanism.
    pub fn mechanism(&self, name: &str) -> Result<usize, String> {
        let known = self.mechanisms.iter().map(String::as_str);
        let found = self.mechanisms.iter().position(|mechanism| mechanism == name);
        found.ok_or_else(|| {
            format!("the results have no mechanism {name:?}{}", crate::error::suggestion(name, known))
        })
    }
}

/// What a gap is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// A bound, by index.
    Bound(usize),
    /// The least bound that holds for the allocation.
    Best,
}

#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    /// Index of a name; a new one gets a column of `n` empty entries.
    fn index<T: Clone>(&mut self, name: &str, columns: &mut Vec<Vec<Option<T>>>, n: usize) -> usize {
        self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.to_string());
            columns.push(vec![None; n]);
            self.0.len() - 1
        })
    }
}

/// The summary of a study.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Version of this structure.
    pub schema: &'static str,
    /// Where the results are.
    pub directory: String,
    /// Units in all.
    pub units: usize,
    /// Axes that groups are made by.
    pub by: Vec<String>,
    /// One per combination of the axes' values; a single one without axes.
    pub groups: Vec<Group>,
    /// Times of every computation, over all units.
    pub times: Vec<Times>,
}

/// Statistics of one group of units.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    /// Values of the axes.
    pub labels: Vec<String>,
    /// Units.
    pub units: usize,
    /// Where each mechanism's gap comes from.
    pub decomposition: Vec<Decomposition>,
    /// Gaps of every mechanism to every bound and to the best.
    pub gaps: Vec<GapStatistics>,
    /// Every mechanism against the reference.
    pub paired: Vec<PairedStatistics>,
    /// Share of instances whose gap to the best bound is at most `gap_profile_at`.
    pub gap_profile: Vec<Curve>,
    /// Abscissae of `gap_profile`.
    pub gap_profile_at: Vec<f64>,
    /// Dolan-Moré profile of best value / value.
    pub performance_profile: Vec<Curve>,
    /// Abscissae of `performance_profile`.
    pub performance_profile_at: Vec<f64>,
    /// Shadow prices and value of every bound that has them.
    pub prices: Vec<Prices>,
    /// Value per job of every mechanism.
    pub values: Vec<ValueStatistics>,
    /// Fragmented jobs of every placement.
    pub placements: Vec<PlacementStatistics>,
}

/// Where the gap of a mechanism comes from, as shares of the bound `lp`, over the instances on which
/// every part is known. The parts add up: walls + unproved + heuristic = gap to `lp`.
#[derive(Debug, Clone, Serialize)]
pub struct Decomposition {
    /// The mechanism.
    pub mechanism: String,
    /// Instances.
    pub n: usize,
    /// (lp - min(lp, config)) / lp: server walls, which the super-machine ignores. 0 where config was not
    /// run or does not hold.
    pub walls: Interval,
    /// (best bound - opt-deployable) / lp: what is left unproved. `None` when the study has no opt-deployable.
    pub unproved: Option<Interval>,
    /// (opt-deployable - value) / lp, or (best bound - value) / lp without opt-deployable: the heuristic.
    pub heuristic: Interval,
    /// (lp - ilp) / lp: integrality, apart.
    pub integrality: Option<Interval>,
}

/// Gaps of a mechanism to a bound.
#[derive(Debug, Clone, Serialize)]
pub struct GapStatistics {
    /// The mechanism.
    pub mechanism: String,
    /// The bound, or `best`.
    pub bound: String,
    /// Instances on which the bound holds for the allocation.
    pub n: usize,
    /// Instances on which it does not, or either is unknown.
    pub without: usize,
    /// Mean with bootstrap 95 % interval.
    pub mean: Interval,
    /// Median.
    pub p50: f64,
    /// 95 % quantile.
    pub p95: f64,
    /// Largest.
    pub worst: f64,
    /// The unit of the largest.
    pub worst_unit: String,
    /// Writes that unit's instance to a file.
    pub reproduce: String,
}

/// One mechanism against the reference, on the same instances.
#[derive(Debug, Clone, Serialize)]
pub struct PairedStatistics {
    /// The mechanism.
    pub mechanism: String,
    /// What it is compared with.
    pub reference: String,
    /// Differences of value / reference value - 1.
    #[serde(flatten)]
    pub paired: Paired,
}

/// Shadow prices and the bound per job.
#[derive(Debug, Clone, Serialize)]
pub struct Prices {
    /// The bound.
    pub bound: String,
    /// Value of one more CPU.
    pub cpu: Option<Interval>,
    /// Value of one more GB.
    pub memory_gb: Option<Interval>,
    /// Bound / runnable jobs.
    pub value_per_job: Option<Interval>,
}

/// Value per job of a mechanism.
#[derive(Debug, Clone, Serialize)]
pub struct ValueStatistics {
    /// The mechanism.
    pub mechanism: String,
    /// Instances with an allocation.
    pub n: usize,
    /// Mean with bootstrap 95 % interval.
    pub value_per_job: Option<Interval>,
}

/// Fragmented jobs of a placement.
#[derive(Debug, Clone, Serialize)]
pub struct PlacementStatistics {
    /// The placement.
    pub placement: String,
    /// Instances with a placement.
    pub n: usize,
    /// Mean with bootstrap 95 % interval.
    pub fragmented: Option<Interval>,
    /// Most on one instance.
    pub most: i64,
}

/// Times of one computation.
#[derive(Debug, Clone, Serialize)]
pub struct Times {
    /// `generate`, `bound`, `placement` or `mechanism`.
    pub kind: String,
    /// Name.
    pub method: String,
    /// Measurements.
    pub n: usize,
    /// Shifted geometric mean (1 s).
    pub shifted_geometric_mean_s: f64,
    /// Median.
    pub p50_s: f64,
    /// 95 % quantile.
    pub p95_s: f64,
    /// Largest.
    pub most_s: f64,
}

const GAP_PROFILE_AT: [f64; 7] = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const PERFORMANCE_PROFILE_AT: [f64; 7] = [1.0, 1.001, 1.01, 1.02, 1.05, 1.1, 1.2];
/// Relative difference of values up to which two mechanisms tie.
const TIE: f64 = 1e-9;

/// Summarises results by the values of `by`; `reference` is the mechanism that others are paired
/// with.
///
/// # Errors
/// An axis or reference that the results do not have.
pub fn summarise(
    results: &Results,
    directory: &Path,
    by: &[String],
    reference: &str,
) -> Result<Summary, String> {
    let reference = results.mechanism(reference).ok();
    let jobs = results.units.axis("runnable_jobs")?;
    let jobs: Vec<Option<f64>> = jobs.iter().map(|text| text.parse().ok()).collect();
    let members = results.units.grouped(by)?;
    // Groups are independent, and every draw has its own stream: any number of threads, one result.
    use rayon::prelude::*;
    let groups = members
        .par_iter()
        .map(|(labels, units)| group(results, directory, labels.clone(), units, reference, &jobs))
        .collect();
    let times = times(&results.seconds);
    Ok(Summary {
        schema: "synergy-summary/1",
        directory: directory.display().to_string(),
        units: results.units.ids.len(),
        by: by.to_vec(),
        groups,
        times,
    })
}

/// Times of every computation.
pub(super) fn times(seconds: &BTreeMap<(String, String), Vec<f64>>) -> Vec<Times> {
    let times = |((kind, method), seconds): (&(String, String), &Vec<f64>)| {
        let ascending = sorted(seconds);
        Times {
            kind: kind.clone(),
            method: method.clone(),
            n: seconds.len(),
            shifted_geometric_mean_s: shifted_geometric_mean(seconds, 1.0).unwrap_or_default(),
            p50_s: quantile(&ascending, 0.5).unwrap_or_default(),
            p95_s: quantile(&ascending, 0.95).unwrap_or_default(),
            most_s: quantile(&ascending, 1.0).unwrap_or_default(),
        }
    };
    seconds.iter().map(times).collect()
}

/// Seconds of every computation, by kind and method.
pub(super) fn seconds_of(directory: &Path) -> Result<BTreeMap<(String, String), Vec<f64>>, TableError> {
    let path = directory.join(format!("{}.parquet", TIMINGS.name));
    let frame = Frame::read(&path, &TIMINGS, &["kind", "method", "seconds"])?;
    let mut seconds: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    let (kind, method, time) = (frame.text("kind")?, frame.text("method")?, frame.real("seconds")?);
    for row in 0..frame.rows() {
        if let (Some(kind), Some(method), Some(time)) = (kind[row], method[row], time[row]) {
            seconds.entry((kind.into(), method.into())).or_default().push(time);
        }
    }
    Ok(seconds)
}

fn group(
    results: &Results,
    directory: &Path,
    labels: Vec<String>,
    units: &[usize],
    reference: Option<usize>,
    jobs: &[Option<f64>],
) -> Group {
    let label = labels.join(" ");
    let interval = |values: &[f64], purpose: &str| bootstrap_mean(values, &format!("{label} {purpose}"));
    let mut gaps = Vec::new();
    let mut to_best = Vec::new();
    for (m, mechanism) in results.mechanisms.iter().enumerate() {
        let bounds = results.bounds.iter().enumerate().map(|(b, name)| (Against::Bound(b), name.as_str()));
        for (against, bound) in bounds.chain([(Against::Best, "best")]) {
            let by_unit: Vec<Option<f64>> = units.iter().map(|&i| results.gap(m, against, i)).collect();
            let known: Vec<f64> = by_unit.iter().copied().flatten().collect();
            let worst = (0..units.len())
                .filter_map(|k| Some((k, by_unit[k]?)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            if let (Some(mean), Some((k, worst))) =
                (interval(&known, &format!("gap {mechanism} {bound}")), worst)
            {
                let ascending = sorted(&known);
                let worst_unit = results.units.ids[units[k]].clone();
                gaps.push(GapStatistics {
                    mechanism: mechanism.clone(),
                    bound: bound.into(),
                    n: known.len(),
                    without: units.len() - known.len(),
                    mean,
                    p50: quantile(&ascending, 0.5).unwrap_or(worst),
                    p95: quantile(&ascending, 0.95).unwrap_or(worst),
                    worst,
                    reproduce: reproduce(directory, &worst_unit),
                    worst_unit,
                });
            }
            if against == Against::Best {
                to_best.push((mechanism.clone(), by_unit));
            }
        }
    }
    let paired = reference.map_or_else(Vec::new, |reference| {
        let others = (0..results.mechanisms.len()).filter(|&m| m != reference);
        others
            .map(|m| {
                let pairs: Vec<(f64, f64)> = units
                    .iter()
                    .filter_map(|&i| {
                        let (a, b) = (results.values[m][i]?.value, results.values[reference][i]?.value);
                        (b > 0.0).then_some((a / b, 1.0))
                    })
                    .collect();
                PairedStatistics {
                    mechanism: results.mechanisms[m].clone(),
                    reference: results.mechanisms[reference].clone(),
                    paired: compare_paired(&pairs, TIE),
                }
            })
            .collect()
    });
    // Costs of a performance profile are to be small: the inverse of the value.
    let costs: Vec<(String, Vec<Option<f64>>)> = results
        .mechanisms
        .iter()
        .enumerate()
        .map(|(m, name)| {
            let cost = |&i: &usize| results.values[m][i].filter(|o| o.value > 0.0).map(|o| 1.0 / o.value);
            (name.clone(), units.iter().map(cost).collect())
        })
        .collect();
    let prices = results
        .bounds
        .iter()
        .enumerate()
        .map(|(b, bound)| {
            let collect = |of: &dyn Fn(&BoundValue, usize) -> Option<f64>| -> Vec<f64> {
                units.iter().filter_map(|&i| of(&results.published[b][i]?, i)).collect()
            };
            let purpose = |what: &str| format!("{what} {bound}");
            Prices {
                bound: bound.clone(),
                cpu: interval(&collect(&|v, _| v.shadow_price_cpu), &purpose("price cpu")),
                memory_gb: interval(&collect(&|v, _| v.shadow_price_memory_gb), &purpose("price memory")),
                value_per_job: interval(
                    &collect(&|v, i| jobs[i].filter(|jobs| *jobs > 0.0).map(|jobs| v.published / jobs)),
                    &purpose("bound per job"),
                ),
            }
        })
        .collect();
    let values = results
        .mechanisms
        .iter()
        .enumerate()
        .map(|(m, mechanism)| {
            let per_job: Vec<f64> =
                units.iter().filter_map(|&i| results.values[m][i]?.value_per_job).collect();
            ValueStatistics {
                mechanism: mechanism.clone(),
                n: per_job.len(),
                value_per_job: interval(&per_job, &format!("value {mechanism}")),
            }
        })
        .collect();
    let placements = results
        .placements
        .iter()
        .enumerate()
        .map(|(p, placement)| {
            let jobs: Vec<i64> = units.iter().filter_map(|&i| results.fragmented[p][i]).collect();
            let numbers: Vec<f64> = jobs.iter().map(|&n| n as f64).collect();
            PlacementStatistics {
                placement: placement.clone(),
                n: jobs.len(),
                fragmented: interval(&numbers, &format!("fragmented {placement}")),
                most: jobs.iter().copied().max().unwrap_or(0),
            }
        })
        .collect();
    Group {
        units: units.len(),
        decomposition: decomposition(results, units, &interval),
        gaps,
        paired,
        gap_profile: gap_profile(&to_best, &GAP_PROFILE_AT),
        gap_profile_at: GAP_PROFILE_AT.to_vec(),
        performance_profile: performance_profile(&costs, &PERFORMANCE_PROFILE_AT),
        performance_profile_at: PERFORMANCE_PROFILE_AT.to_vec(),
        prices,
        values,
        placements,
        labels,
    }
}

/// Problem statement, section 9.
fn decomposition(
    results: &Results,
    units: &[usize],
    interval: &dyn Fn(&[f64], &str) -> Option<Interval>,
) -> Vec<Decomposition> {
    let Some(lp) = results.bounds.iter().position(|bound| bound == "lp") else { return Vec::new() };
    let ilp = results.bounds.iter().position(|bound| bound == "ilp");
    let config = results.bounds.iter().position(|bound| bound == "config");
    let deployable = results.mechanisms.iter().position(|mechanism| mechanism == "opt-deployable");
    let mut parts = Vec::new();
    for (m, mechanism) in results.mechanisms.iter().enumerate() {
        let (mut walls, mut unproved, mut heuristic, mut integrality) = (vec![], vec![], vec![], vec![]);
        for &i in units {
            let (Some(outcome), Some(top)) = (&results.values[m][i], results.published[lp][i]) else {
                continue;
            };
            if !top.scope.covers(&outcome.verdicts) || top.published <= 0.0 {
                continue;
            }
            // ilp is left out: what it adds is integrality, which is reported apart.
            let config = config.and_then(|b| results.published[b][i]);
            let config = config.filter(|bound| bound.scope.covers(&outcome.verdicts));
            let best = config.map_or(top.published, |bound| bound.published.min(top.published));
            // An opt-deployable that fell back to a split allocation says nothing of consolidated ones.
            let middle = deployable.map(|d| {
                results.values[d][i].filter(|o| o.verdicts.consolidated == outcome.verdicts.consolidated)
            });
            let middle = match middle {
                Some(None) => continue,
                Some(Some(outcome)) => Some(outcome.value),
                None => None,
            };
            walls.push((top.published - best) / top.published);
            if let Some(middle) = middle {
                unproved.push((best - middle) / top.published);
            }
            heuristic.push((middle.unwrap_or(best) - outcome.value) / top.published);
            if let Some(ilp) = ilp.and_then(|b| results.published[b][i]) {
                integrality.push((top.published - ilp.published) / top.published);
            }
        }
        let of = |values: &[f64], part: &str| interval(values, &format!("decomposition {mechanism} {part}"));
        if let (Some(walls_mean), Some(heuristic)) = (of(&walls, "walls"), of(&heuristic, "heuristic")) {
            parts.push(Decomposition {
                mechanism: mechanism.clone(),
                n: walls.len(),
                walls: walls_mean,
                unproved: of(&unproved, "unproved"),
                heuristic,
                integrality: of(&integrality, "integrality"),
            });
        }
    }
    parts
}

/// The command that writes a unit's instance to a file.
pub fn reproduce(directory: &Path, unit: &str) -> String {
    format!("synergy worst {} --unit {unit} --export .", directory.display())
}
