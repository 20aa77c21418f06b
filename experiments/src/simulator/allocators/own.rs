//! The simulator's own allocation code, on one group of equal servers, with a switch for every
//! difference between the paper and the simulator that was published with it.
//!
//! With every switch on the paper's side it gives what the solver's mechanisms give (a test holds
//! that); with every switch on the other side, what the published simulator gives. It is written to
//! be read beside the two descriptions: servers are scanned, nothing is indexed.

use super::published_models::{STORAGE_PER_SERVER, reference_demand};
use super::{Allocator, Decision, Grant};
use crate::simulator::SimulationError;
use crate::simulator::switches::{Switch, Switches};
use std::cmp::Reverse;
use synergy_solver::mechanisms::Takes;
use synergy_solver::model::{Allocation, Amounts, Instance, JobAllocation, JobClass, Part, not_above};

/// CPUs, memory in GB, storage in MB/s.
type Slice = [f64; 3];

/// The mechanisms that the published simulator has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// GPU-proportional shares; `fair` in the published simulator.
    Proportional,
    /// First fit with the full demand.
    Greedy,
    /// The paper's mechanism.
    Tune,
}

impl Kind {
    /// The kind of mechanism `name`.
    pub fn named(name: &str) -> Option<Kind> {
        match name {
            "proportional" => Some(Kind::Proportional),
            "greedy" => Some(Kind::Greedy),
            "tune" => Some(Kind::Tune),
            _ => None,
        }
    }
}

/// What jobs of one class ask for.
#[derive(Debug, Clone, Copy)]
struct ClassDemand {
    gpus: u32,
    full: Slice,
    share: Slice,
    /// Speed with the full demand, under the two-speed model.
    speed: f64,
}

impl ClassDemand {
    fn above_share(&self) -> bool {
        (0..3).any(|r| !not_above(self.full[r], self.share[r]))
    }
}

/// A placed job.
#[derive(Debug, Clone)]
struct Placed {
    job: usize,
    class: usize,
    /// Server and GPUs there, by server.
    parts: Vec<(usize, u32)>,
    /// What it holds in all.
    held: Slice,
    /// Whether it was set back to its share.
    reverted: bool,
}

/// A server during a round.
#[derive(Debug, Clone)]
struct Server {
    free_gpus: u32,
    free: Slice,
    /// Placed jobs with a part here; in placement order until a search for victims sorts them.
    residents: Vec<usize>,
}

/// One of the three mechanisms under some setting of the switches.
pub struct OwnAllocator {
    kind: Kind,
    switches: Switches,
    /// The published simulator chooses and sorts jobs differently under `las`.
    las: bool,
    placement_penalty: f64,
    classes: Vec<ClassDemand>,
}

impl OwnAllocator {
    /// The mechanism `kind` under `policy`.
    pub fn new(kind: Kind, policy: &str, switches: Switches, placement_penalty: f64) -> Self {
        OwnAllocator { kind, switches, las: policy == "las", placement_penalty, classes: Vec::new() }
    }

    fn learn_classes(&mut self, instance: &Instance) -> Result<(), SimulationError> {
        let [group] = instance.cluster().groups() else {
            return Err(SimulationError::OneGroup);
        };
        let storage = if self.switches.published(Switch::Storage) { STORAGE_PER_SERVER } else { 0.0 };
        let server = [group.capacity.cpus(), group.capacity.memory_gb(), storage];
        for class in &instance.classes()[self.classes.len()..] {
            let g = f64::from(class.gpus);
            let share = server.map(|capacity| capacity / f64::from(group.gpus) * g);
            let (mut full, mut speed) =
                ([class.demand.cpus(), class.demand.memory_gb(), share[2]], class.demand_throughput);
            if self.switches.published(Switch::Demand) {
                let demand = reference_demand(
                    class.profile.name(),
                    class.gpus,
                    group.gpus,
                    [server[0], server[1], STORAGE_PER_SERVER],
                )?;
                (full, speed) = (demand.amounts, demand.speed);
                if !self.switches.published(Switch::Storage) {
                    full[2] = 0.0;
                }
            }
            self.classes.push(ClassDemand { gpus: class.gpus, full, share, speed });
        }
        Ok(())
    }
}

