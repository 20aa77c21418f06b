//! `config`: the configuration LP, the tight bound for consolidated allocations (problem statement,
//! section 4; docs/tight-bound.md).

use super::{Bound, BoundResult, Scope};
use crate::config_lp::master::{Generator, Limits};
use crate::config_lp::packing::{Class, Packing, classes};
use crate::config_lp::seating::Plenty;
use crate::config_lp::seats::SeatLimits;
use crate::config_lp::units::Rounding;
use crate::config_lp::{self, MOST_CLASSES, Solved, SuperMachine};
use crate::model::{Instance, ThroughputRule};
use crate::status::{Effort, Status};

/// Name of the bound.
pub const NAME: &str = "config";

/// The configuration LP by column generation, or the certified bound of the super-machine over
/// the same choices where that is smaller.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Every job gets at least this part of its baseline, in [0, 1]; below 1 the bound is for
    /// allocations that need not be fair, and shows the price of fairness.
    pub floor: f64,
    /// When column generation ends; the bound is valid at any time.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Config { floor: 1.0, limits: Limits::default() }
    }
}

impl Bound for Config {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        let none = BoundResult::without_value(Status::Skipped, Scope::FairCompleteConsolidated);
        if instance.rules().throughput == ThroughputRule::Bilinear {
            // Between grid points an allocation can be worth more than at any of them.
            return none;
        }
        let runnable = instance.runnable(queue);
        if runnable.is_empty() {
            return BoundResult { status: Status::Optimal, value: Some(0.0), certified: Some(0.0), ..none };
        }
        let classes = classes(instance, &runnable, self.floor);
        if classes.len() > MOST_CLASSES {
            return self.by_seats(instance, &runnable, classes);
        }
        let packing = Packing::of_classes(instance, classes, Rounding::Down);
        let mut generator = Generator::new(&packing);
        let order = config_lp::order(&packing, &runnable, instance.jobs().len());
        let super_machine = SuperMachine::new(&packing, instance.cluster());
        let start = config_lp::start_prices(&packing, super_machine.prices);
        let solved = config_lp::solve(&mut generator, &order, &start, &self.limits);
        let effort = Effort { rounds: solved.rounds, columns: generator.pool.len(), nodes: 0 };
        let value = Self::published(&solved, super_machine.bound);
        let note = (solved.status == Status::NoConsolidatedAllocation)
            .then(|| config_lp::explain(&packing, instance, &solved.packed));
        BoundResult {
            status: solved.status,
            value: Some(value),
            certified: Some(value),
            effort: Some(effort),
            note,
            ..none
        }
    }
}

impl Config {
    /// The bound where jobs nearly all differ.
    fn by_seats(&self, instance: &Instance, runnable: &[usize], classes: Vec<Class>) -> BoundResult {
        let plenty = Plenty::new(instance, runnable, classes, self.floor);
        let mut master = plenty.master();
        let solution = master.solve(&self.seat_limits());
        let converged = solution.is_some_and(|solution| solution.converged);
        let value = plenty.super_machine.bound.min(master.bound);
        BoundResult {
            value: Some(value),
            certified: Some(value),
            effort: Some(Effort { rounds: master.rounds, columns: master.pool.len(), nodes: 0 }),
            note: plenty.refused.clone(),
            ..BoundResult::without_value(plenty.status(converged), Scope::FairCompleteConsolidated)
        }
    }

    fn seat_limits(&self) -> SeatLimits {
        SeatLimits { rounds: self.limits.rounds, tolerance: self.limits.tolerance }
    }

    /// The smaller of the two bounds, where both are for the same jobs.
    pub(crate) fn published(solved: &Solved, super_machine: f64) -> f64 {
        let config = solved.relaxation.bound;
        // Not all jobs can be packed: the super-machine's bound is for more jobs.
        let same_jobs = solved.status != Status::NoConsolidatedAllocation;
        if same_jobs { super_machine.min(config) } else { config }
    }
}
