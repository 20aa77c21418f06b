//! `opt-deployable`: an integral, consolidated, fair allocation from the configuration LP, with a
//! certified gap (problem statement, section 4; docs/tight-bound.md).

use super::{
    About, Guarantees, Mechanism, MechanismError, NameError, Outcome, Parameter, Parameters, Takes, Tune,
};
use crate::bounds::Config;
use crate::config_lp::dive::{SearchLimits, dive, finish, improve};
use crate::config_lp::master::{Generator, Limits, Relaxation};
use crate::config_lp::packing::Packing;
use crate::config_lp::plan::{Plan, allocation, plan_of};
use crate::config_lp::units::Rounding;
use crate::config_lp::{self, SuperMachine};
use crate::model::{Allocation, Instance, JobAllocation, ThroughputRule};
use crate::status::{Effort, Status};

/// Dives through the configuration LP, finishes with an integer program over its patterns, and solves
/// a few servers at a time anew. Never worse than TUNE where TUNE's allocation is consolidated.
#[derive(Debug, Clone, Copy)]
pub struct OptDeployable {
    /// Every job gets at least this part of its baseline, in [0, 1].
    pub floor: f64,
    /// When column generation for the bound ends.
    pub bound: Limits,
    /// When the search for an allocation ends.
    pub search: SearchLimits,
}

impl Default for OptDeployable {
    fn default() -> Self {
        OptDeployable { floor: 1.0, bound: Limits::default(), search: SearchLimits::default() }
    }
}

impl OptDeployable {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "opt-deployable",
        description: "Configuration LP, dive and final integer program: consolidated, with a certified gap",
        source: "this workbench (docs/tight-bound.md)",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[
            Parameter {
                name: "floor",
                default: "1",
                description: "least part of its baseline that every job gets, 0 to 1",
            },
            Parameter {
                name: "moves",
                default: "40",
                description: "times that a few servers are solved anew, at most",
            },
        ],
    };

    /// With the parameters given in brackets.
    pub(super) fn named(parameters: &Parameters) -> Result<Self, NameError> {
        let default = Self::default();
        let floor =
            parameters.get("floor", default.floor, "a number from 0 to 1", |f| (0.0..=1.0).contains(f))?;
        let moves = parameters.get("moves", default.search.moves, "a number of moves", |_| true)?;
        Ok(OptDeployable { floor, search: SearchLimits { moves, ..default.search }, ..default })
    }
}

impl Mechanism for OptDeployable {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let tune = Tune.allocate(instance, queue)?;
        if instance.rules().throughput == ThroughputRule::Bilinear {
            return Ok(Outcome { status: Status::Skipped, ..tune });
        }
        let runnable = instance.runnable(queue);
        let packing = Packing::new(instance, &runnable, self.floor, Rounding::Down);
        let order = config_lp::order(&packing, &runnable, instance.jobs().len());
        let super_machine = SuperMachine::new(&packing, instance.cluster());
        let start = config_lp::start_prices(&packing, super_machine.prices);
        let mut generator = Generator::new(&packing);
        let solved = config_lp::solve(&mut generator, &order, &start, &self.bound);
        let bound = Config::published(&packing, &solved, super_machine.bound);
        let mut effort = Effort { rounds: solved.rounds, columns: generator.pool.len(), nodes: 0 };
        if solved.status == Status::NoConsolidatedAllocation {
            return Ok(Outcome { status: solved.status, bound: None, effort: Some(effort), ..tune });
        }
        let tuned = &tune.allocation;
        let found = if packing.exact {
            self.search(instance, &mut generator, &solved.relaxation, bound, tuned, &mut effort)
        } else {
            // Demands that are rounded down can overfill a server: search again with demands rounded up.
            let safe = Packing::new(instance, &runnable, self.floor, Rounding::Up);
            let mut generator = Generator::new(&safe);
            let prices = &solved.relaxation.prices;
            let start = if safe.classes.len() == packing.classes.len() {
                prices
            } else {
                &config_lp::start_prices(&safe, super_machine.prices)
            };
            let again = config_lp::solve(&mut generator, &order, start, &self.bound);
            effort.rounds += again.rounds;
            self.search(instance, &mut generator, &again.relaxation, bound, tuned, &mut effort)
        };
        Ok(match found {
            Some((allocation, value)) => {
                let optimal = bound - value <= self.search.gap * bound.abs().max(1.0);
                let status = if optimal { Status::Optimal } else { Status::NodeLimit };
                Outcome { status, allocation, reverted: Vec::new(), bound: Some(bound), effort: Some(effort) }
            }
            None => Outcome { status: Status::NotFound, bound: Some(bound), effort: Some(effort), ..tune },
        })
    }
}

impl OptDeployable {
    /// The best allocation found, with its value.
    fn search(
        &self,
        instance: &Instance,
        generator: &mut Generator,
        relaxation: &Relaxation,
        bound: f64,
        tune: &Allocation,
        effort: &mut Effort,
    ) -> Option<(Allocation, f64)> {
        let packing = generator.packing();
        let (counts, servers) = (packing.counts(), packing.servers());
        let constant = packing.constant(&counts);
        let bound = bound - constant;
        let prices = &relaxation.prices;
        let mut best = plan_of(generator, instance, tune);
        let tune_counts = best.is_some();
        let keep = |best: &mut Option<Plan>, plan: Plan| {
            if best.as_ref().is_none_or(|best| plan.value > best.value) {
                *best = Some(plan);
            }
        };
        if let Some(plan) = dive(generator, counts.clone(), servers.clone(), relaxation, &self.search.dive) {
            keep(&mut best, plan);
        }
        let is_open = best.as_ref().is_none_or(|b| bound - b.value > self.search.gap * bound.abs().max(1.0));
        if is_open
            && let Some((plan, nodes)) =
                finish(generator, &counts, &servers, prices, best.as_ref(), &self.search)
        {
            effort.nodes += nodes as usize;
            keep(&mut best, plan);
        }
        let plan = improve(generator, best?, bound, prices, &self.search);
        effort.columns = generator.pool.len();
        let found = allocation(packing, &generator.pool, &plan, instance.cluster());
        let value = worth(instance, &found);
        // Pools value TUNE's jobs at less than they are worth.
        let tuned = worth(instance, tune);
        if tune_counts && tuned > value { Some((tune.clone(), tuned)) } else { Some((found, value)) }
    }
}

/// Sum of weight x normalised throughput.
fn worth(instance: &Instance, allocation: &Allocation) -> f64 {
    let of = |job: &JobAllocation| {
        instance.objective_weight(job.job) * instance.class_of(job.job).throughput_at(&job.total())
    };
    allocation.jobs.iter().map(of).sum()
}
