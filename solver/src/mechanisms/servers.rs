//! What is free on every server and who is where, while a mechanism places jobs.

use super::Outcome;
use super::free_index::{Free, FreeIndex};
use crate::model::{AUXILIARY, Allocation, Amounts, Instance, JobAllocation, Part, Parts, not_above};
use crate::status::Status;
use smallvec::SmallVec;

/// A job that has been placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Resident {
    /// Index of the job in the instance.
    pub job: usize,
    /// What it holds, by server ascending.
    pub parts: Parts,
}

/// The state that every heuristic works on: free resources per server, residents in placing order,
/// and TUNE's operations on them.
#[derive(Debug, Clone)]
pub struct Servers<'a> {
    instance: &'a Instance,
    free: Vec<Free>,
    index: FreeIndex,
    /// Per group, a server before which none is wholly free.
    first_free: Vec<usize>,
    idle_gpus: u64,
    /// In placing order.
    residents: Vec<Resident>,
    /// Per server, indices into `residents` in placing order.
    on_server: Vec<SmallVec<[u32; 8]>>,
    reverted: Vec<usize>,
}

impl<'a> Servers<'a> {
    /// The empty cluster of `instance`.
    pub fn new(instance: &'a Instance) -> Self {
        let cluster = instance.cluster();
        let mut free = Vec::with_capacity(cluster.servers());
        for (index, group) in cluster.groups().iter().enumerate() {
            let empty = |server| Free { server, gpus: group.gpus, amounts: group.capacity };
            free.extend(cluster.servers_of(index).map(empty));
        }
        Servers {
            instance,
            on_server: vec![SmallVec::new(); free.len()],
            index: FreeIndex::new(&free),
            free,
            first_free: (0..cluster.groups().len()).map(|group| cluster.servers_of(group).start).collect(),
            idle_gpus: cluster.gpus(),
            residents: Vec::new(),
            reverted: Vec::new(),
        }
    }

