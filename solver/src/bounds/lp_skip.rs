//! `lp-skip`: what any mechanism can reach that may skip jobs and leave others below their share.
//!
//! ```text
//! max  sum_j w_j sum_k W_j[k] y_{j,k}
//! s.t. sum_j sum_k c_k y_{j,k} <= C             row cap_cpus
//!      sum_j sum_k m_k y_{j,k} <= M             row cap_memory_gb
//!      sum_j g_j sum_k y_{j,k} <= G             row cap_gpus
//!      sum_k y_{j,k} <= 1          for all j    row most_j
//!      y >= 0
//! ```
//!
//! over the whole queue, not the runnable set: for GREEDY, which [`lp`](super::lp) does not bound.

use super::blocks::{Block, amounts_name, blocks, choose_method};
use super::choice::{Choices, Point};
use super::stage_one::shadow_prices;
use super::{Bound, BoundOptions, BoundResult, LpMethod, Scope};
use crate::lp::{Kind, LinearProgram, NamedProgram, Options, Sense, solve_certified};
use crate::model::{AUXILIARY, AUXILIARY_NAMES, Configuration, Instance, ThroughputRule};
use crate::status::Status;

/// Name of the bound.
pub const NAME: &str = "lp-skip";

/// The bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct LpSkip {
    /// Choices; there is no fairness floor here.
    pub options: BoundOptions,
}

impl Bound for LpSkip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evaluate(&self, instance: &Instance, queue: &[usize]) -> BoundResult {
        let options = &self.options;
        let scope = if options.per_server_cap { Scope::Valid.consolidated() } else { Scope::Valid };
        if options.per_server_cap && instance.rules().throughput == ThroughputRule::Bilinear {
            return BoundResult::without_value(Status::Skipped, scope);
        }
        match options.method {
            Some(LpMethod::Direct) => {
                let blocks = blocks(instance, queue, LpMethod::Direct, options, options.pruning);
                let solver = Options { limits: options.limits, ..Options::default() };
                let certified = solve_certified(&program(instance, &blocks), &solver);
                BoundResult {
                    shadow_prices: shadow_prices(&certified, |resource| resource),
                    method: Some(LpMethod::Direct),
                    ..BoundResult::of_lp(&certified, scope)
                }
            }
            method => solve_choices(instance, queue, options, method, scope),
        }
    }
}

/// The same program over blocks of interchangeable jobs; to be skipped is a point that uses nothing.
fn solve_choices(
    instance: &Instance,
    queue: &[usize],
    options: &BoundOptions,
    method: Option<LpMethod>,
    scope: Scope,
) -> BoundResult {
    let blocks = blocks(instance, queue, LpMethod::Aggregated, options, options.pruning);
    let mut capacity = [instance.cluster().gpus() as f64; AUXILIARY + 1];
    capacity[..AUXILIARY].copy_from_slice(&instance.cluster().capacity().0);
    let mut choices = Choices::new(capacity);
    for block in &blocks {
        let point = |k: &Configuration| {
            let mut usage = [f64::from(block.gpus); AUXILIARY + 1];
            usage[..AUXILIARY].copy_from_slice(&k.amounts.0);
            Point { value: block.weight * k.throughput, usage }
        };
        let skipped = Point { value: 0.0, usage: [0.0; AUXILIARY + 1] };
        choices.add_block(block.count(), block.configurations.iter().map(point).chain([skipped]));
    }
    let method = method.unwrap_or_else(|| choose_method(choices.points()));
    let solver = Options { limits: options.limits, ..Options::default() };
    let chosen = match method {
        LpMethod::Dual => choices.solve_dual(&[], &solver),
        LpMethod::Direct | LpMethod::Aggregated => choices.solve_whole(&[], &solver),
    };
    BoundResult::of_chosen(&chosen, scope)
}

/// The program with a name for every column and row: a block for every job of the queue.
pub fn named_program(instance: &Instance, queue: &[usize], options: &BoundOptions) -> NamedProgram {
    let blocks = blocks(instance, queue, LpMethod::Direct, options, options.pruning);
    let capacities = AUXILIARY_NAMES.iter().chain(&["gpus"]).map(|name| format!("cap_{name}"));
    let row_names = capacities.chain(blocks.iter().map(|block| format!("most_{}", block.name()))).collect();
    let names = |block: &Block| -> Vec<String> {
        block.configurations.iter().map(|k| format!("y_{}_{}", block.name(), amounts_name(k))).collect()
    };
    NamedProgram {
        name: "lp_skip".into(),
        program: program(instance, &blocks),
        column_names: blocks.iter().flat_map(names).collect(),
        row_names,
    }
}

fn program(instance: &Instance, blocks: &[Block]) -> LinearProgram {
    let mut program = LinearProgram::new(Sense::Maximise);
    for capacity in instance.cluster().capacity().iter() {
        program.add_row(f64::NEG_INFINITY, capacity);
    }
    let gpus = program.add_row(f64::NEG_INFINITY, instance.cluster().gpus() as f64);
    let columns: usize = blocks.iter().map(|block| block.configurations.len()).sum();
    program.reserve(columns, columns * (AUXILIARY + 2));
    for block in blocks {
        let most = program.add_row(f64::NEG_INFINITY, block.count());
        for configuration in block.configurations.iter() {
            let amounts = configuration.amounts.iter().enumerate();
            let rows = amounts.chain([(gpus, f64::from(block.gpus)), (most, 1.0)]);
            let cost = block.weight * configuration.throughput;
            let column = program.add_column(Kind::Continuous, cost, (0.0, f64::INFINITY), rows);
            program.imply_upper(column, block.count());
        }
    }
    program
}
