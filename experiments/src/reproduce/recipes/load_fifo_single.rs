//! Mean JCT against load, FIFO, single-GPU jobs: claims C1 and C2.

use super::{LP, PROPORTIONAL, TUNE, hours, jct_mean, largest_ratio};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding, Verdict};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

/// Load of the paper's example.
pub(super) const EXAMPLE: f64 = 9.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-load-fifo-single",
    title: "mean JCT against load, FIFO, single-GPU jobs",
    minutes: [0.6, 1.6],
    work,
    settle,
    figures: &[
        Drawing::of("jct-load", &["mechanisms", "bound"]),
        Drawing::of("speedup-load", &["mechanisms"]),
        Drawing::of("jct-cdf", &["mechanisms"]).only("jobs_per_hour", "9"),
    ],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let single = || DemandSpec::Single {};
    Work::default()
        .simulate(
            "mechanisms",
            scale.simulations(&["fifo"], &[PROPORTIONAL, TUNE], &scale.single_loads, single()),
        )?
        .simulate("bound", scale.simulations(&["fifo"], &[LP], &scale.single_lp_loads, single()))
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let (runs, bound) = (outcome.runs("mechanisms"), outcome.runs("bound"));
    let at = |mechanism: &str| {
        let of = if mechanism == LP { &bound } else { &runs };
        Estimate::of(mechanism, " h", &hours(of.values("fifo", mechanism, Some(EXAMPLE), &jct_mean)))
    };
    let parts = [(PROPORTIONAL, 81.0), (TUNE, 22.0), (LP, 20.0)];
    let parts = parts.map(|(mechanism, paper)| (Claimed::Equals(paper), at(mechanism)));
    let mut c1 =
        Finding::judged("C1", "FIFO, single-GPU, 9 jobs/h: mean JCT", "81 -> 22 h (OPT 20 h)", parts.into());
    if c1.verdict != Verdict::Agrees {
        c1 = c1.but(
            Verdict::NotComparable,
            "offered load 1.18 at the baseline rate: the queue grows, and its mean depends on window and seed",
        );
    }
    let (largest, stable) = largest_ratio(&runs, "fifo", [PROPORTIONAL, TUNE], &jct_mean);
    let c2 = Finding::judged(
        "C2",
        "FIFO, single-GPU: largest speedup over loads",
        "3.4x",
        vec![(Claimed::Equals(3.4), largest)],
    );
    Ok(vec![c1, c2.beside(stable)])
}
