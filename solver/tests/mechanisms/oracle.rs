//! TUNE, GREEDY and proportional a second time, as plain scans over a list of servers, written from
//! the problem statement alone. The mechanisms must return the same allocations bit for bit.

use crate::random::{self, Kind};
use synergy_solver::mechanisms::{Greedy, Mechanism, Proportional, Tune};
use synergy_solver::model::{Allocation, Amounts, Instance, JobAllocation, Part, not_above};

struct Server {
    group: usize,
    gpus: u32,
    free: Amounts,
    /// In placing order; the amounts are those held here; jobs of several servers are marked.
    jobs: Vec<(usize, Amounts, bool)>,
}

struct Scan<'a> {
    instance: &'a Instance,
    servers: Vec<Server>,
    /// (job, server, GPUs, amounts)
    placed: Vec<(usize, usize, u32, Amounts)>,
    reverted: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn new(instance: &'a Instance) -> Self {
        let mut servers = Vec::new();
        for (group, shape) in instance.cluster().groups().iter().enumerate() {
            for _ in 0..shape.count {
                servers.push(Server { group, gpus: shape.gpus, free: shape.capacity, jobs: Vec::new() });
            }
        }
        Scan { instance, servers, placed: Vec::new(), reverted: Vec::new() }
    }

    fn key(&self, server: usize) -> (u32, f64, f64, usize) {
        let s = &self.servers[server];
        (s.gpus, s.free.cpus(), s.free.memory_gb(), server)
    }

    fn best_fit(&self, gpus: u32, need: &Amounts, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best: Option<usize> = None;
        for server in 0..self.servers.len() {
            let s = &self.servers[server];
            let fits = allowed(server) && s.gpus >= gpus && need.fits_in(&s.free);
            if fits && best.is_none_or(|best| self.key(server) < self.key(best)) {
                best = Some(server);
            }
        }
        best
    }

    fn put(&mut self, job: usize, parts: &[(usize, u32, Amounts)]) {
        for &(server, gpus, amounts) in parts {
            self.servers[server].gpus -= gpus;
            self.servers[server].free -= amounts;
            self.servers[server].jobs.push((job, amounts, parts.len() > 1));
            self.placed.push((job, server, gpus, amounts));
        }
    }

    fn share(&self, job: usize, group: usize) -> Amounts {
        self.instance.class_of(job).shares[group]
    }

    fn on_whole_servers(&mut self, job: usize, total: impl Fn(usize) -> Amounts) -> bool {
        let gpus = self.instance.gpus(job);
        let groups = self.instance.cluster().groups();
        let mut order: Vec<(u32, usize)> =
            groups.iter().enumerate().map(|(h, g)| (gpus.div_ceil(g.gpus), h)).collect();
        order.sort();
        for (_, h) in order {
            let per = groups[h].gpus;
            let part = |n: u32| total(h).scaled(f64::from(n) / f64::from(gpus));
            let mut parts: Vec<(usize, u32, Amounts)> = Vec::new();
            for server in 0..self.servers.len() {
                let s = &self.servers[server];
                if s.group == h && s.jobs.is_empty() && (parts.len() as u32) < gpus / per {
                    parts.push((server, per, part(per)));
                }
            }
            if (parts.len() as u32) < gpus / per {
                continue;
            }
            if !gpus.is_multiple_of(per) {
                let taken: Vec<usize> = parts.iter().map(|p| p.0).collect();
                let rest = self.best_fit(gpus % per, &part(gpus % per), |s| {
                    self.servers[s].group == h && !taken.contains(&s)
                });
                let Some(rest) = rest else { continue };
                parts.push((rest, gpus % per, part(gpus % per)));
            }
            self.put(job, &parts);
            return true;
        }
        false
    }

    fn make_room(&mut self, server: usize, need: &Amounts) {
        loop {
            let s = &self.servers[server];
            if need.fits_in(&s.free) {
                return;
            }
            let is_short: Vec<bool> = (0..2).map(|r| !not_above(need[r], s.free[r])).collect();
            let mut victims: Vec<(bool, f64, f64, usize)> = Vec::new();
            for (order, &(job, held, split)) in s.jobs.iter().enumerate() {
                let share = self.share(job, s.group);
                let excess: Vec<bool> = (0..2).map(|r| !not_above(held[r], share[r])).collect();
                if split || !(excess[0] || excess[1]) {
                    continue;
                }
                let helps = (0..2).any(|r| is_short[r] && excess[r]);
                let per_gpu = held.scaled(1.0 / f64::from(self.instance.gpus(job)));
                victims.push((!helps, -per_gpu.cpus(), -per_gpu.memory_gb(), order));
            }
            victims.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let Some(&(_, _, _, order)) = victims.first() else { return };
            let (job, held, _) = s.jobs[order];
            let share = self.share(job, s.group);
            let s = &mut self.servers[server];
            s.free += held;
            s.free -= share;
            s.jobs[order].1 = share;
            self.placed.iter_mut().find(|p| p.0 == job).unwrap().3 = share;
            self.reverted.push(job);
        }
    }

    fn split(&mut self, job: usize) {
        let gpus = self.instance.gpus(job);
        let mut order: Vec<usize> = (0..self.servers.len()).collect();
        order.sort_by_key(|&s| (std::cmp::Reverse(self.servers[s].gpus), s));
        let mut taken = Vec::new();
        let mut missing = gpus;
        for server in order {
            let take = missing.min(self.servers[server].gpus);
            if take > 0 {
                taken.push((server, take));
                missing -= take;
            }
        }
        assert_eq!(missing, 0);
        let shares: Vec<Amounts> =
            taken.iter().map(|&(s, _)| self.share(job, self.servers[s].group)).collect();
        let total = shares.into_iter().reduce(|a, b| a.min(&b)).unwrap();
        taken.sort();
        let parts: Vec<(usize, u32, Amounts)> =
            taken.into_iter().map(|(s, n)| (s, n, total.scaled(f64::from(n) / f64::from(gpus)))).collect();
        for (server, _, need) in &parts {
            self.make_room(*server, need);
        }
        self.put(job, &parts);
    }

    fn done(mut self) -> (Allocation, Vec<usize>) {
        self.placed.sort_by_key(|p| (p.0, p.1));
        let mut jobs: Vec<JobAllocation> = Vec::new();
        for (job, server, gpus, amounts) in self.placed {
            let part = Part { server, gpus: f64::from(gpus), amounts };
            match jobs.last_mut() {
                Some(last) if last.job == job => last.parts.push(part),
                _ => jobs.push(JobAllocation { job, parts: [part].into() }),
            }
        }
        self.reverted.sort();
        self.reverted.dedup();
        (Allocation { fractional: false, jobs }, self.reverted)
    }
}

