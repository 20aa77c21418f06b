//! An instance: a cluster and jobs in policy order, with everything that follows from the two.

use super::amounts::LARGEST_AMOUNT;
use super::{Amounts, Cluster, ModelError, Profile, ThroughputRule, not_above};
use std::collections::HashMap;
use std::sync::Arc;

/// What each job's weight is multiplied with in the value of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Objective {
    /// Sum of weight x normalised throughput.
    #[default]
    Normalised,
    /// Sum of weight x GPU demand x normalised throughput.
    Gpus,
}

/// Choices that change what the numbers of an instance mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Rules {
    /// How throughput between grid points is read.
    pub throughput: ThroughputRule,
    /// What weights are multiplied with.
    pub objective: Objective,
    /// Whole CPUs: shares round down, demands and configurations round up.
    pub whole_cpus: bool,
}

/// One way to run a job: total amounts of the auxiliary resources and the normalised throughput.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Configuration {
    /// Total CPUs c_k and memory m_k of the job.
    pub amounts: Amounts,
    /// Normalised throughput `W[k]`: 1 is the GPU-proportional share's.
    pub throughput: f64,
}

/// What all jobs with one profile and GPU demand have in common.
#[derive(Debug, Clone)]
pub struct JobClass {
    /// The sensitivity matrix, per GPU.
    pub profile: Arc<Profile>,
    /// GPU demand g.
    pub gpus: u32,
    /// Every grid point, CPUs first, then memory, ascending. The amounts are totals.
    pub configurations: Vec<Configuration>,
    /// Raw throughput at the baseline share; normalised throughput is raw / baseline.
    pub baseline: f64,
    /// GPU-proportional share on a server of each group.
    pub shares: Vec<Amounts>,
    /// Smallest share over the groups, in each resource: the share that the baseline rests on.
    pub smallest_share: Amounts,
    /// Best-case demand: fits an empty server of some group, or the fewest empty servers.
    pub demand: Amounts,
    /// Normalised throughput at the demand.
    pub demand_throughput: f64,
    /// Whether no server has g GPUs.
    pub larger_than_server: bool,
    rules: Rules,
}

impl JobClass {
    fn new(spec: &JobSpec, cluster: &Cluster, rules: Rules) -> Result<Self, ModelError> {
        let (profile, gpus) = (&spec.profile, spec.gpus);
        let g = f64::from(gpus);
        let share = |per_gpu: Amounts| whole(per_gpu.scaled(g), rules, f64::floor);
        let smallest_share = share(cluster.smallest_share_per_gpu());
        let baseline = profile.throughput_at(smallest_share.scaled(1.0 / g), rules.throughput);
        if baseline <= 0.0 {
            return Err(ModelError::ZeroBaseline {
                job: spec.id.clone(),
                profile: profile.name().into(),
                gpus,
                share: smallest_share,
            });
        }
        let mut configurations = Vec::with_capacity(profile.throughput().len());
        for (c, &cpus) in profile.cpus_per_gpu().iter().enumerate() {
            for (m, &memory_gb) in profile.memory_gb_per_gpu().iter().enumerate() {
                configurations.push(Configuration {
                    amounts: whole(Amounts::new(cpus * g, memory_gb * g), rules, f64::ceil),
                    throughput: profile.throughput()[(c, m)] / baseline,
                });
            }
        }
        let mut class = JobClass {
            profile: Arc::clone(profile),
            gpus,
            configurations,
            baseline,
            shares: cluster.groups().iter().map(|group| share(group.share_per_gpu())).collect(),
            smallest_share,
            demand: Amounts::ZERO,
            demand_throughput: 0.0,
            larger_than_server: cluster.groups().iter().all(|group| group.gpus < gpus),
            rules,
        };
        // The baseline share counts too. A grid point as good is taken instead, so that it shows only
        // where throughput is interpolated and every point that fits lies below the baseline.
        let mut best = Configuration { amounts: smallest_share, throughput: 1.0 };
        for candidate in &class.configurations {
            if class.fits_fewest_servers(&candidate.amounts, cluster) && better(candidate, &best) {
                best = *candidate;
            }
        }
        (class.demand, class.demand_throughput) = (best.amounts, best.throughput);
        Ok(class)
    }

