//! A GPU packing and the best plan of every server for it; the common ground of the searching heuristics.
//!
//! Any packing of GPUs can be made fair, because the proportional shares of the jobs on a server
//! always fit there. So the problem splits in two: which jobs share a server, and which options
//! the jobs of one server get. The second is solved by [`Planner`]; the first is searched.

use super::options::{Choice, options_of, prices};
use super::server_plan::{Plan, Planner};
use super::{NameError, Outcome, Parameter, Parameters, Servers};
use crate::model::{AUXILIARY, Amounts, Configuration, Instance};
use crate::status::{Effort, Status};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// Nodes of the search for one server's plan.
const NODES: usize = 2000;

/// Exchanges that are tried between two servers at a time.
const TRIES: usize = 3;

/// Servers that each is paired with on either side of its opposite: keeps the search linear in servers.
const PARTNERS: usize = 32;

/// The parameter that limits the search.
pub(super) const EVALUATIONS: Parameter = Parameter {
    name: "evaluations",
    default: "20",
    description: "server plans that the search may evaluate, per server",
};

/// Its value.
pub(super) fn evaluations(parameters: &Parameters) -> Result<usize, NameError> {
    parameters.get(EVALUATIONS.name, 20, "a whole number", |_| true)
}

/// What the heuristics know of the jobs of a queue.
pub(super) struct Market<'a> {
    pub instance: &'a Instance,
    /// By class; empty for classes without a job in the queue.
    options: Vec<Vec<Configuration>>,
    /// Prices on the super-machine.
    pub prices: Amounts,
}

impl<'a> Market<'a> {
    pub fn new(instance: &'a Instance, runnable: &[usize]) -> Self {
        let options = options_of(instance, runnable);
        let mut counts: Vec<((usize, u64), f64)> = Vec::new();
        let mut kinds: HashMap<(usize, u64), usize> = HashMap::new();
        for &job in runnable {
            let kind = (instance.jobs()[job].class, instance.objective_weight(job).to_bits());
            let at = *kinds.entry(kind).or_insert_with(|| {
                counts.push((kind, 0.0));
                counts.len() - 1
            });
            counts[at].1 += 1.0;
        }
        let choices: Vec<(Choice, f64)> = counts
            .iter()
            .map(|&((class, weight), count)| {
                (Choice { options: &options[class], weight: f64::from_bits(weight) }, count)
            })
            .collect();
        let prices = prices(&choices, &instance.cluster().capacity());
        Market { instance, options, prices }
    }

    pub fn choice(&self, job: usize) -> Choice<'_> {
        let options = &self.options[self.instance.jobs()[job].class];
        Choice { options, weight: self.instance.objective_weight(job) }
    }

    /// What the job would take at prices around those of the super-machine.
    pub fn wanted(&self, job: usize) -> Amounts {
        const AROUND: [f64; 5] = [0.7, 0.85, 1.0, 1.15, 1.3];
        let choice = self.choice(job);
        let at = |factor: f64| choice.options[choice.at_prices(&self.prices.scaled(factor))].amounts;
        AROUND.iter().fold(Amounts::ZERO, |sum, &factor| sum + at(factor)).scaled(1.0 / AROUND.len() as f64)
    }

    /// By how much the job wants more than its part of the whole cluster, in each resource, in value.
    pub fn excess(&self, job: usize) -> Amounts {
        let cluster = self.instance.cluster();
        let entitled = cluster.capacity().scaled(f64::from(self.instance.gpus(job)) / cluster.gpus() as f64);
        let weights = self.weights();
        (self.wanted(job) - entitled).zip(&weights, |excess, weight| excess * weight)
    }

    /// The prices, none of them 0: a resource that is not scarce in all may be so on a server.
    fn weights(&self) -> Amounts {
        let capacity = self.instance.cluster().capacity();
        let paid = self.prices.zip(&capacity, |price, c| price * c);
        let most = paid.iter().fold(0.0, f64::max);
        let floor = if most > 0.0 { 0.05 * most } else { 1.0 };
        paid.zip(&capacity, |paid, c| if c > 0.0 { paid.max(floor) / c } else { 0.0 })
    }
}

