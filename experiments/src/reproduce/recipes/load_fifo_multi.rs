//! Mean JCT against load, FIFO, multi-GPU jobs: claim C3.

use super::{PROPORTIONAL, TUNE, jct_mean, largest_ratio};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-load-multi",
    title: "mean JCT against load, FIFO, multi-GPU jobs",
    minutes: [0.1, 0.2],
    work,
    settle,
    figures: &[Drawing::of("jct-load", &["mechanisms"]), Drawing::of("speedup-load", &["mechanisms"])],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let spec = scale.simulations(&["fifo"], &[PROPORTIONAL, TUNE], &scale.multi_loads, DemandSpec::Multi {});
    Work::default().simulate("mechanisms", spec)
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let runs = outcome.runs("mechanisms");
    let (largest, stable) = largest_ratio(&runs, "fifo", [PROPORTIONAL, TUNE], &jct_mean);
    let c3 = Finding::judged(
        "C3",
        "FIFO, multi-GPU: largest speedup over loads",
        "1.6x",
        vec![(Claimed::Equals(1.6), largest)],
    );
    Ok(vec![c3.beside(stable)])
}
