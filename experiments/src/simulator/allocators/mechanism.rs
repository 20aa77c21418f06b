//! A mechanism of the solver, called once per round.

use super::{Allocator, Decision, Grant};
use crate::simulator::SimulationError;
use synergy_solver::mechanisms::{Mechanism, Takes};
use synergy_solver::model::{Amounts, Instance, JobClass};

/// A mechanism with the speeds that follow from its allocations.
pub struct MechanismAllocator<'a> {
    mechanism: &'a dyn Mechanism,
    placement_penalty: f64,
    two_speed: bool,
}

impl<'a> MechanismAllocator<'a> {
    /// `mechanism`, with jobs on more servers than they need slowed to `placement_penalty` times their
    /// speed; with `two_speed`, a job runs at its best-case speed with its full demand and at 1 otherwise.
    pub fn new(mechanism: &'a dyn Mechanism, placement_penalty: f64, two_speed: bool) -> Self {
        MechanismAllocator { mechanism, placement_penalty, two_speed }
    }
}

impl Allocator for MechanismAllocator<'_> {
    fn takes(&self) -> Takes {
        self.mechanism.about().takes
    }

    fn decide(&mut self, instance: &Instance, queue: &[usize]) -> Result<Decision, SimulationError> {
        let outcome = self.mechanism.allocate(instance, queue)?;
        let grants = outcome.allocation.jobs.iter().map(|scheduled| {
            let class = instance.class_of(scheduled.job);
            let amounts = scheduled.total();
            let speed = speed(class, &amounts, self.two_speed);
            let split = scheduled.parts.len() > fewest_servers(class, instance);
            Grant {
                job: scheduled.job,
                speed: if split { speed * self.placement_penalty } else { speed },
                amounts,
                servers: scheduled.parts.iter().map(|part| part.server as u32).collect(),
                reverted: outcome.reverted.binary_search(&scheduled.job).is_ok(),
            }
        });
        Ok(Decision { grants: grants.collect(), allocation: Some(outcome.allocation) })
    }
}

/// Normalised throughput with these amounts.
fn speed(class: &JobClass, amounts: &Amounts, two_speed: bool) -> f64 {
    match (two_speed, class.demand.fits_in(amounts)) {
        (false, _) => class.throughput_at(amounts),
        (true, true) => class.demand_throughput,
        (true, false) => 1.0,
    }
}

/// The fewest servers of one group that hold the job's GPUs.
pub(super) fn fewest_servers(class: &JobClass, instance: &Instance) -> usize {
    let groups = instance.cluster().groups().iter();
    let able = groups.filter(|group| group.count as u64 * u64::from(group.gpus) >= u64::from(class.gpus));
    able.map(|group| class.gpus.div_ceil(group.gpus) as usize).min().unwrap_or(1)
}