    /// Whether the fewest servers able to hold g GPUs provide these amounts: one server of some
    /// group; for a job larger than every server, its proportional share.
    pub fn fits_fewest_servers(&self, amounts: &Amounts, cluster: &Cluster) -> bool {
        if self.larger_than_server {
            return amounts.fits_in(&self.smallest_share);
        }
        cluster.groups().iter().any(|group| group.gpus >= self.gpus && amounts.fits_in(&group.capacity))
    }

    /// Whether some consolidated allocation gives the job these amounts: one server of some group; for a job larger than
    /// every server, its proportional share in some group that holds it. With unequal groups that can be more than
    /// [`JobClass::fits_fewest_servers`] grants, which is about any group.
    pub fn fits_consolidated(&self, amounts: &Amounts, cluster: &Cluster) -> bool {
        (0..cluster.groups().len()).any(|group| self.fits_group(amounts, cluster, group))
    }

    /// The same within one group.
    pub fn fits_group(&self, amounts: &Amounts, cluster: &Cluster, group: usize) -> bool {
        let shape = &cluster.groups()[group];
        if self.larger_than_server {
            let in_all = shape.count as u64 * u64::from(shape.gpus);
            return u64::from(self.gpus) <= in_all && amounts.fits_in(&self.shares[group]);
        }
        shape.gpus >= self.gpus && amounts.fits_in(&shape.capacity)
    }

    /// Normalised throughput with these total amounts, by the instance's rule.
    pub fn throughput_at(&self, total: &Amounts) -> f64 {
        let per_gpu = total.scaled(1.0 / f64::from(self.gpus));
        self.profile.throughput_at(per_gpu, self.rules.throughput) / self.baseline
    }
}

/// Largest throughput, then least CPU, then least memory.
fn better(a: &Configuration, b: &Configuration) -> bool {
    let least = |c: &Configuration| (c.amounts.cpus(), c.amounts.memory_gb());
    a.throughput > b.throughput || (a.throughput == b.throughput && least(a) < least(b))
}

/// CPUs rounded by `round` where CPUs are whole. A number within the look-up tolerance of an integer
/// counts as that integer.
fn whole(mut amounts: Amounts, rules: Rules, round: fn(f64) -> f64) -> Amounts {
    if rules.whole_cpus {
        let cpus = amounts.cpus();
        let near = cpus.round();
        let is_near = not_above(cpus, near) && not_above(near, cpus);
        amounts[0] = if is_near { near } else { round(cpus) };
    }
    amounts
}

/// What a caller says of a job; [`Instance::new`] finds its class.
#[derive(Debug, Clone)]
pub struct JobSpec {
    /// Unique name.
    pub id: String,
    /// The sensitivity matrix, per GPU.
    pub profile: Arc<Profile>,
    /// GPU demand g.
    pub gpus: u32,
    /// Weight in the objective.
    pub weight: f64,
    /// Arrival in seconds, where known.
    pub arrival_s: Option<f64>,
    /// Work in seconds at the baseline throughput, where known.
    pub work_s: Option<f64>,
}

/// A job of an instance.
#[derive(Debug, Clone)]
pub struct Job {
    /// Unique name.
    pub id: String,
    /// Index into [`Instance::classes`].
    pub class: usize,
    /// Weight in the objective.
    pub weight: f64,
    /// Arrival in seconds, where known.
    pub arrival_s: Option<f64>,
    /// Work in seconds at the baseline throughput, where known.
    pub work_s: Option<f64>,
}

/// A cluster and jobs in policy order.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Label for tables and messages.
    pub name: String,
    cluster: Cluster,
    rules: Rules,
    classes: Vec<JobClass>,
    jobs: Vec<Job>,
}

