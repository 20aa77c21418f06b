//! One unit: generate an instance and compare, or simulate, and turn what was found into rows.

use super::StudyError;
use super::inputs::Inputs;
use super::method::{Method, Plugins};
use super::parts::{Record, UnitRows};
use super::plan::{Plan, PlannedUnit, UnitId};
use super::simulated::Simulated;
use super::words::one_line;
use crate::compare::{
    BoundRecord, CompareOptions, Comparison, MechanismRecord, PlacementRecord, compare_with,
};
use crate::simulator::{self, End, Moment, Recorder, Source};
use crate::tables::schema::{BOUNDS, GAPS, INSTANCES, MECHANISMS, PLACEMENTS, TIMINGS};
use crate::tables::{Cell, Row, TableError};
use crate::workload::{DemandSpec, ModelChoice, ProfileSpec, TraceSpec, WorkloadSpec};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use synergy_solver::bounds::Scope;
use synergy_solver::check::Verdicts;
use synergy_solver::model::{Cluster, Instance, Objective, Rules, ThroughputRule};
use synergy_solver::status::Status;
use toml::{Table, Value};

/// Everything that determines the numbers of a unit, but for the methods.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct UnitSpec {
    /// Cluster and jobs.
    pub workload: WorkloadSpec,
    /// What the numbers mean.
    pub rules: RuleSpec,
    /// When a solve gives up.
    pub limits: LimitSpec,
    /// For an instance that is the queue of a trace at a moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<MomentSpec>,
    /// For a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<Simulated>,
}

/// What a unit is.
enum Kind<'a> {
    /// A generated instance.
    Generated,
    /// The queue of a trace at a moment.
    Moment(&'a MomentSpec),
    /// A simulation over time.
    Simulation(&'a Simulated),
}

/// A moment of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentSpec {
    /// Seconds from the first arrival.
    pub at_s: f64,
    /// Policy that orders the queue.
    #[serde(default = "fifo")]
    pub policy: String,
    /// The whole queue, not only the jobs that fit the GPUs.
    #[serde(default)]
    pub whole_queue: bool,
}

fn fifo() -> String {
    "fifo".into()
}

/// Rules by name, as in study files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleSpec {
    /// `normalised` or `gpus`.
    pub objective: String,
    /// `floor` or `bilinear`.
    pub throughput: String,
    /// Whole CPUs.
    pub whole_cpus: bool,
    /// Stage one offers only what the fewest servers for a job provide.
    pub per_server_cap: bool,
    /// Share of its baseline that bounds and optimal allocations leave every job.
    pub fairness_floor: f64,
}

impl Default for RuleSpec {
    fn default() -> Self {
        RuleSpec {
            objective: "normalised".into(),
            throughput: "floor".into(),
            whole_cpus: false,
            per_server_cap: false,
            fairness_floor: 1.0,
        }
    }
}

impl RuleSpec {
    /// The rules.
    ///
    /// # Errors
    /// A name that is none, in one line.
    pub fn rules(&self) -> Result<Rules, String> {
        let unknown = |field: &str, given: &str, known: [&str; 2]| {
            format!("rules.{field} is {given:?}{}", crate::error::suggestion(given, known))
        };
        let objective = match self.objective.as_str() {
            "normalised" => Objective::Normalised,
            "gpus" => Objective::Gpus,
            other => return Err(unknown("objective", other, ["normalised", "gpus"])),
        };
        let throughput = match self.throughput.as_str() {
            "floor" => ThroughputRule::Floor,
            "bilinear" => ThroughputRule::Bilinear,
            other => return Err(unknown("throughput", other, ["floor", "bilinear"])),
        };
        Ok(Rules { throughput, objective, whole_cpus: self.whole_cpus })
    }
}

/// Limits of every solve of a unit. Counts end a solve at the same place on every machine; the clock
/// is a net below them, and a row that it ended says `time-limit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSpec {
    /// Branch-and-bound nodes.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
}

impl Default for LimitSpec {
    fn default() -> Self {
        LimitSpec { nodes: 20_000, seconds: 600.0 }
    }
}

