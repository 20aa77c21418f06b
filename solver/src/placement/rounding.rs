//! Deployable rounding: from fractions to whole jobs on servers, then to configurations.
//!
//! 1. **Servers.** GPU demands are packed, largest first, each job on the server that holds most of it
//!    where that still has room, else on the fullest server that has. With power-of-two demands on
//!    servers of one power-of-two GPU count this never fails: when jobs of g GPUs are placed, free GPUs
//!    come in multiples of g.
//! 2. **Configurations.** Any jobs that share a server can run there: their proportional shares fit
//!    and are fair. So each server is a small multiple-choice knapsack over its jobs' fair configurations,
//!    solved exactly. Jobs that were placed whole keep what stage one gave them unless something better fits.
//! 3. **Exchanges.** Jobs of equal GPU demand trade places while the value rises.

use crate::bounds::candidates::undominated as undominated_of;
use crate::model::{Allocation, Amounts, Configuration, Instance, JobAllocation, Part, Parts, not_above};
use std::collections::{BTreeSet, HashMap};

/// The fair configurations of a class on a server of a group, undominated.
struct Options {
    /// By class, then group.
    by_class: Vec<Vec<Vec<Configuration>>>,
}

impl Options {
    fn new(instance: &Instance, floor: f64) -> Self {
        let groups = instance.cluster().groups();
        let by_class = instance.classes().iter().map(|class| {
            let undominated = undominated_of(&class.configurations);
            let of_group = |h: usize| {
                let share = Configuration {
                    amounts: class.shares[h],
                    throughput: class.throughput_at(&class.shares[h]),
                };
                let mut options: Vec<Configuration> = undominated
                    .iter()
                    .map(|&k| class.configurations[k])
                    .filter(|c| not_above(floor, c.throughput) && c.amounts.fits_in(&groups[h].capacity))
                    .collect();
                // The share is always possible; on the grid something no dearer may be as good.
                let beaten = |c: &Configuration| {
                    c.throughput >= share.throughput
                        && (0..c.amounts.0.len()).all(|r| c.amounts[r] <= share.amounts[r])
                };
                if !options.iter().any(beaten) {
                    options.push(share);
                }
                options
            };
            (0..groups.len()).map(of_group).collect()
        });
        Options { by_class: by_class.collect() }
    }
}

/// GPUs of one job on servers: one entry unless the job is larger than every server.
type GpuParts = Vec<(usize, u32)>;

/// Rounds a placement of `jobs` (instance indices). `preferred[at]` is the server that holds most of
/// `jobs[at]`; every job gets at least `floor` times its baseline. `None` when the search finds no packing
/// of the GPU demands.
pub fn round(
    instance: &Instance,
    jobs: &[usize],
    preferred: &[Option<usize>],
    floor: f64,
) -> Option<Allocation> {
    let nowhere = vec![None; jobs.len()];
    let packed = pack(instance, jobs, preferred).or_else(|| pack(instance, jobs, &nowhere))?;
    let mut servers = Servers::new(instance, jobs, &packed, floor);
    servers.exchange();
    Some(servers.allocation(&packed))
}

/// Packs GPU demands, largest first. Jobs larger than every server take wholly free servers of the
/// group that needs fewest, and a further one of it for the rest.
fn pack(instance: &Instance, jobs: &[usize], preferred: &[Option<usize>]) -> Option<Vec<GpuParts>> {
    let cluster = instance.cluster();
    let mut free = Free::new(instance);
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(instance.gpus(jobs[at])), at));
    let mut packed = vec![GpuParts::new(); jobs.len()];
    for at in order {
        let gpus = instance.gpus(jobs[at]);
        if instance.class_of(jobs[at]).larger_than_server {
            packed[at] = (0..cluster.groups().len())
                .filter_map(|h| free.whole_servers(instance, h, gpus))
                .min_by_key(|parts| parts.len())?;
        } else {
            let server = preferred[at].filter(|&i| free.gpus[i] >= gpus).or_else(|| free.fullest(gpus))?;
            packed[at] = vec![(server, gpus)];
        }
        for &(server, gpus) in &packed[at] {
            free.take(server, gpus);
        }
    }
    Some(packed)
}

