//! The independent checker: verdicts, violations and value of anyone's allocation, from the
//! instance and the allocation alone.
//!
//! It shares no code with any mechanism: it evaluates throughput from the raw profile, sums loads
//! and finds the runnable set by itself (problem statement, section 1). The time is linear in jobs,
//! parts and servers.

use crate::model::{
    AUXILIARY, AUXILIARY_NAMES, Allocation, Amounts, Instance, Objective, Part, ThroughputRule,
};
use std::fmt;

/// Relative tolerance of every verdict. Whole GPU counts have none.
pub const TOLERANCE: f64 = 1e-6;

/// Relative tolerance of grid look-ups.
const GRID_TOLERANCE: f64 = 1e-9;

/// Separate verdicts (problem statement, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdicts {
    /// Within every capacity; exact GPU demands; amounts in proportion to GPUs.
    pub valid: bool,
    /// Every job on the fewest servers.
    pub consolidated: bool,
    /// Every scheduled job has normalised throughput of at least 1.
    pub fair: bool,
    /// Every runnable job is scheduled.
    pub complete: bool,
}

/// The verdict that a violation is against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// [`Verdicts::valid`].
    Valid,
    /// [`Verdicts::consolidated`].
    Consolidated,
    /// [`Verdicts::fair`].
    Fair,
    /// [`Verdicts::complete`].
    Complete,
}

impl Verdict {
    /// Name in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Consolidated => "consolidated",
            Verdict::Fair => "fair",
            Verdict::Complete => "complete",
        }
    }
}

/// What is wrong. `amount` and `limit` of the [`Violation`] mean what is said here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breach {
    /// The instance has no such job. Amount: the index; limit: number of jobs.
    UnknownJob,
    /// The job is not in the queue that was allocated to.
    NotQueued,
    /// The job is listed more than once.
    JobTwice,
    /// The cluster has no such server. Amount: the server; limit: number of servers.
    UnknownServer,
    /// A part with no, negative, unknown or (unless the allocation is marked fractional) broken GPUs.
    /// Amount: the GPUs.
    PartGpus,
    /// A part with a negative or unknown amount of `resource`. Amount: the amount.
    PartAmount,
    /// The parts do not have the job's GPU demand in all. Amount: their GPUs; limit: the demand.
    TotalGpus,
    /// A part is not in proportion to the job's GPUs there. Amount: what it has of `resource`;
    /// limit: what it should have.
    NotProportional,
    /// CPUs are whole in this instance, but the job's total is not. Amount: its CPUs.
    BrokenCpus,
    /// A server is over capacity. Amount: load of `resource`; limit: capacity.
    OverCapacity,
    /// The job is on more servers than it needs, or a large one not on whole servers of one group.
    /// Amount: servers it is on; limit: the fewest.
    NotConsolidated,
    /// Amount: the job's normalised throughput; limit: 1.
    Unfair,
    /// A runnable job is not scheduled. Amount: 0; limit: its GPU demand.
    NotScheduled,
}

impl Breach {
    /// Name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Breach::UnknownJob => "unknown-job",
            Breach::NotQueued => "not-queued",
            Breach::JobTwice => "job-twice",
            Breach::UnknownServer => "unknown-server",
            Breach::PartGpus => "part-gpus",
            Breach::PartAmount => "part-amount",
            Breach::TotalGpus => "total-gpus",
            Breach::NotProportional => "not-proportional",
            Breach::BrokenCpus => "broken-cpus",
            Breach::OverCapacity => "over-capacity",
            Breach::NotConsolidated => "not-consolidated",
            Breach::Unfair => "unfair",
            Breach::NotScheduled => "not-scheduled",
        }
    }

    /// The verdict that it denies.
    pub const fn verdict(self) -> Verdict {
        match self {
            Breach::NotConsolidated => Verdict::Consolidated,
            Breach::Unfair => Verdict::Fair,
            Breach::NotScheduled => Verdict::Complete,
            _ => Verdict::Valid,
        }
    }
}

/// A resource of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// GPUs.
    Gpus,
    /// Auxiliary resource of this index: CPUs, memory.
    Auxiliary(usize),
}

impl Resource {
    /// Name in files, with its unit.
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Gpus => "gpus",
            Resource::Auxiliary(r) => AUXILIARY_NAMES[r],
        }
    }
}

/// One thing wrong with an allocation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation {
    /// What is wrong.
    pub breach: Breach,
    /// Job index, where one job is at fault.
    pub job: Option<usize>,
    /// Server, where it happens on one.
    pub server: Option<usize>,
    /// Resource, where it is about one.
    pub resource: Option<Resource>,
    /// What was found.
    pub amount: f64,
    /// What the rule asks for.
    pub limit: f64,
}

