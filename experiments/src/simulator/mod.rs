//! The simulator: a policy orders jobs, a mechanism allocates servers, round after round (problem
//! statement, section 6).
//!
//! [`Engine`] is pure: jobs in, rows out. Policies, mechanisms and the switches between the paper and
//! the published simulator are parts of it that know nothing of each other.

mod allocators;
mod audit;
mod engine;
mod job;
mod moment;
mod output;
mod plan;
pub mod policies;
mod queue;
mod rows;
mod spool;
mod statistics;
mod switches;
#[cfg(test)]
mod tests;
mod trace;

pub use allocators::{
    Allocator, BoundAllocator, Decision, Grant, Kind, MechanismAllocator, OwnAllocator, PUBLISHED_MODELS,
    PublishedModel, ReferenceDemand, StageOneProgram, reference_demand,
};
pub use audit::Audit;
pub use engine::{Auditor, Completion, Engine, Options, Summary};
pub use job::SimJob;
pub use moment::{Moment, instance_at};
pub use output::{Finished, Recorder, rows_of, write_tables};
pub use plan::{
    CompletionRule, Plan, PlanError, RemainingRate, RunEnd, RunSpec, SimulationSpec, Source, Throughput,
};
pub use policies::Policy;
pub use queue::Rate;
pub use rows::{End, JobRow, Progress, RoundRow, Sink};
pub use statistics::{Gatherer, Statistics};
pub use switches::{Switch, SwitchError, Switches};
pub use trace::Trace;

use synergy_solver::mechanisms::MechanismError;
use synergy_solver::model::ModelError;
use thiserror::Error;

/// Why a simulation cannot go on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SimulationError {
    /// Nothing to simulate.
    #[error("the workload has no jobs")]
    NoJobs,
    /// A measured window outside the jobs.
    #[error(
        "measured window {start}..{end} does not lie within the {jobs} jobs; widen --jobs or move --measure"
    )]
    Window {
        /// First measured job.
        start: usize,
        /// The one after the last.
        end: usize,
        /// Jobs asked for.
        jobs: usize,
    },
    /// A stream that does not let up before memory is full.
    #[error(
        "more than {most} jobs arrived before the last measured one had ended; give a lower --load, or measure fewer jobs"
    )]
    TooManyJobs {
        /// Most that a simulation takes.
        most: usize,
    },
    /// Jobs and cluster do not go together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The mechanism failed.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// Semantics that know one shape of server.
    #[error(
        "switches of reference-2022 that touch allocation know clusters of one server group; use --semantics paper"
    )]
    OneGroup,
    /// The published simulator has no answer either.
    #[error("the published simulator stops here: {0}")]
    PublishedStops(String),
    /// Progress in iterations of unknown length.
    #[error("profile {0} has no known seconds per iteration, which progress-rounding needs")]
    NoIterationTime(String),
    /// A plan that was not checked beforehand.
    #[error("{0}")]
    Plan(String),
    /// An allocation that breaks what its mechanism promises.
    #[error("mechanism {mechanism} broke its promise in a round: {verdict}")]
    Promise {
        /// Name of the mechanism.
        mechanism: String,
        /// Which verdict.
        verdict: String,
    },
}
