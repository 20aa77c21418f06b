//! From a spec to jobs: a static instance, or an open stream for the simulator.

use super::distributions::{Demands, Durations, no_durations};
use super::load::OfferedLoad;
use super::models::{ModelChooser, ModelSet};
use super::spec::{
    ArrivalSpec, DemandSpec, DurationSpec, ModelChoice, TraceSpec, WorkloadError, WorkloadSpec, fault,
};
use super::streams::{Purpose, Stream};
use crate::trace::{self, About, Totals, Trace, TraceJob};
use std::sync::Arc;
use synergy_solver::model::{Cluster, Instance, JobSpec, Profile, Rules};

/// Most jobs of a static instance: larger ones are slips of the keyboard and fill the memory.
const MOST_JOBS: u64 = 10_000_000;

impl TraceSpec {
    /// The trace from its first job on.
    ///
    /// # Errors
    /// A file that is no trace, or has no such job.
    pub fn read(&self) -> Result<Trace, WorkloadError> {
        let mut trace = trace::read(&self.path).map_err(|e| WorkloadError::File(e.to_string()))?;
        if self.first_job >= trace.jobs.len() {
            let problem = format!("is {}, but the trace has {} jobs", self.first_job, trace.jobs.len());
            return Err(fault("trace.first_job", problem));
        }
        trace.jobs.drain(..self.first_job);
        let first_s = trace.jobs[0].arrival_s;
        trace.jobs.iter_mut().for_each(|job| job.arrival_s -= first_s);
        Ok(trace)
    }
}

/// A spec with everything that it names at hand.
#[derive(Debug, Clone)]
pub struct Workload {
    spec: WorkloadSpec,
    cluster: Cluster,
    models: ModelSet,
    durations: Durations,
    demands: Demands,
    trace: Option<Arc<Trace>>,
    /// Model of every job of the trace, where models are the trace's own.
    trace_models: Vec<usize>,
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
    /// Checks the spec and reads the files that it names, relative to the working directory.
    ///
    /// # Errors
    /// What [`WorkloadSpec::validate`] refuses; files that cannot be used; a split that does not fit
    /// the profiles.
    pub fn new(spec: WorkloadSpec) -> Result<Self, WorkloadError> {
        let trace = spec.trace.as_ref().map(TraceSpec::read).transpose()?;
        Self::with_trace(spec, trace.map(Arc::new))
    }

    /// A workload over a trace at hand, whatever path the spec names.
    ///
    /// # Errors
    /// As [`Workload::new`].
    pub fn with_trace(spec: WorkloadSpec, trace: Option<Arc<Trace>>) -> Result<Self, WorkloadError> {
        spec.validate()?;
        if let Some(knob) = spec.knob_of_trace().filter(|_| trace.as_ref().is_none_or(|t| t.jobs.is_empty()))
        {
            return Err(fault(knob, "is the trace's, but there is no trace with jobs; give trace.path"));
        }
        let cluster = spec.cluster.build()?;
        let mut models = spec.profiles.models(spec.seed)?;
        let mut trace_models = Vec::new();
        match &trace {
            Some(trace) if spec.mix.models == ModelChoice::Trace => {
                for job in &trace.jobs {
                    let name = job.profile.as_deref().ok_or_else(|| {
                        let problem =
                            "are the trace's, but it has jobs without a profile; import it with profiles";
                        fault("mix.models", problem)
                    })?;
                    trace_models.push(models.named(name)?);
                }
            }
            _ => {
                models.split(&spec.mix)?;
            }
        }
        let durations = Durations::new(&spec.durations, trace.as_deref())?;
        let demands = Demands::new(&spec.demand, trace.as_deref())?;
        Ok(Workload { spec, cluster, models, durations, demands, trace, trace_models })
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

    /// Largest GPU demand that a job can have.
    pub fn largest_demand(&self) -> u32 {
        self.demands.largest()
    }

    /// Load at the baseline rate, from the means of the distributions (of a trace: of its jobs).
    pub fn load(&self) -> OfferedLoad {
        let trace = self.trace.as_deref();
        let jobs_per_hour = match self.spec.arrivals {
            ArrivalSpec::AtZero {} => None,
            ArrivalSpec::Poisson { jobs_per_hour } => Some(jobs_per_hour),
            ArrivalSpec::Trace { speedup } => trace.and_then(Trace::jobs_per_hour).map(|rate| rate * speedup),
        };
        let mean_gpus = self.demands.mean();
        let mean_gpu_s = match (&self.demands, &self.durations) {
            // Long jobs may be large ones: the mean of the product.
            (Demands::Trace { .. }, Durations::Trace { .. }) => trace.and_then(Trace::mean_gpu_s),
            (_, durations) => durations.mean_s().map(|mean_s| mean_s * mean_gpus),
        };
        OfferedLoad::new(self.cluster.gpus(), mean_gpus, mean_gpu_s, jobs_per_hour)
    }

    /// The jobs in arrival order: `jobs` of them, as many as the trace has, or without end. Every call
    /// starts anew.
    ///
    /// # Errors
    /// A trace without durations where jobs have the trace's own.
    pub fn stream(&self) -> Result<JobStream<'_>, WorkloadError> {
        if matches!(self.durations, Durations::Trace { mean_s: None }) {
            return Err(no_durations());
        }
        Ok(JobStream { draws: Draws::new(self)?, next: 0, end: self.spec.jobs })
    }

