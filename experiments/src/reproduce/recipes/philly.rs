//! 512 GPUs, Philly arrivals, SRTF: claims C6 and C7.

use super::{PROPORTIONAL, SHORT_S, TUNE, jct_mean};
use crate::importers::{self, Format, Options};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::simulations::{Batch, FinishedRun, Runs};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::simulator::{Plan, SimulationSpec, Source, Trace};
use crate::workload::{DemandSpec, WorkloadError};
use std::path::Path;
use std::sync::Arc;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-philly-512",
    title: "512 GPUs, Philly arrivals, SRTF (with --philly FILE)",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[
        Drawing::of("jct-cdf", &["seed-1"]),
        Drawing::of("jct-cdf", &["generated"]).named("jct-cdf-generated"),
    ],
};

const GPUS: u32 = 512;
/// Of the generated stand-in: an offered load of 0.95 at the baseline rate.
const SUBSTITUTE_LOAD: f64 = 15.3;

const HINT: &str = "give --philly FILE: cluster_job_log of msr-fiddle/philly-traces, or philly_jobs as a table \
                    (timestamp,duration,num_gpus) from petuum/adaptdl";

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let Some(file) = &request.philly else {
        let mut spec =
            scale.simulations(&["srtf"], &[PROPORTIONAL, TUNE], &[SUBSTITUTE_LOAD], DemandSpec::Multi {});
        spec.workload.cluster.gpus = GPUS;
        let work = Work { missing: Some(HINT.into()), ..Work::default() };
        return work.simulate("generated", spec);
    };
    let mut work = Work::default();
    for &seed in &scale.seeds {
        work.batches.push(batch(file, seed, scale.philly_jobs)?);
    }
    Ok(work)
}

/// The first jobs of the trace, with profiles drawn by `seed` at the split 20-70-10.
fn batch(file: &Path, seed: u64, jobs: usize) -> Result<Batch, ReproduceError> {
    let is_log = file.to_string_lossy().contains("job_log") || file.extension().is_some_and(|e| e == "json");
    let format = if is_log { Format::PhillyLog } else { Format::PhillyTable };
    let options = Options { seed, split: Some(vec![20.0, 70.0, 10.0]), ..Options::default() };
    let mut table = importers::import(format, file, &options)?.trace;
    let hash = table.about.source_blake3.clone();
    table.jobs.truncate(jobs);
    let name = file.display().to_string();
    let fault = |error: WorkloadError| crate::error::InputError::whole(&name, error);
    let trace = Trace::of_table(&name, table).map_err(fault)?;
    let mut spec = SimulationSpec {
        policies: vec!["srtf".into()],
        mechanisms: vec![PROPORTIONAL.into(), TUNE.into()],
        ..SimulationSpec::default()
    };
    spec.workload.cluster.gpus = GPUS;
    spec.workload.seed = seed;
    let plan = Plan::new(spec, Source::Trace(Arc::new(trace)))
        .map_err(|error| crate::error::InputError::whole(&name, error))?;
    let source = format!("{hash} first {jobs} jobs, split 20-70-10, seed {seed}");
    Ok(Batch { name: format!("seed-{seed}"), plan, source })
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    const TITLE: &str = "512 GPUs, Philly, SRTF";
    const C6: &str = "2.2x tail of short jobs; mean -15 % in both classes";
    let measured: Vec<Measured> = outcome.runs.values().flat_map(measure).collect();
    let column = |of: fn(&Measured) -> Option<f64>| measured.iter().filter_map(of).collect::<Vec<f64>>();
    let tail = Estimate::of("short jobs, 99th percentile", "x", &column(|m| m.short_tail));
    let short = Estimate::of("short jobs, mean", " %", &column(|m| m.short_reduction));
    let long = Estimate::of("long jobs, mean", " %", &column(|m| m.long_reduction));
    let one = Estimate::of("", "x", &column(|m| m.largest));
    if let Some(missing) = &outcome.missing {
        let stand_in = "generated jobs instead of Philly's: no claim of the paper";
        let numbers = [tail, short, long, one].into_iter().flatten().collect();
        return Ok(vec![
            Finding::not_run("C6", TITLE, C6, missing.clone()),
            Finding::not_run("C7", format!("{TITLE}: largest speedup of one job"), "9x", missing.clone()),
            Finding::ours("512 GPUs, generated multi-GPU jobs, SRTF", numbers, stand_in),
        ]);
    }
    let beside = [
        Estimate::of("speedup of mean JCT", "x", &column(|m| m.mean)),
        Estimate::of("offered load at the baseline rate", "", &column(|m| m.load)),
    ];
    let parts =
        vec![(Claimed::Equals(2.2), tail), (Claimed::Equals(15.0), short), (Claimed::Equals(15.0), long)];
    Ok(vec![
        Finding::judged("C6", TITLE, C6, parts).beside(beside.into_iter().flatten()),
        Finding::judged(
            "C7",
            format!("{TITLE}: largest speedup of one job"),
            "9x",
            vec![(Claimed::Equals(9.0), one)],
        ),
    ])
}

/// What one seed says of TUNE against proportional.
struct Measured {
    short_tail: Option<f64>,
    /// Per cent.
    short_reduction: Option<f64>,
    long_reduction: Option<f64>,
    largest: Option<f64>,
    mean: Option<f64>,
    /// At the baseline rate.
    load: Option<f64>,
}

fn measure(runs: &Runs) -> Vec<Measured> {
    let of = |mechanism: &str, seed: u64| {
        runs.runs.iter().find(|r| r.run.mechanism == mechanism && r.run.seed == seed && r.ok())
    };
    let one = |tune: &FinishedRun| {
        let base = of(PROPORTIONAL, tune.run.seed)?;
        let is_short = |work_s: f64| work_s < SHORT_S;
        let is_long = |work_s: f64| work_s >= SHORT_S;
        let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
        let reduction = |a: Option<f64>, b: Option<f64>| Some(100.0 * (1.0 - b? / a?));
        let jobs = base.jobs.iter().zip(&tune.jobs).filter(|(a, b)| a.id == b.id);
        Some(Measured {
            short_tail: ratio(base.jct_quantile_s(0.99, is_short), tune.jct_quantile_s(0.99, is_short)),
            short_reduction: reduction(base.jct_mean_of_s(is_short), tune.jct_mean_of_s(is_short)),
            long_reduction: reduction(base.jct_mean_of_s(is_long), tune.jct_mean_of_s(is_long)),
            largest: jobs.map(|(a, b)| a.jct_s / b.jct_s).reduce(f64::max),
            mean: ratio(jct_mean(base), jct_mean(tune)),
            load: base.real("load_baseline"),
        })
    };
    let tuned = runs.runs.iter().filter(|r| r.run.mechanism == TUNE && r.ok());
    tuned.filter_map(one).collect()
}