/// Sum over resources of the products.
pub(super) fn dot(a: &Amounts, b: &Amounts) -> f64 {
    (0..AUXILIARY).map(|r| a[r] * b[r]).sum()
}

/// One server: the jobs that are on it alone, and what its plan is worth.
#[derive(Debug, Clone)]
struct Bin {
    /// Indices into `jobs`.
    members: Vec<usize>,
    /// What jobs on several servers leave.
    capacity: Amounts,
    free_gpus: u32,
    /// Of the best plan known.
    value: f64,
    /// Whether that plan is the one that the packing was made from.
    is_original: bool,
    /// Sum of the members' excess.
    excess: Amounts,
}

/// A job on one server.
#[derive(Debug, Clone, Copy)]
struct Packed {
    job: usize,
    gpus: u32,
    /// Equal for jobs of equal class and weight.
    kind: usize,
    excess: Amounts,
}

/// Jobs that two servers give each other, by their places there.
struct Exchange {
    /// Square of the difference in excess that is left.
    imbalance: f64,
    give: SmallVec<[usize; 8]>,
    take: SmallVec<[usize; 8]>,
}

impl Exchange {
    /// Members of both servers afterwards.
    fn apply(&self, on_a: &[usize], on_b: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let rest = |members: &[usize], without: &[usize]| -> Vec<usize> {
            (0..members.len()).filter(|place| !without.contains(place)).map(|place| members[place]).collect()
        };
        let (mut new_a, mut new_b) = (rest(on_a, &self.give), rest(on_b, &self.take));
        new_a.extend(self.take.iter().map(|&place| on_b[place]));
        new_b.extend(self.give.iter().map(|&place| on_a[place]));
        (new_a, new_b)
    }
}

pub(super) struct Packing<'a> {
    market: &'a Market<'a>,
    jobs: Vec<Packed>,
    bins: Vec<Bin>,
    planner: Planner,
    pub evaluations: usize,
}

impl<'a> Packing<'a> {
    /// The packing of `servers`. Jobs on several servers stay as they are.
    pub fn new(market: &'a Market<'a>, servers: &Servers) -> Self {
        let cluster = market.instance.cluster();
        let mut packing = Packing {
            market,
            jobs: Vec::new(),
            bins: Vec::with_capacity(cluster.servers()),
            planner: Planner::new(NODES),
            evaluations: 0,
        };
        for group in cluster.groups() {
            let bin = Bin {
                members: Vec::new(),
                capacity: group.capacity,
                free_gpus: group.gpus,
                value: 0.0,
                is_original: true,
                excess: Amounts::ZERO,
            };
            packing.bins.extend(std::iter::repeat_n(bin, group.count));
        }
        let mut kinds: HashMap<(usize, u64), usize> = HashMap::new();
        for resident in servers.residents() {
            if let [part] = resident.parts.as_slice() {
                let job = resident.job;
                let next = kinds.len();
                let weight = market.instance.objective_weight(job).to_bits();
                let kind = *kinds.entry((market.instance.jobs()[job].class, weight)).or_insert(next);
                let excess = market.excess(job);
                let bin = &mut packing.bins[part.server];
                bin.members.push(packing.jobs.len());
                bin.excess += excess;
                bin.free_gpus -= market.instance.gpus(job);
                bin.value += market.instance.objective_weight(job)
                    * market.instance.class_of(job).throughput_at(&part.amounts);
                packing.jobs.push(Packed { job, gpus: market.instance.gpus(job), kind, excess });
            } else {
                for part in &resident.parts {
                    packing.bins[part.server].capacity -= part.amounts;
                    packing.bins[part.server].free_gpus -= part.gpus as u32;
                }
            }
        }
        for bin in 0..packing.bins.len() {
            let value = packing.value_of(bin, &packing.bins[bin].members.clone());
            let bin = &mut packing.bins[bin];
            bin.is_original = value <= bin.value;
            bin.value = bin.value.max(value);
        }
        packing
    }

