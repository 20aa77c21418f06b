//! `lp-groups`: stage one for unequal server groups, each melted into a machine of its own.
//!
//! ```text
//! max  sum_j w_j sum_h sum_k W_j[k] y_{j,k,h}
//! s.t. sum_j sum_k g_j y_{j,k,h} <= G_h      for all h    row cap_gpus_gH
//!      sum_j sum_k c_k y_{j,k,h} <= C_h      for all h    row cap_cpus_gH
//!      sum_j sum_k m_k y_{j,k,h} <= M_h      for all h    row cap_memory_gb_gH
//!      sum_h sum_k y_{j,k,h} = 1             for all j    row one_j
//!      sum_h sum_k W_j[k] y_{j,k,h} >= 1     for all j    row fair_j
//!      y >= 0
//! ```
//!
//! The melted [`lp`] stays a valid bound, but its solution may have no placement: stage two
//! starts from here when there are several groups. A job split over groups takes of each in
//! proportion to its GPUs there, so every fair, complete allocation is feasible here.

use super::blocks::{Block, amounts_name, blocks};
use super::stage_one::{Offer, StageOne, shadow_prices};
use super::{Bound, BoundOptions, BoundResult, LpMethod, lp};
use crate::lp::{Kind, LinearProgram, NamedProgram, Options, Sense, solve_lexicographic};
use crate::model::{AUXILIARY, AUXILIARY_NAMES, Configuration, Instance, ThroughputRule};
use crate::status::Status;

/// Name of the bound.
pub const NAME: &str = "lp-groups";

/// The bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct LpGroups {
    /// Choices.
    pub options: BoundOptions,
}

impl Bound for LpGroups {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        solve(instance, queue, &self.options).bound
    }
}

/// Rows of one group: GPUs, then the auxiliary resources.
const ROWS_PER_GROUP: usize = 1 + AUXILIARY;

/// Solves stage one per group for the runnable set of `queue`: the bound, and among optimal choices
/// one with least CPU, then least memory, with what each job has in each group.
pub fn solve(instance: &Instance, queue: &[usize], options: &BoundOptions) -> StageOne {
    let scope = lp::scope(options);
    if options.per_server_cap && instance.rules().throughput == ThroughputRule::Bilinear {
        return StageOne::without_choice(BoundResult::without_value(Status::Skipped, scope));
    }
    let runnable = instance.runnable(queue);
    // Three common rows per group are too many for the dual to pay: with no two jobs alike, too, it is one LP in HiGHS.
    let method = match options.method {
        Some(LpMethod::Direct) => LpMethod::Direct,
        Some(LpMethod::Aggregated | LpMethod::Dual) | None => LpMethod::Aggregated,
    };
    let blocks = blocks(instance, &runnable, method, options, options.pruning);
    let offers: Vec<Vec<Offer>> = blocks.iter().map(|block| offers(instance, block, options)).collect();
    let (program, first_column) = program(instance, &blocks, &offers, options.fairness_floor);
    let certified = solve_lexicographic(
        &program,
        &resource_costs(&program, &offers),
        &Options { limits: options.limits, ..Options::default() },
    );
    let bound = BoundResult { method: Some(method), ..BoundResult::of_lp(&certified, scope) };
    // With one group its prices are the cluster's; with several there is no one price.
    let one_group = instance.cluster().groups().len() == 1;
    let shadow_prices = one_group.then(|| shadow_prices(&certified, |resource| 1 + resource)).flatten();
    let bound = BoundResult { shadow_prices, ..bound };
    if certified.status != Status::Optimal {
        return StageOne::without_choice(bound);
    }
    let x = &certified.solution.columns;
    StageOne::from_blocks(bound, &runnable, &blocks, |index| {
        offers[index].iter().copied().zip(x[first_column[index]..].iter().copied()).collect()
    })
}

