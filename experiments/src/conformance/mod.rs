//! The conformance kit: does a mechanism keep what it promises, on hard, odd and random instances?
//!
//! Every property is checked on every instance with the independent checker. The first instance that
//! breaks one is made smaller as long as it still does. What is no promise but of interest (gap, time,
//! effect of more CPUs and of the policy order) is measured on generated workloads.

mod cases;
mod measure;
mod report;
mod shrink;
#[cfg(test)]
mod tests;

pub use cases::{Case, odd, random};
pub use measure::{Gap, Measures, Timing};
pub use report::{to_json, to_junit, to_text};

use crate::plugins::ResolveError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use synergy_solver::bounds::{self, BoundOptions};
use synergy_solver::check::{Report, Verdict, check};
use synergy_solver::mechanisms::{About, Mechanism, MechanismError};
use synergy_solver::model::{Allocation, Instance, JobAllocation};

/// What is checked on every instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// It returns an allocation and does not panic.
    Answers,
    /// No server over capacity, exact GPU demands, amounts in proportion.
    Valid,
    /// No scheduled job below its baseline.
    Fair,
    /// Every runnable job scheduled: no GPU idle that one asked for.
    Complete,
    /// Every job on the fewest servers, where the packing cannot fail.
    Consolidated,
    /// The same allocation in a second call, after another instance, and from a fresh mechanism.
    Deterministic,
    /// The same allocation whatever the jobs are called.
    StableUnderRenaming,
    /// The same allocation whatever the order in which jobs are listed, for one policy order.
    StableUnderListing,
    /// No value above a bound that holds for the allocation. A breach is a bug, here or there.
    WithinBounds,
}

impl Property {
    /// All, in the order of reports.
    pub const ALL: [Property; 9] = [
        Property::Answers,
        Property::Valid,
        Property::Fair,
        Property::Complete,
        Property::Consolidated,
        Property::Deterministic,
        Property::StableUnderRenaming,
        Property::StableUnderListing,
        Property::WithinBounds,
    ];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Answers => "answers",
            Property::Valid => "valid",
            Property::Fair => "fair",
            Property::Complete => "complete",
            Property::Consolidated => "consolidated",
            Property::Deterministic => "deterministic",
            Property::StableUnderRenaming => "stable-under-renaming",
            Property::StableUnderListing => "stable-under-listing",
            Property::WithinBounds => "within-bounds",
        }
    }

    /// What it says, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Property::Answers => "returns an allocation for every instance",
            Property::Valid => "within capacity, exact GPUs, amounts in proportion",
            Property::Fair => "no scheduled job below its baseline",
            Property::Complete => "every runnable job scheduled",
            Property::Consolidated => "every job on the fewest servers, where packing cannot fail",
            Property::Deterministic => "same instance, same allocation",
            Property::StableUnderRenaming => "job names do not matter",
            Property::StableUnderListing => "the order of listing does not matter, only policy order",
            Property::WithinBounds => "no value above a bound that holds for it",
        }
    }

    /// Whether a mechanism has to keep it.
    const fn is_promised(self, about: &About) -> bool {
        match self {
            Property::Fair => about.guarantees.fair,
            Property::Complete => about.guarantees.complete,
            Property::Consolidated => about.guarantees.consolidated,
            _ => true,
        }
    }
}

/// How a property fared.
#[derive(Debug, Clone)]
pub enum Verdicted {
    /// It held on this many instances.
    Passed(usize),
    /// The mechanism does not promise it.
    NotPromised,
    /// It broke.
    Failed(Box<Failure>),
}

/// A broken property.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The case where it first broke.
    pub first: String,
    /// The smallest one found.
    pub smallest: Case,
    /// What is wrong there.
    pub why: String,
}

/// What the kit found.
#[derive(Debug, Clone)]
pub struct Conformance {
    /// As it was asked for.
    pub mechanism: String,
    /// What it says of itself.
    pub about: About,
    /// Every property, in order.
    pub properties: Vec<(Property, Verdicted)>,
    /// Of interest, but no promise; absent when something broke.
    pub measures: Option<Measures>,
}

impl Conformance {
    /// Whether every promise was kept.
    pub fn passed(&self) -> bool {
        !self.properties.iter().any(|(_, verdict)| matches!(verdict, Verdicted::Failed(_)))
    }
}

/// How much is tried.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Random instances beside the published ones.
    pub random: u64,
    /// Seed of the random instances.
    pub seed: u64,
    /// Whether to measure.
    pub measure: bool,
}

/// Makes a fresh mechanism.
pub type Make<'a> = dyn Fn() -> Result<Box<dyn Mechanism>, ResolveError> + 'a;

/// Runs the kit on the mechanism that `make` makes.
///
/// # Errors
/// When there is no mechanism to test, such as a plug-in that does not start.
pub fn run(name: &str, make: &Make, effort: &Effort) -> Result<Conformance, ResolveError> {
    let mechanism = make()?;
    let about = mechanism.about();
    let cases: Vec<Case> =
        odd().into_iter().chain((0..effort.random).map(|index| random(effort.seed, index))).collect();
    let verdict = |property: Property| {
        if !property.is_promised(&about) {
            return Verdicted::NotPromised;
        }
        let fails = |case: &Case| breaks(property, &*mechanism, make, case);
        let broken = cases.iter().find_map(|case| fails(case).map(|why| (case, why)));
        match broken {
            None => Verdicted::Passed(cases.len()),
            Some((case, why)) => {
                let (smallest, why) = shrink::shrink(case.clone(), why, fails);
                Verdicted::Failed(Box::new(Failure { first: case.name.clone(), smallest, why }))
            }
        }
    };
    let properties: Vec<(Property, Verdicted)> = Property::ALL.map(|p| (p, verdict(p))).into();
    let broken = properties.iter().any(|(_, verdict)| matches!(verdict, Verdicted::Failed(_)));
    let measures = (effort.measure && !broken).then(|| measure::measure(&*mechanism)).flatten();
    Ok(Conformance { mechanism: name.to_owned(), about, properties, measures })
}