impl UnitSpec {
    /// From nested parameters; `rules` and `limits` beside the fields of [`WorkloadSpec`].
    ///
    /// # Errors
    /// A parameter or value that does not exist, in one line.
    pub fn from_parameters(mut parameters: Table) -> Result<Self, String> {
        let message = |e: toml::de::Error| one_line(e.message());
        let simulation: Option<Simulated> =
            parameters.remove("simulation").map(Value::try_into).transpose().map_err(message)?;
        let moment: Option<MomentSpec> =
            parameters.remove("moment").map(Value::try_into).transpose().map_err(message)?;
        if simulation.is_some() {
            let other = ["rules", "limits"].into_iter().find(|name| parameters.contains_key(*name));
            if let Some(name) = other {
                return Err(format!(
                    "{name} are for instances; a simulation has its own: simulation.throughput, ..."
                ));
            }
            if moment.is_some() {
                return Err(
                    "at_s takes an instance out of a trace; a simulation runs all of it: leave one".into()
                );
            }
        }
        let mut section = |name: &str| parameters.remove(name).unwrap_or_else(|| Value::Table(Table::new()));
        let rules: RuleSpec = section("rules").try_into().map_err(message)?;
        let limits: LimitSpec = section("limits").try_into().map_err(message)?;
        let workload: WorkloadSpec = Value::Table(parameters).try_into().map_err(message)?;
        workload.validate().map_err(|e| e.to_string())?;
        rules.rules()?;
        if !(0.0..=1.0).contains(&rules.fairness_floor) {
            return Err(format!(
                "rules.fairness_floor is {}; give a number from 0 to 1",
                rules.fairness_floor
            ));
        }
        if !(limits.seconds.is_finite() && limits.seconds > 0.0) {
            return Err(format!("limits.seconds is {}; give a number above 0", limits.seconds));
        }
        if let Some(moment) = &moment {
            if workload.trace.is_none() {
                return Err("at_s is a moment of a trace, but there is none; give trace".into());
            }
            if !(moment.at_s.is_finite() && moment.at_s >= 0.0) {
                return Err(format!(
                    "at_s is {}; give seconds from the first arrival, 0 or more",
                    moment.at_s
                ));
            }
            let known = simulator::policies::NAMES;
            if !known.contains(&moment.policy.as_str()) {
                let hint = crate::error::suggestion(&moment.policy, known);
                return Err(format!("moment.policy is {:?}{hint}", moment.policy));
            }
        }
        Ok(UnitSpec { workload, rules, limits, moment, simulation })
    }

    fn kind(&self) -> Kind<'_> {
        match (&self.moment, &self.simulation) {
            (_, Some(simulated)) => Kind::Simulation(simulated),
            (Some(moment), None) => Kind::Moment(moment),
            (None, None) => Kind::Generated,
        }
    }

    /// Whether a seed changes anything.
    pub fn is_drawn(&self) -> bool {
        match self.kind() {
            Kind::Moment(_) => matches!(self.workload.profiles, ProfileSpec::Synthetic(_)),
            Kind::Generated | Kind::Simulation(_) => self.workload.is_drawn(),
        }
    }

    /// Checks what only a simulation has, before the first one runs.
    ///
    /// # Errors
    /// An unknown name, a value that makes no sense, a load for a trace, in one line.
    pub fn check(&self, mechanisms: &[String]) -> Result<(), String> {
        let Kind::Simulation(simulated) = self.kind() else { return Ok(()) };
        let follows = self.follows_trace();
        let workload = if follows { self.of_trace() } else { self.workload.clone() };
        let spec = simulated.spec(mechanisms.to_vec(), workload);
        if follows && !spec.loads.is_empty() {
            return Err(
                "load cannot be set for a trace, which has its own arrivals; arrivals = {kind = \"trace\", \
                        speedup = 2} halves them"
                    .into(),
            );
        }
        if self.workload.trace.is_some() && !follows {
            // What it draws on is known when the trace is read.
            return Ok(());
        }
        simulator::Plan::new(spec, Source::Generated).map(drop).map_err(|e| e.to_string())
    }

    /// The trace that its jobs come from.
    pub fn trace(&self) -> Option<&TraceSpec> {
        self.workload.trace.as_ref()
    }

    /// Whether a simulation's jobs are a trace's, row by row.
    fn follows_trace(&self) -> bool {
        self.workload.trace.is_some() && !self.workload.is_drawn()
    }

    /// What a simulation of a trace needs of the workload: its cluster and number of jobs.
    fn of_trace(&self) -> WorkloadSpec {
        let WorkloadSpec { seed, jobs, cluster, .. } = self.workload.clone();
        WorkloadSpec { seed, jobs, cluster, ..WorkloadSpec::default() }
    }

    /// With the seed of its workload.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.workload.seed = seed;
        self
    }

    /// As JSON, every default written out.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Hash of the specification.
    pub fn id(&self) -> UnitId {
        let hash = blake3::hash(format!("synergy-unit/1 {}", self.to_json()).as_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hash.as_bytes()[..8]);
        UnitId(u64::from_be_bytes(bytes))
    }

    /// The instance of this unit.
    ///
    /// # Errors
    /// A workload that cannot be generated, a simulation, in one line.
    pub fn instance(&self, inputs: &Inputs) -> Result<Instance, String> {
        let rules = self.rules.rules()?;
        let mut instance = match self.kind() {
            Kind::Generated => inputs.workload(&self.workload).and_then(|workload| workload.instance(rules)),
            Kind::Moment(MomentSpec { at_s, policy, whole_queue }) => {
                let Some(source) = &self.workload.trace else { return Err("there is no trace".into()) };
                let trace = inputs.trace(source).map_err(|e| e.to_string())?;
                let spec = inputs.located(&self.workload);
                let models = spec.profiles.models(spec.seed).map_err(|e| e.to_string())?;
                let cluster = spec.cluster.build().map_err(|e| e.to_string())?;
                let moment = Moment { at_s: *at_s, policy, whole_queue: *whole_queue };
                Ok(simulator::instance_at(&trace, &models, &cluster, rules, &moment)?.0)
            }
            Kind::Simulation(_) => return Err("it is a simulation and no instance".into()),
        }
        .map_err(|e| e.to_string())?;
        instance.name = self.id().to_string();
        Ok(instance)
    }
}

