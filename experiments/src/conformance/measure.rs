//! What is no promise but of interest: gap to the best bound, time and its growth, the effect of
//! more CPUs and of the policy order, on generated workloads.

use crate::workload::{DemandSpec, Purpose, Stream, Workload, WorkloadSpec};
use std::time::Instant;
use synergy_solver::bounds::{self, BoundOptions};
use synergy_solver::check::{Report, check};
use synergy_solver::mechanisms::{Mechanism, Tune};
use synergy_solver::model::{Instance, Rules};

/// Splits over image, language, speech (problem statement, section 8).
const SPLITS: [[f64; 3]; 4] = [[20.0, 70.0, 10.0], [33.0, 33.0, 33.0], [50.0, 0.0, 50.0], [30.0, 60.0, 10.0]];
/// GPUs of the instances on which the gap is measured.
const GPUS: u32 = 128;
/// GPUs of the instances on which time is measured, as long as it is worth it.
const SIZES: [u32; 6] = [128, 256, 512, 1024, 10_000, 100_000];
/// A size is left out, with all larger ones, when a mechanism that grows quadratically from the size before would
/// take longer for one call.
const PATIENCE_S: f64 = 20.0;
/// Runs of which the median time is taken.
const RUNS: usize = 5;
/// Instances per split and kind of demand.
const SEEDS: u64 = 2;

/// Gap to the best bound that holds, over the instances where one does.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// Instances with a bound that holds for the allocation.
    pub instances: usize,
    /// Mean of (bound - value) / bound.
    pub mean: f64,
    /// Largest.
    pub worst: f64,
    /// Mean gap of `tune` on the same instances to the same bounds.
    pub tune_mean: f64,
}

impl Gap {
    /// Share of TUNE's mean gap that the mechanism closes; negative where it opens it.
    pub fn closed(&self) -> Option<f64> {
        (self.tune_mean > 0.0).then(|| 1.0 - self.mean / self.tune_mean)
    }
}

/// Time of one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// GPUs of the cluster.
    pub gpus: u32,
    /// Jobs of the queue.
    pub jobs: usize,
    /// Median of several calls.
    pub seconds: f64,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Gap to the best bound.
    pub gap: Option<Gap>,
    /// Time by size.
    pub timings: Vec<Timing>,
    /// Exponent of time over GPUs, fitted by least squares on logarithms.
    pub growth: Option<f64>,
    /// Of the instances, how many lose throughput when every server gets one more CPU per GPU.
    pub hurt_by_more_cpus: usize,
    /// Largest loss, as a fraction.
    pub worst_loss: f64,
    /// Largest change of the value when the policy order is shuffled, as a fraction.
    pub order_spread: f64,
    /// Instances behind the counts.
    pub instances: usize,
}

/// Measures `mechanism`; `None` when it fails or a generated workload cannot be made.
pub fn measure(mechanism: &dyn Mechanism) -> Option<Measures> {
    let mut specs = Vec::new();
    for multi in [false, true] {
        for split in SPLITS {
            specs.extend((0..SEEDS).map(|seed| spec(GPUS, split, multi, seed)));
        }
    }
    let mut gaps: Vec<(f64, f64)> = Vec::new();
    let (mut hurt_by_more_cpus, mut worst_loss, mut order_spread) = (0, 0.0_f64, 0.0_f64);
    for spec in &specs {
        let instance = instance(spec)?;
        let queue = instance.queue();
        let report = run(mechanism, &instance, &queue)?;
        if let Some(bound) = best_bound(&instance, &queue, &report) {
            let tune = run(&Tune, &instance, &queue)?;
            gaps.push(((bound - report.value) / bound, (bound - tune.value) / bound));
        }

        let mut richer = spec.clone();
        richer.cluster.cpus_per_gpu += 1.0;
        let richer = self::instance(&richer)?;
        let loss =
            1.0 - raw_value(&richer, &run(mechanism, &richer, &queue)?) / raw_value(&instance, &report);
        hurt_by_more_cpus += usize::from(loss > 1e-9);
        worst_loss = worst_loss.max(loss);

        let mut shuffled = queue.clone();
        let mut random = Stream::new(spec.seed, Purpose::Conformance);
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, random.below(last + 1));
        }
        let other = run(mechanism, &instance, &shuffled)?;
        order_spread = order_spread.max((other.value / report.value - 1.0).abs());
    }
    let mut timings: Vec<Timing> = Vec::new();
    for gpus in SIZES {
        let growth = |last: &Timing| (f64::from(gpus) / f64::from(last.gpus)).powi(2);
        if timings.last().is_some_and(|last| last.seconds * growth(last) > PATIENCE_S) {
            break;
        }
        let instance = instance(&spec(gpus, SPLITS[0], true, 0))?;
        // One that gives up on a large cluster has times for the others.
        let Some(timing) = time(mechanism, gpus, &instance) else { break };
        timings.push(timing);
    }
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / gaps.len() as f64;
    let gap = (!gaps.is_empty()).then(|| Gap {
        instances: gaps.len(),
        mean: mean(&mut gaps.iter().map(|g| g.0)),
        worst: gaps.iter().map(|g| g.0).fold(f64::NEG_INFINITY, f64::max),
        tune_mean: mean(&mut gaps.iter().map(|g| g.1)),
    });
    let growth = exponent(&timings);
    let instances = specs.len();
    Some(Measures { gap, timings, growth, hurt_by_more_cpus, worst_loss, order_spread, instances })
}

