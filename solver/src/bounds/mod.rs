//! Upper bounds on the value of allocations. One file per bound.
//!
//! | name | program | holds for |
//! | --- | --- | --- |
//! | `lp` | [`lp`]: stage one, the super-machine | fair, complete allocations |
//! | `ilp` | [`ilp`]: the same with whole choices | fair, complete allocations |
//! | `config` | [`config`]: the configuration LP, servers with walls | fair, complete, consolidated allocations |
//! | `lp-skip` | [`lp_skip`]: jobs may be skipped, none is promised its share | every valid allocation |
//! | `lp-groups` | [`lp_groups`]: one machine per server group | fair, complete allocations |

mod blocks;
pub mod candidates;
pub mod choice;
pub mod config;
pub mod ilp;
pub mod lp;
pub mod lp_groups;
pub mod lp_skip;
mod stage_one;

pub use candidates::Pruning;
pub use config::Config;
pub use stage_one::{GroupPart, JobChoice, StageOne};

use crate::check::Verdicts;
use crate::lp::{Attempt, Certified, Limits};
use crate::model::{AUXILIARY, Amounts, Instance};
use crate::status::{Effort, Status};
use choice::Chosen;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Which allocations a bound holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every valid allocation of jobs of the queue.
    Valid,
    /// Valid and consolidated.
    Consolidated,
    /// Valid, fair and complete: the whole runnable set at no less than its baseline.
    FairComplete,
    /// Valid, fair, complete and consolidated.
    FairCompleteConsolidated,
}

impl Scope {
    /// Name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Valid => "valid",
            Scope::Consolidated => "consolidated",
            Scope::FairComplete => "fair-complete",
            Scope::FairCompleteConsolidated => "fair-complete-consolidated",
        }
    }

    /// Whether the bound holds for an allocation with these verdicts.
    pub fn covers(self, verdicts: &Verdicts) -> bool {
        let fair_complete = verdicts.valid && verdicts.fair && verdicts.complete;
        match self {
            Scope::Valid => verdicts.valid,
            Scope::Consolidated => verdicts.valid && verdicts.consolidated,
            Scope::FairComplete => fair_complete,
            Scope::FairCompleteConsolidated => fair_complete && verdicts.consolidated,
        }
    }

    /// The part of this scope that is consolidated: what a bound over capped configurations covers.
    fn consolidated(self) -> Self {
        match self {
            Scope::Valid | Scope::Consolidated => Scope::Consolidated,
            Scope::FairComplete | Scope::FairCompleteConsolidated => Scope::FairCompleteConsolidated,
        }
    }
}

/// How a stage-one program is formulated and solved. The value is the same by each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LpMethod {
    /// The program of the paper: variables for every job.
    Direct,
    /// Variables for every block of equal matrix, GPU demand and weight, fairness inside the choices.
    Aggregated,
    /// The same program through the dual of its capacity rows: for many blocks.
    Dual,
}

impl LpMethod {
    /// Every method.
    pub const ALL: [LpMethod; 3] = [LpMethod::Direct, LpMethod::Aggregated, LpMethod::Dual];

    /// Name in files, tables and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            LpMethod::Direct => "direct",
            LpMethod::Aggregated => "aggregated",
            LpMethod::Dual => "dual",
        }
    }
}

/// A name that no method of stage one has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no method of stage one is called {0:?}; known are direct, aggregated, dual")]
pub struct UnknownLpMethod(pub String);

impl FromStr for LpMethod {
    type Err = UnknownLpMethod;

    fn from_str(name: &str) -> Result<Self, UnknownLpMethod> {
        let known = LpMethod::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| UnknownLpMethod(name.into()))
    }
}

impl fmt::Display for LpMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Choices that the bounds share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundOptions {
    /// Only configurations that the fewest servers for a job provide. Tighter; bounds consolidated
    /// allocations only.
    pub per_server_cap: bool,
    /// When solves stop early.
    pub limits: Limits,
    /// Which configurations are left out beforehand.
    pub pruning: Pruning,
    /// How the program is formulated and solved; by size and structure when `None`.
    pub method: Option<LpMethod>,
    /// Fairness floor alpha in [0, 1]: every job keeps at least alpha times its baseline throughput (at 0 it may hold nothing
    /// but its GPUs). 1 is the
    /// problem; the value as alpha falls is the price of fairness. Bounds keep their scope only at 1 or below.
    pub fairness_floor: f64,
}

impl Default for BoundOptions {
    fn default() -> Self {
        BoundOptions {
            per_server_cap: false,
            limits: Limits::default(),
            pruning: Pruning::default(),
            method: None,
            fairness_floor: 1.0,
        }
    }
}

