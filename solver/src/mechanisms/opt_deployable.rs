//! `opt-deployable`: an integral, consolidated, fair allocation from the configuration LP, with a
//! certified gap (problem statement, section 4; docs/tight-bound.md).

use super::optimum::{FLOOR, floor};
use super::{
    About, Guarantees, Mechanism, MechanismError, NameError, Outcome, Parameter, Parameters, Takes, Tune,
};
use crate::bounds::Config;
use crate::config_lp::dive::{SearchLimits, dive, finish, improve};
use crate::config_lp::master::{Generator, Limits, Relaxation};
use crate::config_lp::packing::{Class, Packing, classes};
use crate::config_lp::plan::{Plan, allocation, plan_of};
use crate::config_lp::seating::{self, Plenty};
use crate::config_lp::seats::SeatLimits;
use crate::config_lp::units::Rounding;
use crate::config_lp::{self, MOST_CLASSES, SuperMachine};
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
            FLOOR,
            Parameter {
                name: "moves",
                default: "40",
                description: "times that a few servers are solved anew, at most",
            },
            Parameter {
                name: "nodes",
                default: "50",
                description: "branch-and-bound nodes of the final integer program, at most",
            },
            Parameter {
                name: "seconds",
                default: "inf",
                description: "seconds of the final integer program, at most",
            },
        ],
    };

    /// With the parameters given in brackets.
    pub(super) fn named(parameters: &Parameters) -> Result<Self, NameError> {
        let default = Self::default();
        let moves = parameters.get("moves", default.search.moves, "a number of moves", |_| true)?;
        let milp_nodes = parameters.get("nodes", default.search.milp_nodes, "a number of nodes", |_| true)?;
        let seconds =
            parameters.get("seconds", f64::INFINITY, "a number of seconds above 0", |s| *s > 0.0)?;
        let milp_time_limit_s = seconds.is_finite().then_some(seconds);
        let search = SearchLimits { moves, milp_nodes, milp_time_limit_s, ..default.search };
        Ok(OptDeployable { floor: floor(parameters)?, search, ..default })
    }
}

impl Mechanism for OptDeployable {
    fn about(&self) -> About {
        let guarantees = Guarantees { fair: self.floor >= 1.0, ..Self::ABOUT.guarantees };
        About { guarantees, ..Self::ABOUT }
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let tune = Tune.allocate(instance, queue)?;
        if instance.rules().throughput == ThroughputRule::Bilinear {
            return Ok(Outcome { status: Status::Skipped, ..tune });
        }
        let runnable = instance.runnable(queue);
        if runnable.is_empty() {
            return Ok(Outcome { status: Status::Optimal, bound: Some(0.0), ..tune });
        }
        let classes = classes(instance, &runnable, self.floor);
        if classes.len() > MOST_CLASSES {
            return Ok(self.by_seats(instance, &runnable, classes, tune));
        }
        let packing = Packing::of_classes(instance, classes, Rounding::Down);
        let order = config_lp::order(&packing, &runnable, instance.jobs().len());
        let super_machine = SuperMachine::new(&packing, instance.cluster());
        let start = config_lp::start_prices(&packing, super_machine.prices);
        let mut generator = Generator::new(&packing);
        let solved = config_lp::solve(&mut generator, &order, &start, &self.bound);
        let bound = Config::published(&solved, super_machine.bound);
        let effort = Effort { rounds: solved.rounds, columns: generator.pool.len(), nodes: 0 };
        if solved.status == Status::NoConsolidatedAllocation {
            return Ok(Outcome { status: solved.status, bound: None, effort: Some(effort), ..tune });
        }
        let tuned = &tune.allocation;
        let mut progress = Progress { effort, timed_out: false };
        let found = if packing.exact {
            self.search(instance, &mut generator, &solved.relaxation, bound, tuned, &mut progress)
        } else {
            // Demands that are rounded down can overfill a server: search again with demands rounded up.
            let safe = Packing::new(instance, &runnable, self.floor, Rounding::Up);
            let mut generator = Generator::new(&safe);
            let prices = &solved.relaxation.prices;
            let again = config_lp::solve(&mut generator, &order, prices, &self.bound);
            progress.effort.rounds += again.rounds;
            self.search(instance, &mut generator, &again.relaxation, bound, tuned, &mut progress)
        };
        Ok(self.outcome(found, tune, bound, progress))
    }
}