fn spec(gpus: u32, split: [f64; 3], multi: bool, seed: u64) -> WorkloadSpec {
    let mut spec = WorkloadSpec::default();
    spec.cluster.gpus = gpus;
    spec.mix.split = Some(split.to_vec());
    spec.demand = if multi { DemandSpec::Multi {} } else { DemandSpec::Single {} };
    spec.seed = seed;
    spec
}

fn instance(spec: &WorkloadSpec) -> Option<Instance> {
    Workload::new(spec.clone()).ok()?.instance(Rules::default()).ok()
}

fn run(mechanism: &dyn Mechanism, instance: &Instance, queue: &[usize]) -> Option<Report> {
    let outcome = mechanism.allocate(instance, queue).ok()?;
    Some(check(instance, queue, &outcome.allocation))
}

/// The least certified bound that holds for an allocation with these verdicts.
fn best_bound(instance: &Instance, queue: &[usize], report: &Report) -> Option<f64> {
    let bounds = BOUNDS.iter().filter_map(|name| bounds::by_name(name, BoundOptions::default()).ok());
    let results = bounds.map(|bound| bound.evaluate(instance, queue));
    let holding = results.filter(|result| result.scope.covers(&report.verdicts));
    holding.filter_map(|result| result.certified).reduce(f64::min)
}

/// Bounds that the gap is measured against: the certified linear ones.
const BOUNDS: [&str; 3] = ["lp-skip", "lp", "config"];

/// Sum of weighted throughput in the profiles' own unit, which does not move with the cluster.
fn raw_value(instance: &Instance, report: &Report) -> f64 {
    let raw = |job: usize, throughput: f64| {
        instance.objective_weight(job) * throughput * instance.class_of(job).baseline
    };
    report.jobs.iter().map(|checked| raw(checked.job, checked.throughput)).sum()
}

fn time(mechanism: &dyn Mechanism, gpus: u32, instance: &Instance) -> Option<Timing> {
    let queue = instance.queue();
    let mut seconds = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        mechanism.allocate(instance, &queue).ok()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Some(Timing { gpus, jobs: queue.len(), seconds: seconds[RUNS / 2] })
}

/// Slope of log(seconds) over log(GPUs).
fn exponent(timings: &[Timing]) -> Option<f64> {
    let points: Vec<(f64, f64)> = timings
        .iter()
        .filter(|t| t.seconds > 0.0)
        .map(|t| (f64::from(t.gpus).ln(), t.seconds.ln()))
        .collect();
    let n = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
    let spread: f64 = points.iter().map(|p| (p.0 - mean.0).powi(2)).sum();
    let slope: f64 = points.iter().map(|p| (p.0 - mean.0) * (p.1 - mean.1)).sum();
    (spread > 0.0).then(|| slope / spread)
}
