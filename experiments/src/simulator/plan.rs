//! A set of simulations: what is asked for, checked before the first round, and how one is run.

use super::allocators::{Allocator, BoundAllocator, Kind, MechanismAllocator, OwnAllocator, StageOneProgram};
use super::audit::Audit;
use super::engine::{Auditor, Completion, Engine, Options, Summary};
use super::job::SimJob;
use super::policies;
use super::queue::Rate;
use super::rows::Sink;
use super::switches::{Switch, SwitchError, Switches};
use super::trace::Trace;
use super::{Decision, SimulationError};
use crate::error::suggestion;
use crate::plugins::{self, ResolveError};
use crate::workload::{ArrivalSpec, OfferedLoad, Workload, WorkloadError, WorkloadSpec};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synergy_solver::bounds::{self, BoundOptions, lp};
use synergy_solver::mechanisms::{Guarantees, Mechanism, Takes};
use synergy_solver::model::{Cluster, Instance, JobSpec, Rules, ThroughputRule};
use thiserror::Error;

/// What a set of simulations follows: every policy with every mechanism, at every load, for every seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationSpec {
    /// Policies by name.
    pub policies: Vec<String>,
    /// Mechanisms by name, or bounds in their place (`lp`, `ilp`).
    pub mechanisms: Vec<String>,
    /// Arrival rates in jobs per hour; empty: the workload's own arrivals.
    pub loads: Vec<f64>,
    /// Seeds of generated workloads; empty: the workload's own.
    pub seeds: Vec<u64>,
    /// Measured jobs `a..b`, by place in arrival order from 0. Given, jobs keep arriving until the last
    /// of them has ended; absent, all jobs are measured and no more come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// `paper` or `reference-2022`.
    pub semantics: String,
    /// Single switches, `switch=value`.
    pub with: Vec<String>,
    /// Rate at which remaining time counts in keys: `baseline` or `best-case`.
    pub remaining_rate: RemainingRate,
    /// Throughput between grid points: `floor` or `bilinear`.
    pub throughput: Throughput,
    /// When a job that ends inside a round completes: `round-end` or `exact`.
    pub completion: CompletionRule,
    /// Length of a round.
    pub round_s: f64,
    /// Speed of a job on more servers than it needs, as a part of its speed on fewest.
    pub placement_penalty: f64,
    /// Seconds lost when a job restarts or changes servers.
    pub lease_change_s: f64,
    /// Seconds after its arrival before a job can run.
    pub profiling_s: f64,
    /// The bound of every so many rounds; 0 for none.
    pub gap_every: u64,
    /// Name of that bound. Where it does not hold for an allocation, `lp-skip` stands in.
    pub gap_bound: String,
    /// Every so many allocations go through the checker; 0 for none.
    pub check_every: u64,
    /// A measured job that waits this long in a row ends the run.
    pub starvation_hours: f64,
    /// Jobs and cluster. Of a trace, the cluster alone counts.
    pub workload: WorkloadSpec,
}

/// See [`SimulationSpec::remaining_rate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum RemainingRate {
    /// At the GPU-proportional share
    #[default]
    Baseline,
    /// At the best-case demand
    BestCase,
}

/// See [`SimulationSpec::throughput`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Throughput {
    /// The largest grid point not above
    #[default]
    Floor,
    /// Interpolated
    Bilinear,
}

/// See [`SimulationSpec::completion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CompletionRule {
    /// At the end of the round
    #[default]
    RoundEnd,
    /// When the work is done
    Exact,
}

impl Default for SimulationSpec {
    fn default() -> Self {
        SimulationSpec {
            policies: vec!["fifo".into()],
            mechanisms: vec!["proportional".into(), "tune".into()],
            loads: Vec::new(),
            seeds: Vec::new(),
            measure: None,
            semantics: "paper".into(),
            with: Vec::new(),
            remaining_rate: RemainingRate::Baseline,
            throughput: Throughput::Floor,
            completion: CompletionRule::RoundEnd,
            round_s: 300.0,
            placement_penalty: 1.0,
            lease_change_s: 0.0,
            profiling_s: 0.0,
            gap_every: 0,
            gap_bound: lp::NAME.into(),
            check_every: 64,
            starvation_hours: 10_000.0,
            workload: WorkloadSpec::default(),
        }
    }
}

