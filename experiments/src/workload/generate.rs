//! From a spec to jobs: a static instance, or an open stream for the simulator.

use super::load::OfferedLoad;
use super::models::{ModelChooser, ModelSet, pick};
use super::spec::{ArrivalSpec, DemandSpec, DurationSpec, ProfileSpec, WorkloadError, WorkloadSpec, fault};
use super::streams::{Purpose, Stream};
use std::sync::Arc;
use synergy_solver::model::{Cluster, Instance, JobSpec, Profile, Rules};

/// A spec with everything that it names at hand.
#[derive(Debug, Clone)]
pub struct Workload {
    spec: WorkloadSpec,
    cluster: Cluster,
    models: ModelSet,
    demands: Demands,
}

/// A job of a stream. Its id is `index`: jobs count from 0 in arrival order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamedJob {
    /// Place in arrival order, from 0.
    pub index: u64,
    /// Arrival.
    pub arrival_s: f64,
    /// Index into [`Workload::models`].
    pub model: usize,
    /// GPU demand.
    pub gpus: u32,
    /// Work: duration in seconds at the baseline throughput.
    pub work_s: f64,
}

impl Workload {
    /// Checks the spec and gathers what it names.
    ///
    /// # Errors
    /// What [`WorkloadSpec::validate`] refuses; a split that does not fit the profiles.
    pub fn new(spec: WorkloadSpec) -> Result<Self, WorkloadError> {
        spec.validate()?;
        let cluster = spec.cluster.build()?;
        let models = match &spec.profiles {
            ProfileSpec::Published {} => ModelSet::published(),
        };
        models.split(&spec.mix)?;
        let demands = Demands::new(&spec.demand)?;
        Ok(Workload { spec, cluster, models, demands })
    }

    /// The spec.
    pub fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The models that jobs refer to.
    pub fn models(&self) -> &ModelSet {
        &self.models
    }

    /// The sensitivity matrix of model `model`.
    pub fn profile(&self, model: usize) -> &Arc<Profile> {
        &self.models.models()[model].profile
    }

    /// Load at the baseline rate, from the means of the distributions.
    pub fn load(&self) -> OfferedLoad {
        let jobs_per_hour = match self.spec.arrivals {
            ArrivalSpec::AtZero {} => None,
            ArrivalSpec::Poisson { jobs_per_hour } => Some(jobs_per_hour),
        };
        let mean_gpus = self.demands.mean();
        let mean_s = mean_duration_s(&self.spec.durations);
        OfferedLoad::new(self.cluster.gpus(), mean_gpus, Some(mean_gpus * mean_s), jobs_per_hour)
    }

    /// The jobs in arrival order: `jobs` of them, or without end. Every call starts anew.
    ///
    /// # Errors
    /// A split that does not fit the profiles.
    pub fn stream(&self) -> Result<JobStream<'_>, WorkloadError> {
        Ok(JobStream { draws: Draws::new(self)?, next: 0, clock_s: 0.0, end: self.spec.jobs })
    }

    /// A static instance: `jobs` jobs, or as many as fill the GPUs exactly. A demand that no longer
    /// fits is redrawn among those that do: the draw falls on the demands that are left.
    ///
    /// # Errors
    /// Demands that cannot fill the GPUs; whatever [`Instance::new`] refuses.
    pub fn instance(&self, rules: Rules) -> Result<Instance, WorkloadError> {
        let mut specs = Vec::new();
        let mut draws = Draws::new(self)?;
        let mut clock_s = 0.0;
        let groups = self.cluster.groups().iter();
        let largest_group = groups.map(|g| g.count as u64 * u64::from(g.gpus)).max().unwrap_or(0);
        let mut free = self.cluster.gpus();
        loop {
            let index = specs.len() as u64;
            let limit = match self.spec.jobs {
                Some(jobs) if index == jobs => break,
                Some(_) => largest_group,
                None if free == 0 => break,
                None => free.min(largest_group),
            };
            let Some(gpus) = draws.gpus(limit) else {
                let problem = format!("no demand fits the {limit} GPUs that are left; add smaller ones");
                return Err(fault("demand", problem));
            };
            clock_s += draws.gap_s();
            let (model, work_s) = (draws.model(), draws.work_s());
            free = free.saturating_sub(u64::from(gpus));
            specs.push(JobSpec {
                id: format!("j{index}"),
                profile: Arc::clone(self.profile(model)),
                gpus,
                weight: 1.0,
                arrival_s: Some(clock_s),
                work_s: Some(work_s),
            });
        }
        Ok(Instance::new(self.name(), self.cluster.clone(), specs, rules)?)
    }

    /// A label from the knobs that matter most.
    fn name(&self) -> String {
        let demand = match self.spec.demand {
            DemandSpec::Single {} => "single",
            DemandSpec::Multi {} => "multi",
            DemandSpec::Mixture { .. } => "mixture",
            DemandSpec::PowerLaw { .. } => "power-law",
        };
        format!("g{}-{demand}-s{}", self.cluster.gpus(), self.spec.seed)
    }
}

/// The open stream of [`Workload::stream`].
#[derive(Debug, Clone)]
pub struct JobStream<'a> {
    draws: Draws<'a>,
    next: u64,
    clock_s: f64,
    end: Option<u64>,
}

impl JobStream<'_> {
    /// Goes on beyond `jobs`, for simulators that keep the load on until the last measured job ends.
    pub fn endless(mut self) -> Self {
        self.end = None;
        self
    }
}

