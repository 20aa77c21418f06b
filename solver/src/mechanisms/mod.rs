//! Mechanisms: cluster and jobs in policy order in, allocation out. One file per mechanism.
//!
//! To add one: implement [`Mechanism`], usually on top of [`Servers`], and add a line to [`ALL`].

mod free_index;
mod greedy;
mod opt_deployable;
mod opt_rounded;
mod optimum;
mod options;
mod packing;
mod price_greedy;
mod proportional;
mod registry;
mod server_plan;
mod servers;
mod tune;
mod tune_local;

pub use greedy::Greedy;
pub use opt_deployable::OptDeployable;
pub use opt_rounded::OptRounded;
pub use optimum::Optimum;
pub use options::{Choice, Step, fair_options, prices, steps_up};
pub use price_greedy::PriceGreedy;
pub use proportional::Proportional;
pub use registry::{ALL, Entry, NameError, Parameters, by_name};
pub use servers::{Resident, Servers};
pub use tune::Tune;
pub use tune_local::TuneLocal;

use crate::model::{Allocation, Instance};
use crate::status::{Effort, Status};
use thiserror::Error;

/// Which jobs of the queue a mechanism decides about (problem statement, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// The runnable set: [`Instance::runnable`].
    RunnableSet,
    /// Every queued job.
    WholeQueue,
}

/// What a mechanism promises for every allocation it returns. The checker holds it to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guarantees {
    /// Every scheduled job has at least its baseline throughput.
    pub fair: bool,
    /// Every runnable job is scheduled, so no GPU is idle that one asked for.
    pub complete: bool,
    /// Consolidated whenever demands are powers of two and all servers have one power-of-two GPU
    /// count (with several groups: where no job is larger than a server).
    pub consolidated: bool,
}

/// A parameter of a mechanism, as in `name[parameter=value]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Value when it is not given.
    pub default: &'static str,
    /// One line, with the unit.
    pub description: &'static str,
}

/// What `synergy mechanisms` lists.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Name, as in tables and on the command line.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Which jobs it decides about.
    pub takes: Takes,
    /// What it promises.
    pub guarantees: Guarantees,
    /// What can be set in brackets after the name.
    pub parameters: &'static [Parameter],
}

/// What a mechanism returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The allocation; job indices refer to the instance.
    pub allocation: Allocation,
    /// Jobs that were reverted to their proportional share, ascending.
    pub reverted: Vec<usize>,
    /// Upper bound on what any allocation of this kind reaches, where the mechanism proves one.
    pub bound: Option<f64>,
    /// What the search did, for mechanisms that search.
    pub effort: Option<Effort>,
}

/// Why a mechanism has no allocation.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MechanismError {
    /// It broke down; the reason is one line.
    #[error("mechanism {mechanism} failed: {reason}")]
    Failed {
        /// Name with parameters.
        mechanism: String,
        /// What happened.
        reason: String,
    },
}

/// An allocation rule. Calls must not depend on each other: same instance and queue, same outcome.
pub trait Mechanism: Send + Sync {
    /// What it is and promises.
    fn about(&self) -> About;

    /// Allocates servers to `queue`, job indices of `instance` in policy order. A mechanism that
    /// takes the runnable set finds it with [`Instance::runnable`].
    ///
    /// # Errors
    /// When it has no allocation to offer; never for an odd instance.
    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError>;
}
