//! `greedy`: first fit with best-case demands.

use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Servers, Takes};
use crate::model::Instance;
use crate::status::Status;

/// First fit in policy order with best-case demand; a job that fits nowhere in all dimensions is
/// skipped for the round (problem statement, section 5). It may leave GPUs idle and starve jobs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Greedy;

impl Greedy {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "greedy",
        description: "first fit in policy order with best-case demand; skips jobs that do not fit",
        source: "Synergy (OSDI '22), section 3.3: Synergy-GREEDY",
        takes: Takes::WholeQueue,
        guarantees: Guarantees { fair: true, complete: false, consolidated: true },
        parameters: &[],
    };
}

impl Mechanism for Greedy {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let mut servers = Servers::new(instance);
        // Nothing is ever given back: where an equal job found no server, none will be found later,
        // and none before the one that it found.
        let mut first_candidate = vec![0; instance.classes().len()];
        for &job in queue {
            if servers.idle_gpus() == 0 {
                break;
            }
            let class = instance.class_of(job);
            if class.larger_than_server {
                servers.place_on_whole_servers(job, |_| class.demand);
                continue;
            }
            let candidate = &mut first_candidate[instance.jobs()[job].class];
            while *candidate < instance.cluster().servers()
                && !servers.fits(*candidate, class.gpus, &class.demand)
            {
                *candidate += 1;
            }
            if *candidate < instance.cluster().servers() {
                servers.place(job, *candidate, class.demand);
            }
        }
        Ok(servers.into_outcome(Status::Ok))
    }
}