    fn plan(&mut self, bin: usize, members: &[usize]) -> Option<Plan> {
        let choices: Vec<Choice> = members.iter().map(|&m| self.market.choice(self.jobs[m].job)).collect();
        self.planner.best(&choices, &self.bins[bin].capacity, &self.market.prices)
    }

    /// Value of the best plan for these members on the server; minus infinity where none was found.
    fn value_of(&mut self, bin: usize, members: &[usize]) -> f64 {
        self.evaluations += 1;
        let choices: Vec<Choice> = members.iter().map(|&m| self.market.choice(self.jobs[m].job)).collect();
        let value = self.planner.best_value(&choices, &self.bins[bin].capacity, &self.market.prices);
        value.unwrap_or(f64::NEG_INFINITY)
    }

    /// Sum over servers.
    pub fn value(&self) -> f64 {
        self.bins.iter().map(|bin| bin.value).sum()
    }

    /// Exchanges jobs between servers as long as that gains and `evaluations` last. Pairs of servers
    /// that want most and least come first; of a pair's exchanges, those that balance best.
    pub fn exchange(&mut self, evaluations: usize) {
        let limit = self.evaluations + evaluations;
        loop {
            let before = self.value();
            let mut order: Vec<usize> = (0..self.bins.len()).collect();
            let wants = |bin: &Bin| bin.excess.iter().sum::<f64>();
            order.sort_by(|&a, &b| wants(&self.bins[b]).total_cmp(&wants(&self.bins[a])).then(a.cmp(&b)));
            for i in 0..order.len() {
                // The opposite of the hungriest is the leanest, and so on.
                let opposite = order.len() - 1 - i;
                let partners =
                    (i + 1).max(opposite.saturating_sub(PARTNERS))..order.len().min(opposite + PARTNERS + 1);
                for j in partners.rev() {
                    if self.evaluations >= limit {
                        return;
                    }
                    self.exchange_between(order[i], order[j]);
                }
            }
            if self.value() <= before * (1.0 + 1e-9) {
                return;
            }
        }
    }

    /// Makes the first of the most promising exchanges between two servers that gains.
    fn exchange_between(&mut self, a: usize, b: usize) {
        for exchange in self.exchanges(a, b).into_iter().take(TRIES) {
            let (on_a, on_b) = exchange.apply(&self.bins[a].members, &self.bins[b].members);
            let (value_a, value_b) = (self.value_of(a, &on_a), self.value_of(b, &on_b));
            let old = self.bins[a].value + self.bins[b].value;
            if value_a + value_b > old + 1e-9 * old.abs() {
                for (bin, members, value) in [(a, on_a, value_a), (b, on_b, value_b)] {
                    let held = |members: &[usize]| members.iter().map(|&m| self.jobs[m].gpus).sum::<u32>();
                    let all = held(&self.bins[bin].members) + self.bins[bin].free_gpus;
                    let free_gpus = all - held(&members);
                    let excess = members.iter().fold(Amounts::ZERO, |sum, &m| sum + self.jobs[m].excess);
                    let bin = &mut self.bins[bin];
                    *bin =
                        Bin { members, value, free_gpus, excess, is_original: false, capacity: bin.capacity };
                }
                return;
            }
        }
    }