/// What is wrong with a set of simulations.
#[derive(Debug, Error)]
pub enum PlanError {
    /// No such policy.
    #[error("unknown policy {0:?}{mend}", mend = suggestion(.0, policies::NAMES))]
    Policy(String),
    /// No such mechanism.
    #[error(transparent)]
    Mechanism(#[from] ResolveError),
    /// A mechanism that a switch cannot change.
    #[error(
        "mechanism {0} exists under semantics that allocate as the paper does only; those of reference-2022 know \
         proportional (its `fair`), greedy, tune, and ilp (its `opt`)"
    )]
    NotPublished(String),
    /// The published OPT with another policy.
    #[error(
        "the published simulator crashes with opt under {0}; under reference-2022, ilp runs with fifo and srtf"
    )]
    PublishedOpt(String),
    /// No such bound.
    #[error(transparent)]
    Bound(#[from] bounds::UnknownBound),
    /// No such semantics or switch.
    #[error(transparent)]
    Switch(#[from] SwitchError),
    /// Workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A value that makes no sense.
    #[error("{field} {problem}")]
    Value {
        /// Name in the file, and of the flag.
        field: &'static str,
        /// What is wrong, and the mend.
        problem: String,
    },
}

/// Where jobs come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A generator.
    Generated,
    /// A trace.
    Trace(Arc<Trace>),
}

/// Most jobs of a simulation, those that keep the load on included: a few GB.
pub(super) const MOST_JOBS: usize = 5_000_000;
/// Most GPUs of a simulated cluster.
const MOST_GPUS: u64 = 1_000_000;

/// One simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSpec {
    /// Place in the plan, from 0.
    pub index: usize,
    /// Policy.
    pub policy: String,
    /// Mechanism, or bound in its place.
    pub mechanism: String,
    /// Arrival rate in jobs per hour, where the plan sets it.
    pub jobs_per_hour: Option<f64>,
    /// Seed of the workload.
    pub seed: u64,
}

/// Simulations with everything they name resolved.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What was asked for.
    pub spec: SimulationSpec,
    /// The servers.
    pub cluster: Cluster,
    /// The runs: by load, seed, policy, mechanism.
    pub runs: Vec<RunSpec>,
    source: Source,
    switches: Switches,
    semantics: String,
    measure: Option<Range<usize>>,
}

/// What a run gives beside its rows.
#[derive(Debug, Clone)]
pub struct RunEnd {
    /// How it ended, or why it could not go on.
    pub summary: Result<Summary, SimulationError>,
    /// Allocations that went through the checker.
    pub checked: u64,
    /// All of it.
    pub seconds: Duration,
    /// Inside the mechanism.
    pub mechanism_seconds: Duration,
    /// Inside the bound.
    pub bound_seconds: Duration,
}