impl Allocator for OwnAllocator {
    fn takes(&self) -> Takes {
        let in_turn = self.switches.published(Switch::RunnableSet);
        // Under las the published simulator chooses up front for every mechanism.
        if (in_turn && !self.las) || (!in_turn && self.kind == Kind::Greedy) {
            Takes::WholeQueue
        } else {
            Takes::RunnableSet
        }
    }

    fn decide(&mut self, instance: &Instance, queue: &[usize]) -> Result<Decision, SimulationError> {
        self.learn_classes(instance)?;
        let group = &instance.cluster().groups()[0];
        let storage = if self.switches.published(Switch::Storage) { STORAGE_PER_SERVER } else { 0.0 };
        let empty = Server {
            free_gpus: group.gpus,
            free: [group.capacity.cpus(), group.capacity.memory_gb(), storage],
            residents: Vec::new(),
        };
        let mut round = Round {
            kind: self.kind,
            switches: self.switches,
            classes: &self.classes,
            server_gpus: group.gpus,
            servers: vec![empty; group.count],
            free_gpus: instance.cluster().gpus(),
            placed: Vec::new(),
        };
        let class = |job: usize| instance.jobs()[job].class;
        let demand = |job: usize| &self.classes[class(job)];
        let mut order = queue.to_vec();
        if self.switches.published(Switch::TuneOrder) {
            if self.las && self.kind == Kind::Tune {
                order.sort_by_key(|&job| Reverse(demand(job).gpus));
            }
        } else if self.kind != Kind::Greedy {
            // Auxiliary demands order TUNE's jobs only: those of `proportional` follow from the GPUs.
            let auxiliary = |job: usize| if self.kind == Kind::Tune { demand(job).full } else { [0.0; 3] };
            order.sort_by(|&a, &b| {
                let (x, y) = (auxiliary(a), auxiliary(b));
                (demand(b).gpus.cmp(&demand(a).gpus)).then(y[0].total_cmp(&x[0])).then(y[1].total_cmp(&x[1]))
            });
        }
        for job in order {
            if round.free_gpus == 0 {
                break;
            }
            if u64::from(demand(job).gpus) <= round.free_gpus {
                round.place(job, class(job))?;
            }
        }
        let Round { placed, .. } = round;
        Ok(self.decision(instance, placed))
    }
}

impl OwnAllocator {
    fn decision(&self, instance: &Instance, mut placed: Vec<Placed>) -> Decision {
        placed.sort_by_key(|placed| placed.job);
        let mut decision = Decision::default();
        let mut allocation = Allocation::default();
        for Placed { job, class, parts, held, reverted } in placed {
            let demand = &self.classes[class];
            let amounts = Amounts::new(held[0], held[1]);
            let job_class = &instance.classes()[class];
            let mut speed = match (self.switches.published(Switch::SpeedModel), self.kind) {
                (false, _) => job_class.throughput_at(&amounts),
                (true, Kind::Proportional) => 1.0,
                (true, _) if reverted => 1.0,
                (true, _) => demand.speed,
            };
            if parts.len() > super::mechanism::fewest_servers(job_class, instance) {
                speed *= self.placement_penalty;
            }
            decision.grants.push(Grant {
                job,
                speed,
                amounts,
                servers: parts.iter().map(|&(server, _)| server as u32).collect(),
                reverted,
            });
            let part = |&(server, gpus): &(usize, u32)| Part {
                server,
                gpus: f64::from(gpus),
                amounts: amounts.scaled(f64::from(gpus) / f64::from(demand.gpus)),
            };
            allocation.jobs.push(JobAllocation { job, parts: parts.iter().map(part).collect() });
        }
        decision.allocation = Some(allocation);
        decision
    }
}