    /// Exchanges that leave the two servers better balanced, best first: one job for one of as many
    /// GPUs, one for several smaller ones, or one for free GPUs. Equal jobs are tried once.
    fn exchanges(&self, a: usize, b: usize) -> Vec<Exchange> {
        let (bin_a, bin_b) = (&self.bins[a], &self.bins[b]);
        let difference = bin_a.excess - bin_b.excess;
        let now = dot(&difference, &difference);
        let mut found: Vec<Exchange> = Vec::new();
        let mut add = |give: SmallVec<[usize; 8]>, take: SmallVec<[usize; 8]>| {
            let sum = |bin: &Bin, places: &[usize]| {
                places.iter().fold(Amounts::ZERO, |sum, &p| sum + self.jobs[bin.members[p]].excess)
            };
            let after = difference - (sum(bin_a, &give) - sum(bin_b, &take)).scaled(2.0);
            let imbalance = dot(&after, &after);
            if imbalance < now {
                found.push(Exchange { imbalance, give, take });
            }
        };
        let firsts_a = self.first_of_kind(bin_a);
        let firsts_b = self.first_of_kind(bin_b);
        for &x in &firsts_a {
            for &y in &firsts_b {
                let (p, q) = (&self.jobs[bin_a.members[x]], &self.jobs[bin_b.members[y]]);
                if p.gpus == q.gpus && p.kind != q.kind {
                    add(smallvec![x], smallvec![y]);
                }
            }
        }
        for (from, to, firsts, swapped) in [(bin_a, bin_b, &firsts_a, false), (bin_b, bin_a, &firsts_b, true)]
        {
            for &x in firsts {
                let gpus = self.jobs[from.members[x]].gpus;
                let mut change = |back: SmallVec<[usize; 8]>| {
                    if swapped { add(back, smallvec![x]) } else { add(smallvec![x], back) }
                };
                if to.free_gpus >= gpus {
                    change(SmallVec::new());
                }
                for hungriest_first in [false, true] {
                    if let Some(back) = self.smaller_jobs(to, gpus, hungriest_first) {
                        change(back);
                    }
                }
            }
        }
        found.sort_by(|p, q| p.imbalance.total_cmp(&q.imbalance));
        found
    }

    /// The place of the first job of every kind on a server.
    fn first_of_kind(&self, bin: &Bin) -> SmallVec<[usize; 8]> {
        let kind = |place: usize| self.jobs[bin.members[place]].kind;
        (0..bin.members.len())
            .filter(|&place| (0..place).all(|earlier| kind(earlier) != kind(place)))
            .collect()
    }

    /// Several jobs of `bin` with `gpus` in all, by least or most excess per GPU.
    fn smaller_jobs(&self, bin: &Bin, gpus: u32, hungriest_first: bool) -> Option<SmallVec<[usize; 8]>> {
        let job = |place: usize| &self.jobs[bin.members[place]];
        let per_gpu = |place: usize| job(place).excess.iter().sum::<f64>() / f64::from(job(place).gpus);
        let mut places: SmallVec<[usize; 8]> =
            (0..bin.members.len()).filter(|&place| job(place).gpus < gpus).collect();
        places.sort_by(|&p, &q| per_gpu(p).total_cmp(&per_gpu(q)));
        if hungriest_first {
            places.reverse();
        }
        let mut missing = gpus;
        places.retain(|place| {
            let fits = job(*place).gpus <= missing;
            if fits {
                missing -= job(*place).gpus;
            }
            fits
        });
        (missing == 0).then_some(places)
    }

    /// The allocation: every server's best plan, and `servers`' own amounts for jobs on several.
    pub fn into_outcome(mut self, mut servers: Servers) -> Outcome {
        let mut amounts: Vec<Option<Amounts>> = vec![None; self.market.instance.jobs().len()];
        for bin in (0..self.bins.len()).filter(|&bin| !self.bins[bin].is_original).collect::<Vec<_>>() {
            let members = self.bins[bin].members.clone();
            if let Some(plan) = self.plan(bin, &members) {
                for (&member, &option) in members.iter().zip(&plan.chosen) {
                    let job = self.jobs[member].job;
                    amounts[job] = Some(self.market.choice(job).options[option].amounts);
                }
            }
        }
        let on_server: Vec<(usize, usize)> = self
            .bins
            .iter()
            .enumerate()
            .flat_map(|(server, bin)| bin.members.iter().map(move |&m| (m, server)))
            .map(|(member, server)| (self.jobs[member].job, server))
            .collect();
        servers.reassign(&on_server, &amounts);
        let mut outcome = servers.into_outcome(Status::Ok);
        // Who got other amounts is no longer at the share that it was reverted to.
        outcome.reverted.retain(|&job| amounts[job].is_none());
        outcome.effort = Some(Effort { nodes: self.evaluations, ..Effort::default() });
        outcome
    }
}
