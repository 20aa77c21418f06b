//! What can be wrong with a cluster, profile or job.

use super::Amounts;
use thiserror::Error;

/// A fault of the input, with its place. Messages are fragments that complete "FILE: ...".
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ModelError {
    /// No server group.
    #[error("cluster: has no server group; give at least one")]
    EmptyCluster,
    /// More servers than any cluster has: a slip of the keyboard.
    #[error("cluster: has {servers} servers; give at most {}", super::MOST_SERVERS)]
    TooManyServers {
        /// All groups together.
        servers: usize,
    },
    /// A count or capacity of a server group.
    #[error(
        "cluster[{index}].{field}: is {value}; give a number above 0 and up to 1e12 (CPUs and memory may be 0)"
    )]
    Group {
        /// Group, from 0.
        index: usize,
        /// Name in files.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// An axis of a profile.
    #[error(
        "profile {profile:?}: {axis} must be a non-empty list of positive numbers in increasing order, none above 1e12"
    )]
    Axis {
        /// Profile.
        profile: String,
        /// Name of the axis in files.
        axis: &'static str,
    },
    /// A matrix whose shape is not that of its axes.
    #[error(
        "profile {profile:?}: throughput is {} x {}, but the axes make it {} x {} (rows are CPUs, columns memory)",
        found.0, found.1, expected.0, expected.1
    )]
    Shape {
        /// Profile.
        profile: String,
        /// Rows and columns of the axes.
        expected: (usize, usize),
        /// Rows and columns of the matrix.
        found: (usize, usize),
    },
    /// A cell that is negative or not finite.
    #[error("profile {profile:?}: throughput[{row}][{column}] is {value}; give a finite number, 0 or above")]
    Cell {
        /// Profile.
        profile: String,
        /// Row: CPUs.
        row: usize,
        /// Column: memory.
        column: usize,
        /// What was given.
        value: f64,
    },
    /// A cell below its neighbour.
    #[error(
        "profile {profile:?}: throughput[{row}][{column}] is {value}, below {neighbour} at fewer CPUs or less memory; \
         throughput must not decrease along an axis"
    )]
    Decreasing {
        /// Profile.
        profile: String,
        /// Row: CPUs.
        row: usize,
        /// Column: memory.
        column: usize,
        /// What was given.
        value: f64,
        /// The larger neighbour.
        neighbour: f64,
    },
    /// Two jobs of one id.
    #[error("jobs[{second}].id: {job:?} is already the id of jobs[{first}]; ids must be unique")]
    DuplicateJob {
        /// The id.
        job: String,
        /// First job with it, from 0.
        first: usize,
        /// Second job with it, from 0.
        second: usize,
    },
    /// A number of a job.
    #[error("job {job:?}: {field} is {value}; give {}", if *field == "gpus" { "a whole number above 0" } else { "a number from 0 to 1e12" })]
    Job {
        /// Id.
        job: String,
        /// Name in files.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// More GPUs than any group has.
    #[error("job {job:?}: asks for {gpus} GPUs, but no server group has more than {largest_group} in all")]
    TooManyGpus {
        /// Id.
        job: String,
        /// Demand.
        gpus: u32,
        /// GPUs of the largest group.
        largest_group: u64,
    },
    /// A throughput of 0 at the GPU-proportional share.
    #[error(
        "job {job:?}: throughput of profile {profile:?} is 0 at its GPU-proportional share ({gpus} GPUs, {} CPUs, {} GB); \
         extend the grid downwards or give the servers more per GPU",
        share.cpus(), share.memory_gb()
    )]
    ZeroBaseline {
        /// Id of the first job that meets it.
        job: String,
        /// Profile.
        profile: String,
        /// GPU demand.
        gpus: u32,
        /// Total CPUs and memory of the share.
        share: Amounts,
    },
}
