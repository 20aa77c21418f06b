//! Running the methods.

use super::methods::{AtHand, Methods, Named, UnknownMethod};
use super::promises::broken_promises;
use super::{
    BoundRecord, Checked, CompareOptions, Comparison, InstanceSummary, MechanismRecord, PlacementRecord,
};
use crate::error::ExitCode;
use std::time::Instant;
use synergy_solver::check::check;
use synergy_solver::mechanisms::{Mechanism, Takes};
use synergy_solver::model::Instance;
use synergy_solver::placement::PlacementMethod;
use synergy_solver::status::Status;
use synergy_solver::two_stage;

/// Relative tolerance of "an allocation is not above a bound that holds for it".
const TOLERANCE: f64 = 1e-6;

/// Runs every method on `instance` that `options` ask for, and checks every allocation.
///
/// # Errors
/// A name in `only` that stands for nothing.
pub fn compare(instance: &Instance, options: &CompareOptions) -> Result<Comparison, UnknownMethod> {
    compare_with(instance, options, &|_| None)
}

/// As [`compare`], with mechanisms that are at hand: many comparisons share the processes of plug-ins.
///
/// # Errors
/// As [`compare`].
pub fn compare_with(
    instance: &Instance,
    options: &CompareOptions,
    at_hand: &AtHand<'_>,
) -> Result<Comparison, UnknownMethod> {
    let methods = Methods::new(instance, options, at_hand)?;
    let queue = instance.queue();
    let bounds: Vec<BoundRecord> = methods
        .bounds
        .iter()
        .map(|bound| {
            let (result, seconds) = timed(|| bound.method.evaluate(instance, &queue));
            let seconds = Some(seconds).filter(|_| result.status != Status::Skipped);
            BoundRecord { name: bound.name.clone(), result, seconds }
        })
        .collect();
    let placements = placements(instance, &queue, options, &methods.placements);
    let mechanisms =
        methods.mechanisms.iter().map(|named| mechanism(instance, &queue, named, &bounds)).collect();
    Ok(Comparison { instance: InstanceSummary::new(instance), bounds, placements, mechanisms })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn mechanism(
    instance: &Instance,
    queue: &[usize],
    named: &Named<dyn Mechanism>,
    bounds: &[BoundRecord],
) -> MechanismRecord {
    let mut record = MechanismRecord {
        name: named.name.clone(),
        status: Status::Skipped,
        checked: None,
        gaps: bounds.iter().map(|bound| (bound.name.clone(), None)).collect(),
        bound: None,
        certified_gap: None,
        effort: None,
        seconds: None,
        message: None,
    };
    if named.too_large {
        return record;
    }
    let (outcome, seconds) = timed(|| named.method.allocate(instance, queue));
    record.seconds = Some(seconds);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            record.status = Status::Failed;
            record.message = Some(error.to_string());
            return record;
        }
    };
    if outcome.status == Status::Skipped {
        return MechanismRecord { seconds: None, ..record };
    }
    let about = named.method.about();
    let report = check(instance, queue, &outcome.allocation);
    let given = match about.takes {
        Takes::WholeQueue => queue.len(),
        Takes::RunnableSet => instance.runnable(queue).len(),
    };
    record.status = outcome.status;
    record.effort = outcome.effort;
    record.bound = outcome.bound;
    record.certified_gap = outcome.bound.and_then(|bound| gap(bound, report.value));
    record.checked = Some(Checked {
        value: report.value,
        value_per_job: report.value_per_job,
        verdicts: report.verdicts,
        placed: report.jobs.len(),
        skipped: given.saturating_sub(report.jobs.len()),
        gpus_idle: report.gpus_idle,
        reverted: outcome.reverted.len(),
        fragmented: report.fragmented,
    });
    let mut broken = broken_promises(&about, instance, &report);
    for (record_gap, bound) in record.gaps.iter_mut().zip(bounds) {
        if let Some(number) = bound.published().filter(|_| bound.result.scope.covers(&report.verdicts)) {
            record_gap.1 = gap(number, report.value);
            if report.value > number + TOLERANCE * number.abs().max(1.0) {
                broken =
                    Some(format!("its value {} is above the bound {} of {number}", report.value, bound.name));
            }
        }
    }
    if let Some(broken) = broken {
        record.status = Status::Uncertified;
        record.message = Some(broken);
    }
    record
}

/// (bound - value) / bound, where that means anything.
fn gap(bound: f64, value: f64) -> Option<f64> {
    (bound > 0.0).then(|| (bound - value) / bound)
}

/// Stage two of the paper by each method, from one solution of stage one.
fn placements(
    instance: &Instance,
    queue: &[usize],
    options: &CompareOptions,
    methods: &[Named<dyn PlacementMethod>],
) -> Vec<PlacementRecord> {
    let wanted = methods.iter().any(|named| !named.too_large);
    let stage_one = wanted.then(|| two_stage::stage_one(instance, queue, &options.bound_options()));
    let record = |named: &Named<dyn PlacementMethod>| {
        let mut record = PlacementRecord {
            name: named.name.clone(),
            status: Status::Skipped,
            fragmented: None,
            pieces: None,
            limit: None,
            bound: None,
            gap: None,
            seconds: None,
            message: None,
        };
        let Some(stage_one) = stage_one.as_ref().filter(|_| !named.too_large) else {
            return record;
        };
        let (placement, seconds) = timed(|| two_stage::place(instance, stage_one, named.method.as_ref()));
        let solved = placement.shares.len() >= stage_one.jobs.len() && !stage_one.jobs.is_empty();
        record.status = placement.status;
        record.limit = Some(placement.limit);
        record.fragmented = solved.then_some(placement.fragmented);
        record.pieces = solved.then_some(placement.pieces);
        record.bound = placement.bound.map(|bound| bound as f64);
        record.gap = placement.gap();
        record.seconds = Some(seconds);
        record
    };
    methods.iter().map(record).collect()
}

impl Comparison {
    /// What the process should tell its caller about these results.
    pub fn exit_code(&self) -> ExitCode {
        let bounds = self.bounds.iter().map(|bound| bound.result.status);
        let placements = self.placements.iter().map(|placement| placement.status);
        let mechanisms = self.mechanisms.iter().map(|mechanism| mechanism.status);
        let code = |status| match status {
            Status::Uncertified => ExitCode::Uncertified,
            Status::Failed => ExitCode::SomeFailed,
            _ => ExitCode::Fine,
        };
        bounds.chain(placements).chain(mechanisms).map(code).fold(ExitCode::Fine, ExitCode::worse)
    }
}