impl Plan {
    /// Checks `spec` and everything that it names.
    ///
    /// # Errors
    /// Unknown names; values that make no sense.
    pub fn new(mut spec: SimulationSpec, source: Source) -> Result<Self, PlanError> {
        // What is named twice runs once.
        drop_repeats(&mut spec.policies);
        drop_repeats(&mut spec.mechanisms);
        drop_repeats(&mut spec.loads);
        drop_repeats(&mut spec.seeds);
        let mut switches = Switches::named(&spec.semantics)?;
        spec.with.iter().try_for_each(|assignment| switches.set(assignment))?;
        let value = |field: &'static str, fine: bool, problem: String| {
            if fine { Ok(()) } else { Err(PlanError::Value { field, problem }) }
        };
        for (field, number, least) in [
            ("round_s", spec.round_s, 1.0),
            ("placement_penalty", spec.placement_penalty, f64::MIN_POSITIVE),
            ("lease_change_s", spec.lease_change_s, 0.0),
            ("profiling_s", spec.profiling_s, 0.0),
            ("starvation_hours", spec.starvation_hours, f64::MIN_POSITIVE),
        ] {
            let range =
                if least == f64::MIN_POSITIVE { "above 0".into() } else { format!("{least} or more") };
            let problem = format!("is {number}; give a finite number, {range}");
            value(field, number.is_finite() && number >= least, problem)?;
        }
        value(
            "placement_penalty",
            spec.placement_penalty <= 1.0,
            "is above 1; it is a part of the speed".into(),
        )?;
        for (field, list) in [("policies", &spec.policies), ("mechanisms", &spec.mechanisms)] {
            value(field, !list.is_empty(), "is empty; name at least one".into())?;
        }
        for load in &spec.loads {
            value(
                "loads",
                load.is_finite() && *load > 0.0,
                format!("holds {load}; give jobs per hour above 0"),
            )?;
        }
        if matches!(source, Source::Trace(_)) {
            value(
                "loads",
                spec.loads.is_empty(),
                "cannot be set for a trace, which has its own arrivals".into(),
            )?;
            value("seeds", spec.seeds.len() < 2, "cannot be several for a trace, which has no draws".into())?;
        }
        for policy in &spec.policies {
            policies::find(policy, &switches).ok_or_else(|| PlanError::Policy(policy.clone()))?;
            for mechanism in &spec.mechanisms {
                check(mechanism, policy, &switches)?;
            }
        }
        bounds::by_name(&spec.gap_bound, BoundOptions::default())?;
        let measure = spec.measure.as_deref().map(parse_range).transpose()?;
        let cluster = spec.workload.cluster.build()?;
        let own_seed = [spec.workload.seed];
        let seeds = if spec.seeds.is_empty() { &own_seed[..] } else { &spec.seeds };
        let loads: Vec<Option<f64>> =
            if spec.loads.is_empty() { vec![None] } else { spec.loads.iter().copied().map(Some).collect() };
        let mut runs = Vec::new();
        for &jobs_per_hour in &loads {
            for &seed in seeds {
                for policy in &spec.policies {
                    for mechanism in &spec.mechanisms {
                        runs.push(RunSpec {
                            index: runs.len(),
                            policy: policy.clone(),
                            mechanism: mechanism.clone(),
                            jobs_per_hour,
                            seed,
                        });
                    }
                }
            }
        }
        let plan = Plan { cluster, runs, source, switches, semantics: switches.describe(), measure, spec };
        for (field, number, most) in [
            ("jobs", plan.asked() as u64, MOST_JOBS as u64),
            ("cluster.gpus", plan.cluster.gpus(), MOST_GPUS),
        ] {
            value(field, number <= most, format!("is {number}; a simulation takes at most {most}"))?;
        }
        if let Some(window) = plan.measure.as_ref().filter(|window| window.end > plan.asked()) {
            let jobs = plan.asked();
            let problem =
                format!("is {}..{} of {jobs} jobs; widen --jobs or move --measure", window.start, window.end);
            return Err(PlanError::Value { field: "measure", problem });
        }
        plan.fits()?;
        Ok(plan)
    }

    /// Whether the workload can be made, and every job of it fits the cluster.
    fn fits(&self) -> Result<(), PlanError> {
        let sizes = self.cluster.groups().iter().map(|group| group.count as u64 * u64::from(group.gpus));
        let largest = sizes.max().unwrap_or(0);
        let refuse = |field, what: String| {
            let problem = format!("{what} on a cluster whose largest group has {largest}; give more --gpus");
            Err(PlanError::Value { field, problem })
        };
        let jobs = match &self.source {
            Source::Generated => {
                for run in &self.runs {
                    let gpus = self.workload(run)?.largest_demand();
                    if u64::from(gpus) > largest {
                        return refuse("demand", format!("has jobs of {gpus} GPUs"));
                    }
                }
                return Ok(());
            }
            Source::Trace(trace) => &trace.jobs[..self.asked()],
        };
        match jobs.iter().find(|job| u64::from(job.gpus) > largest || job.gpus == 0) {
            Some(job) => refuse("trace", format!("has job {} of {} GPUs", job.id, job.gpus)),
            None => Ok(()),
        }
    }

    /// Semantics in one line.
    pub fn semantics(&self) -> &str {
        &self.semantics
    }

    /// Whether the mechanism of `run` is a bound in the place of one.
    pub fn is_bound(&self, run: &RunSpec) -> bool {
        StageOneProgram::named(&run.mechanism).is_some()
    }

    /// The trace, if there is one.
    pub fn trace(&self) -> Option<&Trace> {
        match &self.source {
            Source::Generated => None,
            Source::Trace(trace) => Some(trace),
        }
    }

    fn workload(&self, run: &RunSpec) -> Result<Workload, WorkloadError> {
        let mut spec = self.spec.workload.clone();
        spec.seed = run.seed;
        if let Some(jobs_per_hour) = run.jobs_per_hour {
            spec.arrivals = ArrivalSpec::Poisson { jobs_per_hour };
        }
        Workload::new(spec)
    }

    /// Jobs asked for. A generated workload without a number has as many as the window needs, or 1,000.
    fn asked(&self) -> usize {
        let own = match &self.source {
            Source::Generated => None,
            Source::Trace(trace) => Some(trace.jobs.len()),
        };
        let jobs = self.spec.workload.jobs.map(|jobs| jobs as usize);
        let window = self.measure.as_ref().map(|window| window.end);
        match (jobs, own) {
            (Some(jobs), Some(own)) => jobs.min(own),
            (Some(jobs), None) => jobs,
            (None, Some(own)) => own,
            (None, None) => window.unwrap_or(1000),
        }
    }

    /// Offered load at the baseline rate (problem statement, section 6).
    pub fn load(&self, run: &RunSpec) -> Result<OfferedLoad, WorkloadError> {
        let trace = match &self.source {
            Source::Generated => return Ok(self.workload(run)?.load()),
            Source::Trace(trace) => &trace.jobs[..self.asked()],
        };
        let count = trace.len() as f64;
        let span_s = match (trace.first(), trace.last()) {
            (Some(first), Some(last)) => last.arrival_s - first.arrival_s,
            _ => 0.0,
        };
        let mean = |of: fn(&SimJob) -> f64| trace.iter().map(of).sum::<f64>() / count;
        let rate = (span_s > 0.0).then(|| (count - 1.0) * 3600.0 / span_s);
        let gpu_s = mean(|job| f64::from(job.gpus) * job.work_s);
        Ok(OfferedLoad::new(self.cluster.gpus(), mean(|job| f64::from(job.gpus)), Some(gpu_s), rate))
    }

    /// GPU-seconds under the LP over GPU-seconds at the baseline rate: jobs in arrival order fill the
    /// cluster a few times, each filling is solved, and every job counts with its work.
    pub fn lp_gpu_seconds_ratio(&self, run: &RunSpec) -> Option<f64> {
        const FILLINGS: usize = 8;
        let workload = self.workload(run).ok()?;
        let mut jobs: Box<dyn Iterator<Item = SimJob>> = match &self.source {
            Source::Generated => Box::new(generated(&workload).ok()?),
            Source::Trace(trace) => Box::new(trace.jobs.iter().take(self.asked()).cloned()),
        };
        let (mut held, mut work) = (0.0, 0.0);
        for _ in 0..FILLINGS {
            let mut free = self.cluster.gpus();
            let mut specs = Vec::new();
            while free > 0 {
                let Some(job) = jobs.next() else { break };
                free = free.saturating_sub(u64::from(job.gpus));
                specs.push(JobSpec {
                    id: specs.len().to_string(),
                    profile: job.profile,
                    gpus: job.gpus,
                    weight: 1.0,
                    arrival_s: None,
                    work_s: Some(job.work_s),
                });
            }
            let instance = Instance::new("filling", self.cluster.clone(), specs, self.rules()).ok()?;
            for choice in lp::solve(&instance, &instance.queue(), &BoundOptions::default()).jobs {
                let gpu_s = f64::from(instance.gpus(choice.job)) * instance.jobs()[choice.job].work_s?;
                work += gpu_s;
                held += gpu_s / choice.throughput;
            }
        }
        (work > 0.0).then(|| held / work)
    }

    fn rules(&self) -> Rules {
        let throughput = match self.spec.throughput {
            Throughput::Floor => ThroughputRule::Floor,
            Throughput::Bilinear => ThroughputRule::Bilinear,
        };
        Rules { throughput, ..Rules::default() }
    }

    /// Runs one of the simulations into `sink`.
    pub fn run(&self, run: &RunSpec, sink: &mut dyn Sink) -> RunEnd {
        let start = Instant::now();
        let (mechanism_seconds, bound_seconds) = (Cell::default(), Cell::default());
        let mut checked = 0;
        let summary = self.simulate(run, sink, &mechanism_seconds, &bound_seconds, &mut checked);
        RunEnd {
            summary,
            checked,
            seconds: start.elapsed(),
            mechanism_seconds: mechanism_seconds.get(),
            bound_seconds: bound_seconds.get(),
        }
    }

    fn simulate(
        &self,
        run: &RunSpec,
        sink: &mut dyn Sink,
        mechanism_seconds: &Cell<Duration>,
        bound_seconds: &Cell<Duration>,
        checked: &mut u64,
    ) -> Result<Summary, SimulationError> {
        let spec = &self.spec;
        let unplanned = |error: PlanError| SimulationError::Plan(error.to_string());
        let policy = policies::find(&run.policy, &self.switches)
            .ok_or_else(|| unplanned(PlanError::Policy(run.policy.clone())))?;
        let resolved = resolve(&run.mechanism, &run.policy, &self.switches).map_err(unplanned)?;
        let two_speed = self.switches.published(Switch::SpeedModel);
        let (guarantees, mut inner): (Guarantees, Box<dyn Allocator + '_>) = match &resolved {
            Resolved::Own(kind) => {
                let own = OwnAllocator::new(*kind, &run.policy, self.switches, spec.placement_penalty);
                (Guarantees::default(), Box::new(own))
            }
            Resolved::Bound(program) => {
                let prefix = self.switches.published(Switch::RunnableSet);
                (Guarantees::default(), Box::new(BoundAllocator::new(*program, prefix)))
            }
            Resolved::Mechanism(mechanism) => {
                let allocator =
                    MechanismAllocator::new(mechanism.as_ref(), spec.placement_penalty, two_speed);
                (mechanism.about().guarantees, Box::new(allocator))
            }
        };
        let mut allocator = Timed { inner: inner.as_mut(), seconds: mechanism_seconds };
        let bound =
            bounds::by_name(&spec.gap_bound, BoundOptions::default()).map_err(|e| unplanned(e.into()))?;
        let bounded = (spec.gap_every > 0).then_some(bound.as_ref());
        let inner = Audit::new(&run.mechanism, guarantees, spec.check_every, bounded);
        let mut audit = TimedAudit { inner, seconds: bound_seconds };
        let rate = match spec.remaining_rate {
            RemainingRate::BestCase => Rate::BestCase,
            RemainingRate::Baseline => Rate::of(&self.switches, &run.mechanism),
        };
        let options = Options {
            round_s: spec.round_s,
            switches: self.switches,
            rate,
            completion: match spec.completion {
                CompletionRule::RoundEnd => Completion::RoundEnd,
                CompletionRule::Exact => Completion::Exact,
            },
            lease_change_s: spec.lease_change_s,
            profiling_s: spec.profiling_s,
            measure: self.measure.clone(),
            starvation_s: spec.starvation_hours * 3600.0,
            gap_every: (spec.gap_every > 0).then_some(spec.gap_every),
            stepping: false,
        };
        let asked = self.asked();
        let keeps_load = self.measure.is_some();
        let workload = self.workload(run).map_err(|error| unplanned(error.into()))?;
        let mut jobs: Box<dyn Iterator<Item = SimJob>> = match &self.source {
            Source::Trace(trace) => Box::new(trace.jobs.iter().cloned()),
            Source::Generated => Box::new(generated(&workload).map_err(|error| unplanned(error.into()))?),
        };
        if !keeps_load {
            jobs = Box::new(jobs.take(asked));
        }
        let first_line_s = self.trace().map(|trace| trace.first_line_s);
        let first_s = first_line_s.filter(|_| self.switches.published(Switch::RunEnd));
        let engine = Engine::new(
            self.cluster.clone(),
            self.rules(),
            &mut jobs,
            asked,
            policy.as_ref(),
            &mut allocator,
            &mut audit,
            &options,
        );
        let summary = engine.and_then(|engine| engine.run(first_s, sink));
        *checked = audit.inner.checked;
        summary
    }
}

