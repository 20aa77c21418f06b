//! The queue in policy order.
//!
//! [`Queue::Sorted`] sorts everything every round: obvious, right for every policy, and the only one
//! that can break ties by the order of the round before. [`Queue::Indexed`] keeps waiting jobs in
//! ordered sets, one per GPU demand, and re-keys running jobs alone, so that a round costs what it
//! schedules and not what waits. Both give the same order (a test holds that).

use super::job::JobState;
use super::policies::{KeyMotion, Policy, View};
use super::switches::{Switch, Switches};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Keys of jobs at the start of a round.
pub(super) struct Keys<'a> {
    pub policy: &'a dyn Policy,
    pub jobs: &'a [JobState],
    pub round: u64,
    pub round_s: f64,
    /// What remaining time is divided by.
    pub rate: Rate,
}

/// The rate at which remaining time counts in keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rate {
    /// The baseline rate.
    #[default]
    Baseline,
    /// The rate with the best-case demand.
    BestCase,
    /// That of the last round; the best case's for a job that did not run.
    LastSpeed,
}

impl Rate {
    /// The rate that switches ask for under a mechanism: the published simulator knows one speed only
    /// under `proportional`.
    pub fn of(switches: &Switches, mechanism: &str) -> Rate {
        let last = switches.published(Switch::Remaining) && mechanism != "proportional";
        if last { Rate::LastSpeed } else { Rate::Baseline }
    }
}

impl Keys<'_> {
    fn key(&self, index: usize) -> f64 {
        let job = &self.jobs[index];
        let remaining_s = job.remaining_s(self.round);
        let speed = match (self.rate, &job.stint) {
            (Rate::Baseline, _) => 1.0,
            (Rate::LastSpeed, Some(stint)) => stint.speed,
            (Rate::BestCase | Rate::LastSpeed, _) => job.full_speed,
        };
        self.policy.key(&View {
            now_s: self.round as f64 * self.round_s,
            arrival_s: job.arrival_s,
            remaining_s: remaining_s / speed,
            total_s: job.work * job.unit_s,
            attained_gpu_s: job.rounds_run_at(self.round) as f64 * self.round_s * f64::from(job.gpus),
            shares: job.shares,
        })
    }
}

/// A key with the job: ordered by key, then arrival, which is the order of job indices.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    key: f64,
    job: usize,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(self.job.cmp(&other.job))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Jobs that have arrived and not ended.
pub(super) enum Queue {
    Sorted(SortedQueue),
    Indexed(IndexedQueue),
}

impl Queue {
    /// The cheapest queue for a policy; `obvious` asks for the one that sorts.
    pub fn new(motion: KeyMotion, obvious: bool, history: bool, flags: bool) -> Self {
        if obvious || history || flags || motion == KeyMotion::Always {
            Queue::Sorted(SortedQueue { jobs: Vec::new(), keyed: Vec::new(), history, flags })
        } else {
            Queue::Indexed(IndexedQueue::default())
        }
    }

    pub fn insert(&mut self, job: usize, keys: &Keys) {
        match self {
            Queue::Sorted(queue) => queue.jobs.push(job),
            Queue::Indexed(queue) => queue.wait(job, keys),
        }
    }

    /// A job that waited runs now.
    pub fn start(&mut self, job: usize, keys: &Keys) {
        if let Queue::Indexed(queue) = self {
            queue.start(job, keys.jobs[job].gpus);
        }
    }

    /// Jobs that ran wait now, or are gone. Both lists ascend.
    pub fn stop(&mut self, waiting: &[usize], ended: &[usize], keys: &Keys) {
        match self {
            Queue::Sorted(queue) => {
                if !ended.is_empty() {
                    queue.jobs.retain(|job| ended.binary_search(job).is_err());
                }
            }
            Queue::Indexed(queue) => {
                let gone =
                    |job: &usize| waiting.binary_search(job).is_ok() || ended.binary_search(job).is_ok();
                queue.running.retain(|entry| !gone(&entry.job));
                waiting.iter().for_each(|&job| queue.wait(job, keys));
            }
        }
    }

    /// Writes the order into `order`: of all jobs, or of the runnable set of `gpus` GPUs.
    pub fn order(&mut self, keys: &Keys, gpus: Option<u64>, order: &mut Vec<usize>) {
        order.clear();
        match self {
            Queue::Sorted(queue) => queue.order(keys, gpus, order),
            Queue::Indexed(queue) => queue.order(keys, gpus, order),
        }
    }
}

