//! `lp`: OPT, stage one. All servers melted into one super-machine.
//!
//! ```text
//! max  sum_j w_j sum_k W_j[k] y_{j,k}
//! s.t. sum_j sum_k c_k y_{j,k} <= C           row cap_cpus
//!      sum_j sum_k m_k y_{j,k} <= M           row cap_memory_gb
//!      sum_k y_{j,k} = 1           for all j  row one_j
//!      sum_k W_j[k] y_{j,k} >= 1   for all j  row fair_j
//!      y >= 0
//! ```
//!
//! over the runnable set of the queue. y_{j,k} is the fraction of job j that runs in configuration k = (c_k, m_k).
//! Theorem 4.1 of the paper: no fair, complete allocation has a larger value, split over servers or not.
//!
//! Jobs of equal configurations and weight are interchangeable: with one block of variables for n of
//! them and n in place of 1 on the right, the value is the same, since their average is feasible
//! whenever they are. And a fairness row concerns one block only, so it can go into the choices of that
//! block: see [`fair_points`] and [`Choices`].

use super::blocks::{Block, amounts_name, blocks, blocks_offering, choose_method};
use super::candidates::{FairPoint, candidates, fair_points};
use super::choice::{Choices, Point};
use super::stage_one::{Offer, StageOne, shadow_prices};
use super::{Bound, BoundOptions, BoundResult, LpMethod, Prepared, Pruning, Scope};
use crate::lp::{Kind, LinearProgram, NamedProgram, Options, Sense, solve_lexicographic};
use crate::model::{AUXILIARY, AUXILIARY_NAMES, Configuration, Instance, ThroughputRule};
use crate::status::Status;
use std::cell::OnceCell;
use std::sync::Arc;

/// Name of the bound.
pub const NAME: &str = "lp";

/// Normalised throughput from which on a configuration counts as fair, a rounding below 1.
pub(super) const FAIR: f64 = 1.0 - 1e-12;

/// The bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lp {
    /// Choices.
    pub options: BoundOptions,
}

impl Bound for Lp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        solve(instance, queue, &self.options).bound
    }

    fn prepare<'a>(&'a self, instance: &'a Instance) -> Prepared<'a> {
        let solver = Solver::new(instance, &self.options);
        Box::new(move |queue| solver.solve(queue).bound)
    }
}

/// Solves stage one for the runnable set of `queue`: the bound, and among optimal choices one with least
/// CPU, then least memory.
pub fn solve(instance: &Instance, queue: &[usize], options: &BoundOptions) -> StageOne {
    Solver::new(instance, options).solve(queue)
}

/// Stage one for many queues of one instance, such as the rounds of a simulation: what each class
/// offers is found once.
#[derive(Debug)]
pub struct Solver<'a> {
    instance: &'a Instance,
    options: BoundOptions,
    offers: Vec<OnceCell<Offers>>,
}

/// What a class offers: its configurations, and the fair points that they make.
#[derive(Debug, Clone)]
struct Offers {
    configurations: Arc<[Configuration]>,
    fair: Arc<[FairPoint]>,
}

impl<'a> Solver<'a> {
    /// A solver for queues of `instance`.
    pub fn new(instance: &'a Instance, options: &BoundOptions) -> Self {
        let offers = vec![OnceCell::new(); instance.classes().len()];
        Solver { instance, options: *options, offers }
    }

    fn offers(&self, class: usize) -> &Offers {
        let BoundOptions { per_server_cap, pruning, fairness_floor, .. } = self.options;
        self.offers[class].get_or_init(|| {
            let class = &self.instance.classes()[class];
            let configurations = candidates(self.instance, class, per_server_cap, fairness_floor, pruning);
            let fair = fair_points(&configurations, fairness_floor, pruning).into();
            Offers { configurations: configurations.into(), fair }
        })
    }

    /// Solves stage one for the runnable set of `queue`.
    pub fn solve(&self, queue: &[usize]) -> StageOne {
        let (instance, options) = (self.instance, &self.options);
        // With interpolation, a job at the cap may rest on a grid point beyond it: capped grid points bound nothing.
        if options.per_server_cap && instance.rules().throughput == ThroughputRule::Bilinear {
            return StageOne::without_choice(BoundResult::without_value(Status::Skipped, scope(options)));
        }
        let runnable = instance.runnable(queue);
        match options.method {
            Some(LpMethod::Direct) => solve_direct(instance, &runnable, options),
            method => self.solve_choices(&runnable, method),
        }
    }

    /// The program over blocks of interchangeable jobs, each of which picks a fair point: no fairness
    /// rows, and a size that does not depend on the number of jobs.
    fn solve_choices(&self, runnable: &[usize], method: Option<LpMethod>) -> StageOne {
        let configurations = |class| Arc::clone(&self.offers(class).configurations);
        let blocks = blocks_offering(self.instance, runnable, LpMethod::Aggregated, configurations);
        let mut choices = Choices::new(self.instance.cluster().capacity().0);
        for block in &blocks {
            let point =
                |p: &FairPoint| Point { value: block.weight * p.total.throughput, usage: p.total.amounts.0 };
            choices.add_block(block.count(), self.offers(block.class).fair.iter().map(point));
        }
        let method = method.unwrap_or_else(|| choose_method(choices.points()));
        let solver = Options { limits: self.options.limits, ..Options::default() };
        let by_resource: [usize; AUXILIARY] = std::array::from_fn(|resource| resource);
        let chosen = match method {
            LpMethod::Dual => choices.solve_dual(&by_resource, &solver),
            LpMethod::Direct | LpMethod::Aggregated => choices.solve_whole(&by_resource, &solver),
        };
        let bound = BoundResult::of_chosen(&chosen, scope(&self.options));
        if chosen.status != Status::Optimal {
            return StageOne::without_choice(bound);
        }
        StageOne::from_blocks(bound, runnable, &blocks, |index| {
            let amounts = &chosen.amounts[choices.points_of(index)];
            let points = self.offers(blocks[index].class).fair.iter().zip(amounts);
            let used = points.filter(|&(_, &amount)| amount > 0.0);
            let mixed = used.flat_map(|(point, &amount)| {
                let offer = move |&(configuration, part): &(Configuration, f64)| {
                    (Offer { group: 0, configuration }, amount * part)
                };
                point.mix.iter().map(offer)
            });
            mixed.collect()
        })
    }
}

