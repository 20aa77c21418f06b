//! Mean JCT against load, finish-time fairness, single- and multi-GPU jobs: claim C4.

use super::{PROPORTIONAL, TUNE, jct_mean, largest_ratio};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-load-ftf",
    title: "mean JCT against load, finish-time fairness",
    minutes: [0.3, 0.6],
    work,
    settle,
    figures: &[
        Drawing::of("jct-load", &["single"]).named("jct-load-single"),
        Drawing::of("jct-load", &["multi"]).named("jct-load-multi"),
    ],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let both = [PROPORTIONAL, TUNE];
    Work::default()
        .simulate("single", scale.simulations(&["ftf"], &both, &scale.single_loads, DemandSpec::Single {}))?
        .simulate("multi", scale.simulations(&["ftf"], &both, &scale.multi_loads, DemandSpec::Multi {}))
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let largest = |batch: &str| {
        let (mut largest, _) = largest_ratio(&outcome.runs(batch), "ftf", [PROPORTIONAL, TUNE], &jct_mean);
        if let Some(largest) = &mut largest {
            largest.quantity = format!("{batch}, {}", largest.quantity);
        }
        largest
    };
    let parts = vec![(Claimed::Equals(2.3), largest("single")), (Claimed::Equals(2.0), largest("multi"))];
    Ok(vec![Finding::judged("C4", "FTF: largest speedup over loads", "2.3x single, 2x multi", parts)])
}