    /// A static instance: `jobs` jobs, or as many as fill the GPUs exactly. A demand that no longer
    /// fits is redrawn among those that do: the draw falls on the demands that are left. With demands
    /// of a trace, jobs that no longer fit are passed over, and the trace may end before the GPUs do.
    ///
    /// # Errors
    /// Demands that cannot fill the GPUs; whatever [`Instance::new`] refuses.
    pub fn instance(&self, rules: Rules) -> Result<Instance, WorkloadError> {
        let most = self.spec.jobs.unwrap_or(self.cluster.gpus());
        if most > MOST_JOBS {
            let (field, what) =
                if self.spec.jobs.is_some() { ("jobs", "jobs") } else { ("cluster", "GPUs to fill") };
            return Err(fault(field, format!("{most} {what}; an instance has at most {MOST_JOBS} jobs")));
        }
        let mut specs = Vec::new();
        let mut draws = Draws::new(self)?;
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
            if !draws.begin() {
                break;
            }
            let arrival_s = draws.arrival_s();
            let Some(gpus) = draws.gpus(limit) else {
                if matches!(self.demands, Demands::Trace { .. }) {
                    continue;
                }
                let problem = format!("no demand fits the {limit} GPUs that are left; add smaller ones");
                return Err(fault("demand", problem));
            };
            let (model, work_s) = (draws.model(), draws.work_s());
            free = free.saturating_sub(u64::from(gpus));
            let own_id = draws.row().filter(|_| matches!(self.demands, Demands::Trace { .. }));
            specs.push(JobSpec {
                id: own_id.map_or_else(|| format!("j{index}"), |row| row.id.to_string()),
                profile: Arc::clone(self.profile(model)),
                gpus,
                weight: 1.0,
                arrival_s: Some(arrival_s),
                work_s,
            });
        }
        Ok(Instance::new(self.name(), self.cluster.clone(), specs, rules)?)
    }

    /// The stream as jobs of a trace, what `synergy import` makes of a file: one after another, so that
    /// a table of any length is written in little memory.
    ///
    /// # Errors
    /// A stream without end: no `jobs` and no trace that is followed row by row.
    pub fn trace_jobs(&self) -> Result<impl Iterator<Item = TraceJob>, WorkloadError> {
        let stream = self.finite_stream()?;
        let names: Vec<Arc<str>> =
            self.models.models().iter().map(|model| model.profile.name().into()).collect();
        Ok(stream.map(move |job| TraceJob {
            id: job.index.to_string().into(),
            arrival_s: job.arrival_s,
            gpus: job.gpus,
            duration_s: Some(job.work_s),
            profile: Some(Arc::clone(&names[job.model])),
            ..TraceJob::default()
        }))
    }

    /// The label of [`Workload::trace_jobs`], with the spec and the load. Goes through the stream once,
    /// for the load that its jobs make.
    ///
    /// # Errors
    /// As [`Workload::trace_jobs`].
    pub fn about(&self) -> Result<About, WorkloadError> {
        let jobs = self.finite_stream()?.map(|job| (job.arrival_s, job.gpus, Some(job.work_s)));
        Ok(About {
            format: "generated".into(),
            source: self.name(),
            durations: "generated".into(),
            profiles: "generated".into(),
            semi_synthetic: true,
            mean_busy_gpus: Totals::of(jobs).mean_busy_gpus(),
            load: Some(self.load()),
            remarks: vec![self.spec.to_toml()?],
            ..About::default()
        })
    }

    fn finite_stream(&self) -> Result<JobStream<'_>, WorkloadError> {
        let stream = self.stream()?;
        if self.spec.jobs.is_none() && !stream.draws.by_row {
            return Err(fault("jobs", "is not given and the stream has no end; give the number of jobs"));
        }
        Ok(stream)
    }

    /// A label from the knobs that matter most.
    fn name(&self) -> String {
        let demand = match self.spec.demand {
            DemandSpec::Single {} => "single",
            DemandSpec::Multi {} => "multi",
            DemandSpec::Mixture { .. } => "mixture",
            DemandSpec::PowerLaw { .. } => "power-law",
            DemandSpec::Empirical {} => "empirical",
            DemandSpec::Trace {} => "trace",
        };
        format!("g{}-{demand}-s{}", self.cluster.gpus(), self.spec.seed)
    }
}

