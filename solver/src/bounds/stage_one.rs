//! What stage one decides for each job, as stage two takes it.

use super::blocks::Block;
use super::{BoundResult, lp::FAIR};
use crate::lp::{Certified, Sum};
use crate::model::{Amounts, Configuration};
use smallvec::SmallVec;

/// The outcome of stage one: a bound, and the choice behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct StageOne {
    /// The bound.
    pub bound: BoundResult,
    /// The choice of every runnable job, in queue order. Empty unless the program was solved to optimality.
    pub jobs: Vec<JobChoice>,
}

/// What one job gets: a mix of configurations.
#[derive(Debug, Clone, PartialEq)]
pub struct JobChoice {
    /// Index of the job in its instance.
    pub job: usize,
    /// Configurations with their fractions y_{j,k} > 0, which sum to 1. Over all groups.
    pub mix: SmallVec<[(Configuration, f64); 2]>,
    /// Amounts c*_j, m*_j: the mix's.
    pub amounts: Amounts,
    /// Normalised throughput: the mix's, at least the fairness floor.
    pub throughput: f64,
    /// What of it is in which server group, by group ascending. One whole part in group 0 where the
    /// program knows one machine only.
    pub parts: SmallVec<[GroupPart; 1]>,
}

/// What of a job is in one server group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupPart {
    /// Group of the cluster.
    pub group: usize,
    /// Fraction of the job's GPUs, in (0, 1].
    pub fraction: f64,
    /// Amounts that it holds there.
    pub amounts: Amounts,
}

/// One choice that a block's variables stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub group: usize,
    pub configuration: Configuration,
}

/// Fractions below this are the solver's noise.
const NOISE: f64 = 1e-9;

impl StageOne {
    /// Without a choice.
    pub(super) fn without_choice(bound: BoundResult) -> Self {
        StageOne { bound, jobs: Vec::new() }
    }

    /// Sum of w_j times throughput over the jobs.
    pub fn value(&self, weight: impl Fn(usize) -> f64) -> f64 {
        self.jobs.iter().map(|choice| weight(choice.job) * choice.throughput).collect::<Sum>().total()
    }

    /// Jobs whose mix has more than one configuration.
    pub fn split_jobs(&self) -> usize {
        self.jobs.iter().filter(|choice| choice.mix.len() > 1).count()
    }

    /// Reads the choices out of a solved program: `columns` gives for each block its offers and the
    /// solution's values of their variables, which sum to the block's number of jobs.
    pub(super) fn from_blocks(
        bound: BoundResult,
        queue: &[usize],
        blocks: &[Block],
        columns: impl Fn(usize) -> Vec<(Offer, f64)>,
    ) -> Self {
        let jobs = queue.iter().max().map_or(0, |&last| last + 1);
        let mut choice_of: Vec<Option<JobChoice>> = vec![None; jobs];
        for (index, block) in blocks.iter().enumerate() {
            disaggregate(block, columns(index), |choice| {
                let job = choice.job;
                choice_of[job] = Some(choice);
            });
        }
        let choices = queue.iter().filter_map(|&job| choice_of[job].take()).collect();
        StageOne { bound, jobs: choices }
    }
}

/// Gives each job of a block its share of the block's solution, at least as good as the fairness
/// floor asks. Where every configuration in it is fair, jobs take whole configurations in turn, the
/// fastest first, so that at most one job fewer than configurations is split. Otherwise each takes
/// the same mix, which is fair because the sum is.
fn disaggregate(block: &Block, mut columns: Vec<(Offer, f64)>, mut give: impl FnMut(JobChoice)) {
    let count = block.count();
    columns.retain(|&(_, value)| value > NOISE);
    let total: f64 = columns.iter().map(|(_, value)| value).sum();
    for (_, value) in &mut columns {
        *value *= count / total;
    }
    let all_fair = columns.iter().all(|(offer, _)| offer.configuration.throughput >= FAIR);
    if !all_fair {
        let share: SmallVec<[_; 4]> = columns.iter().map(|&(offer, value)| (offer, value / count)).collect();
        block.jobs.iter().for_each(|&job| give(choice(job, &share)));
        return;
    }
    columns.sort_by(|(a, _), (b, _)| {
        b.configuration.throughput.total_cmp(&a.configuration.throughput).then(a.group.cmp(&b.group))
    });
    let mut left = columns.into_iter().peekable();
    for &job in &block.jobs {
        let mut share: SmallVec<[(Offer, f64); 4]> = SmallVec::new();
        let mut needed = 1.0;
        while needed > NOISE {
            let Some((offer, value)) = left.peek_mut() else { break };
            let taken = value.min(needed);
            share.push((*offer, taken));
            needed -= taken;
            *value -= taken;
            if *value <= NOISE {
                left.next();
            }
        }
        let taken: f64 = share.iter().map(|(_, fraction)| fraction).sum();
        share.iter_mut().for_each(|(_, fraction)| *fraction /= taken);
        give(choice(job, &share));
    }
}

fn choice(job: usize, share: &[(Offer, f64)]) -> JobChoice {
    let mut result = JobChoice {
        job,
        mix: SmallVec::new(),
        amounts: Amounts::ZERO,
        throughput: 0.0,
        parts: SmallVec::new(),
    };
    for &(Offer { group, configuration }, fraction) in share {
        let amounts = configuration.amounts.scaled(fraction);
        result.amounts += amounts;
        result.throughput += configuration.throughput * fraction;
        match result.mix.iter_mut().find(|(known, _)| *known == configuration) {
            Some((_, known)) => *known += fraction,
            None => result.mix.push((configuration, fraction)),
        }
        match result.parts.iter_mut().find(|part| part.group == group) {
            Some(part) => {
                part.fraction += fraction;
                part.amounts += amounts;
            }
            None => result.parts.push(GroupPart { group, fraction, amounts }),
        }
    }
    result.parts.sort_by_key(|part| part.group);
    result
}

/// Shadow prices: the duals of the rows that bound each auxiliary resource.
pub(super) fn shadow_prices(certified: &Certified, row_of: impl Fn(usize) -> usize) -> Option<Amounts> {
    let duals = &certified.solution.row_duals;
    if duals.is_empty() {
        return None;
    }
    let mut prices = Amounts::ZERO;
    for resource in 0..crate::model::AUXILIARY {
        // A price cannot be negative; adding 0 turns -0 into 0.
        prices[resource] = duals[row_of(resource)].max(0.0) + 0.0;
    }
    Some(prices)
}