impl Violation {
    /// One line that names job (by its id in `instance`), server, resource and amounts.
    pub fn describe(&self, instance: &Instance) -> String {
        let Violation { breach, job, server, resource, amount, limit } = *self;
        let job = job.map_or_else(String::new, |job| match instance.jobs().get(job) {
            Some(known) => format!("job {:?}", known.id),
            None => format!("job number {job}"),
        });
        let server = server.map_or_else(String::new, |server| format!("server {server}"));
        let resource = resource.map_or("", Resource::name);
        let (amount, limit) = (Short(amount), Short(limit));
        match breach {
            Breach::UnknownJob => format!("{job}: the instance has {limit} jobs, numbered from 0"),
            Breach::NotQueued => format!("{job}: is not in the queue"),
            Breach::JobTwice => format!("{job}: is listed more than once"),
            Breach::UnknownServer => {
                format!("{job} on {server}: the cluster has {limit} servers, numbered from 0")
            }
            Breach::PartGpus => {
                format!("{job} on {server}: {amount} gpus; a part has a whole number above 0")
            }
            Breach::PartAmount => format!("{job} on {server}: {amount} {resource}; a part has 0 or more"),
            Breach::TotalGpus => format!("{job}: {amount} gpus in all, but its demand is {limit}"),
            Breach::NotProportional => {
                format!("{job} on {server}: {amount} {resource}, but in proportion to its GPUs there {limit}")
            }
            Breach::BrokenCpus => format!("{job}: {amount} cpus in all, but CPUs are whole here"),
            Breach::OverCapacity => {
                format!("{server}: {amount} {resource} in use, {} over its capacity of {limit}", {
                    Short(self.amount - self.limit)
                })
            }
            Breach::NotConsolidated if self.amount > self.limit => {
                format!("{job}: on {amount} servers where {limit} would hold it")
            }
            Breach::NotConsolidated => {
                format!(
                    "{job}: on {amount} servers, but not on whole servers of one group and the rest on one more"
                )
            }
            Breach::Unfair => format!("{job}: normalised throughput {amount}, below its baseline of {limit}"),
            Breach::NotScheduled => format!("{job}: is runnable ({limit} gpus), but not scheduled"),
        }
    }
}

/// A number with at most nine significant decimals and no trailing zeros.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.9}", self.0);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        f.write_str(text)
    }
}

/// What the checker found about one scheduled job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedJob {
    /// Index of the job in its instance.
    pub job: usize,
    /// Normalised throughput; 0 where amounts are not numbers.
    pub throughput: f64,
    /// Number of servers it is on.
    pub servers: usize,
    /// Whether it is on the fewest servers.
    pub consolidated: bool,
}

/// Everything that the checker says about an allocation.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The four verdicts.
    pub verdicts: Verdicts,
    /// All violations: those of jobs in the order of the allocation, then of servers, then of jobs
    /// that are missing.
    pub violations: Vec<Violation>,
    /// Sum over scheduled jobs of objective weight x normalised throughput.
    pub value: f64,
    /// Value over the sum of objective weights of the **runnable set**; `None` when that is 0.
    pub value_per_job: Option<f64>,
    /// Scheduled jobs in the order of the allocation, each once.
    pub jobs: Vec<CheckedJob>,
    /// Jobs of the queue that are not scheduled.
    pub skipped: usize,
    /// Jobs on more than one server.
    pub fragmented: usize,
    /// GPUs that no job holds.
    pub gpus_idle: f64,
    /// Load of the auxiliary resources over the whole cluster.
    pub load: Amounts,
}

/// Checks `allocation` of `queue`, job indices of `instance` in policy order.
///
/// ```
/// use ndarray::array;
/// use std::sync::Arc;
/// use synergy_solver::check::{Breach, check};
/// use synergy_solver::model::*;
///
/// let profile = Profile::new("net", vec![1.0, 3.0], vec![50.0], array![[1.0], [2.0]])?;
/// let group = ServerGroup { gpu_type: "v100".into(), count: 1, gpus: 2, capacity: Amounts::new(6.0, 100.0) };
/// let job = JobSpec {
///     id: "j0".into(), profile: Arc::new(profile), gpus: 1, weight: 1.0, arrival_s: None, work_s: None,
/// };
/// let instance = Instance::new("one job", Cluster::new(vec![group])?, vec![job], Rules::default())?;
///
/// let part = Part { server: 0, gpus: 1.0, amounts: Amounts::new(2.0, 50.0) };
/// let allocation =
///     Allocation { fractional: false, jobs: vec![JobAllocation { job: 0, parts: [part].into() }] };
/// let report = check(&instance, &instance.queue(), &allocation);
/// assert!(report.verdicts.valid && !report.verdicts.fair);
/// assert_eq!(report.violations[0].breach, Breach::Unfair);
/// assert_eq!(
///     report.violations[0].describe(&instance),
///     r#"job "j0": normalised throughput 0.5, below its baseline of 1"#
/// );
/// # Ok::<(), ModelError>(())
/// ```
pub fn check(instance: &Instance, queue: &[usize], allocation: &Allocation) -> Report {
    Checker::new(instance, queue, allocation.fractional).run(allocation)
}