/// Computes units of a plan. Plug-ins that instances need are started once and shared by all threads;
/// a simulation has its own.
pub struct Runner<'a> {
    plan: &'a Plan,
    plugins: Plugins,
    stop: &'a AtomicBool,
}

/// What was computed of a unit.
pub struct Computed {
    /// Rows of all tables.
    pub rows: Vec<Row>,
    /// Whether any of it failed.
    pub failed: bool,
}

impl<'a> Runner<'a> {
    /// A runner whose simulations end when `stop` is set.
    ///
    /// # Errors
    /// A plug-in that does not start.
    pub fn new(plan: &'a Plan, stop: &'a AtomicBool) -> Result<Self, StudyError> {
        let plugins = Plugins::start(&plan.study().methods.mechanisms)?;
        let plugins = if plan.simulates() { Plugins::default() } else { plugins };
        Ok(Runner { plan, plugins, stop })
    }

    /// A unit as it is kept; `None` when it was cut off. What goes wrong is in the record.
    pub fn record(&self, planned: PlannedUnit, methods: &[Method]) -> Option<Record> {
        let Computed { rows, failed } = self.run(planned, methods)?;
        Some(Record::new(planned.id, methods, failed, &rows))
    }

    /// Rows of these methods of a unit; `None` when it was cut off.
    pub fn run(&self, planned: PlannedUnit, methods: &[Method]) -> Option<Computed> {
        let id = planned.id.to_string();
        let spec = self.plan.spec(planned).map_err(|e| e.to_string());
        let computed = spec.clone().and_then(|spec| {
            // A panic in a method must not take the study with it.
            let work = AssertUnwindSafe(|| match spec.kind() {
                Kind::Simulation(simulated) => {
                    self.simulate(&id, planned.replicate, &spec, simulated, methods)
                }
                Kind::Generated | Kind::Moment(_) => {
                    self.compare(&id, planned.replicate, &spec, methods).map(Some)
                }
            });
            catch_unwind(work).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Err(format!("the program broke down: {text}"))
            })
        });
        match computed {
            Ok(computed) => computed,
            Err(reason) => {
                let spec = spec.unwrap_or_default();
                let row = instance_row(&id, planned.replicate, &spec, Err(&reason));
                // A row that does not follow the schema is a fault of this file, which its tests would show.
                Some(Computed { rows: row.into_iter().collect(), failed: true })
            }
        }
    }

    fn compare(
        &self,
        id: &str,
        replicate: u32,
        spec: &UnitSpec,
        methods: &[Method],
    ) -> Result<Computed, String> {
        let start = Instant::now();
        let instance = spec.instance(self.plan.inputs())?;
        let generate_s = start.elapsed().as_secs_f64();
        let options = CompareOptions {
            only: Some(methods.iter().map(|method| method.name.clone()).collect()),
            per_server_cap: spec.rules.per_server_cap,
            fairness_floor: spec.rules.fairness_floor,
            time_limit_s: Some(spec.limits.seconds),
            node_limit: Some(spec.limits.nodes),
            ..CompareOptions::default()
        };
        let comparison =
            compare_with(&instance, &options, &|name| self.plugins.get(name)).map_err(|e| e.to_string())?;
        let failed = comparison.mechanisms.iter().any(|m| m.status == Status::Failed)
            || comparison.bounds.iter().any(|b| b.result.status == Status::Failed)
            || comparison.placements.iter().any(|p| p.status == Status::Failed);
        let done = Done { instance, generate_s, comparison };
        let rows = unit_rows(id, replicate, spec, &done).map_err(|e| e.to_string())?;
        Ok(Computed { rows, failed })
    }

    fn simulate(
        &self,
        id: &str,
        replicate: u32,
        spec: &UnitSpec,
        simulated: &Simulated,
        methods: &[Method],
    ) -> Result<Option<Computed>, String> {
        let inputs = self.plan.inputs();
        let (workload, source) = match &spec.workload.trace {
            Some(trace) if spec.follows_trace() => {
                let trace = inputs.trace(trace).map_err(|e| e.to_string())?;
                let workload = inputs.workload(&spec.workload).map_err(|e| e.to_string())?;
                let jobs = simulator::Trace::imported(&workload, &trace).map_err(|e| e.to_string())?;
                (spec.of_trace(), Source::Trace(Arc::new(jobs)))
            }
            _ => (inputs.located(&spec.workload), Source::Generated),
        };
        let mechanisms = methods.iter().map(|method| method.name.clone()).collect();
        let plan =
            simulator::Plan::new(simulated.spec(mechanisms, workload), source).map_err(|e| e.to_string())?;
        let mut rows =
            vec![instance_row(id, replicate, spec, Ok(&Size::of(&plan.cluster))).map_err(|e| e.to_string())?];
        let mut failed = false;
        for run in &plan.runs {
            let progress = |_| {
                if self.stop.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let spool = std::env::temp_dir();
            let finished = Recorder::new(&spool, false, &progress)
                .and_then(|recorder| recorder.record(&plan, run))
                .map_err(|e| format!("{}: {}", spool.display(), crate::error::plain(&e)))?;
            let status = finished.status();
            if status == End::Interrupted.name() {
                return Ok(None);
            }
            failed |= status == End::Failed.name() || status == End::Starved.name();
            rows.extend(simulator::rows_of(&plan, run, finished, id).map_err(|e| e.to_string())?);
        }
        Ok(Some(Computed { rows, failed }))
    }
}

