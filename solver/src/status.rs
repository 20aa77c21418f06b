//! How a solve, a mechanism or a bound ended.

use std::fmt;

/// The outcome of a computation. Bad input is an error; how a solve ended is one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// A heuristic did what it promises.
    Ok,
    /// Solved to proven optimality.
    Optimal,
    /// Ended by the clock; outside the promise of identical results.
    TimeLimit,
    /// Ended by a count: nodes, rounds or columns.
    NodeLimit,
    /// The program has no solution.
    Infeasible,
    /// Our own check could not confirm what the solver says.
    Uncertified,
    /// Not run: too large for the instance, or not defined for it.
    Skipped,
    /// The search found no consolidated allocation; the fallback is reported.
    NotFound,
    /// Ended with an error, which is reported beside it.
    Failed,
    /// Proven: no complete, fair, consolidated allocation exists.
    NoConsolidatedAllocation,
}

impl Status {
    /// Name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Optimal => "optimal",
            Status::TimeLimit => "time-limit",
            Status::NodeLimit => "node-limit",
            Status::Infeasible => "infeasible",
            Status::Uncertified => "uncertified",
            Status::Skipped => "skipped",
            Status::NotFound => "not-found",
            Status::Failed => "failed",
            Status::NoConsolidatedAllocation => "no-consolidated-allocation",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much a search did, in counts that do not depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Rounds of column generation.
    pub rounds: usize,
    /// Columns generated.
    pub columns: usize,
    /// Branch-and-bound nodes.
    pub nodes: usize,
}