impl OptDeployable {
    /// What is returned when this was found under this bound.
    fn outcome(
        &self,
        found: Option<(Allocation, f64)>,
        tune: Outcome,
        bound: f64,
        progress: Progress,
    ) -> Outcome {
        let (proven, effort) = (Some(bound), Some(progress.effort));
        let Some((allocation, value)) = found else {
            return Outcome { status: Status::NotFound, bound: proven, effort, ..tune };
        };
        let status = match progress.timed_out {
            _ if bound - value <= self.search.gap * bound.abs().max(1.0) => Status::Optimal,
            true => Status::TimeLimit,
            false => Status::NodeLimit,
        };
        Outcome { status, allocation, reverted: Vec::new(), bound: proven, effort }
    }

    /// Where jobs nearly all differ.
    fn by_seats(
        &self,
        instance: &Instance,
        runnable: &[usize],
        classes: Vec<Class>,
        tune: Outcome,
    ) -> Outcome {
        let plenty = Plenty::new(instance, runnable, classes, self.floor);
        if plenty.refused.is_some() {
            return Outcome { status: Status::NoConsolidatedAllocation, bound: None, ..tune };
        }
        let mut master = plenty.master();
        let limits = SeatLimits { rounds: self.bound.rounds, tolerance: self.bound.tolerance };
        let first = master.solve(&limits);
        let bound = plenty.super_machine.bound.min(master.bound);
        let found =
            first.and_then(|first| seating::allocate(&mut master, first, instance, runnable, self.floor));
        let effort = Effort { rounds: master.rounds, columns: master.pool.len(), nodes: 0 };
        let consolidated = |allocation: &Allocation| is_consolidated(instance, allocation);
        let best = found
            .into_iter()
            .chain([tune.allocation.clone()].into_iter().filter(consolidated))
            .map(|allocation| (worth(instance, &allocation), allocation))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let best = best.map(|(value, allocation)| (allocation, value));
        self.outcome(best, tune, bound, Progress { effort, timed_out: false })
    }

    /// The best allocation found, with its value.
    fn search(
        &self,
        instance: &Instance,
        generator: &mut Generator,
        relaxation: &Relaxation,
        bound: f64,
        tune: &Allocation,
        progress: &mut Progress,
    ) -> Option<(Allocation, f64)> {
        let packing = generator.packing();
        let (counts, servers) = (packing.counts(), packing.servers());
        let prices = &relaxation.prices;
        let mut best = plan_of(generator, instance, tune);
        let keep = |best: &mut Option<Plan>, plan: Plan| {
            if best.as_ref().is_none_or(|best| plan.value > best.value) {
                *best = Some(plan);
            }
        };
        if let Some(plan) = dive(generator, counts.clone(), servers.clone(), relaxation, &self.search.dive) {
            keep(&mut best, plan);
        }
        let is_open = best.as_ref().is_none_or(|b| bound - b.value > self.search.gap * bound.abs().max(1.0));
        if is_open {
            let finished = finish(generator, &counts, &servers, prices, best.as_ref(), &self.search);
            progress.effort.nodes += finished.nodes as usize;
            progress.timed_out |= finished.timed_out;
            if let Some(plan) = finished.plan {
                keep(&mut best, plan);
            }
        }
        let plan = improve(generator, best?, bound, prices, &self.search);
        progress.effort.columns = generator.pool.len();
        let found = allocation(packing, &generator.pool, &plan, instance.cluster());
        let value = worth(instance, &found);
        Some((found, value))
    }
}

/// What the search did.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    effort: Effort,
    /// Whether the clock ended a solve.
    timed_out: bool,
}

/// Sum of weight x normalised throughput.
fn worth(instance: &Instance, allocation: &Allocation) -> f64 {
    let of = |job: &JobAllocation| {
        instance.objective_weight(job.job) * instance.class_of(job.job).throughput_at(&job.total())
    };
    allocation.jobs.iter().map(of).sum()
}

/// Whether every job is on one server, or, larger than every server, on whole servers of one group and one more.
fn is_consolidated(instance: &Instance, allocation: &Allocation) -> bool {
    let cluster = instance.cluster();
    allocation.jobs.iter().all(|job| {
        if !instance.class_of(job.job).larger_than_server {
            return job.parts.len() == 1;
        }
        let group = cluster.group_of(job.parts[0].server);
        let size = cluster.groups()[group].gpus;
        job.parts.iter().all(|part| cluster.group_of(part.server) == group)
            && job.parts.len() == instance.gpus(job.job).div_ceil(size) as usize
            && job.parts.iter().filter(|part| part.gpus < f64::from(size)).count() <= 1
    })
}