/// Free GPUs, with an index by amount.
struct Free {
    gpus: Vec<u32>,
    /// (free GPUs, server) of every server.
    by_gpus: BTreeSet<(u32, usize)>,
}

impl Free {
    fn new(instance: &Instance) -> Self {
        let cluster = instance.cluster();
        let gpus: Vec<u32> = (0..cluster.servers()).map(|i| cluster.server(i).gpus).collect();
        let by_gpus = gpus.iter().enumerate().map(|(server, &gpus)| (gpus, server)).collect();
        Free { gpus, by_gpus }
    }

    fn take(&mut self, server: usize, gpus: u32) {
        self.by_gpus.remove(&(self.gpus[server], server));
        self.gpus[server] -= gpus;
        self.by_gpus.insert((self.gpus[server], server));
    }

    /// The server with the fewest sufficient free GPUs, lowest index first.
    fn fullest(&self, gpus: u32) -> Option<usize> {
        self.by_gpus.range((gpus, 0)..).next().map(|&(_, server)| server)
    }

    /// Wholly free servers of group `h` for as many whole servers as the job fills, and the
    /// fullest further one that holds the rest.
    fn whole_servers(&self, instance: &Instance, h: usize, gpus: u32) -> Option<GpuParts> {
        let size = instance.cluster().groups()[h].gpus;
        let members = instance.cluster().servers_of(h);
        let (whole, rest) = ((gpus / size) as usize, gpus % size);
        let mut parts: GpuParts =
            members.clone().filter(|&i| self.gpus[i] == size).take(whole).map(|i| (i, size)).collect();
        if parts.len() < whole {
            return None;
        }
        if rest > 0 {
            let taken = |i: &usize| parts.iter().any(|(server, _)| server == i);
            let last =
                members.filter(|i| self.gpus[*i] >= rest && !taken(i)).min_by_key(|&i| (self.gpus[i], i))?;
            parts.push((last, rest));
        }
        parts.sort_unstable();
        Some(parts)
    }
}

/// A job on a server, as the knapsack sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Resident {
    /// Position in the list of jobs.
    at: usize,
    class: usize,
    weight: f64,
}

/// Jobs per server and the value that each server reaches.
struct Servers<'a> {
    instance: &'a Instance,
    jobs: &'a [usize],
    options: Options,
    /// What jobs larger than a server leave of each server.
    capacity: Vec<Amounts>,
    residents: Vec<Vec<Resident>>,
    values: Vec<f64>,
    /// Values of knapsacks that were solved: the same few mixes of jobs come up again and again.
    known: HashMap<(usize, Vec<(usize, u64)>), f64>,
    /// Knapsacks solved for it so far.
    knapsacks: usize,
}

/// Exchanges that are evaluated per server with a loss.
const EXCHANGES: usize = 120;

/// Knapsacks solved in all trades. Where jobs are alike most are known already; where all differ this ends the search.
const MOST_KNAPSACKS: usize = 200_000;

impl<'a> Servers<'a> {
    fn new(instance: &'a Instance, jobs: &'a [usize], packed: &[GpuParts], floor: f64) -> Self {
        let cluster = instance.cluster();
        let mut capacity: Vec<Amounts> =
            (0..cluster.servers()).map(|server| cluster.server(server).capacity).collect();
        let mut residents = vec![Vec::new(); cluster.servers()];
        for (at, parts) in packed.iter().enumerate() {
            let job = jobs[at];
            match parts[..] {
                [(server, _)] => residents[server].push(Resident {
                    at,
                    class: instance.jobs()[job].class,
                    weight: instance.objective_weight(job),
                }),
                _ => {
                    for part in split_parts(instance, job, parts) {
                        capacity[part.server] -= part.amounts;
                    }
                }
            }
        }
        let mut servers = Servers {
            instance,
            jobs,
            options: Options::new(instance, floor),
            capacity,
            residents,
            values: Vec::new(),
            known: HashMap::new(),
            knapsacks: 0,
        };
        servers.values =
            (0..cluster.servers()).map(|i| servers.value(i, &servers.residents[i].clone())).collect();
        servers
    }

