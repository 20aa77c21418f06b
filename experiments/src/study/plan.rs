//! The grid: which units a study has, their ids and seeds.

use super::file::{StudyFile, short_name};
use super::inputs::Inputs;
use super::method::{Method, check_method};
use super::words::{culprit, plainly};
use super::{StudyError, UnitSpec};
use crate::error::suggestion;
use crate::tables::Table as TableSchema;
use std::collections::HashSet;
use std::path::Path;
use toml::{Table, Value};

/// All units of a study. Holds an id and a position per unit, not its specification, so that the
/// memory of a large study stays small.
#[derive(Debug)]
pub struct Plan {
    study: StudyFile,
    axes: Vec<Axis>,
    methods: Vec<Method>,
    inputs: Inputs,
    /// Combination, replicate and id of every unit, in order.
    units: Vec<PlannedUnit>,
    /// Combinations that differ from an earlier one in name only.
    duplicates: usize,
}

/// One axis: parameters that vary together, and their values.
#[derive(Debug)]
struct Axis {
    paths: Vec<String>,
    /// One inner list per point, parallel to `paths`.
    points: Vec<Vec<Value>>,
}

/// A unit's place in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedUnit {
    /// Hash of the resolved specification.
    pub id: UnitId,
    combination: u64,
    /// Replicate number, from 0.
    pub replicate: u32,
}

/// Hash of a unit's resolved specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u64);

impl std::fmt::Display for UnitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for UnitId {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(UnitId)
    }
}

/// Seed of every workload of a replicate: it depends on nothing but the two numbers, so that units
/// which differ in cluster, mix, rules or methods share their draws and are paired. 53 bits, so that
/// every reader of JSON and every float holds it exactly.
pub fn workload_seed(study_seed: u64, replicate: u32) -> u64 {
    let hash = blake3::hash(format!("synergy workload {study_seed} {replicate}").as_bytes());
    first_u64(&hash) >> 11
}

fn first_u64(hash: &blake3::Hash) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_be_bytes(bytes)
}

impl Plan {
    /// Expands the axes. Every unit is resolved once here, so that a wrong parameter is found before
    /// the first unit runs. `path` is for messages.
    ///
    /// # Errors
    /// A parameter that does not exist or a value that it cannot have; exclusions that leave nothing.
    pub fn new(study: StudyFile, path: &Path) -> Result<Self, StudyError> {
        let fault = |reason: String| StudyError::File { path: path.to_path_buf(), reason };
        let methods = &study.methods;
        for (key, names) in [
            ("bounds", &methods.bounds),
            ("placements", &methods.placements),
            ("mechanisms", &methods.mechanisms),
        ] {
            for name in names {
                check_method(key, name).map_err(|reason| fault(format!("methods.{key}: {reason}")))?;
            }
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut axes: Vec<Axis> = study
            .axes
            .iter()
            .map(|(name, values)| Axis {
                paths: vec![name.clone()],
                points: list(values).into_iter().map(|value| vec![value]).collect(),
            })
            .collect();
        for group in &study.zipped {
            let lists: Vec<Vec<Value>> = group.values().map(list).collect();
            let points = (0..lists[0].len()).map(|i| lists.iter().map(|l| l[i].clone()).collect()).collect();
            axes.push(Axis { paths: group.keys().cloned().collect(), points });
        }
        let inputs = Inputs::new(path.parent().unwrap_or(Path::new("")), study.origins.clone());
        let methods = Method::all(&study);
        let mut plan = Plan { study, axes, methods, inputs, units: Vec::new(), duplicates: 0 };
        let combinations =
            plan.axes.iter().try_fold(1u64, |product, axis| product.checked_mul(axis.points.len() as u64));
        let units = combinations.and_then(|n| n.checked_mul(u64::from(plan.study.replicates)));
        let Some(combinations) = combinations.filter(|_| units.is_some_and(|n| n <= MOST_UNITS)) else {
            return Err(fault(format!(
                "has more than {MOST_UNITS} units; shorten an axis or exclude combinations"
            )));
        };
        let mut seen = HashSet::new();
        let mut traces = HashSet::new();
        for combination in 0..combinations {
            let point = plan.point(combination);
            if plan.excluded(&point) {
                continue;
            }
            let resolved = resolve(&point)
                .and_then(|spec| plan.agrees(&spec).map(|()| spec))
                .map_err(|reason| fault(plan.place(&point, &reason)))?;
            // A damaged trace is better known before the work than as a failure of every unit.
            if let Some(trace) = resolved.trace().filter(|trace| traces.insert(trace.path.clone())) {
                plan.inputs.trace(trace).map_err(|e| fault(plan.place(&point, &e.to_string())))?;
            }
            for replicate in 0..plan.study.replicates {
                let id = resolved.clone().seeded(workload_seed(plan.study.seed, replicate)).id();
                if !seen.insert(id) {
                    plan.duplicates += 1;
                    continue;
                }
                plan.units.push(PlannedUnit { id, combination, replicate });
            }
        }
        if plan.units.is_empty() {
            return Err(fault("every combination is excluded; no unit is left".into()));
        }
        Ok(plan)
    }

    /// The study.
    pub fn study(&self) -> &StudyFile {
        &self.study
    }

    /// What is computed on every unit.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// Where the files of the study are.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Whether the units are simulations; of one study all are, or none.
    pub fn simulates(&self) -> bool {
        self.study.simulates()
    }

    /// The tables of the study, in the order of the documentation.
    pub fn tables(&self) -> &'static [&'static TableSchema] {
        if self.simulates() { &super::SIMULATION_TABLES } else { &super::STUDY_TABLES }
    }

