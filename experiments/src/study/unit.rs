//! One unit: generate an instance, compare, and turn what was found into rows.

use super::StudyError;
use super::parts::{Record, UnitRows};
use super::plan::{Plan, PlannedUnit, UnitId};
use crate::compare::{BoundRecord, CompareOptions, Comparison, MechanismRecord, PlacementRecord, compare};
use crate::tables::schema::{BOUNDS, GAPS, INSTANCES, MECHANISMS, PLACEMENTS, TIMINGS};
use crate::tables::{Cell, Row, TableError};
use crate::workload::{DemandSpec, ProfileSpec, Workload, WorkloadSpec};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use synergy_solver::bounds::Scope;
use synergy_solver::check::Verdicts;
use synergy_solver::model::{Instance, Objective, Rules, ThroughputRule};
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
        let message = |e: toml::de::Error| e.message().split_whitespace().collect::<Vec<_>>().join(" ");
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
        Ok(UnitSpec { workload, rules, limits })
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
    /// A workload that cannot be generated, in one line.
    pub fn instance(&self) -> Result<Instance, String> {
        let rules = self.rules.rules()?;
        let workload = Workload::new(self.workload.clone()).map_err(|e| e.to_string())?;
        let mut instance = workload.instance(rules).map_err(|e| e.to_string())?;
        instance.name = self.id().to_string();
        Ok(instance)
    }
}

/// Computes `methods` of a unit. Never fails: what goes wrong is in the record.
pub fn run(plan: &Plan, planned: PlannedUnit, methods: &[String]) -> Record {
    let id = planned.id.to_string();
    let spec = plan.spec(planned).map_err(|e| e.to_string());
    let computed = spec.clone().and_then(|spec| {
        // A panic in a method must not take the study with it.
        catch_unwind(AssertUnwindSafe(|| compute(&spec, methods))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("the program broke down: {text}"))
        })
    });
    let spec = spec.unwrap_or_default();
    let (rows, failed) = match &computed {
        Ok(done) => {
            let failed = done.comparison.mechanisms.iter().any(|m| m.status == Status::Failed)
                || done.comparison.bounds.iter().any(|b| b.result.status == Status::Failed)
                || done.comparison.placements.iter().any(|p| p.status == Status::Failed);
            (unit_rows(&id, planned.replicate, &spec, done), failed)
        }
        Err(reason) => (instance_row(&id, planned.replicate, &spec, Err(reason)).map(|row| vec![row]), true),
    };
    // A row that does not follow the schema is a fault of this file, which its tests would show.
    let rows = rows.unwrap_or_default();
    Record { unit: planned.id, methods: methods.to_vec(), failed, rows }
}

struct Done {
    instance: Instance,
    generate_s: f64,
    comparison: Comparison,
}

fn compute(spec: &UnitSpec, methods: &[String]) -> Result<Done, String> {
    let start = Instant::now();
    let instance = spec.instance()?;
    let generate_s = start.elapsed().as_secs_f64();
    let names = methods.iter().filter_map(|method| method.split_once(' ')).map(|(_, name)| name.to_string());
    let options = CompareOptions {
        only: Some(names.collect()),
        per_server_cap: spec.rules.per_server_cap,
        fairness_floor: spec.rules.fairness_floor,
        time_limit_s: Some(spec.limits.seconds),
        node_limit: Some(spec.limits.nodes),
        ..CompareOptions::default()
    };
    let comparison = compare(&instance, &options).map_err(|e| e.to_string())?;
    Ok(Done { instance, generate_s, comparison })
}

fn unit_rows(id: &str, replicate: u32, spec: &UnitSpec, done: &Done) -> Result<Vec<Row>, TableError> {
    let mut rows = vec![instance_row(id, replicate, spec, Ok(done))?];
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
    done: Result<&Done, &String>,
) -> Result<Row, TableError> {
    let summary = done.ok().map(|done| &done.comparison.instance);
    let groups = done.ok().map(|done| done.instance.cluster().groups());
    let per_server =
        groups.and_then(|groups| groups.iter().all(|g| g.gpus == groups[0].gpus).then(|| groups[0].gpus));
    let given = spec.workload.mix.split.as_ref();
    let split = given.map(|split| split.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    // What an absent split means for the published profiles; for others there is no name for it.
    let split =
        split.or_else(|| (spec.workload.profiles == ProfileSpec::default()).then(|| "20,70,10".to_string()));
    let demand = match &spec.workload.demand {
        DemandSpec::Single {} => "single".to_string(),
        DemandSpec::Multi {} => "multi".to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    let status = if done.is_ok() { Status::Ok } else { Status::Failed };
    let json = spec.to_json();
    Row::new(
        &INSTANCES,
        &[
            ("unit", id.into()),
            ("replicate", replicate.into()),
            ("workload_seed", spec.workload.seed.into()),
            ("status", status.name().into()),
            ("message", done.err().into()),
            ("gpus", summary.map(|s| s.gpus).into()),
            ("servers", summary.map(|s| s.servers).into()),
            ("gpus_per_server", per_server.into()),
            ("cpus_per_gpu", summary.map(|s| s.cpus / s.gpus as f64).into()),
            ("memory_gb_per_gpu", summary.map(|s| s.memory_gb / s.gpus as f64).into()),
            ("split", split.as_ref().into()),
            ("demand", (&demand).into()),
            ("jobs", summary.map(|s| s.jobs).into()),
            ("runnable_jobs", summary.map(|s| s.runnable_jobs).into()),
            ("requested_gpus", summary.map(|s| s.requested_gpus).into()),
            ("classes", summary.map(|s| s.classes).into()),
            ("objective", (&spec.rules.objective).into()),
            ("throughput", (&spec.rules.throughput).into()),
            ("whole_cpus", spec.rules.whole_cpus.into()),
            ("per_server_cap", spec.rules.per_server_cap.into()),
            ("fairness_floor", spec.rules.fairness_floor.into()),
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
    for mechanism in &rows.mechanisms {
        let flag = |name: &str| mechanism.get(name) == Cell::Flag(true);
        let verdicts = Verdicts {
            valid: flag("valid"),
            consolidated: flag("consolidated"),
            fair: flag("fair"),
            complete: flag("complete"),
        };
        for bound in &rows.bounds {
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
