//! DRF and Tetris as published (greedy, best-case demands) and with fungible demands (TUNE).

use super::{GREEDY, PROPORTIONAL, TUNE, jct_mean, starved};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-drf-tetris",
    title: "DRF and Tetris, as published and with fungible CPUs and memory",
    minutes: [0.1, 0.2],
    work,
    settle,
    figures: &[Drawing::of("bars", &["mechanisms"]).by(&["policy", "jobs_per_hour"])],
};

const POLICIES: [&str; 2] = ["drf", "tetris"];
/// Below saturation at the baseline rate: above it both orders starve long jobs under every mechanism.
const LOADS: [f64; 2] = [6.0, 7.0];

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let mechanisms = [GREEDY, PROPORTIONAL, TUNE];
    let spec = request.scale.simulations(&POLICIES, &mechanisms, &LOADS, DemandSpec::Single {});
    Work::default().simulate("mechanisms", spec)
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let runs = outcome.runs("mechanisms");
    let finding = |policy: &str| {
        let against = |base: &str, load: f64| {
            let ratios = runs.ratios(policy, [base, TUNE], Some(load), &jct_mean);
            Estimate::of(format!("over {base} at {load} jobs/h"), "x", &ratios)
        };
        let numbers = LOADS.into_iter().flat_map(|load| [against(GREEDY, load), against(PROPORTIONAL, load)]);
        let why = starved(&runs, policy, &[GREEDY, PROPORTIONAL, TUNE]).unwrap_or_default();
        Finding::ours(format!("{policy}, single-GPU: speedup of TUNE"), numbers.flatten().collect(), why)
    };
    Ok(POLICIES.into_iter().map(finding).collect())
}
