//! `config`: the configuration LP, the tight bound for consolidated allocations (problem statement,
//! section 4; docs/tight-bound.md).

use super::lp::Lp;
use super::{Bound, BoundOptions, BoundResult, Scope};
use crate::config_lp::master::{Generator, Limits};
use crate::config_lp::packing::Packing;
use crate::config_lp::units::Rounding;
use crate::config_lp::{self, Solved};
use crate::model::{Amounts, Instance, ThroughputRule};
use crate::status::{Effort, Status};

/// Name of the bound.
pub const NAME: &str = "config";

/// The configuration LP by column generation, or the certified `lp` where that is smaller.
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
        let lp = self.super_machine(instance, queue);
        let packing = Packing::new(instance, &runnable, self.floor, Rounding::Down);
        let mut generator = Generator::new(&packing);
        let order = config_lp::order(&packing, &runnable, instance.jobs().len());
        let start = config_lp::start_prices(&packing, lp.shadow_prices.unwrap_or(Amounts::ZERO));
        let solved = config_lp::solve(&mut generator, &packing, &order, &start, &self.limits);
        let effort = Effort { rounds: solved.rounds, columns: generator.pool.len(), nodes: 0 };
        let value = Self::published(&packing, &solved, lp.certified);
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
    /// The super-machine's bound with the same floor.
    pub fn super_machine(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        let options = BoundOptions { fairness_floor: self.floor, ..BoundOptions::default() };
        Lp { options }.evaluate(instance, queue)
    }

    /// The smaller of the two bounds, where both are for the same jobs.
    pub(crate) fn published(packing: &Packing, solved: &Solved, lp: Option<f64>) -> f64 {
        let config = solved.relaxation.bound + packing.constant(&solved.packed);
        let lp = lp.filter(|_| solved.status != Status::NoConsolidatedAllocation);
        lp.map_or(config, |lp| lp.min(config))
    }
}