/// A mechanism by name, under the switches.
enum Resolved {
    Own(Kind),
    Bound(StageOneProgram),
    Mechanism(Box<dyn Mechanism>),
}

/// Whether [`resolve`] will find something; starts no plug-in.
fn check(name: &str, policy: &str, switches: &Switches) -> Result<(), PlanError> {
    match plugins::command_of(name).filter(|_| !switches.own_allocation()) {
        Some(command) => command.map(drop).map_err(|error| ResolveError::from(error).into()),
        None => resolve(name, policy, switches).map(drop),
    }
}

fn resolve(name: &str, policy: &str, switches: &Switches) -> Result<Resolved, PlanError> {
    if let Some(program) = StageOneProgram::named(name) {
        let published_opt = switches.published(Switch::RunnableSet);
        if published_opt && !["fifo", "srtf"].contains(&policy) {
            return Err(PlanError::PublishedOpt(policy.into()));
        }
        return Ok(Resolved::Bound(program));
    }
    if switches.own_allocation() {
        // A name that does not exist at all is the other error.
        return match Kind::named(name) {
            Some(kind) => Ok(Resolved::Own(kind)),
            None => {
                plugins::check_name(name)?;
                Err(PlanError::NotPublished(name.into()))
            }
        };
    }
    Ok(Resolved::Mechanism(plugins::resolve(name)?))
}

