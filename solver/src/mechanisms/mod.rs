//! Mechanisms: cluster and jobs in policy order in, allocation out. One file per mechanism.
//!
//! To add one: implement [`Mechanism`], usually on top of [`Servers`], and add a line to [`ALL`], or
//! [`register`] it from a program of your own.
//! `docs/new-mechanism.md` walks from the idea to its figure. A complete one:
//!
//! ```
//! use synergy_solver::check::check;
//! use synergy_solver::mechanisms::*;
//! use synergy_solver::model::Instance;
//! # use synergy_solver::model::{Amounts, Cluster, JobSpec, Profile, Rules, ServerGroup};
//! use synergy_solver::status::Status;
//!
//! /// Best fit at the proportional share; then steps up, as long as they fit, by gain per CPU.
//! struct StepsUp;
//!
//! impl Mechanism for StepsUp {
//!     fn about(&self) -> About {
//!         About {
//!             name: "steps-up",
//!             description: "proportional shares, then steps up by throughput gained per CPU",
//!             source: "the documentation",
//!             takes: Takes::RunnableSet,
//!             guarantees: Guarantees { fair: true, complete: true, consolidated: true },
//!             parameters: &[],
//!         }
//!     }
//!
//!     fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
//!         let mut jobs = instance.runnable(queue);
//!         jobs.sort_by_key(|&job| std::cmp::Reverse(instance.gpus(job)));
//!         let mut servers = Servers::new(instance);
//!         for job in jobs {
//!             let class = instance.class_of(job);
//!             match servers.best_fit(class.gpus, &class.smallest_share) {
//!                 Some(server) => servers.place(job, server, class.smallest_share),
//!                 // Larger than a server, or no server has its GPUs left.
//!                 None if servers.place_on_whole_servers(job, |_| class.smallest_share) => (),
//!                 None => servers.split(job),
//!             }
//!         }
//!         let residents = servers.residents().to_vec();
//!         let options: Vec<_> = residents.iter().map(|r| fair_options(instance.class_of(r.job))).collect();
//!         // The option that each holds; none yet that is dearer than the share.
//!         let mut held: Vec<Option<usize>> = vec![None; residents.len()];
//!         loop {
//!             let mut best: Option<(f64, usize, usize)> = None;
//!             for (r, resident) in residents.iter().enumerate() {
//!                 let [part] = resident.parts.as_slice() else { continue };
//!                 let now = held[r].map_or(instance.class_of(resident.job).smallest_share, |k| options[r][k].amounts);
//!                 let from = instance.class_of(resident.job).throughput_at(&now);
//!                 for (k, option) in options[r].iter().enumerate() {
//!                     let step = Step { to: k, gain: option.throughput - from, cost: option.amounts - now };
//!                     let gains = step.gain > 0.0 && best.is_none_or(|(rate, _, _)| step.gain_per_cpu() > rate);
//!                     if gains && step.cost.fits_in(&servers.free_amounts(part.server)) {
//!                         best = Some((step.gain_per_cpu(), r, k));
//!                     }
//!                 }
//!             }
//!             let Some((_, r, k)) = best else { break };
//!             servers.change(r, options[r][k].amounts);
//!             held[r] = Some(k);
//!         }
//!         Ok(servers.into_outcome(Status::Ok))
//!     }
//! }
//!
//! # let w = ndarray::array![[0.5], [1.0], [1.8]];
//! # let profile = std::sync::Arc::new(Profile::new("net", vec![1.0, 3.0, 6.0], vec![62.5], w)?);
//! # let job = |id: &str| JobSpec { id: id.into(), profile: profile.clone(), gpus: 1, weight: 1.0, arrival_s: None, work_s: None };
//! # let group = ServerGroup { gpu_type: "v100".into(), count: 1, gpus: 4, capacity: Amounts::new(12.0, 250.0) };
//! # let jobs = vec![job("a"), job("b"), job("c")];
//! # let instance = Instance::new("example", Cluster::new(vec![group])?, jobs, Rules::default())?;
//! let queue = instance.queue();
//! let outcome = StepsUp.allocate(&instance, &queue)?;
//! let report = check(&instance, &queue, &outcome.allocation);
//! assert!(report.verdicts.valid && report.verdicts.fair && report.verdicts.complete);
//! assert_eq!(report.value, 1.8 + 1.0 + 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use registry::{ALL, Entry, NameError, Parameters, by_name, known, register};
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
