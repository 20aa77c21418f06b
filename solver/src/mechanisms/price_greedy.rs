//! `price-greedy`: jobs by what they would pay for scarce resources.

use super::packing::{EVALUATIONS, Market, Packing, dot};
use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Servers, Takes};
use crate::model::{Amounts, Instance};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Packs by price, then gives every server its best plan.
///
/// The dual prices of the super-machine say what every job would take, and by how much that exceeds
/// its part of the cluster. Largest GPU demand and largest excess first, every job goes to the server
/// whose jobs want least of what it wants most; then jobs are exchanged between servers as long as that gains.
#[derive(Debug, Clone, Copy)]
pub struct PriceGreedy {
    /// Server plans that the search may evaluate, per server of the cluster.
    pub evaluations: usize,
}

impl PriceGreedy {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "price-greedy",
        description: "balances excess demand at the super-machine's prices, exchanges jobs, best plan per server",
        source: "this workbench",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[EVALUATIONS],
    };
}

impl Mechanism for PriceGreedy {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let runnable = instance.runnable(queue);
        let market = Market::new(instance, &runnable);
        let servers = pack(&market, &runnable);
        let mut packing = Packing::new(&market, &servers);
        packing.exchange(self.evaluations.saturating_mul(instance.cluster().servers()));
        Ok(packing.into_outcome(servers))
    }
}

/// The packing, with every job at its proportional share.
fn pack<'a>(market: &Market<'a>, runnable: &[usize]) -> Servers<'a> {
    let instance = market.instance;
    let mut jobs: Vec<(usize, Amounts)> = runnable.iter().map(|&job| (job, market.excess(job))).collect();
    jobs.sort_by(|(a, excess_a), (b, excess_b)| {
        let size = instance.gpus(*b).cmp(&instance.gpus(*a));
        size.then(dot(excess_b, excess_b).total_cmp(&dot(excess_a, excess_a)))
    });
    // Where any packing by descending GPU demand succeeds, the choice is free; elsewhere best fit of
    // GPUs comes first, so that few jobs are split.
    let first = instance.cluster().groups()[0].gpus;
    let packs_anyhow = first.is_power_of_two()
        && instance.cluster().groups().iter().all(|group| group.gpus == first)
        && runnable.iter().all(|&job| instance.gpus(job).is_power_of_two());

    let mut servers = Servers::new(instance);
    let mut excess = vec![Amounts::ZERO; instance.cluster().servers()];
    let mut fitting = Fitting::default();
    for (job, own) in jobs {
        let class = instance.class_of(job);
        if class.larger_than_server {
            if !servers.place_on_whole_servers(job, |_| class.demand) {
                servers.split(job);
            }
            continue;
        }
        let key = |servers: &Servers, excess: &[Amounts], server: usize| {
            let free_gpus = servers.free_gpus(server);
            let first = if packs_anyhow { 0 } else { free_gpus };
            (free_gpus >= class.gpus).then(|| Key(first, dot(&excess[server], &own), server))
        };
        fitting.for_jobs_like(class.gpus, &own, (0..excess.len()).filter_map(|s| key(&servers, &excess, s)));
        let Some(server) = fitting.first() else {
            servers.split(job);
            // A split takes from servers anywhere.
            fitting = Fitting::default();
            continue;
        };
        excess[server] += own;
        servers.place(job, server, class.shares[instance.cluster().group_of(server)]);
        fitting.update(key(&servers, &excess, server));
    }
    servers
}

/// Rank of a server for a job: GPUs where they count, the product of the excesses, index.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key(u32, f64, usize);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0).then(self.1.total_cmp(&other.1)).then(self.2.cmp(&other.2))
    }
}

/// The servers that fit the job at hand, the best first. Jobs that are alike come one after another, and
/// placing one changes one server: so the servers are looked through once per kind of job, not per job.
#[derive(Default)]
struct Fitting {
    /// GPU demand and excess of the jobs that the ranks are for.
    like: Option<(u32, Amounts)>,
    ranks: BinaryHeap<Reverse<Key>>,
}

impl Fitting {
    /// Ranks the servers for jobs of this demand and excess, unless they are already.
    fn for_jobs_like(&mut self, gpus: u32, own: &Amounts, keys: impl Iterator<Item = Key>) {
        if self.like != Some((gpus, *own)) {
            self.like = Some((gpus, *own));
            self.ranks = keys.map(Reverse).collect();
        }
    }

    /// Takes the best server out.
    fn first(&mut self) -> Option<usize> {
        self.ranks.pop().map(|Reverse(Key(_, _, server))| server)
    }

    /// Puts a server back at its new rank, if it still fits.
    fn update(&mut self, key: Option<Key>) {
        self.ranks.extend(key.map(Reverse));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks against looking through all servers for every job.
    #[test]
    fn the_ranked_servers_are_those_of_a_full_search() {
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..200 {
            let mut free: Vec<u32> = (0..12).map(|_| draw(9) as u32).collect();
            let mut excess: Vec<Amounts> =
                (0..12).map(|_| Amounts::new(draw(5) as f64 - 2.0, draw(5) as f64 - 2.0)).collect();
            let mut fitting = Fitting::default();
            let mut kinds: Vec<(u32, Amounts)> = (0..3)
                .map(|_| (1 + draw(4) as u32, Amounts::new(draw(3) as f64, draw(3) as f64 - 1.0)))
                .collect();
            kinds.sort_by_key(|kind| Reverse(kind.0));
            for (gpus, own) in kinds.iter().flat_map(|kind| [kind; 5]) {
                let key = |free: &[u32], excess: &[Amounts], s: usize| {
                    let first = if round % 2 == 0 { 0 } else { free[s] };
                    (free[s] >= *gpus).then(|| Key(first, dot(&excess[s], own), s))
                };
                let full = (0..12).filter_map(|s| key(&free, &excess, s)).min();
                fitting.for_jobs_like(*gpus, own, (0..12).filter_map(|s| key(&free, &excess, s)));
                let found = fitting.first();
                assert_eq!(found, full.map(|Key(_, _, server)| server));
                let Some(server) = found else { continue };
                free[server] -= gpus;
                excess[server] += *own;
                fitting.update(key(&free, &excess, server));
            }
        }
    }
}