/// Jobs of a generator, without end.
fn generated(workload: &Workload) -> Result<impl Iterator<Item = SimJob> + '_, WorkloadError> {
    Ok(workload.stream()?.endless().map(|job| SimJob {
        id: job.index as i64,
        trace_id: None,
        profile: Arc::clone(workload.profile(job.model)),
        gpus: job.gpus,
        arrival_s: job.arrival_s,
        work_s: job.work_s,
        weight: 1.0,
        iterations: None,
    }))
}

/// Leaves the first of equal elements.
fn drop_repeats<T: PartialEq>(list: &mut Vec<T>) {
    let mut kept = 0;
    for next in 0..list.len() {
        if !list[..kept].contains(&list[next]) {
            list.swap(kept, next);
            kept += 1;
        }
    }
    list.truncate(kept);
}

fn parse_range(text: &str) -> Result<Range<usize>, PlanError> {
    let range = text.split_once("..").and_then(|(from, to)| {
        let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        (from < to).then_some(from..to)
    });
    let problem = || format!("is {text:?}; give a..b with a < b, such as 4000..5000");
    range.ok_or_else(|| PlanError::Value { field: "measure", problem: problem() })
}

/// Adds up the time spent inside an allocator.
struct Timed<'a> {
    inner: &'a mut dyn Allocator,
    seconds: &'a Cell<Duration>,
}

impl Allocator for Timed<'_> {
    fn takes(&self) -> Takes {
        self.inner.takes()
    }

    fn decide(&mut self, instance: &Instance, queue: &[usize]) -> Result<Decision, SimulationError> {
        let start = Instant::now();
        let decision = self.inner.decide(instance, queue);
        self.seconds.set(self.seconds.get() + start.elapsed());
        decision
    }
}

/// Adds up the time spent on bounds.
struct TimedAudit<'a> {
    inner: Audit<'a>,
    seconds: &'a Cell<Duration>,
}

impl Auditor for TimedAudit<'_> {
    fn bound(&mut self, instance: &Instance, queue: &[usize], decision: &Decision) -> Option<f64> {
        let start = Instant::now();
        let bound = self.inner.bound(instance, queue, decision);
        self.seconds.set(self.seconds.get() + start.elapsed());
        bound
    }

    fn check(
        &mut self,
        instance: &Instance,
        queue: &[usize],
        decision: &Decision,
    ) -> Result<(), SimulationError> {
        self.inner.check(instance, queue, decision)
    }
}