    /// Whether a unit goes with the rest of the study.
    fn agrees(&self, spec: &UnitSpec) -> Result<(), String> {
        let replicates = self.study.replicates;
        if replicates > 1 && !spec.is_drawn() {
            return Err(format!(
                "replicates is {replicates}, but every job comes from the trace and nothing is drawn: all would be \
                 equal; give replicates = 1, and vary at_s or trace.first_job instead"
            ));
        }
        spec.check(&self.study.methods.mechanisms)
    }

    /// The units in order.
    pub fn units(&self) -> &[PlannedUnit] {
        &self.units
    }

    /// Units that were dropped because an earlier one has the same specification.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Every axis: the names that vary together, and its number of points.
    pub fn axes(&self) -> impl Iterator<Item = (String, usize)> + '_ {
        self.axes.iter().map(|axis| (axis.paths.join(" + "), axis.points.len()))
    }

    /// Every axis of one parameter: its path and number of points.
    pub fn parameter_axes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.axes
            .iter()
            .filter(|axis| axis.paths.len() == 1)
            .map(|axis| (axis.paths[0].as_str(), axis.points.len()))
    }

    /// Resolved specification of a unit.
    ///
    /// # Errors
    /// Never for a unit of this plan: [`Plan::new`] resolved each once.
    pub fn spec(&self, unit: PlannedUnit) -> Result<UnitSpec, StudyError> {
        let spec = resolve(&self.point(unit.combination))
            .map_err(|reason| StudyError::File { path: self.study.name.clone().into(), reason })?;
        Ok(spec.seeded(workload_seed(self.study.seed, unit.replicate)))
    }

    /// Parameters of a combination by path; the first axis varies slowest.
    fn point(&self, mut combination: u64) -> Table {
        let mut point = self.study.parameters.clone();
        for axis in self.axes.iter().rev() {
            let size = axis.points.len() as u64;
            let values = &axis.points[(combination % size) as usize];
            combination /= size;
            point.extend(axis.paths.iter().cloned().zip(values.iter().cloned()));
        }
        point
    }

    fn excluded(&self, point: &Table) -> bool {
        self.study.exclude.iter().any(|rule| rule.iter().all(|(path, value)| point.get(path) == Some(value)))
    }

    /// A fault with the axis values under which it happens.
    fn place(&self, point: &Table, reason: &str) -> String {
        let varied: Vec<String> = self
            .axes
            .iter()
            .flat_map(|axis| &axis.paths)
            .filter_map(|path| Some(format!("{path} = {}", point.get(path)?)))
            .collect();
        if varied.is_empty() { reason.to_string() } else { format!("{reason} (with {})", varied.join(", ")) }
    }
}

/// Larger grids are mistakes: a unit takes some milliseconds at least.
const MOST_UNITS: u64 = 10_000_000;

/// The specification that parameters by path stand for.
///
/// # Errors
/// A parameter or value that does not exist, in one line.
pub fn resolve(point: &Table) -> Result<UnitSpec, String> {
    let mut parameters = nested(point)?;
    trace_knobs(&mut parameters);
    UnitSpec::from_parameters(parameters).map_err(|reason| explained(point, &reason))
}

/// Parameters by path as tables within tables.
fn nested(point: &Table) -> Result<Table, String> {
    let mut nested = Table::new();
    for (path, value) in point {
        // A bare word stands for the variant of that name: demand = "multi".
        let value = match value {
            Value::String(kind) if TAGGED.contains(&path.as_str()) => {
                Value::Table([("kind".to_string(), Value::String(kind.clone()))].into_iter().collect())
            }
            other => other.clone(),
        };
        let mut level = &mut nested;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                level.insert(part.to_string(), value);
                break;
            }
            let next = level.entry(part).or_insert_with(|| Value::Table(Table::new()));
            level =
                next.as_table_mut().ok_or_else(|| format!("{path}: {part} is a value and has no fields"))?;
        }
    }
    Ok(nested)
}

/// With a trace, what is not said otherwise is the trace's own.
fn trace_knobs(parameters: &mut Table) {
    if !parameters.contains_key("trace") {
        return;
    }
    let own = || Value::Table([("kind".to_string(), Value::String("trace".into()))].into_iter().collect());
    for knob in ["arrivals", "durations", "demand"] {
        parameters.entry(knob).or_insert_with(own);
    }
    let mix = parameters.entry("mix").or_insert_with(|| Value::Table(Table::new()));
    if let Some(mix) = mix.as_table_mut().filter(|mix| !mix.contains_key("split")) {
        mix.entry("models").or_insert_with(|| Value::String("trace".into()));
    }
}

/// Parameters whose values are variants with a `kind`.
const TAGGED: [&str; 4] = ["arrivals", "demand", "durations", "profiles"];

/// serde's message with the parameter that it is about, in words.
fn explained(point: &Table, reason: &str) -> String {
    let mut names = reason.split('`').skip(1).step_by(2);
    if let (true, Some(field)) = (reason.starts_with("unknown field"), names.next()) {
        let path =
            point.keys().find(|path| path.split('.').any(|part| part == field)).map_or(field, String::as_str);
        let short = super::file::ALIASES.iter().map(|(short, _)| *short);
        return format!("unknown parameter {path}{}", suggestion(field, names.chain(short)));
    }
    let alone = |parameter: Table| match nested(&parameter).and_then(UnitSpec::from_parameters) {
        Err(fault) if fault == reason => Err(fault),
        _ => Ok(()),
    };
    match culprit(point, alone) {
        Some((path, value, reason)) => plainly(short_name(path), value, &reason),
        None => reason.to_string(),
    }
}
