//! `price-greedy`: jobs by what they would pay for scarce resources.

use super::packing::{Market, Packing, dot};
use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Parameter, Servers, Takes};
use crate::model::{Amounts, Instance};

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
        parameters: &[Parameter {
            name: "evaluations",
            default: "20",
            description: "server plans that the search may evaluate, per server",
        }],
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
    for (job, own) in jobs {
        let class = instance.class_of(job);
        if class.larger_than_server {
            if !servers.place_on_whole_servers(job, |_| class.demand) {
                servers.split(job);
            }
            continue;
        }
        let key = |server: usize| {
            (if packs_anyhow { 0 } else { servers.free_gpus(server) }, dot(&excess[server], &own))
        };
        let fitting = (0..excess.len()).filter(|&server| servers.free_gpus(server) >= class.gpus);
        let best = fitting.map(|server| (key(server), server)).min_by(
            |((gpus_a, dot_a), _), ((gpus_b, dot_b), _)| gpus_a.cmp(gpus_b).then(dot_a.total_cmp(dot_b)),
        );
        match best {
            Some((_, server)) => {
                excess[server] += own;
                servers.place(job, server, class.shares[instance.cluster().group_of(server)]);
            }
            None => servers.split(job),
        }
    }
    servers
}