fn tune(instance: &Instance, queue: &[usize]) -> (Allocation, Vec<usize>) {
    let mut jobs: Vec<(usize, usize)> = instance.runnable(queue).into_iter().enumerate().collect();
    jobs.sort_by(|&(first, a), &(second, b)| {
        let key = |j: usize| {
            let class = instance.class_of(j);
            (-f64::from(class.gpus), -class.demand.cpus(), -class.demand.memory_gb())
        };
        key(a).partial_cmp(&key(b)).unwrap().then(first.cmp(&second))
    });
    let mut scan = Scan::new(instance);
    for (_, job) in jobs {
        let class = instance.class_of(job);
        if class.larger_than_server {
            if !scan.on_whole_servers(job, |_| class.demand) {
                scan.split(job);
            }
            continue;
        }
        let mut need = class.demand;
        loop {
            if let Some(server) = scan.best_fit(class.gpus, &need, |_| true) {
                scan.put(job, &[(server, class.gpus, need)]);
                break;
            }
            if (0..2).any(|r| !not_above(need[r], class.smallest_share[r])) {
                need = class.smallest_share;
                scan.reverted.push(job);
                continue;
            }
            let mut sufficient: Vec<(u32, usize)> =
                scan.servers.iter().enumerate().map(|(i, s)| (s.gpus, i)).collect();
            sufficient.retain(|&(gpus, _)| gpus >= class.gpus);
            sufficient.sort();
            match sufficient.first() {
                Some(&(_, server)) => {
                    scan.make_room(server, &need);
                    scan.put(job, &[(server, class.gpus, need)]);
                }
                None => scan.split(job),
            }
            break;
        }
    }
    scan.done()
}

