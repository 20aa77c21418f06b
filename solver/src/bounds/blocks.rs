//! Blocks of interchangeable jobs: what the stage-one programs have variables for.

use super::candidates::candidates;
use super::{BoundOptions, LpMethod, Pruning};
use crate::model::{Configuration, Instance};
use std::collections::HashMap;
use std::sync::Arc;

/// Jobs with equal configurations and weight. The direct formulation has a block for every job.
#[derive(Debug, Clone)]
pub struct Block {
    /// Class of its jobs, by index in the instance.
    pub class: usize,
    /// What the normalised throughput of each of its jobs counts in the objective.
    pub weight: f64,
    /// GPU demand g.
    pub gpus: u32,
    /// What each job may choose.
    pub configurations: Arc<[Configuration]>,
    /// The jobs, by index in the instance, in queue order.
    pub jobs: Vec<usize>,
}

impl Block {
    /// Number of jobs n.
    pub fn count(&self) -> f64 {
        self.jobs.len() as f64
    }

    /// Name of the block in exported programs: its first job, `j17`, and the number of jobs if it is not one.
    pub fn name(&self) -> String {
        match self.jobs.as_slice() {
            [job] => format!("j{job}"),
            [first, ..] => format!("j{first}x{}", self.jobs.len()),
            [] => "empty".into(),
        }
    }
}

/// The method for a program of this many points where none is asked for.
pub fn choose_method(points: usize) -> LpMethod {
    if points <= LARGEST_WHOLE { LpMethod::Aggregated } else { LpMethod::Dual }
}

/// Points up to which one LP in HiGHS is as fast as the dual.
const LARGEST_WHOLE: usize = 1000;

/// The blocks of `queue` in order of first appearance: jobs of equal class and weight together, or
/// each alone for [`LpMethod::Direct`].
pub fn blocks(
    instance: &Instance,
    queue: &[usize],
    method: LpMethod,
    options: &BoundOptions,
    pruning: Pruning,
) -> Vec<Block> {
    let mut offers: Vec<Option<Arc<[Configuration]>>> = vec![None; instance.classes().len()];
    let configurations = |class: usize| {
        let BoundOptions { per_server_cap, fairness_floor, .. } = *options;
        let class_data = &instance.classes()[class];
        let new = || candidates(instance, class_data, per_server_cap, fairness_floor, pruning).into();
        Arc::clone(offers[class].get_or_insert_with(new))
    };
    blocks_offering(instance, queue, method, configurations)
}

/// The same, with the configurations of a class from elsewhere.
pub fn blocks_offering(
    instance: &Instance,
    queue: &[usize],
    method: LpMethod,
    mut configurations: impl FnMut(usize) -> Arc<[Configuration]>,
) -> Vec<Block> {
    let mut block_of: HashMap<(usize, u64), usize> = HashMap::new();
    let mut blocks: Vec<Block> = Vec::new();
    for &job in queue {
        let class = instance.jobs()[job].class;
        let weight = instance.objective_weight(job);
        let next = blocks.len();
        let block = match method {
            LpMethod::Direct => next,
            LpMethod::Aggregated | LpMethod::Dual => {
                *block_of.entry((class, weight.to_bits())).or_insert(next)
            }
        };
        if block == next {
            let configurations = configurations(class);
            blocks.push(Block { class, weight, gpus: instance.gpus(job), configurations, jobs: Vec::new() });
        }
        blocks[block].jobs.push(job);
    }
    blocks
}

/// `c4_m125`: the amounts of a configuration in names, to two decimals.
pub fn amounts_name(configuration: &Configuration) -> String {
    let short = |amount: f64| (amount * 100.0).round() / 100.0;
    format!("c{}_m{}", short(configuration.amounts.cpus()), short(configuration.amounts.memory_gb()))
}
