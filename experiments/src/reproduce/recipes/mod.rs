//! The recipes, one file each; what several of them ask of simulations is here.

mod artifact;
mod cpu_gpu_ratio;
mod drf_tetris;
mod las;
mod load_fifo_multi;
mod load_fifo_single;
mod load_ftf;
mod opt;
mod philly;
mod placement;
mod profile_error;
mod profiling;
mod runtime;
mod scaling;
mod semantics;
mod splits;
mod tight_bound;

pub(super) use semantics::NAME as SEMANTICS;

use super::Recipe;
use super::finding::Estimate;
use super::simulations::{FinishedRun, Of, Runs};

/// Every recipe, in the order of the paper's evaluation, then ours.
pub const RECIPES: &[Recipe] = &[
    load_fifo_single::RECIPE,
    load_fifo_multi::RECIPE,
    load_ftf::RECIPE,
    las::RECIPE,
    philly::RECIPE,
    splits::RECIPE,
    cpu_gpu_ratio::RECIPE,
    opt::RECIPE,
    runtime::RECIPE,
    drf_tetris::RECIPE,
    profiling::RECIPE,
    placement::RECIPE,
    artifact::RECIPE,
    tight_bound::RECIPE,
    scaling::RECIPE,
    profile_error::RECIPE,
    semantics::RECIPE,
];

const PROPORTIONAL: &str = "proportional";
const TUNE: &str = "tune";
const GREEDY: &str = "greedy";
const LP: &str = "lp";

/// The paper calls jobs of less than this short.
const SHORT_S: f64 = 4.0 * 3600.0;

fn jct_mean(run: &FinishedRun) -> Option<f64> {
    run.jct_mean_s()
}

fn hours(seconds: Vec<f64>) -> Vec<f64> {
    seconds.into_iter().map(|s| s / 3600.0).collect()
}

/// Whether a mechanism's offered load, at the throughput that it reached, is below 1 for every seed: a
/// queue that ends.
fn keeps_up(runs: &Runs, policy: &str, mechanism: &str, load: f64) -> bool {
    let loads = runs.values(policy, mechanism, Some(load), &|run| run.real("load_measured"));
    !loads.is_empty() && loads.iter().all(|load| *load < 1.0)
}

/// The largest over loads of quantity(above) / quantity(below), and the largest among loads at which
/// `above` keeps up. Loads at which a seed has no value do not count. Picking the largest of several
/// means leans upwards; it is what the paper reports.
fn largest_ratio(runs: &Runs, policy: &str, pair: [&str; 2], of: Of) -> (Option<Estimate>, Option<Estimate>) {
    let mut all: Vec<(bool, Estimate)> = Vec::new();
    for load in runs.loads() {
        let values = runs.ratios(policy, pair, Some(load), of);
        if pair.iter().any(|mechanism| runs.broken(policy, mechanism, Some(load))) {
            continue;
        }
        if let Some(estimate) = Estimate::of(format!("at {load} jobs/h"), "x", &values) {
            all.push((keeps_up(runs, policy, pair[0], load), estimate));
        }
    }
    let largest = |stable: bool| {
        let able = all.iter().filter(|(keeps_up, _)| *keeps_up || !stable).map(|(_, estimate)| estimate);
        able.max_by(|a, b| a.value.total_cmp(&b.value)).cloned()
    };
    let stable = largest(true).map(|stable| Estimate {
        quantity: format!("where proportional keeps up, {}", stable.quantity),
        ..stable
    });
    (largest(false), stable)
}

/// Loads at which a run of the policy did not end: its jobs starve.
fn starved(runs: &Runs, policy: &str, mechanisms: &[&str]) -> Option<String> {
    let broken = |load: &f64| mechanisms.iter().any(|mechanism| runs.broken(policy, mechanism, Some(*load)));
    let loads: Vec<String> = runs.loads().iter().filter(|load| broken(load)).map(f64::to_string).collect();
    (!loads.is_empty())
        .then(|| format!("jobs starve at {} jobs/h, where runs have no value", loads.join(", ")))
}
