//! `ilp`: OPT, stage one, with whole choices: the program of [`lp`] with y in {0, 1}.
//!
//! A configuration that is not fair by itself cannot be chosen, so the fairness rows reduce to leaving those out.
//! Interchangeable jobs share an integer variable that counts how many of them choose a configuration.
//!
//! What is published is the solver's *dual bound*, never its incumbent, and never more than the
//! certified bound of `lp`. It is `trusted`: only the relaxation has a certificate.

use super::blocks::{Block, blocks};
use super::lp::{self, FAIR};
use super::stage_one::Offer;
use super::{Bound, BoundOptions, BoundResult, LpMethod, Pruning, StageOne};
use crate::lp::{Certificate, FEASIBILITY_TOLERANCE, Kind, LinearProgram, Options, Outcome, highs};
use crate::model::{Instance, ThroughputRule};
use crate::status::{Effort, Status};

/// Name of the bound.
pub const NAME: &str = "ilp";

/// The bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ilp {
    /// Choices.
    pub options: BoundOptions,
}

impl Bound for Ilp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        solve(instance, queue, &self.options).bound
    }
}

/// Solves stage one with whole choices: the bound, and the choices of the solver's best integer point.
pub fn solve(instance: &Instance, queue: &[usize], options: &BoundOptions) -> StageOne {
    let scope = lp::scope(options);
    // Between grid points a job may hold what no single configuration stands for.
    if instance.rules().throughput == ThroughputRule::Bilinear {
        return StageOne::without_choice(BoundResult::without_value(Status::Skipped, scope));
    }
    let relaxation = lp::solve(instance, queue, options).bound;
    let runnable = instance.runnable(queue);
    let blocks = fair_blocks(instance, &runnable, options);
    let (program, first_column) = lp::program(instance, &blocks, options.fairness_floor, Kind::Integer);
    if program.columns() == 0 {
        // HiGHS takes no program without columns. Without a choice to make, whole ones are no different.
        let bound = BoundResult { incumbent: relaxation.value, trusted: true, ..relaxation };
        return StageOne::without_choice(BoundResult { shadow_prices: None, method: None, ..bound });
    }
    let solution = highs::solve(&program, &Options { limits: options.limits, ..Options::default() });
    let status = match solution.outcome {
        Outcome::Optimal => Status::Optimal,
        Outcome::Infeasible => Status::Infeasible,
        Outcome::TimeLimit => Status::TimeLimit,
        Outcome::CountLimit => Status::NodeLimit,
        Outcome::InfeasibleOrUnbounded | Outcome::Unbounded | Outcome::Failed(_) => Status::Uncertified,
    };
    let incumbent = incumbent(&program, &solution.columns);
    // Also the least of two bounds is one: the dual bound may be missing, or behind the relaxation's.
    let bounds = [solution.dual_bound, relaxation.certified];
    let value = bounds.into_iter().flatten().reduce(f64::min);
    let contradicted = match (value, incumbent) {
        (Some(value), Some(incumbent)) => incumbent > value + 1e-6 * value.abs().max(1.0),
        _ => false,
    };
    let bound = BoundResult {
        status: if contradicted { Status::Uncertified } else { status },
        value,
        certified: relaxation.certified,
        incumbent,
        trusted: true,
        effort: Some(Effort { nodes: solution.nodes as usize, ..Effort::default() }),
        attempt: relaxation.attempt,
        ..BoundResult::without_value(status, scope)
    };
    if incumbent.is_none() {
        return StageOne::without_choice(bound);
    }
    StageOne::from_blocks(bound, &runnable, &blocks, |index| {
        let offers =
            blocks[index].configurations.iter().map(|&configuration| Offer { group: 0, configuration });
        offers.zip(solution.columns[first_column[index]..].iter().map(|count| count.round())).collect()
    })
}

/// Blocks of interchangeable jobs with their fair configurations, each with an integer variable.
fn fair_blocks(instance: &Instance, runnable: &[usize], options: &BoundOptions) -> Vec<Block> {
    let pruning = options.pruning.min(Pruning::Dominated);
    let mut blocks = blocks(instance, runnable, LpMethod::Aggregated, options, pruning);
    for block in &mut blocks {
        let fair = |throughput: f64| throughput >= options.fairness_floor * FAIR;
        block.configurations = block.configurations.iter().copied().filter(|k| fair(k.throughput)).collect();
    }
    blocks
}

/// Objective of the solver's integer point, recomputed; `None` when there is none or it is not feasible.
fn incumbent(program: &LinearProgram, columns: &[f64]) -> Option<f64> {
    if columns.is_empty() {
        return None;
    }
    let whole: Vec<f64> = columns.iter().map(|value| value.round()).collect();
    let certificate = Certificate::new(program, &whole, &vec![0.0; program.rows()]);
    (certificate.violation <= FEASIBILITY_TOLERANCE).then_some(certificate.primal)
}