    /// Value of these residents on a server like `server`.
    fn value(&mut self, server: usize, residents: &[Resident]) -> f64 {
        let group = self.instance.cluster().group_of(server);
        let untouched = self.capacity[server] == self.instance.cluster().groups()[group].capacity;
        if !untouched {
            return self.solve(server, residents).0;
        }
        let mut mix: Vec<(usize, u64)> = residents.iter().map(|r| (r.class, r.weight.to_bits())).collect();
        mix.sort_unstable();
        let key = (group, mix);
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        self.knapsacks += 1;
        let value = self.solve(server, residents).0;
        self.known.insert(key, value);
        value
    }

    /// The best fair configurations of these residents on `server`.
    fn solve(&self, server: usize, residents: &[Resident]) -> (f64, Vec<Configuration>) {
        let group = self.instance.cluster().group_of(server);
        let choices: Vec<(&[Configuration], f64)> =
            residents.iter().map(|r| (self.options.by_class[r.class][group].as_slice(), r.weight)).collect();
        let picked = best_configurations(&choices, &self.capacity[server]).unwrap_or_else(|| {
            let share = |r: &Resident| {
                let class = &self.instance.classes()[r.class];
                let amounts = class.shares[group];
                Configuration { amounts, throughput: class.throughput_at(&amounts) }
            };
            residents.iter().map(share).collect()
        });
        let value = residents.iter().zip(&picked).map(|(r, c)| r.weight * c.throughput).sum();
        (value, picked)
    }

    /// Lets jobs of equal GPU demand trade servers while that raises the value: servers in order of
    /// what their jobs lose against their best configuration, a fixed number of trials each.
    fn exchange(&mut self) {
        let best_case = |r: &Resident| r.weight * self.instance.classes()[r.class].demand_throughput;
        let loss = |i: usize| self.residents[i].iter().map(best_case).sum::<f64>() - self.values[i];
        let mut losers: Vec<(f64, usize)> =
            (0..self.residents.len()).map(|i| (loss(i), i)).filter(|(loss, _)| *loss > 1e-9).collect();
        losers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, server) in losers {
            if self.knapsacks > MOST_KNAPSACKS {
                return;
            }
            self.improve(server);
        }
    }

    fn improve(&mut self, server: usize) {
        let count = self.residents.len();
        let mut trials = 0;
        for step in 1..count {
            let other = (server + step) % count;
            let mut tried: Vec<((usize, u64), (usize, u64))> = Vec::new();
            for a in 0..self.residents[server].len() {
                for b in 0..self.residents[other].len() {
                    let (mine, theirs) = (self.residents[server][a], self.residents[other][b]);
                    let gpus = |r: &Resident| self.instance.classes()[r.class].gpus;
                    let kind = |r: &Resident| (r.class, r.weight.to_bits());
                    let pair = (kind(&mine), kind(&theirs));
                    if pair.0 == pair.1 || gpus(&mine) != gpus(&theirs) || tried.contains(&pair) {
                        continue;
                    }
                    tried.push(pair);
                    trials += 1;
                    let (mut here, mut there) =
                        (self.residents[server].clone(), self.residents[other].clone());
                    std::mem::swap(&mut here[a], &mut there[b]);
                    let (value_here, value_there) = (self.value(server, &here), self.value(other, &there));
                    let before = self.values[server] + self.values[other];
                    if value_here + value_there > before + 1e-9 {
                        (self.residents[server], self.residents[other]) = (here, there);
                        (self.values[server], self.values[other]) = (value_here, value_there);
                    }
                }
            }
            if trials > EXCHANGES {
                return;
            }
        }
    }

    fn allocation(&self, packed: &[GpuParts]) -> Allocation {
        let mut parts: Vec<Parts> = vec![Parts::new(); self.jobs.len()];
        for (server, residents) in self.residents.iter().enumerate() {
            let (_, picked) = self.solve(server, residents);
            for (resident, configuration) in residents.iter().zip(picked) {
                let gpus = f64::from(self.instance.classes()[resident.class].gpus);
                parts[resident.at].push(Part { server, gpus, amounts: configuration.amounts });
            }
        }
        for (at, gpu_parts) in packed.iter().enumerate().filter(|(_, parts)| parts.len() > 1) {
            parts[at] = split_parts(self.instance, self.jobs[at], gpu_parts).collect();
        }
        let mut jobs: Vec<JobAllocation> =
            self.jobs.iter().zip(parts).map(|(&job, parts)| JobAllocation { job, parts }).collect();
        jobs.sort_by_key(|allocated| allocated.job);
        Allocation { fractional: false, jobs }
    }
}