/// GPUs and auxiliary amounts of a server or a job.
type Load = (f64, [f64; AUXILIARY]);

struct Checker<'a> {
    instance: &'a Instance,
    queue: &'a [usize],
    fractional: bool,
    loads: Vec<Load>,
    is_queued: Vec<bool>,
    is_scheduled: Vec<bool>,
    violations: Vec<Violation>,
}

impl<'a> Checker<'a> {
    fn new(instance: &'a Instance, queue: &'a [usize], fractional: bool) -> Self {
        let mut is_queued = vec![false; instance.jobs().len()];
        for &job in queue {
            is_queued[job] = true;
        }
        Checker {
            instance,
            queue,
            fractional,
            loads: vec![(0.0, [0.0; AUXILIARY]); instance.cluster().servers()],
            is_scheduled: vec![false; instance.jobs().len()],
            is_queued,
            violations: Vec::new(),
        }
    }

    fn run(mut self, allocation: &Allocation) -> Report {
        let mut jobs = Vec::with_capacity(allocation.jobs.len());
        for entry in &allocation.jobs {
            jobs.extend(self.job(entry.job, &entry.parts));
        }
        self.servers();
        let runnable_weight = self.missing();

        // The sum of nothing is -0: adding 0 makes it 0.
        let value = jobs.iter().map(|j| weight(self.instance, j.job) * j.throughput).sum::<f64>() + 0.0;
        let holds = |verdict| !self.violations.iter().any(|v| v.breach.verdict() == verdict);
        let used: f64 = self.loads.iter().map(|load| load.0).sum();
        let gpus: f64 =
            self.instance.cluster().groups().iter().map(|g| g.count as f64 * f64::from(g.gpus)).sum();
        Report {
            verdicts: Verdicts {
                valid: holds(Verdict::Valid),
                consolidated: holds(Verdict::Consolidated),
                fair: holds(Verdict::Fair),
                complete: holds(Verdict::Complete),
            },
            value,
            value_per_job: (runnable_weight > 0.0).then(|| value / runnable_weight),
            skipped: self.queue.iter().filter(|&&job| !self.is_scheduled[job]).count(),
            fragmented: jobs.iter().filter(|j| j.servers > 1).count(),
            gpus_idle: gpus - used,
            load: Amounts(std::array::from_fn(|r| self.loads.iter().map(|load| load.1[r]).sum())),
            jobs,
            violations: self.violations,
        }
    }

    fn breach(
        &mut self,
        breach: Breach,
        job: usize,
        server: Option<usize>,
        resource: Option<Resource>,
        amount: f64,
        limit: f64,
    ) {
        self.violations.push(Violation { breach, job: Some(job), server, resource, amount, limit });
    }