/// The open stream of [`Workload::stream`].
#[derive(Debug, Clone)]
pub struct JobStream<'a> {
    draws: Draws<'a>,
    next: u64,
    end: Option<u64>,
}

impl JobStream<'_> {
    /// Goes on beyond `jobs`, for simulators that keep the load on until the last measured job ends.
    /// A stream that takes anything from a trace row by row still ends with the trace.
    pub fn endless(mut self) -> Self {
        self.end = None;
        self
    }
}

impl Iterator for JobStream<'_> {
    type Item = StreamedJob;

    fn next(&mut self) -> Option<StreamedJob> {
        if self.end.is_some_and(|end| self.next >= end) || !self.draws.begin() {
            return None;
        }
        let index = self.next;
        self.next += 1;
        Some(StreamedJob {
            index,
            arrival_s: self.draws.arrival_s(),
            model: self.draws.model(),
            gpus: self.draws.gpus(u64::MAX)?,
            work_s: self.draws.work_s()?,
        })
    }
}

/// The streams of one workload. Each method makes the draws of one job for one knob.
#[derive(Debug, Clone)]
struct Draws<'a> {
    workload: &'a Workload,
    chooser: Option<ModelChooser>,
    arrivals: Stream,
    durations: Stream,
    demands: Stream,
    clock_s: f64,
    /// Rows of the trace that have been begun.
    begun: usize,
    /// Whether any knob follows the trace row by row.
    by_row: bool,
}

impl<'a> Draws<'a> {
    fn new(workload: &'a Workload) -> Result<Self, WorkloadError> {
        let WorkloadSpec { seed, mix, arrivals, durations, demand, .. } = &workload.spec;
        let own_models = mix.models == ModelChoice::Trace;
        let by_row = own_models
            || matches!(arrivals, ArrivalSpec::Trace { .. })
            || matches!(durations, DurationSpec::Trace {})
            || matches!(demand, DemandSpec::Trace {});
        let chooser = if own_models { None } else { Some(ModelChooser::new(&workload.models, mix, *seed)?) };
        Ok(Draws {
            workload,
            chooser,
            arrivals: Stream::new(*seed, Purpose::Arrivals),
            durations: Stream::new(*seed, Purpose::Durations),
            demands: Stream::new(*seed, Purpose::Demands),
            clock_s: 0.0,
            begun: 0,
            by_row,
        })
    }

    /// Turns to the next job; `false` when a trace that is followed row by row is at its end.
    fn begin(&mut self) -> bool {
        self.begun += 1;
        !self.by_row || self.row().is_some()
    }

    fn row(&self) -> Option<&'a TraceJob> {
        self.workload.trace.as_ref()?.jobs.get(self.begun - 1)
    }

    fn model(&mut self) -> usize {
        match &mut self.chooser {
            Some(chooser) => chooser.next_model(),
            None => self.workload.trace_models[self.begun - 1],
        }
    }

    /// A demand of at most `limit` GPUs, if there is one.
    fn gpus(&mut self, limit: u64) -> Option<u32> {
        let row = self.row();
        self.workload.demands.draw(&mut self.demands, limit, row)
    }

    fn arrival_s(&mut self) -> f64 {
        let draw = self.arrivals.positive();
        match self.workload.spec.arrivals {
            ArrivalSpec::AtZero {} => {}
            ArrivalSpec::Poisson { jobs_per_hour } => self.clock_s += -draw.ln() * 3600.0 / jobs_per_hour,
            ArrivalSpec::Trace { speedup } => {
                self.clock_s = self.row().map_or(self.clock_s, |row| row.arrival_s / speedup);
            }
        }
        self.clock_s
    }

    fn work_s(&mut self) -> Option<f64> {
        let row = self.row();
        self.workload.durations.draw_s(&mut self.durations, row)
    }
}