struct Done {
    instance: Instance,
    generate_s: f64,
    comparison: Comparison,
}

/// What is known of the size of a unit; jobs only of an instance.
#[derive(Default)]
struct Size {
    gpus: u64,
    servers: usize,
    gpus_per_server: Option<u32>,
    cpus_per_gpu: f64,
    memory_gb_per_gpu: f64,
    jobs: Option<usize>,
    runnable_jobs: Option<usize>,
    requested_gpus: Option<u64>,
    classes: Option<usize>,
}

impl Size {
    fn of(cluster: &Cluster) -> Self {
        let groups = cluster.groups();
        let (gpus, capacity) = (cluster.gpus(), cluster.capacity());
        Size {
            gpus,
            servers: cluster.servers(),
            gpus_per_server: groups.iter().all(|g| g.gpus == groups[0].gpus).then(|| groups[0].gpus),
            cpus_per_gpu: capacity.cpus() / gpus as f64,
            memory_gb_per_gpu: capacity.memory_gb() / gpus as f64,
            ..Size::default()
        }
    }
}

fn unit_rows(id: &str, replicate: u32, spec: &UnitSpec, done: &Done) -> Result<Vec<Row>, TableError> {
    let summary = &done.comparison.instance;
    let size = Size {
        jobs: Some(summary.jobs),
        runnable_jobs: Some(summary.runnable_jobs),
        requested_gpus: Some(summary.requested_gpus),
        classes: Some(summary.classes),
        ..Size::of(done.instance.cluster())
    };
    let mut rows = vec![instance_row(id, replicate, spec, Ok(&size))?];
    rows.push(timing(id, "generate", "instance", Some(done.generate_s))?);
    for bound in &done.comparison.bounds {
        rows.push(bound_row(id, bound)?);
        rows.push(timing(id, "bound", &bound.name, bound.seconds)?);
    }
    for placement in &done.comparison.placements {
        rows.push(placement_row(id, placement)?);
        rows.push(timing(id, "placement", &placement.name, placement.seconds)?);
    }
    for mechanism in &done.comparison.mechanisms {
        rows.push(mechanism_row(id, mechanism)?);
        rows.push(timing(id, "mechanism", &mechanism.name, mechanism.seconds)?);
    }
    Ok(rows)
}