/// Everything in one list, sorted every round. The sort is adaptive: a list in order costs one pass.
pub(super) struct SortedQueue {
    jobs: Vec<usize>,
    keyed: Vec<(bool, Entry)>,
    /// Ties stand as they stood.
    history: bool,
    /// Starved jobs first, in every policy whose keys move or look at demands.
    flags: bool,
}

impl SortedQueue {
    fn order(&mut self, keys: &Keys, gpus: Option<u64>, order: &mut Vec<usize>) {
        let flagged = |job: usize| self.flags && keys.jobs[job].starved;
        self.keyed.clear();
        self.keyed.extend(self.jobs.iter().map(|&job| (!flagged(job), Entry { key: keys.key(job), job })));
        if self.history {
            let arrival_s = |entry: &Entry| keys.jobs[entry.job].arrival_s;
            self.keyed.sort_by(|(a_flag, a), (b_flag, b)| {
                (a_flag.cmp(b_flag)).then(a.key.total_cmp(&b.key)).then(arrival_s(a).total_cmp(&arrival_s(b)))
            });
        } else {
            self.keyed.sort();
        }
        self.jobs.clear();
        self.jobs.extend(self.keyed.iter().map(|(_, entry)| entry.job));
        let Some(mut free) = gpus else {
            order.extend_from_slice(&self.jobs);
            return;
        };
        for &job in &self.jobs {
            let demand = u64::from(keys.jobs[job].gpus);
            if demand <= free {
                free -= demand;
                order.push(job);
            }
            if free == 0 {
                break;
            }
        }
    }
}

/// Waiting jobs in one ordered set per GPU demand, running jobs in a list.
#[derive(Default)]
pub(super) struct IndexedQueue {
    /// By GPU demand, ascending.
    waiting: Vec<(u32, BTreeSet<Entry>)>,
    running: Vec<Entry>,
    /// Key under which a job waits, by job.
    waits_under: Vec<f64>,
}

impl IndexedQueue {
    fn wait(&mut self, job: usize, keys: &Keys) {
        let key = keys.key(job);
        if self.waits_under.len() <= job {
            self.waits_under.resize(job + 1, f64::NAN);
        }
        self.waits_under[job] = key;
        let gpus = keys.jobs[job].gpus;
        let place = match self.waiting.binary_search_by_key(&gpus, |(gpus, _)| *gpus) {
            Ok(place) => place,
            Err(place) => {
                self.waiting.insert(place, (gpus, BTreeSet::new()));
                place
            }
        };
        self.waiting[place].1.insert(Entry { key, job });
    }

    fn start(&mut self, job: usize, gpus: u32) {
        let entry = Entry { key: self.waits_under[job], job };
        if let Ok(place) = self.waiting.binary_search_by_key(&gpus, |(gpus, _)| *gpus) {
            self.waiting[place].1.remove(&entry);
        }
        self.running.push(entry);
    }

    /// Merges the running jobs and the sets. A set whose demand exceeds the free GPUs is out for the
    /// rest of the scan: they only shrink.
    fn order(&mut self, keys: &Keys, gpus: Option<u64>, order: &mut Vec<usize>) {
        for entry in &mut self.running {
            entry.key = keys.key(entry.job);
        }
        self.running.sort();
        let mut free = gpus.unwrap_or(u64::MAX);
        let shrinks = gpus.is_some();
        let mut running = self.running.iter().copied().peekable();
        let mut waiting: Vec<_> = self
            .waiting
            .iter()
            .map(|(gpus, set)| (u64::from(*gpus), set.iter().copied().peekable()))
            .collect();
        while free > 0 {
            while running.next_if(|entry| u64::from(keys.jobs[entry.job].gpus) > free).is_some() {}
            waiting.retain_mut(|(gpus, set)| *gpus <= free && set.peek().is_some());
            let mut best = running.peek().copied();
            let mut from = None;
            for (place, (_, set)) in waiting.iter_mut().enumerate() {
                if let Some(head) = set.peek().copied()
                    && best.is_none_or(|best| head < best)
                {
                    (best, from) = (Some(head), Some(place));
                }
            }
            let Some(Entry { job, .. }) = best else { return };
            match from {
                Some(place) => waiting[place].1.next(),
                None => running.next(),
            };
            order.push(job);
            if shrinks {
                free -= u64::from(keys.jobs[job].gpus);
            }
        }
    }
}
