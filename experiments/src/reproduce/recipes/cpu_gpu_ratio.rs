//! Speedup by the CPU:GPU ratio of servers: claim C10.

use super::load_fifo_single::EXAMPLE;
use super::{PROPORTIONAL, TUNE, jct_mean};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-cpu-gpu-ratio",
    title: "speedup by CPU:GPU ratio, FIFO, single-GPU jobs, 9 jobs/h",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("bars", &["ratio-3", "ratio-4", "ratio-5", "ratio-6"]).labels(&[
        "3 CPUs per GPU",
        "4 CPUs per GPU",
        "5 CPUs per GPU",
        "6 CPUs per GPU",
    ])],
};

const RATIOS: [u32; 4] = [3, 4, 5, 6];

fn work(request: &Request) -> Result<Work, ReproduceError> {
    RATIOS.into_iter().try_fold(Work::default(), |work, ratio| {
        let mut spec =
            request.scale.simulations(&["fifo"], &[PROPORTIONAL, TUNE], &[EXAMPLE], DemandSpec::Single {});
        spec.workload.cluster.cpus_per_gpu = f64::from(ratio);
        work.simulate(format!("ratio-{ratio}"), spec)
    })
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let speedup = |ratio: u32| {
        let runs = outcome.runs(&format!("ratio-{ratio}"));
        let ratios = runs.ratios("fifo", [PROPORTIONAL, TUNE], Some(EXAMPLE), &jct_mean);
        Estimate::of(format!("{ratio} CPUs"), "x", &ratios)
    };
    let parts = vec![(Claimed::Equals(3.4), speedup(3)), (Claimed::Equals(1.8), speedup(6))];
    let c10 = Finding::judged(
        "C10",
        "CPUs per GPU 3 -> 6, FIFO, single-GPU, 9 jobs/h: speedup",
        "3.4x -> 1.8x",
        parts,
    );
    Ok(vec![c10.beside([4, 5].into_iter().filter_map(speedup))])
}
