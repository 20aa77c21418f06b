//! `tune`: the paper's heuristic.

use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Servers, Takes};
use crate::model::Instance;
use crate::status::Status;

/// Synergy-TUNE (problem statement, section 5): best-case demands by best fit; where one does not
/// fit, it (a) or the jobs of one server (b) go back to their proportional share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tune;

impl Tune {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "tune",
        description: "best fit with best-case demand, reverting jobs to their proportional share",
        source: "Synergy (OSDI '22), section 4.2: Synergy-TUNE",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[],
    };
}

impl Mechanism for Tune {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        Ok(pack(instance, queue).into_outcome(Status::Ok))
    }
}

/// TUNE's allocation, open for changes.
pub(super) fn pack<'a>(instance: &'a Instance, queue: &[usize]) -> Servers<'a> {
    let mut servers = Servers::new(instance);
    for job in by_demand(instance, queue) {
        place(&mut servers, job);
    }
    servers
}

/// The runnable set by GPU, CPU, memory demand, all descending, then queue order.
fn by_demand(instance: &Instance, queue: &[usize]) -> Vec<usize> {
    let mut jobs = instance.runnable(queue);
    jobs.sort_by(|&a, &b| {
        let (a, b) = (instance.class_of(a), instance.class_of(b));
        b.gpus.cmp(&a.gpus).then_with(|| b.demand.0.partial_cmp(&a.demand.0).expect("demands are finite"))
    });
    jobs
}

/// Places one job of the runnable set. It never fails: the set's GPU demands fit in the cluster.
fn place(servers: &mut Servers, job: usize) {
    let class = servers.instance().class_of(job);
    if class.larger_than_server {
        if !servers.place_on_whole_servers(job, |_| class.demand) {
            servers.split(job);
        }
        return;
    }
    let mut amounts = class.demand;
    let mut found = servers.best_fit(class.gpus, &amounts);
    // (a) Above its share in some resource: the share in every resource, and again.
    if found.is_none() && !amounts.fits_in(&class.smallest_share) {
        amounts = class.smallest_share;
        servers.mark_reverted(job);
        found = servers.best_fit(class.gpus, &amounts);
    }
    // (b) Residents of the server with the fewest sufficient GPUs give back what they have too much.
    if found.is_none() {
        found = servers.fewest_sufficient(class.gpus);
        if let Some(server) = found {
            servers.make_room(server, &amounts);
        }
    }
    match found {
        Some(server) => servers.place(job, server, amounts),
        None => servers.split(job),
    }
}