impl Iterator for JobStream<'_> {
    type Item = StreamedJob;

    fn next(&mut self) -> Option<StreamedJob> {
        if self.end.is_some_and(|end| self.next >= end) {
            return None;
        }
        let index = self.next;
        self.next += 1;
        self.clock_s += self.draws.gap_s();
        Some(StreamedJob {
            index,
            arrival_s: self.clock_s,
            model: self.draws.model(),
            gpus: self.draws.gpus(u64::MAX)?,
            work_s: self.draws.work_s(),
        })
    }
}

/// The streams of one workload. Each method makes the draws of one job for one knob.
#[derive(Debug, Clone)]
struct Draws<'a> {
    workload: &'a Workload,
    chooser: ModelChooser,
    arrivals: Stream,
    durations: Stream,
    demands: Stream,
}

impl<'a> Draws<'a> {
    fn new(workload: &'a Workload) -> Result<Self, WorkloadError> {
        let seed = workload.spec.seed;
        Ok(Draws {
            workload,
            chooser: ModelChooser::new(&workload.models, &workload.spec.mix, seed)?,
            arrivals: Stream::new(seed, Purpose::Arrivals),
            durations: Stream::new(seed, Purpose::Durations),
            demands: Stream::new(seed, Purpose::Demands),
        })
    }

    fn model(&mut self) -> usize {
        self.chooser.next_model()
    }

    /// A demand of at most `limit` GPUs, if there is one.
    fn gpus(&mut self, limit: u64) -> Option<u32> {
        let draw = self.demands.uniform();
        self.workload.demands.draw(draw, limit)
    }

    /// Time since the arrival before.
    fn gap_s(&mut self) -> f64 {
        let draw = self.arrivals.positive();
        match self.workload.spec.arrivals {
            ArrivalSpec::AtZero {} => 0.0,
            ArrivalSpec::Poisson { jobs_per_hour } => -draw.ln() * 3600.0 / jobs_per_hour,
        }
    }

    fn work_s(&mut self) -> f64 {
        let (first, second) = (self.durations.positive(), self.durations.uniform());
        match self.workload.spec.durations {
            DurationSpec::Published {} => {
                let [short, long] = PUBLISHED_DURATIONS;
                let part = if first <= short.share { short } else { long };
                60.0 * 10f64.powf(part.low + (part.high - part.low) * second)
            }
            DurationSpec::LogNormal { median_s, sigma } => {
                let normal = (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos();
                median_s * (sigma * normal).exp()
            }
            DurationSpec::Fixed { duration_s } => duration_s,
        }
    }
}

/// A part of the published mixture: `share` of the jobs take 10^U(low, high) minutes.
#[derive(Clone, Copy)]
struct LogUniform {
    share: f64,
    low: f64,
    high: f64,
}

const PUBLISHED_DURATIONS: [LogUniform; 2] =
    [LogUniform { share: 0.8, low: 1.5, high: 3.0 }, LogUniform { share: 0.2, low: 3.0, high: 4.0 }];

/// Mean of a distribution of durations.
fn mean_duration_s(durations: &DurationSpec) -> f64 {
    match durations {
        DurationSpec::Published {} => PUBLISHED_DURATIONS
            .iter()
            .map(|part| {
                let span = (part.high - part.low) * std::f64::consts::LN_10;
                part.share * 60.0 * (10f64.powf(part.high) - 10f64.powf(part.low)) / span
            })
            .sum(),
        DurationSpec::LogNormal { median_s, sigma } => median_s * (sigma * sigma / 2.0).exp(),
        DurationSpec::Fixed { duration_s } => *duration_s,
    }
}

/// Demands with weights, ascending.
#[derive(Debug, Clone)]
struct Demands {
    gpus: Vec<u32>,
    weights: Vec<f64>,
}

impl Demands {
    fn new(spec: &DemandSpec) -> Result<Self, WorkloadError> {
        let mut pairs: Vec<(u32, f64)> = match spec {
            DemandSpec::Single {} => vec![(1, 1.0)],
            DemandSpec::Multi {} => vec![(1, 70.0), (2, 10.0), (4, 15.0), (8, 5.0)],
            DemandSpec::Mixture { gpus, weights } => {
                gpus.iter().copied().zip(weights.iter().copied()).collect()
            }
            DemandSpec::PowerLaw { exponent, max_gpus, powers_of_two } => (1..=*max_gpus)
                .filter(|g| !powers_of_two || g.is_power_of_two())
                .map(|g| (g, f64::from(g).powf(-exponent)))
                .collect(),
        };
        pairs.retain(|(_, weight)| *weight > 0.0);
        pairs.sort_by_key(|(gpus, _)| *gpus);
        let (gpus, weights): (Vec<u32>, Vec<f64>) = pairs.into_iter().unzip();
        if gpus.is_empty() || !weights.iter().all(|w| w.is_finite()) {
            return Err(fault("demand", "has no demand of a positive, finite weight"));
        }
        Ok(Demands { gpus, weights })
    }

    fn mean(&self) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        self.gpus.iter().zip(&self.weights).map(|(g, w)| f64::from(*g) * w).sum::<f64>() / sum
    }

    /// The demand that `draw` falls on among those of at most `limit` GPUs.
    fn draw(&self, draw: f64, limit: u64) -> Option<u32> {
        let fitting = self.gpus.partition_point(|g| u64::from(*g) <= limit);
        (fitting > 0).then(|| self.gpus[pick(&self.weights[..fitting], draw)])
    }
}