fn proportional(instance: &Instance, queue: &[usize]) -> (Allocation, Vec<usize>) {
    let mut jobs = instance.runnable(queue);
    jobs.sort_by_key(|&job| std::cmp::Reverse(instance.gpus(job)));
    let mut scan = Scan::new(instance);
    for job in jobs {
        let class = instance.class_of(job);
        if class.larger_than_server {
            if !scan.on_whole_servers(job, |h| class.shares[h]) {
                scan.split(job);
            }
            continue;
        }
        let mut order: Vec<(u32, f64, f64, usize)> = (0..scan.servers.len()).map(|s| scan.key(s)).collect();
        order.retain(|key| key.0 >= class.gpus);
        order.sort_by(|a, b| a.partial_cmp(b).unwrap());
        match order.first() {
            Some(&(_, _, _, server)) => {
                let share = scan.share(job, scan.servers[server].group);
                assert!(share.fits_in(&scan.servers[server].free));
                scan.put(job, &[(server, class.gpus, share)]);
            }
            None => scan.split(job),
        }
    }
    scan.done()
}

fn greedy(instance: &Instance, queue: &[usize]) -> (Allocation, Vec<usize>) {
    let mut scan = Scan::new(instance);
    for &job in queue {
        let class = instance.class_of(job);
        if class.larger_than_server {
            scan.on_whole_servers(job, |_| class.demand);
            continue;
        }
        let fitting = (0..scan.servers.len())
            .find(|&s| scan.servers[s].gpus >= class.gpus && class.demand.fits_in(&scan.servers[s].free));
        if let Some(server) = fitting {
            scan.put(job, &[(server, class.gpus, class.demand)]);
        }
    }
    scan.done()
}

/// Exact equality, sign of zero and last bit included.
pub fn assert_same(found: &Allocation, expected: &Allocation, place: &str) {
    let bits = |allocation: &Allocation| -> Vec<(usize, usize, u64, u64, u64)> {
        let parts = allocation.jobs.iter().flat_map(|j| j.parts.iter().map(|p| (j.job, *p)));
        let of = |(job, p): (usize, Part)| {
            (job, p.server, p.gpus.to_bits(), p.amounts.cpus().to_bits(), p.amounts.memory_gb().to_bits())
        };
        parts.map(of).collect()
    };
    assert_eq!(bits(found), bits(expected), "{place}");
}

#[test]
fn mechanisms_equal_the_plain_scan_bit_for_bit() {
    type Oracle = fn(&Instance, &[usize]) -> (Allocation, Vec<usize>);
    let pairs: [(&dyn Mechanism, Oracle); 3] =
        [(&Tune, tune), (&Proportional, proportional), (&Greedy, greedy)];
    for seed in 0..4000 {
        for kind in [Kind::Any, Kind::OneGroup, Kind::PowersOfTwo, Kind::Large] {
            if kind == Kind::Large && seed >= 10 {
                continue;
            }
            let instance = random::instance(seed, kind);
            let queue = instance.queue();
            for (mechanism, oracle) in pairs {
                let place = format!("{} on {kind:?} {seed}", mechanism.about().name);
                let outcome = mechanism.allocate(&instance, &queue).unwrap();
                let (expected, reverted) = oracle(&instance, &queue);
                assert_same(&outcome.allocation, &expected, &place);
                assert_eq!(outcome.reverted, reverted, "{place}");
            }
        }
    }
}
