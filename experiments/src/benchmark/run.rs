//! Running a mechanism on the instances of a set.

use super::{Entry, Set, TOLERANCE, fingerprint};
use crate::compare::broken_promises;
use crate::conformance::allocate;
use crate::error::InputError;
use rayon::prelude::*;
use std::time::Instant;
use synergy_solver::check::{Verdicts, check};
use synergy_solver::mechanisms::{Mechanism, Tune};
use synergy_solver::model::Instance;

/// An instance of the set, generated.
pub struct Prepared {
    /// What is known of it.
    pub entry: Entry,
    /// The instance.
    pub instance: Instance,
    /// What TUNE reaches on it.
    tune: f64,
}

/// What became of one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Sum of weight x normalised throughput.
    pub value: f64,
    /// The checker's verdicts.
    pub verdicts: Verdicts,
    /// (bound - value) / bound for the least known bound that holds; `None` where none does.
    pub gap: Option<f64>,
    /// The same for TUNE's value and the same bound.
    pub tune_gap: Option<f64>,
    /// Whether it is complete, fair, consolidated and above the best known value.
    pub beats_best: bool,
    /// A promise that it breaks, or a bound that holds for it and that it beats: a bug, here or there.
    pub bug: Option<String>,
}

/// A mechanism on a set.
pub struct Run {
    /// As it was asked for.
    pub mechanism: String,
    /// By instance, in the order of the set; or why there is no allocation.
    pub outcomes: Vec<Result<Measured, String>>,
}

/// Generates the instances of `set`. Every one must be the published one.
///
/// # Errors
/// A specification that generates nothing, or something else than the fingerprint says.
pub fn prepare(set: &Set) -> Result<Vec<Prepared>, InputError> {
    let prepare = |entry: &Entry| {
        let place = format!("{} of benchmark set {}", entry.name, set.name);
        let instance = entry.instance().map_err(|reason| InputError::whole(&place, reason))?;
        let found = fingerprint(&instance);
        if let Some(known) = entry.fingerprint.as_ref().filter(|known| **known != found) {
            let message = format!(
                "generates an instance with fingerprint {found}, the published one has {known}; scores would not be comparable"
            );
            return Err(InputError::whole(&place, message));
        }
        let queue = instance.queue();
        let tune = allocate(&Tune, &instance, &queue).map_err(|reason| InputError::whole(&place, reason))?;
        let tune = check(&instance, &queue, &tune).value;
        Ok(Prepared { entry: entry.clone(), instance, tune })
    };
    set.entries.par_iter().map(prepare).collect()
}

/// Runs `mechanism` on every instance; instances in parallel.
pub fn run(name: &str, mechanism: &dyn Mechanism, instances: &[Prepared]) -> Run {
    let outcomes = instances.par_iter().map(|prepared| measure(mechanism, prepared)).collect();
    Run { mechanism: name.to_owned(), outcomes }
}

fn measure(mechanism: &dyn Mechanism, prepared: &Prepared) -> Result<Measured, String> {
    let Prepared { entry, instance, tune } = prepared;
    let queue = instance.queue();
    let allocation = allocate(mechanism, instance, &queue)?;
    let report = check(instance, &queue, &allocation);
    let (value, verdicts) = (report.value, report.verdicts);
    let bound = entry.bound(&verdicts).filter(|bound| bound.value > 0.0);
    let gap = |value: f64| bound.map(|bound| (bound.value - value) / bound.value);
    let beaten = bound.filter(|bound| value > bound.value * (1.0 + TOLERANCE));
    let beaten =
        beaten.map(|bound| format!("its value {value} is above the bound {} of {}", bound.by, bound.value));
    let counts = verdicts.valid && verdicts.complete && verdicts.fair && verdicts.consolidated;
    let best = entry.best.as_ref().map(|best| best.value);
    Ok(Measured {
        value,
        verdicts,
        gap: gap(value),
        tune_gap: gap(*tune),
        beats_best: counts && beaten.is_none() && is_above(value, best),
        bug: beaten.or_else(|| broken_promises(&mechanism.about(), instance, &report)),
    })
}

/// Whether `value` is above `best` by more than rounding; anything is above nothing.
pub(super) fn is_above(value: f64, best: Option<f64>) -> bool {
    best.is_none_or(|best| value > best + TOLERANCE * best.abs().max(1.0))
}

/// Time per round on the instances of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// GPUs of the clusters.
    pub gpus: u64,
    /// Instances.
    pub instances: usize,
    /// Median over the instances of one call's seconds.
    pub median_s: f64,
}

/// Calls `mechanism` once more on the instances of `gpus` GPUs, one at a time; `None` without such
/// instances, or when it fails on one.
pub fn time(mechanism: &dyn Mechanism, instances: &[Prepared], gpus: u64) -> Option<Timing> {
    let mut seconds = Vec::new();
    for prepared in instances.iter().filter(|p| p.instance.cluster().gpus() == gpus) {
        let queue = prepared.instance.queue();
        let start = Instant::now();
        allocate(mechanism, &prepared.instance, &queue).ok()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let median_s = *seconds.get(seconds.len() / 2)?;
    Some(Timing { gpus, instances: seconds.len(), median_s })
}
