//! Speedup by class split: claim C11.

use super::load_fifo_single::EXAMPLE;
use super::{PROPORTIONAL, TUNE, jct_mean};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-splits",
    title: "speedup by class split, FIFO, single-GPU jobs, 9 jobs/h",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("bars", &["20-70-10", "33-33-33", "30-60-10", "50-0-50"])],
};

/// Image, language, speech.
const SPLITS: [(&str, [f64; 3]); 4] = [
    ("20-70-10", [20.0, 70.0, 10.0]),
    ("33-33-33", [33.0, 33.0, 33.0]),
    ("30-60-10", [30.0, 60.0, 10.0]),
    ("50-0-50", [50.0, 0.0, 50.0]),
];

fn work(request: &Request) -> Result<Work, ReproduceError> {
    SPLITS.into_iter().try_fold(Work::default(), |work, (name, split)| {
        let mut spec =
            request.scale.simulations(&["fifo"], &[PROPORTIONAL, TUNE], &[EXAMPLE], DemandSpec::Single {});
        spec.workload.mix.split = Some(split.to_vec());
        work.simulate(name, spec)
    })
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let speedup = |name: &str, quantity: &str| {
        let ratios = outcome.runs(name).ratios("fifo", [PROPORTIONAL, TUNE], Some(EXAMPLE), &jct_mean);
        Estimate::of(quantity, "x", &ratios)
    };
    let c11 = Finding::judged(
        "C11",
        "split 50-0-50, FIFO, single-GPU, 9 jobs/h: speedup",
        "equal (1x)",
        vec![(Claimed::Equals(1.0), speedup("50-0-50", ""))],
    );
    let all = SPLITS.iter().filter_map(|(name, _)| speedup(name, name)).collect();
    Ok(vec![c11, Finding::ours("speedup by split, FIFO, single-GPU, 9 jobs/h", all, "")])
}