/// A job larger than every server, at its proportional share on servers of one group.
fn split_parts<'a>(
    instance: &'a Instance,
    job: usize,
    parts: &'a [(usize, u32)],
) -> impl Iterator<Item = Part> + 'a {
    let class = instance.class_of(job);
    parts.iter().map(move |&(server, gpus)| {
        let share = class.shares[instance.cluster().group_of(server)];
        let part = f64::from(gpus) / f64::from(class.gpus);
        Part { server, gpus: f64::from(gpus), amounts: share.scaled(part) }
    })
}

/// A partial choice: what it uses and is worth, and where it came from.
#[derive(Debug, Clone, Copy)]
struct State {
    used: Amounts,
    value: f64,
    parent: usize,
    option: usize,
}

/// States kept per job. Amounts on a grid never come near it.
const STATES: usize = 2_000;

/// One configuration per job within `capacity`, of greatest total `weight x throughput`: an exact
/// dynamic program over undominated partial choices (the most valuable ones, above [`STATES`]).
/// Of equal values the one with least CPU, then memory.
fn best_configurations(
    choices: &[(&[Configuration], f64)],
    capacity: &Amounts,
) -> Option<Vec<Configuration>> {
    let mut layers: Vec<Vec<State>> =
        vec![vec![State { used: Amounts::ZERO, value: 0.0, parent: 0, option: 0 }]];
    for (options, weight) in choices {
        let mut next = Vec::new();
        for (parent, state) in layers[layers.len() - 1].iter().enumerate() {
            for (option, configuration) in options.iter().enumerate() {
                let used = state.used + configuration.amounts;
                if used.fits_in(capacity) {
                    let value = state.value + weight * configuration.throughput;
                    next.push(State { used, value, parent, option });
                }
            }
        }
        layers.push(undominated(next));
    }
    let last = layers.last()?;
    let mut at = (0..last.len()).max_by(|&a, &b| last[a].value.total_cmp(&last[b].value).then(b.cmp(&a)))?;
    let mut picked = Vec::with_capacity(choices.len());
    for (layer, (options, _)) in layers[1..].iter().zip(choices).rev() {
        picked.push(options[layer[at].option]);
        at = layer[at].parent;
    }
    picked.reverse();
    Some(picked)
}

/// The states that no other one beats in value without using more, by CPUs, then memory, ascending.
fn undominated(mut states: Vec<State>) -> Vec<State> {
    let key = |s: &State| (s.used.cpus(), s.used.memory_gb(), -s.value);
    states.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    // Stairs of (memory, value) over the states with no more CPUs, memory and value ascending.
    let mut stairs: Vec<(f64, f64)> = Vec::new();
    let mut kept = Vec::new();
    for state in states {
        let memory = state.used.memory_gb();
        let at = stairs.partition_point(|step| step.0 <= memory);
        if at > 0 && stairs[at - 1].1 >= state.value - 1e-12 {
            continue;
        }
        let end = at + stairs[at..].iter().take_while(|step| step.1 <= state.value).count();
        stairs.splice(at..end, [(memory, state.value)]);
        kept.push(state);
    }
    if kept.len() > STATES {
        kept.sort_by(|a, b| b.value.total_cmp(&a.value));
        kept.truncate(STATES);
    }
    kept
}