/// The best-case speed of a class in keys that look at the speed of the last round.
pub(in crate::simulator) fn full_speed(
    class: &JobClass,
    instance: &Instance,
    switches: &Switches,
) -> Result<f64, SimulationError> {
    if !switches.published(Switch::Demand) {
        return Ok(class.demand_throughput);
    }
    let [group] = instance.cluster().groups() else {
        return Err(SimulationError::OneGroup);
    };
    let server = [group.capacity.cpus(), group.capacity.memory_gb(), STORAGE_PER_SERVER];
    Ok(reference_demand(class.profile.name(), class.gpus, group.gpus, server)?.speed)
}

/// Best-case CPUs and GB of a class, as `drf` and `tetris` see them.
pub(in crate::simulator) fn full_demand(
    class: &JobClass,
    instance: &Instance,
    switches: &Switches,
) -> Result<Amounts, SimulationError> {
    if !switches.published(Switch::Demand) {
        return Ok(class.demand);
    }
    let [group] = instance.cluster().groups() else {
        return Err(SimulationError::OneGroup);
    };
    let server = [group.capacity.cpus(), group.capacity.memory_gb(), STORAGE_PER_SERVER];
    let [cpus, memory_gb, _] =
        reference_demand(class.profile.name(), class.gpus, group.gpus, server)?.amounts;
    Ok(Amounts::new(cpus, memory_gb))
}

/// The state of one round.
struct Round<'a> {
    kind: Kind,
    switches: Switches,
    classes: &'a [ClassDemand],
    server_gpus: u32,
    servers: Vec<Server>,
    free_gpus: u64,
    placed: Vec<Placed>,
}

