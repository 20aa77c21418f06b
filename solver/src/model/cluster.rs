//! Clusters: lists of groups of identical servers.

use super::amounts::LARGEST_AMOUNT;
use super::{Amounts, ModelError};

/// `count` identical servers.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerGroup {
    /// Name of the GPU type, such as `v100`.
    pub gpu_type: String,
    /// Number of servers.
    pub count: usize,
    /// GPUs of one server.
    pub gpus: u32,
    /// CPUs and memory of one server.
    pub capacity: Amounts,
}

impl ServerGroup {
    /// CPUs and memory that belong to one GPU of this group.
    pub fn share_per_gpu(&self) -> Amounts {
        self.capacity.scaled(1.0 / f64::from(self.gpus))
    }
}

/// Server groups in order. Servers are numbered from 0 through the groups in that order.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    groups: Vec<ServerGroup>,
    /// First server of every group, then the number of servers.
    first_server: Vec<usize>,
}

/// Most servers of a cluster.
pub const MOST_SERVERS: usize = 10_000_000;

impl Cluster {
    /// A cluster of these groups.
    ///
    /// # Errors
    /// No group; more than [`MOST_SERVERS`]; a group without servers or GPUs; a capacity that is negative or not finite.
    pub fn new(groups: Vec<ServerGroup>) -> Result<Self, ModelError> {
        if groups.is_empty() {
            return Err(ModelError::EmptyCluster);
        }
        let servers = groups.iter().fold(0usize, |sum, group| sum.saturating_add(group.count));
        if servers > MOST_SERVERS {
            return Err(ModelError::TooManyServers { servers });
        }
        let mut first_server = vec![0];
        for (index, group) in groups.iter().enumerate() {
            if group.count == 0 {
                return Err(ModelError::Group { index, field: "count", value: 0.0 });
            }
            if group.gpus == 0 {
                return Err(ModelError::Group { index, field: "gpus", value: 0.0 });
            }
            for (field, value) in super::AUXILIARY_NAMES.into_iter().zip(group.capacity.iter()) {
                if !(0.0..=LARGEST_AMOUNT).contains(&value) {
                    return Err(ModelError::Group { index, field, value });
                }
            }
            first_server.push(first_server[index] + group.count);
        }
        Ok(Cluster { groups, first_server })
    }

    /// The groups in order.
    pub fn groups(&self) -> &[ServerGroup] {
        &self.groups
    }

    /// Number of servers s in all groups.
    pub fn servers(&self) -> usize {
        self.first_server[self.groups.len()]
    }

    /// Index of the group that holds `server`.
    ///
    /// # Panics
    /// When the cluster has no such server.
    pub fn group_of(&self, server: usize) -> usize {
        assert!(server < self.servers(), "server {server} of {}", self.servers());
        self.first_server.partition_point(|&first| first <= server) - 1
    }

    /// The group, hence the shape, of `server`.
    pub fn server(&self, server: usize) -> &ServerGroup {
        &self.groups[self.group_of(server)]
    }

    /// Servers of group `index`.
    pub fn servers_of(&self, index: usize) -> std::ops::Range<usize> {
        self.first_server[index]..self.first_server[index + 1]
    }

    /// GPUs of the whole cluster, G.
    pub fn gpus(&self) -> u64 {
        self.groups.iter().map(|g| g.count as u64 * u64::from(g.gpus)).sum()
    }

    /// CPUs C and memory M of the whole cluster.
    pub fn capacity(&self) -> Amounts {
        self.groups.iter().fold(Amounts::ZERO, |sum, g| sum + g.capacity.scaled(g.count as f64))
    }

    /// The smallest share per GPU over all groups, in each resource: what the baseline of a job
    /// rests on when groups differ (problem statement, section 1).
    pub fn smallest_share_per_gpu(&self) -> Amounts {
        self.groups.iter().map(ServerGroup::share_per_gpu).reduce(|a, b| a.min(&b)).unwrap_or(Amounts::ZERO)
    }
}
