//! Least attained service, multi-GPU jobs, the tail of long jobs: claim C5.

use super::{PROPORTIONAL, SHORT_S, TUNE, jct_mean, largest_ratio, starved};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-las-multi",
    title: "JCT of long jobs under LAS, multi-GPU jobs",
    minutes: [0.4, 0.8],
    work,
    settle,
    figures: &[
        Drawing::of("jct-load", &["mechanisms"]),
        Drawing::of("jct-cdf", &["mechanisms"]).only("jobs_per_hour", "3"),
    ],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let spec = scale.simulations(&["las"], &[PROPORTIONAL, TUNE], &scale.multi_loads, DemandSpec::Multi {});
    Work::default().simulate("mechanisms", spec)
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let runs = outcome.runs("mechanisms");
    let pair = [PROPORTIONAL, TUNE];
    let (tail, _) =
        largest_ratio(&runs, "las", pair, &|run| run.jct_quantile_s(0.95, |work_s| work_s >= SHORT_S));
    let (mean, _) = largest_ratio(&runs, "las", pair, &jct_mean);
    let c5 = Finding::judged(
        "C5",
        "LAS, multi-GPU, jobs of 4 h and more: 95th percentile, largest speedup over loads",
        "2x",
        vec![(Claimed::Equals(2.0), tail)],
    );
    let mut findings = vec![match starved(&runs, "las", &pair) {
        Some(remark) => c5.remark(&remark),
        None => c5,
    }];
    if let Some(mean) = mean {
        findings.push(Finding::ours(
            "LAS, multi-GPU: largest speedup of mean JCT over loads",
            vec![mean],
            "",
        ));
    }
    Ok(findings)
}
