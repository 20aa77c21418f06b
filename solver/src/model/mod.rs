//! The problem's data: clusters, sensitivity matrices, jobs, allocations.

mod allocation;
mod amounts;
mod cluster;
mod error;
mod instance;
mod profile;

pub use allocation::{Allocation, JobAllocation, Part, Parts};
pub use amounts::{AUXILIARY, AUXILIARY_NAMES, Amounts, LOOKUP_TOLERANCE, not_above};
pub use cluster::{Cluster, MOST_SERVERS, ServerGroup};
pub use error::ModelError;
pub use instance::{Configuration, Instance, Job, JobClass, JobSpec, Objective, Rules};
pub use profile::{Profile, ThroughputRule};
