//! What decides a round: any mechanism of the solver, a bound that stands in for one, or the
//! allocation code of the published simulator.

mod bound;
mod mechanism;
mod own;
mod published_models;

pub use bound::{BoundAllocator, StageOneProgram};
pub use mechanism::MechanismAllocator;
pub use own::{Kind, OwnAllocator};
pub(super) use own::{full_demand, full_speed};
pub(super) use published_models::iteration_s as published_iteration_s;
pub use published_models::{PUBLISHED_MODELS, PublishedModel, ReferenceDemand, reference_demand};

use super::SimulationError;
use smallvec::SmallVec;
use synergy_solver::mechanisms::Takes;
use synergy_solver::model::{Allocation, Amounts, Instance};

/// What a job gets for a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// Index of the job in the instance.
    pub job: usize,
    /// Work per second, in seconds at the baseline rate: normalised throughput x placement penalty.
    pub speed: f64,
    /// CPUs and memory over all servers.
    pub amounts: Amounts,
    /// Servers, ascending; none where a bound stands in for a mechanism.
    pub servers: SmallVec<[u32; 2]>,
    /// Whether it holds less than it asked for.
    pub reverted: bool,
}

/// The outcome of a round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// Scheduled jobs.
    pub grants: Vec<Grant>,
    /// The allocation, for the checker; `None` for bounds.
    pub allocation: Option<Allocation>,
}

/// Decides rounds. Decisions must not depend on each other: same instance and queue, same decision.
pub trait Allocator {
    /// Which jobs it is given.
    fn takes(&self) -> Takes;

    /// Decides about `queue`, job indices of `instance` in policy order.
    ///
    /// # Errors
    /// When it has no decision to offer.
    fn decide(&mut self, instance: &Instance, queue: &[usize]) -> Result<Decision, SimulationError>;
}
