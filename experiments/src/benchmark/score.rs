//! From what a mechanism did on every instance to its score.

use super::{Prepared, Run};
use crate::statistics::{Interval, bootstrap_mean, mean};

/// A mechanism's line on the leaderboard.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Mechanism.
    pub mechanism: String,
    /// Instances run.
    pub instances: usize,
    /// Instances with a bound that holds for the allocation: those that the gaps are about.
    pub with_gap: usize,
    /// Mean gap to the least bound that holds, with its bootstrap 95 % interval.
    pub gap: Option<Interval>,
    /// Largest gap, and the name of its instance.
    pub worst: Option<(f64, String)>,
    /// 1 - mean gap / TUNE's mean gap to the same bounds.
    pub closed_of_tune: Option<f64>,
    /// Allocations with a job below its baseline.
    pub unfair: usize,
    /// Allocations that leave a runnable job out.
    pub incomplete: usize,
    /// Allocations with a job on more servers than it needs.
    pub not_consolidated: usize,
    /// Instances without an allocation: name and reason.
    pub failed: Vec<(String, String)>,
    /// Broken promises and beaten bounds: name and what.
    pub bugs: Vec<(String, String)>,
    /// Instances whose best known value is beaten.
    pub beaten: Vec<String>,
}

/// The score of a run on these instances.
pub fn score(run: &Run, instances: &[Prepared]) -> Score {
    let named: Vec<_> = instances.iter().map(|prepared| &prepared.entry.name).zip(&run.outcomes).collect();
    let measured: Vec<_> = named.iter().filter_map(|(name, m)| Some((*name, m.as_ref().ok()?))).collect();
    let gaps: Vec<(&String, f64, f64)> =
        measured.iter().filter_map(|(name, m)| Some((*name, m.gap?, m.tune_gap?))).collect();
    let own: Vec<f64> = gaps.iter().map(|(_, gap, _)| *gap).collect();
    let tune: Vec<f64> = gaps.iter().map(|(.., tune)| *tune).collect();
    let closed = mean(&own).zip(mean(&tune)).filter(|(_, tune)| *tune > 0.0);
    // Of equals the first, so that the report does not depend on anything else.
    let worst = gaps.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    let count = |of: fn(&synergy_solver::check::Verdicts) -> bool| {
        measured.iter().filter(|(_, m)| !of(&m.verdicts)).count()
    };
    Score {
        mechanism: run.mechanism.clone(),
        instances: instances.len(),
        with_gap: gaps.len(),
        gap: bootstrap_mean(&own, &format!("benchmark {}", run.mechanism)),
        worst: worst.map(|(name, gap, _)| (*gap, (*name).clone())),
        closed_of_tune: closed.map(|(own, tune)| 1.0 - own / tune),
        unfair: count(|verdicts| verdicts.fair),
        incomplete: count(|verdicts| verdicts.complete),
        not_consolidated: count(|verdicts| verdicts.consolidated),
        failed: named
            .iter()
            .filter_map(|(name, m)| Some(((*name).clone(), m.as_ref().err()?.clone())))
            .collect(),
        bugs: measured.iter().filter_map(|(name, m)| Some(((*name).clone(), m.bug.clone()?))).collect(),
        beaten: measured.iter().filter(|(_, m)| m.beats_best).map(|(name, _)| (*name).clone()).collect(),
    }
}
