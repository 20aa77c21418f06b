//! `proportional`: what GPU schedulers do today.

use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Servers, Takes};
use crate::model::{Amounts, Instance};
use crate::status::Status;

/// Every job holds the CPUs and memory that belong to its GPUs on the server it runs on
/// (problem statement, section 5). The baseline of all others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Proportional;

impl Proportional {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "proportional",
        description: "CPUs and memory in proportion to GPUs; best fit by descending GPU demand",
        source: "Synergy (OSDI '22), section 2: the baseline of GPU schedulers",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[],
    };
}

impl Mechanism for Proportional {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let mut jobs = instance.runnable(queue);
        jobs.sort_by_key(|&job| std::cmp::Reverse(instance.gpus(job)));

        let mut servers = Servers::new(instance);
        for job in jobs {
            let class = instance.class_of(job);
            if class.larger_than_server {
                if !servers.place_on_whole_servers(job, |group| class.shares[group]) {
                    servers.split(job);
                }
                continue;
            }
            // Where every job is proportional, a server with the GPUs has their CPUs and memory too.
            match servers.best_fit(class.gpus, &Amounts::ZERO) {
                Some(server) => servers.place(job, server, class.shares[instance.cluster().group_of(server)]),
                None => servers.split(job),
            }
        }
        Ok(servers.into_outcome(Status::Ok))
    }
}