    /// The instance that is being allocated.
    pub fn instance(&self) -> &'a Instance {
        self.instance
    }

    /// GPUs that nobody holds, over all servers.
    pub fn idle_gpus(&self) -> u64 {
        self.idle_gpus
    }

    /// GPUs that nobody holds on `server`.
    pub fn free_gpus(&self, server: usize) -> u32 {
        self.free[server].gpus
    }

    /// CPUs and memory that nobody holds on `server`.
    pub fn free_amounts(&self, server: usize) -> Amounts {
        self.free[server].amounts
    }

    /// Whether `server` has these GPUs and amounts free.
    pub fn fits(&self, server: usize, gpus: u32, amounts: &Amounts) -> bool {
        self.free[server].fits(gpus, amounts)
    }

    /// TUNE's best fit: of the servers where these GPUs and amounts fit, the one with the smallest
    /// (free GPUs, CPUs, GB), then the lowest index.
    pub fn best_fit(&self, gpus: u32, amounts: &Amounts) -> Option<usize> {
        self.index.best_fit(gpus, amounts, |_| true)
    }

    /// The server with the fewest free GPUs that suffice, then the lowest index.
    pub fn fewest_sufficient(&self, gpus: u32) -> Option<usize> {
        self.index.fewest_sufficient(gpus)
    }

    /// Takes from, or with negative amounts gives back to, what is free on a server.
    fn take(&mut self, server: usize, gpus: u32, amounts: &Amounts) {
        let old = self.free[server];
        let free = &mut self.free[server];
        free.gpus -= gpus;
        free.amounts -= *amounts;
        self.idle_gpus -= u64::from(gpus);
        self.index.update(&old, free);
    }

    /// Places `job` on one server with these amounts. The caller has seen to it that they fit.
    pub fn place(&mut self, job: usize, server: usize, amounts: Amounts) {
        let gpus = f64::from(self.instance.gpus(job));
        self.place_parts(job, Parts::from_buf([Part { server, gpus, amounts }]));
    }

    /// Places `job` on several servers.
    fn place_parts(&mut self, job: usize, parts: Parts) {
        let resident = u32::try_from(self.residents.len()).expect("fewer than 2^32 jobs");
        for part in &parts {
            self.take(part.server, part.gpus as u32, &part.amounts);
            self.on_server[part.server].push(resident);
        }
        self.residents.push(Resident { job, parts });
    }

    /// Places a job larger than every server on wholly free servers of one group, lowest index
    /// first, and the rest on the best-fitting further one of that group. Of the groups where that
    /// works, the one that needs the fewest servers, then the first. `total` gives the job's amounts
    /// on a group. Returns whether it was placed.
    pub fn place_on_whole_servers(&mut self, job: usize, total: impl Fn(usize) -> Amounts) -> bool {
        let gpus = self.instance.gpus(job);
        let groups = self.instance.cluster().groups();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&group| gpus.div_ceil(groups[group].gpus));
        for group in order {
            let (whole, rest) = (gpus / groups[group].gpus, gpus % groups[group].gpus);
            let part = |server, part_gpus: u32| {
                let part_gpus = f64::from(part_gpus);
                Part { server, gpus: part_gpus, amounts: total(group).scaled(part_gpus / f64::from(gpus)) }
            };
            let servers = self.instance.cluster().servers_of(group);
            let is_free = |server: &usize| self.free[*server].gpus == groups[group].gpus;
            let first = (self.first_free[group]..servers.end).find(is_free).unwrap_or(servers.end);
            self.first_free[group] = first;
            let whole_servers = (first..servers.end).filter(is_free).take(whole as usize);
            let mut parts: Parts = whole_servers.map(|server| part(server, groups[group].gpus)).collect();
            if parts.len() < whole as usize {
                continue;
            }
            if rest > 0 {
                let is_further =
                    |server| servers.contains(&server) && parts.iter().all(|taken| taken.server != server);
                match self.index.best_fit(rest, &part(0, rest).amounts, is_further) {
                    Some(server) => parts.push(part(server, rest)),
                    None => continue,
                }
                parts.sort_by_key(|part| part.server);
            }
            self.place_parts(job, parts);
            return true;
        }
        false
    }

    /// Splits `job` over the fewest servers, by most free GPUs, then index, at its proportional share
    /// (per GPU the smallest share of the groups it touches). Residents there are reverted where the
    /// share does not fit. The free GPUs of all servers must suffice.
    pub fn split(&mut self, job: usize) {
        let class = self.instance.class_of(job);
        let mut missing = class.gpus;
        let mut share: Option<Amounts> = None;
        let mut taken: Vec<(usize, u32)> = Vec::new();
        for server in self.index.by_most_free() {
            if missing == 0 {
                break;
            }
            let gpus = missing.min(self.free[server].gpus);
            missing -= gpus;
            taken.push((server, gpus));
            let here = &class.shares[self.instance.cluster().group_of(server)];
            share = Some(share.map_or(*here, |share| share.min(here)));
        }
        debug_assert_eq!(missing, 0, "the runnable set fits in the cluster's GPUs");

        let total = share.unwrap_or(class.smallest_share);
        taken.sort_unstable();
        let mut parts = Parts::new();
        for (server, gpus) in taken {
            let amounts = total.scaled(f64::from(gpus) / f64::from(class.gpus));
            self.make_room(server, &amounts);
            parts.push(Part { server, gpus: f64::from(gpus), amounts });
        }
        self.place_parts(job, parts);
    }

    /// TUNE's revert (b): residents of `server` go back to their proportional share, one at a time,
    /// until `amounts` fit. First those with excess in a resource that is short, by CPUs per GPU
    /// descending, then memory per GPU, then placing order; then any resident with excess.
    pub fn make_room(&mut self, server: usize, amounts: &Amounts) {
        while !amounts.fits_in(&self.free[server].amounts) {
            let free = self.free[server].amounts;
            let short = |r: usize| !not_above(amounts[r], free[r]);
            let Some(resident) =
                self.most_excessive(server, short).or_else(|| self.most_excessive(server, |_| true))
            else {
                break;
            };
            self.revert(resident);
        }
    }

    /// The resident of `server` with excess in a `wanted` resource that comes first.
    fn most_excessive(&self, server: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let group = self.instance.cluster().group_of(server);
        let mut first: Option<(usize, Amounts)> = None;
        for &index in &self.on_server[server] {
            let resident = &self.residents[index as usize];
            // A split job holds no more than the smallest share of its servers.
            let [part] = resident.parts.as_slice() else { continue };
            let share = &self.instance.class_of(resident.job).shares[group];
            if (0..AUXILIARY).any(|r| wanted(r) && !not_above(part.amounts[r], share[r])) {
                let per_gpu = part.amounts.scaled(1.0 / part.gpus);
                if first.is_none_or(|(_, best)| per_gpu.0 > best.0) {
                    first = Some((index as usize, per_gpu));
                }
            }
        }
        first.map(|(resident, _)| resident)
    }

    /// Sets a resident of one server to its proportional share there, in every resource: also where it
    /// held less, because less of one resource was enough only with more of the other.
    fn revert(&mut self, resident: usize) {
        let Resident { job, parts } = &self.residents[resident];
        let (job, group) = (*job, self.instance.cluster().group_of(parts[0].server));
        self.change(resident, self.instance.class_of(job).shares[group]);
        self.reverted.push(job);
    }

    /// Gives resident number `resident`, a job of one server, other amounts. The caller has seen to it
    /// that they fit. Jobs of several servers stay as they are.
    pub fn change(&mut self, resident: usize, amounts: Amounts) {
        let [part] = self.residents[resident].parts.as_mut_slice() else { return };
        let server = part.server;
        let more = amounts - std::mem::replace(&mut part.amounts, amounts);
        self.take(server, 0, &more);
    }

    /// Jobs placed so far, in placing order.
    pub fn residents(&self) -> &[Resident] {
        &self.residents
    }

    /// Moves jobs of one server each: to these servers, with these amounts by job. Free resources and
    /// residents per server are not kept up: only [`Servers::into_outcome`] may follow.
    pub(super) fn reassign(&mut self, on_server: &[(usize, usize)], amounts: &[Option<Amounts>]) {
        let mut at = vec![None; amounts.len()];
        for &(job, server) in on_server {
            at[job] = Some(server);
        }
        for resident in &mut self.residents {
            if let ([part], Some(server), Some(amounts)) =
                (resident.parts.as_mut_slice(), at[resident.job], amounts[resident.job])
            {
                (part.server, part.amounts) = (server, amounts);
            }
        }
    }

    /// Notes that `job` is placed at its proportional share instead of its demand.
    pub fn mark_reverted(&mut self, job: usize) {
        self.reverted.push(job);
    }

    /// The allocation, jobs by index.
    pub fn into_outcome(mut self, status: Status) -> Outcome {
        self.reverted.sort_unstable();
        self.reverted.dedup();
        let mut jobs: Vec<JobAllocation> =
            self.residents.into_iter().map(|r| JobAllocation { job: r.job, parts: r.parts }).collect();
        jobs.sort_unstable_by_key(|entry| entry.job);
        Outcome {
            status,
            allocation: Allocation { fractional: false, jobs },
            reverted: self.reverted,
            bound: None,
            effort: None,
        }
    }
}