/// The program as the paper has it, with variables for every job.
fn solve_direct(instance: &Instance, runnable: &[usize], options: &BoundOptions) -> StageOne {
    let blocks = blocks(instance, runnable, LpMethod::Direct, options, options.pruning);
    let (program, first_column) = program(instance, &blocks, options.fairness_floor, Kind::Continuous);
    let solver = Options { limits: options.limits, ..Options::default() };
    let certified = solve_lexicographic(&program, &resource_costs(&program), &solver);
    let bound = BoundResult {
        shadow_prices: shadow_prices(&certified, |resource| resource),
        method: Some(LpMethod::Direct),
        ..BoundResult::of_lp(&certified, scope(options))
    };
    if certified.status != Status::Optimal {
        return StageOne::without_choice(bound);
    }
    let x = &certified.solution.columns;
    StageOne::from_blocks(bound, runnable, &blocks, |index| {
        let offers =
            blocks[index].configurations.iter().map(|&configuration| Offer { group: 0, configuration });
        offers.zip(x[first_column[index]..].iter().copied()).collect()
    })
}

/// The program of the paper with a name for every column and row: a block for every job of the
/// runnable set. `kind` says whether choices are whole.
pub fn named_program(
    instance: &Instance,
    queue: &[usize],
    options: &BoundOptions,
    kind: Kind,
) -> NamedProgram {
    let pruning = match kind {
        Kind::Continuous => options.pruning,
        Kind::Integer => options.pruning.min(Pruning::Dominated),
    };
    let blocks = blocks(instance, &instance.runnable(queue), LpMethod::Direct, options, pruning);
    let (program, _) = program(instance, &blocks, options.fairness_floor, kind);
    let mut row_names: Vec<String> = AUXILIARY_NAMES.iter().map(|name| format!("cap_{name}")).collect();
    let mut column_names = Vec::with_capacity(program.columns());
    for block in &blocks {
        row_names.push(format!("one_{}", block.name()));
        if needs_fair_row(block, options.fairness_floor) {
            row_names.push(format!("fair_{}", block.name()));
        }
        let names = block.configurations.iter().map(|k| format!("y_{}_{}", block.name(), amounts_name(k)));
        column_names.extend(names);
    }
    let name = if kind == Kind::Integer { "stage_one_ilp" } else { "stage_one" };
    NamedProgram { name: name.into(), program, column_names, row_names }
}

/// The program over blocks, and the first column of each block. Rows are the capacities, then for
/// each block `one` and, where some configuration is below the floor, `fair`.
pub(super) fn program(
    instance: &Instance,
    blocks: &[Block],
    fairness_floor: f64,
    kind: Kind,
) -> (LinearProgram, Vec<usize>) {
    let mut program = LinearProgram::new(Sense::Maximise);
    for capacity in instance.cluster().capacity().iter() {
        program.add_row(f64::NEG_INFINITY, capacity);
    }
    let columns: usize = blocks.iter().map(|block| block.configurations.len()).sum();
    program.reserve(columns, columns * (AUXILIARY + 2));
    let mut first_column = Vec::with_capacity(blocks.len());
    for block in blocks {
        let count = block.count();
        let one = program.add_row(count, count);
        let fair = needs_fair_row(block, fairness_floor)
            .then(|| program.add_row(fairness_floor * count, f64::INFINITY));
        first_column.push(program.columns());
        for configuration in block.configurations.iter() {
            let amounts = configuration.amounts.iter().enumerate();
            let rows = amounts.chain([(one, 1.0)]).chain(fair.map(|row| (row, configuration.throughput)));
            let upper = if kind == Kind::Integer { count } else { f64::INFINITY };
            let cost = block.weight * configuration.throughput;
            let column = program.add_column(kind, cost, (0.0, upper), rows);
            program.imply_upper(column, count);
        }
    }
    (program, first_column)
}

fn needs_fair_row(block: &Block, fairness_floor: f64) -> bool {
    block.configurations.iter().any(|k| k.throughput < fairness_floor * FAIR)
}

/// What each column takes of each auxiliary resource, the first rows of the program: the objectives that break
/// ties, CPUs before memory.
fn resource_costs(program: &LinearProgram) -> Vec<Vec<f64>> {
    let amount = |column: usize, resource: usize| {
        program.column(column).find(|&(row, _)| row == resource).map_or(0.0, |(_, value)| value)
    };
    (0..AUXILIARY).map(|r| (0..program.columns()).map(|column| amount(column, r)).collect()).collect()
}

/// Allocations that the bound covers with these options.
pub(super) fn scope(options: &BoundOptions) -> Scope {
    if options.per_server_cap { Scope::FairComplete.consolidated() } else { Scope::FairComplete }
}