/// The allocation of `queue`, or one line on why there is none.
pub(crate) fn allocate(
    mechanism: &dyn Mechanism,
    instance: &Instance,
    queue: &[usize],
) -> Result<Allocation, String> {
    match catch_unwind(AssertUnwindSafe(|| mechanism.allocate(instance, queue))) {
        Ok(Ok(outcome)) => Ok(outcome.allocation),
        Ok(Err(MechanismError::Failed { reason, .. })) => Err(reason),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panic: {}", text.unwrap_or("without a message")))
        }
    }
}

/// Why `case` breaks `property`; `None` when it does not, or when another property is at fault.
fn breaks(property: Property, mechanism: &dyn Mechanism, make: &Make, case: &Case) -> Option<String> {
    let instance = case.instance()?;
    let queue = instance.queue();
    let allocation = match (allocate(mechanism, &instance, &queue), property) {
        (Err(reason), Property::Answers) => return Some(reason),
        (Err(_), _) | (Ok(_), Property::Answers) => return None,
        (Ok(allocation), _) => allocation,
    };
    let verdict = |verdict: Verdict| {
        let report = check(&instance, &queue, &allocation);
        let violation = report.violations.iter().find(|v| v.breach.verdict() == verdict);
        violation.map(|violation| violation.describe(&instance))
    };
    let differs = |again: Result<Allocation, String>, when: &str| match again {
        Ok(again) if again == allocation => None,
        Ok(again) => Some(format!("{when}: {}", first_difference(&instance, &allocation, &again))),
        Err(reason) => Some(format!("{when}: {reason}")),
    };
    match property {
        Property::Answers => None,
        Property::Valid => verdict(Verdict::Valid),
        Property::Fair => verdict(Verdict::Fair),
        Property::Complete => verdict(Verdict::Complete),
        Property::Consolidated => case.packs_surely().then(|| verdict(Verdict::Consolidated)).flatten(),
        Property::Deterministic => {
            let mut other = case.clone();
            other.jobs.reverse();
            if let Some(other) = other.instance() {
                let _ = allocate(mechanism, &other, &other.queue());
            }
            differs(allocate(mechanism, &instance, &queue), "in a later call").or_else(|| {
                let fresh = make().map_err(|error| error.to_string());
                let again = fresh.and_then(|fresh| allocate(&*fresh, &instance, &queue));
                differs(again, "from a fresh mechanism")
            })
        }
        Property::StableUnderRenaming => {
            let mut renamed = case.clone();
            let count = renamed.jobs.len();
            for (index, job) in renamed.jobs.iter_mut().enumerate() {
                job.id = format!("renamed-{:06}", (count - index) * 7919 % 1_000_003);
            }
            let renamed = renamed.instance()?;
            differs(allocate(mechanism, &renamed, &queue), "with other names")
        }
        Property::StableUnderListing => {
            let mut listed = case.clone();
            listed.jobs.reverse();
            let listed = listed.instance()?;
            let reversed: Vec<usize> = queue.iter().rev().copied().collect();
            let back =
                allocate(mechanism, &listed, &reversed).map(|allocation| relisted(allocation, queue.len()));
            differs(back, "with jobs listed in reverse")
        }
        Property::WithinBounds => {
            let report = check(&instance, &queue, &allocation);
            beaten_bound(&instance, &queue, &report)
        }
    }
}

/// The allocation of an instance whose `jobs` were listed in reverse, in terms of the original.
fn relisted(allocation: Allocation, jobs: usize) -> Allocation {
    let back = |entry: JobAllocation| JobAllocation { job: jobs - 1 - entry.job, ..entry };
    let mut jobs: Vec<JobAllocation> = allocation.jobs.into_iter().map(back).collect();
    jobs.sort_by_key(|entry| entry.job);
    Allocation { jobs, ..allocation }
}

fn first_difference(instance: &Instance, one: &Allocation, other: &Allocation) -> String {
    let of =
        |allocation: &Allocation, job: usize| allocation.jobs.iter().find(|entry| entry.job == job).cloned();
    let differing = (0..instance.jobs().len()).find(|&job| of(one, job) != of(other, job));
    let show = |entry: Option<JobAllocation>| match entry {
        None => "nothing".to_owned(),
        Some(entry) => {
            let part = |p: &synergy_solver::model::Part| {
                format!("{} cpus and {} GB on server {}", p.amounts.cpus(), p.amounts.memory_gb(), p.server)
            };
            entry.parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    };
    match differing {
        Some(job) => {
            format!(
                "job {:?} gets {} instead of {}",
                instance.jobs()[job].id,
                show(of(other, job)),
                show(of(one, job))
            )
        }
        None => "the allocations differ".into(),
    }
}

/// The bound that holds for this allocation and that its value beats.
fn beaten_bound(instance: &Instance, queue: &[usize], report: &Report) -> Option<String> {
    for name in ["lp-skip", "lp"] {
        let bound = bounds::by_name(name, BoundOptions::default()).ok()?;
        let result = bound.evaluate(instance, queue);
        let certified = result.certified?;
        if result.scope.covers(&report.verdicts) && report.value > certified * (1.0 + 1e-6) + 1e-9 {
            return Some(format!("value {} is above the bound {name} = {certified}", report.value));
        }
    }
    None
}