impl Instance {
    /// Builds an instance; jobs with one profile and GPU demand share a class.
    ///
    /// # Errors
    /// Duplicate ids; a job without GPUs, or with more than any group has in all; a weight, arrival
    /// or work that is negative or not finite; a baseline of 0.
    pub fn new(
        name: impl Into<String>,
        cluster: Cluster,
        specs: Vec<JobSpec>,
        rules: Rules,
    ) -> Result<Self, ModelError> {
        let largest_group =
            cluster.groups().iter().map(|g| g.count as u64 * u64::from(g.gpus)).max().unwrap_or(0);
        let mut classes: Vec<JobClass> = Vec::new();
        // Profiles are told apart by identity: who builds the specs shares one `Arc` per matrix.
        let mut class_of: HashMap<(*const Profile, u32), usize> = HashMap::new();
        let mut seen: HashMap<String, usize> = HashMap::with_capacity(specs.len());
        let mut jobs = Vec::with_capacity(specs.len());
        for (index, spec) in specs.into_iter().enumerate() {
            let fault =
                |field: &'static str, value: f64| ModelError::Job { job: spec.id.clone(), field, value };
            if let Some(first) = seen.insert(spec.id.clone(), index) {
                return Err(ModelError::DuplicateJob { job: spec.id, first, second: index });
            }
            if spec.gpus == 0 {
                return Err(fault("gpus", 0.0));
            }
            if u64::from(spec.gpus) > largest_group {
                return Err(ModelError::TooManyGpus { job: spec.id, gpus: spec.gpus, largest_group });
            }
            for (field, value) in
                [("weight", Some(spec.weight)), ("arrival_s", spec.arrival_s), ("work_s", spec.work_s)]
            {
                if let Some(value) = value.filter(|v| !(0.0..=LARGEST_AMOUNT).contains(v)) {
                    return Err(fault(field, value));
                }
            }
            let key = (Arc::as_ptr(&spec.profile), spec.gpus);
            let class = match class_of.get(&key) {
                Some(&class) => class,
                None => {
                    let class = JobClass::new(&spec, &cluster, rules)?;
                    classes.push(class);
                    class_of.insert(key, classes.len() - 1);
                    classes.len() - 1
                }
            };
            jobs.push(Job {
                id: spec.id,
                class,
                weight: spec.weight,
                arrival_s: spec.arrival_s,
                work_s: spec.work_s,
            });
        }
        Ok(Instance { name: name.into(), cluster, rules, classes, jobs })
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The rules that the numbers follow.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Classes of equal profile and GPU demand, in order of first appearance.
    pub fn classes(&self) -> &[JobClass] {
        &self.classes
    }

    /// Jobs in policy order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Class of job `job`.
    pub fn class_of(&self, job: usize) -> &JobClass {
        &self.classes[self.jobs[job].class]
    }

    /// GPU demand g_j of job `job`.
    pub fn gpus(&self, job: usize) -> u32 {
        self.class_of(job).gpus
    }

    /// What the normalised throughput of job `job` counts in the objective: its weight, times its
    /// GPU demand under [`Objective::Gpus`].
    pub fn objective_weight(&self, job: usize) -> f64 {
        let per_gpu = match self.rules.objective {
            Objective::Normalised => 1.0,
            Objective::Gpus => f64::from(self.gpus(job)),
        };
        self.jobs[job].weight * per_gpu
    }

    /// All jobs in policy order, as mechanisms take them.
    pub fn queue(&self) -> Vec<usize> {
        (0..self.jobs.len()).collect()
    }

    /// The runnable set of a queue: in policy order, a job is taken when its GPU demand still fits
    /// in the free GPU total; the scan goes on past one that does not. Auxiliary demands are ignored
    /// here (problem statement, section 5).
    pub fn runnable(&self, queue: &[usize]) -> Vec<usize> {
        let mut free = self.cluster.gpus();
        let mut taken = Vec::new();
        for &job in queue {
            let gpus = u64::from(self.gpus(job));
            if gpus <= free {
                free -= gpus;
                taken.push(job);
            }
            if free == 0 {
                break;
            }
        }
        taken
    }
}