fn timing(id: &str, kind: &str, method: &str, seconds: Option<f64>) -> Result<Row, TableError> {
    Row::new(
        &TIMINGS,
        &[("unit", id.into()), ("kind", kind.into()), ("method", method.into()), ("seconds", seconds.into())],
    )
}

fn instance_row(
    id: &str,
    replicate: u32,
    spec: &UnitSpec,
    size: Result<&Size, &String>,
) -> Result<Row, TableError> {
    let fault = size.err();
    let size = size.ok();
    let rules = spec.simulation.is_none().then_some(&spec.rules);
    let given = spec.workload.mix.split.as_ref();
    let split = given.map(|split| split.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    // What an absent split means for the published profiles; for others there is no name for it.
    let published =
        spec.workload.profiles == ProfileSpec::default() && spec.workload.mix.models != ModelChoice::Trace;
    let split = split.or_else(|| published.then(|| "20,70,10".to_string()));
    let demand = match &spec.workload.demand {
        DemandSpec::Single {} => "single".to_string(),
        DemandSpec::Multi {} => "multi".to_string(),
        DemandSpec::Trace {} => "trace".to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    let status = if fault.is_none() { Status::Ok } else { Status::Failed };
    let json = spec.to_json();
    Row::new(
        &INSTANCES,
        &[
            ("unit", id.into()),
            ("replicate", replicate.into()),
            ("workload_seed", spec.workload.seed.into()),
            ("status", status.name().into()),
            ("message", fault.into()),
            ("gpus", size.map(|s| s.gpus).into()),
            ("servers", size.map(|s| s.servers).into()),
            ("gpus_per_server", size.and_then(|s| s.gpus_per_server).into()),
            ("cpus_per_gpu", size.map(|s| s.cpus_per_gpu).into()),
            ("memory_gb_per_gpu", size.map(|s| s.memory_gb_per_gpu).into()),
            ("split", split.as_ref().into()),
            ("demand", (&demand).into()),
            ("jobs", size.and_then(|s| s.jobs).into()),
            ("runnable_jobs", size.and_then(|s| s.runnable_jobs).into()),
            ("requested_gpus", size.and_then(|s| s.requested_gpus).into()),
            ("classes", size.and_then(|s| s.classes).into()),
            ("objective", rules.map(|r| &r.objective).into()),
            ("throughput", rules.map(|r| &r.throughput).into()),
            ("whole_cpus", rules.map(|r| r.whole_cpus).into()),
            ("per_server_cap", rules.map(|r| r.per_server_cap).into()),
            ("fairness_floor", rules.map(|r| r.fairness_floor).into()),
            ("spec", (&json).into()),
        ],
    )
}

fn bound_row(id: &str, bound: &BoundRecord) -> Result<Row, TableError> {
    let result = &bound.result;
    Row::new(
        &BOUNDS,
        &[
            ("unit", id.into()),
            ("bound", (&bound.name).into()),
            ("status", result.status.name().into()),
            ("message", result.note.as_ref().into()),
            ("scope", scope_name(result.scope).into()),
            ("value", result.value.into()),
            ("certified", result.certified.into()),
            ("published", bound.published().into()),
            ("incumbent", result.incumbent.into()),
            ("trusted", result.trusted.into()),
            ("shadow_price_cpu", result.shadow_prices.map(|p| p.cpus()).into()),
            ("shadow_price_memory_gb", result.shadow_prices.map(|p| p.memory_gb()).into()),
            ("effort_rounds", result.effort.map(|e| e.rounds).into()),
            ("effort_columns", result.effort.map(|e| e.columns).into()),
            ("effort_nodes", result.effort.map(|e| e.nodes).into()),
        ],
    )
}

fn placement_row(id: &str, placement: &PlacementRecord) -> Result<Row, TableError> {
    Row::new(
        &PLACEMENTS,
        &[
            ("unit", id.into()),
            ("placement", (&placement.name).into()),
            ("status", placement.status.name().into()),
            ("message", placement.message.as_ref().into()),
            ("fragmented", placement.fragmented.into()),
            ("pieces", placement.pieces.into()),
            ("limit", placement.limit.into()),
            ("bound", placement.bound.into()),
            ("gap", placement.gap.into()),
        ],
    )
}

fn mechanism_row(id: &str, mechanism: &MechanismRecord) -> Result<Row, TableError> {
    let checked = mechanism.checked.as_ref();
    let verdict = |of: fn(&Verdicts) -> bool| -> Cell { checked.map(|c| of(&c.verdicts)).into() };
    Row::new(
        &MECHANISMS,
        &[
            ("unit", id.into()),
            ("mechanism", (&mechanism.name).into()),
            ("status", mechanism.status.name().into()),
            ("message", mechanism.message.as_ref().into()),
            ("value", checked.map(|c| c.value).into()),
            ("value_per_job", checked.and_then(|c| c.value_per_job).into()),
            ("valid", verdict(|v| v.valid)),
            ("consolidated", verdict(|v| v.consolidated)),
            ("fair", verdict(|v| v.fair)),
            ("complete", verdict(|v| v.complete)),
            ("placed", checked.map(|c| c.placed).into()),
            ("skipped", checked.map(|c| c.skipped).into()),
            ("gpus_idle", checked.map(|c| c.gpus_idle).into()),
            ("reverted", checked.map(|c| c.reverted).into()),
            ("fragmented", checked.map(|c| c.fragmented).into()),
            ("bound", mechanism.bound.into()),
            ("certified_gap", mechanism.certified_gap.into()),
            ("effort_rounds", mechanism.effort.map(|e| e.rounds).into()),
            ("effort_columns", mechanism.effort.map(|e| e.columns).into()),
            ("effort_nodes", mechanism.effort.map(|e| e.nodes).into()),
        ],
    )
}

const SCOPES: [(Scope, &str); 4] = [
    (Scope::Valid, "valid"),
    (Scope::Consolidated, "consolidated"),
    (Scope::FairComplete, "fair-complete"),
    (Scope::FairCompleteConsolidated, "fair-complete-consolidated"),
];

/// Name of a scope in the table `bounds`.
fn scope_name(scope: Scope) -> &'static str {
    SCOPES.iter().find(|(known, _)| *known == scope).map_or("", |(_, name)| name)
}

/// The scope of this name.
pub fn scope_of(name: &str) -> Option<Scope> {
    SCOPES.iter().find(|(_, known)| *known == name).map(|(scope, _)| *scope)
}

/// Gaps of a unit: made from its other rows and not kept, because a bound and a mechanism of one unit
/// may have been computed by different runs.
pub fn gap_rows(rows: &UnitRows) -> Result<Vec<Row>, StudyError> {
    let mut gaps = Vec::new();
    for mechanism in rows.of(&MECHANISMS) {
        let flag = |name: &str| mechanism.get(name) == Cell::Flag(true);
        let verdicts = Verdicts {
            valid: flag("valid"),
            consolidated: flag("consolidated"),
            fair: flag("fair"),
            complete: flag("complete"),
        };
        for bound in rows.of(&BOUNDS) {
            let scope = if let Cell::Text(name) = bound.get("scope") { scope_of(name) } else { None };
            let holds = scope.is_some_and(|scope| scope.covers(&verdicts));
            let gap = match (bound.get("published"), mechanism.get("value")) {
                (Cell::Real(bound), Cell::Real(value)) if holds && bound > 0.0 => {
                    Some((bound - value) / bound)
                }
                _ => None,
            };
            gaps.push(Row::new(
                &GAPS,
                &[
                    ("unit", mechanism.get("unit")),
                    ("mechanism", mechanism.get("mechanism")),
                    ("bound", bound.get("bound")),
                    ("gap", gap.into()),
                ],
            )?);
        }
    }
    Ok(gaps)
}