    /// Checks one listed job and adds it to the loads of its servers.
    fn job(&mut self, job: usize, parts: &[Part]) -> Option<CheckedJob> {
        let known = self.instance.jobs().len();
        if job >= known {
            self.breach(Breach::UnknownJob, job, None, None, job as f64, known as f64);
        } else if !self.is_queued[job] {
            self.breach(Breach::NotQueued, job, None, None, 0.0, 0.0);
        }
        let first_time = job < known && !std::mem::replace(&mut self.is_scheduled[job], true);
        if job < known && !first_time {
            self.breach(Breach::JobTwice, job, None, None, 2.0, 1.0);
        }
        let parts = self.parts(job, parts);
        for &(server, (gpus, amounts)) in &parts {
            let load = &mut self.loads[server];
            load.0 += gpus;
            for (sum, amount) in load.1.iter_mut().zip(amounts) {
                *sum += amount;
            }
        }
        if !first_time {
            return None;
        }

        let demand = f64::from(self.instance.gpus(job));
        let gpus: f64 = parts.iter().map(|(_, load)| load.0).sum();
        let total: [f64; AUXILIARY] =
            std::array::from_fn(|r| parts.iter().map(|(_, load)| load.1[r]).sum::<f64>());
        let slack = if self.fractional { TOLERANCE * demand } else { 0.0 };
        let has_demand = (gpus - demand).abs() <= slack;
        if !has_demand {
            self.breach(Breach::TotalGpus, job, None, None, gpus, demand);
        }
        for &(server, (part_gpus, amounts)) in &parts {
            for r in 0..AUXILIARY {
                let expected = if gpus > 0.0 { total[r] * part_gpus / gpus } else { 0.0 };
                if (amounts[r] - expected).abs() > TOLERANCE * total[r] {
                    let resource = Some(Resource::Auxiliary(r));
                    self.breach(Breach::NotProportional, job, Some(server), resource, amounts[r], expected);
                }
            }
        }
        if self.instance.rules().whole_cpus
            && (total[0] - total[0].round()).abs() > TOLERANCE * total[0].max(1.0)
        {
            self.breach(
                Breach::BrokenCpus,
                job,
                None,
                Some(Resource::Auxiliary(0)),
                total[0],
                total[0].floor(),
            );
        }

        let fewest = self.fewest_servers(job, &parts);
        if let Some(fewest) = fewest {
            self.breach(Breach::NotConsolidated, job, None, None, parts.len() as f64, fewest as f64);
        }
        let class = self.instance.jobs()[job].class;
        let throughput = raw_throughput(self.instance, class, &total) / baseline(self.instance, class);
        if throughput < 1.0 - TOLERANCE {
            self.breach(Breach::Unfair, job, None, None, throughput, 1.0);
        }
        Some(CheckedJob { job, throughput, servers: parts.len(), consolidated: fewest.is_none() })
    }

    /// The parts that can be counted, one per server, by server. Negative and unknown numbers count as 0.
    fn parts(&mut self, job: usize, parts: &[Part]) -> Vec<(usize, Load)> {
        let servers = self.instance.cluster().servers();
        let mut counted: Vec<(usize, Load)> = Vec::with_capacity(parts.len());
        for part in parts {
            let server = Some(part.server);
            if part.server >= servers {
                self.breach(Breach::UnknownServer, job, server, None, part.server as f64, servers as f64);
                continue;
            }
            let is_whole = part.gpus.fract() == 0.0;
            if !(part.gpus.is_finite() && part.gpus > 0.0 && (is_whole || self.fractional)) {
                self.breach(Breach::PartGpus, job, server, Some(Resource::Gpus), part.gpus, 0.0);
            }
            for r in 0..AUXILIARY {
                let amount = part.amounts[r];
                if !(amount.is_finite() && amount >= 0.0) {
                    self.breach(Breach::PartAmount, job, server, Some(Resource::Auxiliary(r)), amount, 0.0);
                }
            }
            let usable = |x: f64| if x.is_finite() { x.max(0.0) } else { 0.0 };
            let load = (usable(part.gpus), part.amounts.0.map(usable));
            match counted.iter_mut().find(|(server, _)| *server == part.server) {
                Some((_, sum)) => {
                    sum.0 += load.0;
                    for r in 0..AUXILIARY {
                        sum.1[r] += load.1[r];
                    }
                }
                None => counted.push((part.server, load)),
            }
        }
        counted.sort_by_key(|&(server, _)| server);
        counted
    }

    /// The fewest servers for `job` when it is **not** consolidated: one where some server has its
    /// GPUs; otherwise whole servers of one group and one more for the rest.
    fn fewest_servers(&self, job: usize, parts: &[(usize, Load)]) -> Option<usize> {
        if parts.is_empty() {
            return None;
        }
        let groups = self.instance.cluster().groups();
        let demand = u64::from(self.instance.gpus(job));
        if groups.iter().any(|g| u64::from(g.gpus) >= demand) {
            return (parts.len() > 1).then_some(1);
        }
        let group_of = |server: usize| {
            let mut first = 0;
            groups.iter().position(|g| {
                first += g.count;
                server < first
            })
        };
        let of_part: Vec<Option<usize>> = parts.iter().map(|&(server, _)| group_of(server)).collect();
        let holds_all = |g: &crate::model::ServerGroup| u64::from(g.gpus) * g.count as u64 >= demand;
        let needed = |g: &crate::model::ServerGroup| demand.div_ceil(u64::from(g.gpus)) as usize;
        if let Some(&Some(group)) = of_part.first()
            && of_part.iter().all(|&other| other == Some(group))
        {
            let per_server = u64::from(groups[group].gpus);
            let whole = parts.iter().filter(|(_, load)| load.0 == per_server as f64).count() as u64;
            let consolidated = parts.len() == needed(&groups[group])
                && whole >= demand / per_server
                && holds_all(&groups[group]);
            return (!consolidated).then(|| needed(&groups[group]));
        }
        Some(groups.iter().filter(|g| holds_all(g)).map(needed).min().unwrap_or(1))
    }

