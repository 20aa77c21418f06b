//! A bound of stage one in the place of a mechanism: throughput without a placement.

use super::{Allocator, Decision, Grant};
use crate::simulator::SimulationError;
use smallvec::SmallVec;
use synergy_solver::bounds::{BoundOptions, ilp, lp};
use synergy_solver::mechanisms::{MechanismError, Takes};
use synergy_solver::model::Instance;

/// A program of stage one that chooses a configuration for every job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageOneProgram {
    /// The linear program.
    Lp,
    /// The integer program.
    Ilp,
}

impl StageOneProgram {
    /// The program called `name`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            lp::NAME => Some(StageOneProgram::Lp),
            ilp::NAME => Some(StageOneProgram::Ilp),
            _ => None,
        }
    }
}

/// Every job runs at the throughput that stage one gives it on the super-machine.
pub struct BoundAllocator {
    program: StageOneProgram,
    options: BoundOptions,
    /// The published OPT takes jobs in policy order up to the first that does not fit.
    prefix: bool,
}

impl BoundAllocator {
    /// `program` over the runnable set, or over the `prefix` of the queue that the published OPT takes.
    pub fn new(program: StageOneProgram, prefix: bool) -> Self {
        BoundAllocator { program, options: BoundOptions::default(), prefix }
    }
}

impl Allocator for BoundAllocator {
    fn takes(&self) -> Takes {
        if self.prefix { Takes::WholeQueue } else { Takes::RunnableSet }
    }

    fn decide(&mut self, instance: &Instance, queue: &[usize]) -> Result<Decision, SimulationError> {
        let mut free = instance.cluster().gpus();
        let fits = queue.iter().take_while(|&&job| {
            let gpus = u64::from(instance.gpus(job));
            let fits = gpus <= free;
            free = free.saturating_sub(gpus);
            fits
        });
        let taken = if self.prefix { fits.count() } else { queue.len() };
        let (name, stage_one) = match self.program {
            StageOneProgram::Lp => (lp::NAME, lp::solve(instance, &queue[..taken], &self.options)),
            StageOneProgram::Ilp => (ilp::NAME, ilp::solve(instance, &queue[..taken], &self.options)),
        };
        if stage_one.jobs.is_empty() {
            let reason = format!("stage one ended as {}", stage_one.bound.status);
            return Err(MechanismError::Failed { mechanism: name.into(), reason }.into());
        }
        let grant = |choice: &synergy_solver::bounds::JobChoice| Grant {
            job: choice.job,
            speed: choice.throughput,
            amounts: choice.amounts,
            servers: SmallVec::new(),
            reverted: false,
        };
        Ok(Decision { grants: stage_one.jobs.iter().map(grant).collect(), allocation: None })
    }
}