impl Round<'_> {
    /// Places a job as its mechanism does; a job that cannot be placed is skipped.
    fn place(&mut self, job: usize, class: usize) -> Result<(), SimulationError> {
        let demand = self.classes[class];
        let wanted = if self.kind == Kind::Proportional { demand.share } else { demand.full };
        if let Some(parts) = self.find(demand.gpus, &wanted) {
            self.take(job, class, parts, wanted, false);
            return Ok(());
        }
        let consolidates = !self.switches.published(Switch::Consolidation);
        match self.kind {
            Kind::Greedy => return Ok(()),
            Kind::Proportional if !consolidates => return Ok(()),
            Kind::Proportional => {
                let parts = self.fewest_servers(demand.gpus);
                self.take(job, class, parts, wanted, false);
                return Ok(());
            }
            Kind::Tune => {}
        }
        let reverted = demand.above_share();
        let held = if reverted { demand.share } else { demand.full };
        if let Some(parts) = self.find(demand.gpus, &held) {
            self.take(job, class, parts, held, reverted);
            return Ok(());
        }
        let published_peers = self.switches.published(Switch::PeerSelection);
        let single = self.victim(demand.gpus, published_peers);
        // Split over the fewest servers, a job runs at its share; alone on one, at what it still asks for.
        let split = single.is_none() && consolidates;
        let held = if split { demand.share } else { held };
        let victims = match single {
            Some(server) => vec![(server, demand.gpus)],
            None if published_peers => self.fullest_servers(demand.gpus),
            None => self.fewest_servers(demand.gpus),
        };
        for &(server, gpus) in &victims {
            let need = held.map(|amount| amount * f64::from(gpus) / f64::from(demand.gpus));
            if published_peers {
                self.cover_shortfall(server, need);
            } else {
                self.revert_until_it_fits(server, need);
            }
        }
        let parts = match (consolidates, single) {
            (true, _) => Some(victims),
            (false, _) => self.find(demand.gpus, &held),
        };
        match parts {
            Some(parts) => {
                self.take(job, class, parts, held, reverted);
                Ok(())
            }
            None => Err(SimulationError::PublishedStops("TUNE finds no place after reverting peers".into())),
        }
    }

    /// Servers for `gpus` GPUs with `wanted` in all, if there are any.
    fn find(&self, gpus: u32, wanted: &Slice) -> Option<Vec<(usize, u32)>> {
        let per_gpu = wanted.map(|amount| amount / f64::from(gpus));
        if self.switches.published(Switch::Consolidation) {
            return self.scatter(gpus, &per_gpu);
        }
        let mut left = gpus;
        let mut parts = Vec::new();
        if gpus > self.server_gpus {
            let whole = scaled(&per_gpu, self.server_gpus);
            for (s, server) in self.servers.iter().enumerate() {
                if left >= self.server_gpus
                    && server.free_gpus == self.server_gpus
                    && fits(&whole, &server.free)
                {
                    parts.push((s, self.server_gpus));
                    left -= self.server_gpus;
                }
            }
            if left >= self.server_gpus {
                return None;
            }
        }
        if left > 0 {
            let rest = scaled(&per_gpu, left);
            let able = self.servers.iter().enumerate().filter(|(s, server)| {
                server.free_gpus >= left
                    && fits(&rest, &server.free)
                    && !parts.iter().any(|part| part.0 == *s)
            });
            // Greedy takes the first that fits; the others, and the rest of a large job, the fullest.
            let server = if self.kind == Kind::Greedy && parts.is_empty() {
                able.map(|(s, _)| s).next()
            } else {
                let fullest = |(_, a): &(usize, &Server), (_, b): &(usize, &Server)| {
                    (a.free_gpus.cmp(&b.free_gpus))
                        .then(a.free[0].total_cmp(&b.free[0]))
                        .then(a.free[1].total_cmp(&b.free[1]))
                };
                able.min_by(fullest).map(|(s, _)| s)
            };
            parts.push((server?, left));
            parts.sort_unstable();
        }
        Some(parts)
    }

    /// Free GPUs in (server, GPU) order, each with its slice; `None` when there are not enough.
    fn scatter(&self, gpus: u32, per_gpu: &Slice) -> Option<Vec<(usize, u32)>> {
        let mut parts = Vec::new();
        let mut left = gpus;
        for (s, server) in self.servers.iter().enumerate() {
            let (mut free, mut taken) = (server.free, 0);
            while taken < server.free_gpus.min(left) && fits(per_gpu, &free) {
                (0..3).for_each(|r| free[r] -= per_gpu[r]);
                taken += 1;
            }
            if taken > 0 {
                parts.push((s, taken));
                left -= taken;
            }
            if left == 0 {
                return Some(parts);
            }
        }
        None
    }

    /// One server with enough free GPUs to make room on: of several, the first (published, and not for
    /// single GPUs), or the one with the fewest.
    fn victim(&self, gpus: u32, published: bool) -> Option<usize> {
        let able = (0..self.servers.len()).filter(|&s| self.servers[s].free_gpus >= gpus);
        match (published, gpus) {
            (true, 1) => None,
            (true, _) => { able }.next(),
            (false, _) => able.min_by_key(|&s| self.servers[s].free_gpus),
        }
    }

    /// Servers by fewest free GPUs, until the GPUs suffice: the published choice of victims.
    fn fullest_servers(&self, gpus: u32) -> Vec<(usize, u32)> {
        let mut order: Vec<usize> = (0..self.servers.len()).collect();
        order.sort_by_key(|&s| self.servers[s].free_gpus);
        self.until_enough(order, gpus)
    }

    /// The fewest servers that have the GPUs: by most free GPUs.
    fn fewest_servers(&self, gpus: u32) -> Vec<(usize, u32)> {
        let mut order: Vec<usize> = (0..self.servers.len()).collect();
        order.sort_by_key(|&s| Reverse(self.servers[s].free_gpus));
        self.until_enough(order, gpus)
    }

    fn until_enough(&self, order: Vec<usize>, gpus: u32) -> Vec<(usize, u32)> {
        let mut left = gpus;
        let mut parts = Vec::new();
        for s in order {
            let taken = self.servers[s].free_gpus.min(left);
            if taken > 0 {
                parts.push((s, taken));
                left -= taken;
            }
        }
        parts
    }

    /// Residents above their share, one at a time, until `need` fits on `server`: those with excess in
    /// a resource that is short before others, by CPUs, then memory per GPU, then placing order.
    fn revert_until_it_fits(&mut self, server: usize, need: Slice) {
        loop {
            let Server { free, residents, .. } = &self.servers[server];
            let short: Vec<usize> = (0..3).filter(|&r| !not_above(need[r], free[r])).collect();
            if short.is_empty() {
                return;
            }
            let has_excess = |p: usize, r: usize| {
                let placed = &self.placed[p];
                !not_above(placed.held[r], self.classes[placed.class].share[r])
            };
            let first = |resources: &[usize]| {
                let able = residents.iter().copied().filter(|&p| resources.iter().any(|&r| has_excess(p, r)));
                able.min_by(|&a, &b| self.by_excess(a, b).then(a.cmp(&b)))
            };
            match first(&short).or_else(|| first(&[0, 1, 2])) {
                Some(resident) => self.set_back(resident),
                None => return,
            }
        }
    }

    /// The published way: walk residents, subtract their excess from what is missing, and set back
    /// everyone who was walked until nothing is missing.
    fn cover_shortfall(&mut self, server: usize, need: Slice) {
        let mut shortfall = need;
        for r in 0..3 {
            shortfall[r] = (need[r] - self.servers[server].free[r]).max(0.0);
        }
        if shortfall == [0.0; 3] {
            return;
        }
        let mut residents = std::mem::take(&mut self.servers[server].residents);
        residents.sort_by(|&a, &b| {
            let servers = |p: usize| self.placed[p].parts.len();
            servers(a).cmp(&servers(b)).then(self.by_excess(a, b))
        });
        let mut marked = 0;
        while marked < residents.len() && shortfall != [0.0; 3] {
            let placed = &self.placed[residents[marked]];
            let demand = &self.classes[placed.class];
            let here = placed.parts.iter().find(|part| part.0 == server).map_or(0, |part| part.1);
            let part = f64::from(here) / f64::from(demand.gpus);
            for r in 0..3 {
                let excess = (placed.held[r] * part - demand.share[r] * part).max(0.0);
                shortfall[r] = (shortfall[r] - excess).max(0.0);
            }
            marked += 1;
        }
        self.servers[server].residents = residents;
        for index in 0..marked {
            let resident = self.servers[server].residents[index];
            // A demand that is nowhere above the share stays as it is.
            if self.classes[self.placed[resident].class].above_share() {
                self.set_back(resident);
            }
        }
    }

    /// CPUs per GPU, then memory per GPU, descending.
    fn by_excess(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let per_gpu = |p: usize, r: usize| {
            let placed = &self.placed[p];
            placed.held[r] / f64::from(self.classes[placed.class].gpus)
        };
        per_gpu(b, 0).total_cmp(&per_gpu(a, 0)).then(per_gpu(b, 1).total_cmp(&per_gpu(a, 1)))
    }

    /// Sets a placed job back to its share of everything.
    fn set_back(&mut self, resident: usize) {
        let Placed { class, held, .. } = self.placed[resident];
        let demand = self.classes[class];
        for &(server, gpus) in &self.placed[resident].parts {
            let part = f64::from(gpus) / f64::from(demand.gpus);
            for r in 0..3 {
                self.servers[server].free[r] += held[r] * part - demand.share[r] * part;
            }
        }
        self.placed[resident].held = demand.share;
        self.placed[resident].reverted = true;
    }

    fn take(&mut self, job: usize, class: usize, mut parts: Vec<(usize, u32)>, held: Slice, reverted: bool) {
        parts.sort_unstable();
        let gpus = self.classes[class].gpus;
        for &(s, here) in &parts {
            let server = &mut self.servers[s];
            server.free_gpus -= here;
            for r in 0..3 {
                server.free[r] -= held[r] * f64::from(here) / f64::from(gpus);
            }
            server.residents.push(self.placed.len());
        }
        self.free_gpus -= u64::from(gpus);
        self.placed.push(Placed { job, class, parts, held, reverted });
    }
}

fn scaled(per_gpu: &Slice, gpus: u32) -> Slice {
    per_gpu.map(|amount| amount * f64::from(gpus))
}

fn fits(wanted: &Slice, free: &Slice) -> bool {
    (0..3).all(|r| not_above(wanted[r], free[r]))
}