/// The program with a name for every column and row: a block for every job of the runnable set.
pub fn named_program(instance: &Instance, queue: &[usize], options: &BoundOptions) -> NamedProgram {
    let blocks = blocks(instance, &instance.runnable(queue), LpMethod::Direct, options, options.pruning);
    let offers: Vec<Vec<Offer>> = blocks.iter().map(|block| self::offers(instance, block, options)).collect();
    let (program, _) = program(instance, &blocks, &offers, options.fairness_floor);
    let mut row_names = Vec::with_capacity(program.rows());
    for group in 0..instance.cluster().groups().len() {
        let resources = ["gpus"].iter().chain(&AUXILIARY_NAMES);
        row_names.extend(resources.map(|resource| format!("cap_{resource}_g{group}")));
    }
    let mut column_names = Vec::with_capacity(program.columns());
    for (block, offers) in blocks.iter().zip(&offers) {
        row_names.push(format!("one_{}", block.name()));
        if needs_fair_row(offers, options.fairness_floor) {
            row_names.push(format!("fair_{}", block.name()));
        }
        let name = |o: &Offer| format!("y_{}_{}_g{}", block.name(), amounts_name(&o.configuration), o.group);
        column_names.extend(offers.iter().map(name));
    }
    NamedProgram { name: "stage_one_groups".into(), program, column_names, row_names }
}

/// What a block may choose: every configuration in every group; with the cap, where one server of the
/// group (for a job larger than every server, its share in a group that holds it) provides it.
fn offers(instance: &Instance, block: &Block, options: &BoundOptions) -> Vec<Offer> {
    let Some(&job) = block.jobs.first() else { return Vec::new() };
    let class = instance.class_of(job);
    let cluster = instance.cluster();
    let possible = |group: usize, k: &Configuration| {
        !options.per_server_cap || class.fits_group(&k.amounts, cluster, group)
    };
    (0..cluster.groups().len())
        .flat_map(|group| {
            let configurations = block.configurations.iter().filter(move |k| possible(group, k));
            configurations.map(move |&configuration| Offer { group, configuration })
        })
        .collect()
}

fn program(
    instance: &Instance,
    blocks: &[Block],
    offers: &[Vec<Offer>],
    fairness_floor: f64,
) -> (LinearProgram, Vec<usize>) {
    let mut program = LinearProgram::new(Sense::Maximise);
    for group in instance.cluster().groups() {
        let servers = group.count as f64;
        program.add_row(f64::NEG_INFINITY, servers * f64::from(group.gpus));
        for capacity in group.capacity.scaled(servers).iter() {
            program.add_row(f64::NEG_INFINITY, capacity);
        }
    }
    let columns: usize = offers.iter().map(Vec::len).sum();
    program.reserve(columns, columns * (ROWS_PER_GROUP + 2));
    let mut first_column = Vec::with_capacity(blocks.len());
    for (block, offers) in blocks.iter().zip(offers) {
        let count = block.count();
        let one = program.add_row(count, count);
        let fair = needs_fair_row(offers, fairness_floor)
            .then(|| program.add_row(fairness_floor * count, f64::INFINITY));
        first_column.push(program.columns());
        for Offer { group, configuration } in offers {
            let first = group * ROWS_PER_GROUP;
            let amounts = configuration.amounts.iter().enumerate().map(|(r, amount)| (first + 1 + r, amount));
            let rows = [(first, f64::from(block.gpus))].into_iter().chain(amounts).chain([(one, 1.0)]);
            let rows = rows.chain(fair.map(|row| (row, configuration.throughput)));
            let cost = block.weight * configuration.throughput;
            let column = program.add_column(Kind::Continuous, cost, (0.0, f64::INFINITY), rows);
            program.imply_upper(column, count);
        }
    }
    (program, first_column)
}

fn needs_fair_row(offers: &[Offer], fairness_floor: f64) -> bool {
    offers.iter().any(|offer| offer.configuration.throughput < fairness_floor * lp::FAIR)
}

/// What each column takes of each auxiliary resource in any group, CPUs before memory.
fn resource_costs(program: &LinearProgram, offers: &[Vec<Offer>]) -> Vec<Vec<f64>> {
    let costs =
        |resource| offers.iter().flatten().map(|o| o.configuration.amounts[resource]).collect::<Vec<_>>();
    let all: Vec<Vec<f64>> = (0..AUXILIARY).map(costs).collect();
    debug_assert!(all.iter().all(|costs| costs.len() == program.columns()));
    all
}