    /// Servers over capacity.
    fn servers(&mut self) {
        let mut server = 0;
        for group in self.instance.cluster().groups() {
            for _ in 0..group.count {
                let (gpus, amounts) = self.loads[server];
                let gpu_limit = f64::from(group.gpus) * if self.fractional { 1.0 + TOLERANCE } else { 1.0 };
                let over = |resource, amount, limit| Violation {
                    breach: Breach::OverCapacity,
                    job: None,
                    server: Some(server),
                    resource: Some(resource),
                    amount,
                    limit,
                };
                if gpus > gpu_limit {
                    self.violations.push(over(Resource::Gpus, gpus, f64::from(group.gpus)));
                }
                for (r, amount) in amounts.into_iter().enumerate() {
                    let capacity = group.capacity[r];
                    if amount > capacity * (1.0 + TOLERANCE) {
                        self.violations.push(over(Resource::Auxiliary(r), amount, capacity));
                    }
                }
                server += 1;
            }
        }
    }

    /// Runnable jobs that are not scheduled; returns the weight of the runnable set.
    fn missing(&mut self) -> f64 {
        let mut free: u64 =
            self.instance.cluster().groups().iter().map(|g| u64::from(g.gpus) * g.count as u64).sum();
        let mut weight_sum = 0.0;
        for &job in self.queue {
            let demand = u64::from(self.instance.gpus(job));
            let Some(left) = free.checked_sub(demand) else { continue };
            free = left;
            weight_sum += weight(self.instance, job);
            if !self.is_scheduled[job] {
                self.breach(Breach::NotScheduled, job, None, Some(Resource::Gpus), 0.0, demand as f64);
            }
        }
        weight_sum
    }
}

/// What the normalised throughput of a job counts.
fn weight(instance: &Instance, job: usize) -> f64 {
    let weight = instance.jobs()[job].weight;
    match instance.rules().objective {
        Objective::Normalised => weight,
        Objective::Gpus => weight * f64::from(instance.gpus(job)),
    }
}

/// Raw throughput at the smallest share per GPU over all groups, in each resource.
fn baseline(instance: &Instance, class: usize) -> f64 {
    let gpus = f64::from(instance.classes()[class].gpus);
    let share = std::array::from_fn(|r| {
        let per_gpu = instance.cluster().groups().iter().map(|g| g.capacity[r] / f64::from(g.gpus));
        let amount = per_gpu.fold(f64::INFINITY, f64::min) * gpus;
        let is_whole = r == 0 && instance.rules().whole_cpus;
        if is_whole { (amount + GRID_TOLERANCE * amount.max(1.0)).floor() } else { amount }
    });
    raw_throughput(instance, class, &share)
}

/// Throughput of the raw matrix at these total amounts.
fn raw_throughput(instance: &Instance, class: usize, total: &[f64; AUXILIARY]) -> f64 {
    let class = &instance.classes()[class];
    let gpus = f64::from(class.gpus);
    let [cpus, memory] = total.map(|amount| amount / gpus);
    let (rows, columns) = (class.profile.cpus_per_gpu(), class.profile.memory_gb_per_gpu());
    let matrix = class.profile.throughput();
    let (Some(row), Some(column)) = (last_not_above(rows, cpus), last_not_above(columns, memory)) else {
        return 0.0;
    };
    match instance.rules().throughput {
        ThroughputRule::Floor => matrix[(row, column)],
        ThroughputRule::Bilinear => {
            let on_row = |row: usize| {
                between(columns, column, memory, matrix[(row, column)], |next| matrix[(row, next)])
            };
            between(rows, row, cpus, on_row(row), on_row)
        }
    }
}

/// Index of the last grid point that `amount` reaches.
fn last_not_above(points: &[f64], amount: f64) -> Option<usize> {
    points.iter().rposition(|&point| point * (1.0 - GRID_TOLERANCE) <= amount)
}

/// Linear between the value at grid point `at` and the one at the next; level after the last.
fn between(points: &[f64], at: usize, amount: f64, low: f64, value: impl Fn(usize) -> f64) -> f64 {
    match points.get(at + 1) {
        Some(next) => {
            low + (value(at + 1) - low) * ((amount - points[at]) / (next - points[at])).clamp(0.0, 1.0)
        }
        None => low,
    }
}
