//! Upper bounds on the value of allocations. One file per bound.

use crate::check::Verdicts;
use crate::model::{Amounts, Instance};
use crate::status::{Effort, Status};

/// Which allocations a bound holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every valid allocation of jobs of the queue.
    Valid,
    /// Valid, fair and complete: the whole runnable set at no less than its baseline.
    FairComplete,
    /// Valid, fair, complete and consolidated.
    FairCompleteConsolidated,
}

impl Scope {
    /// Whether the bound holds for an allocation with these verdicts.
    pub fn covers(self, verdicts: &Verdicts) -> bool {
        let fair_complete = verdicts.valid && verdicts.fair && verdicts.complete;
        match self {
            Scope::Valid => verdicts.valid,
            Scope::FairComplete => fair_complete,
            Scope::FairCompleteConsolidated => fair_complete && verdicts.consolidated,
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
    /// What the search did, for bounds that search.
    pub effort: Option<Effort>,
    /// One line for the reader where the status needs it, such as which classes cannot be packed.
    pub note: Option<String>,
}

/// An upper bound.
pub trait Bound: Send + Sync {
    /// Name, as in tables and on the command line.
    fn name(&self) -> &'static str;

    /// The bound for `queue`, job indices of `instance` in policy order.
    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult;
}
