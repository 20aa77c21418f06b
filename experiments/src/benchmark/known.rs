//! What is known of a set, brought up to date with what a run found.

use super::run::is_above;
use super::{KnownBound, KnownValue, Prepared, Run, Set, fingerprint};
use rayon::prelude::*;
use synergy_solver::bounds::{self, BoundOptions};
use synergy_solver::model::Instance;

/// Bounds that the set records: the certified linear ones.
const BOUNDS: [&str; 4] = ["config", "lp", "lp-groups", "lp-skip"];

/// A best known value that a run has raised.
#[derive(Debug, Clone, PartialEq)]
pub struct Improvement {
    /// Instance.
    pub instance: String,
    /// What was known before, if anything.
    pub before: Option<KnownValue>,
    /// What is known now.
    pub after: KnownValue,
}

/// The set with the values that `runs` have raised, with the fingerprints and bounds that were missing; and
/// what was raised. Of several that reach a value the first counts.
pub fn improve(set: &Set, instances: &[Prepared], runs: &[Run]) -> (Set, Vec<Improvement>) {
    let mut improved = set.clone();
    improved.entries.par_iter_mut().zip(instances).for_each(|(entry, prepared)| {
        entry.fingerprint.get_or_insert_with(|| fingerprint(&prepared.instance));
        if entry.bounds.is_empty() {
            entry.bounds = certified(&prepared.instance);
        }
    });
    let mut improvements = Vec::new();
    for (index, entry) in improved.entries.iter_mut().enumerate() {
        let before = entry.best.clone();
        for run in runs {
            let Ok(measured) = &run.outcomes[index] else { continue };
            let best = entry.best.as_ref().map(|best| best.value);
            if measured.beats_best && is_above(measured.value, best) {
                entry.best = Some(KnownValue { by: run.mechanism.clone(), value: measured.value });
            }
        }
        if let Some(after) = entry.best.clone().filter(|after| before.as_ref() != Some(after)) {
            improvements.push(Improvement { instance: entry.name.clone(), before, after });
        }
    }
    (improved, improvements)
}

fn certified(instance: &Instance) -> Vec<KnownBound> {
    let queue = instance.queue();
    let several = instance.cluster().groups().len() > 1;
    let names = BOUNDS.into_iter().filter(|&name| several || name != "lp-groups");
    let evaluate = |name: &str| {
        let result = bounds::by_name(name, BoundOptions::default()).ok()?.evaluate(instance, &queue);
        Some(KnownBound { by: name.into(), scope: result.scope.name().into(), value: result.certified? })
    };
    names.filter_map(evaluate).collect()
}