/// A computed bound. Unknown numbers are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundResult {
    /// How the solve ended.
    pub status: Status,
    /// What is published as the bound: the LP's optimum, or the dual bound of an integer program.
    pub value: Option<f64>,
    /// Bound by weak duality from our own arithmetic, valid whatever the solver says.
    pub certified: Option<f64>,
    /// Best integer solution, for integer programs.
    pub incumbent: Option<f64>,
    /// Whether `value` rests on the solver's word (integer programs).
    pub trusted: bool,
    /// Value of one more CPU and one more GB.
    pub shadow_prices: Option<Amounts>,
    /// Which allocations it bounds.
    pub scope: Scope,
    /// How the program was formulated, where there is a choice.
    pub method: Option<LpMethod>,
    /// Which attempt at the solve passed its certificate.
    pub attempt: Option<Attempt>,
    /// What the search did, for bounds that search.
    pub effort: Option<Effort>,
    /// One line for the reader where the status needs it, such as which classes cannot be packed.
    pub note: Option<String>,
}

impl BoundResult {
    /// A result with a status and no numbers.
    pub fn without_value(status: Status, scope: Scope) -> Self {
        BoundResult {
            status,
            value: None,
            certified: None,
            incumbent: None,
            trusted: false,
            shadow_prices: None,
            scope,
            method: None,
            attempt: None,
            effort: None,
            note: None,
        }
    }

    /// The result of a multiple-choice program, whose first resources are the auxiliary ones.
    fn of_chosen<const R: usize>(chosen: &Chosen<R>, scope: Scope) -> Self {
        let mut shadow_prices = Amounts::ZERO;
        for resource in 0..AUXILIARY {
            shadow_prices[resource] = chosen.prices[resource];
        }
        BoundResult {
            value: Some(chosen.value).filter(|_| chosen.status == Status::Optimal),
            certified: Some(chosen.bound),
            shadow_prices: Some(shadow_prices).filter(|_| chosen.status == Status::Optimal),
            method: Some(if chosen.by_dual { LpMethod::Dual } else { LpMethod::Aggregated }),
            attempt: Some(chosen.attempt),
            ..BoundResult::without_value(chosen.status, scope)
        }
    }

    /// The result of a certified LP (maximisation).
    pub(crate) fn of_lp(certified: &Certified, scope: Scope) -> Self {
        let number = |x: f64| x.is_finite().then_some(x);
        BoundResult {
            value: number(certified.certificate.primal).filter(|_| certified.status == Status::Optimal),
            certified: number(certified.certificate.bound),
            attempt: Some(certified.attempt),
            ..BoundResult::without_value(certified.status, scope)
        }
    }
}

/// An upper bound.
pub trait Bound: Send + Sync {
    /// Name, as in tables and on the command line.
    fn name(&self) -> &'static str;

    /// The bound for `queue`, job indices of `instance` in policy order.
    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult;

    /// The bound for many queues of one instance, such as the rounds of a simulation, where what does not
    /// depend on the queue need be found only once. Same results as [`Bound::evaluate`].
    fn prepare<'a>(&'a self, instance: &'a Instance) -> Prepared<'a> {
        Box::new(move |queue| self.evaluate(instance, queue))
    }
}

/// A bound as a function of the queue; see [`Bound::prepare`].
pub type Prepared<'a> = Box<dyn Fn(&[usize]) -> BoundResult + 'a>;

/// A name that no bound has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no bound is called {name:?}; known are {}", NAMES.join(", "))]
pub struct UnknownBound {
    /// What was asked for.
    pub name: String,
}

/// Names of all bounds, as [`by_name`] knows them.
pub const NAMES: &[&str] = &[config::NAME, ilp::NAME, lp::NAME, lp_groups::NAME, lp_skip::NAME];

/// The bound of that name.
///
/// # Errors
/// A name not in [`NAMES`].
pub fn by_name(name: &str, options: BoundOptions) -> Result<Box<dyn Bound>, UnknownBound> {
    match name {
        config::NAME => Ok(Box::new(Config { floor: options.fairness_floor, ..Config::default() })),
        ilp::NAME => Ok(Box::new(ilp::Ilp { options })),
        lp::NAME => Ok(Box::new(lp::Lp { options })),
        lp_groups::NAME => Ok(Box::new(lp_groups::LpGroups { options })),
        lp_skip::NAME => Ok(Box::new(lp_skip::LpSkip { options })),
        _ => Err(UnknownBound { name: name.into() }),
    }
}
