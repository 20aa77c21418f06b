//! STUDY.toml: reading, including, overriding.

use super::words::{culprit, one_line, plainly};
use super::{StudyError, UnitSpec, inputs};
use crate::error::suggestion;
use crate::plugins::command_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Version of the study file format.
pub const STUDY_SCHEMA: &str = "synergy-study/1";

/// A study as its file states it, with what it includes and `--set` already merged in.
///
/// Every parameter of a unit ([`UnitSpec`](super::UnitSpec)) has a dotted path, such as
/// `cluster.gpus` or `rules.objective`, and is fixed in `parameters`, or varied in `axes` (all
/// combinations) or `zipped` (walked together). The usual ones have short names: [`ALIASES`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Always [`STUDY_SCHEMA`].
    pub schema: String,
    /// Name, also of the default results directory; the file's own name when absent.
    pub name: String,
    /// What the study is for.
    #[serde(default)]
    pub description: String,
    /// Master seed.
    #[serde(default)]
    pub seed: u64,
    /// Workloads per combination of axes; replicate r has the same draws in every combination.
    #[serde(default = "one")]
    pub replicates: u32,
    /// What is computed on every instance.
    #[serde(default)]
    pub methods: Methods,
    /// Fixed parameters by path.
    #[serde(default)]
    pub parameters: Table,
    /// Lists of values by path; the study has all their combinations.
    #[serde(default)]
    pub axes: Table,
    /// Groups of lists of one length, walked together; each group is one more axis.
    #[serde(default)]
    pub zipped: Vec<Table>,
    /// Combinations to leave out: those that agree with every key of one of these tables.
    #[serde(default)]
    pub exclude: Vec<Table>,
    /// Hash of the files that plug-ins among the mechanisms name; filled in when a study is read to be
    /// run, and stored with its results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// Where the files are whose names among the parameters became hashes.
    #[serde(skip)]
    pub origins: BTreeMap<String, PathBuf>,
}

fn one() -> u32 {
    1
}

/// Names of what is computed on every instance of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Methods {
    /// Bounds.
    #[serde(default)]
    pub bounds: Vec<String>,
    /// Placements of stage two.
    #[serde(default)]
    pub placements: Vec<String>,
    /// Mechanisms.
    #[serde(default)]
    pub mechanisms: Vec<String>,
}

/// Short names of parameters. They are also the names of columns of the table `instances`.
pub const ALIASES: [(&str, &str); 15] = [
    ("gpus", "cluster.gpus"),
    ("gpus_per_server", "cluster.gpus_per_server"),
    ("cpus_per_gpu", "cluster.cpus_per_gpu"),
    ("memory_gb_per_gpu", "cluster.memory_gb_per_gpu"),
    ("split", "mix.split"),
    ("objective", "rules.objective"),
    ("throughput", "rules.throughput"),
    ("whole_cpus", "rules.whole_cpus"),
    ("per_server_cap", "rules.per_server_cap"),
    ("fairness_floor", "rules.fairness_floor"),
    ("nodes", "limits.nodes"),
    ("trace", "trace.path"),
    ("at_s", "moment.at_s"),
    ("policy", "simulation.policy"),
    ("load", "simulation.load"),
];

/// The path behind a short name; a path is its own.
pub fn full_path(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, path)| path)
}

/// The short name of a path, where it has one.
pub fn short_name(path: &str) -> &str {
    ALIASES.iter().find(|(_, full)| *full == path).map_or(path, |(alias, _)| alias)
}

const TOP_LEVEL: [&str; 11] = [
    "schema",
    "name",
    "description",
    "seed",
    "replicates",
    "methods",
    "parameters",
    "axes",
    "zipped",
    "exclude",
    "programs",
];

impl StudyFile {
    /// Reads a study file to be run, the files it includes, and applies `--set` overrides (`name=a,b`).
    ///
    /// # Errors
    /// A missing file, wrong TOML, an unknown key (with the nearest known one), a circle of includes; a
    /// trace or profile file that cannot be read.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, StudyError> {
        let mut study = Self::stored(path, settings)?;
        let hash = |name: &String| Some((name.clone(), command_of(name)?.ok()?.fingerprint()?));
        study.programs = study.methods.mechanisms.iter().filter_map(hash).collect();
        Ok(study)
    }

    /// Reads the study of a results directory: as [`StudyFile::read`], with plug-ins as they were.
    ///
    /// # Errors
    /// As [`StudyFile::read`].
    pub fn stored(path: &Path, settings: &[String]) -> Result<Self, StudyError> {
        let mut table = read_with_includes(path, &mut Vec::new())?;
        table.entry("name").or_insert_with(|| {
            Value::String(path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        });
        for setting in settings {
            apply_setting(&mut table, setting)?;
        }
        let fault = |reason: String| StudyError::File { path: path.to_path_buf(), reason };
        for key in table.keys() {
            if !TOP_LEVEL.contains(&key.as_str()) {
                return Err(fault(format!(
                    "unknown key {key:?}{}",
                    suggestion(key, TOP_LEVEL.iter().copied().chain(["include"]))
                )));
            }
        }
        if let Some(methods) = table.get("methods").and_then(Value::as_table) {
            let known = ["bounds", "placements", "mechanisms"];
            if let Some(key) = methods.keys().find(|key| !known.contains(&key.as_str())) {
                return Err(fault(format!("unknown key methods.{key}{}", suggestion(key, known))));
            }
        }
        let mut origins = BTreeMap::new();
        inputs::rewrite(&mut table, &mut |file| {
            let name = inputs::name_of(Path::new(file))?;
            origins.insert(name.clone(), PathBuf::from(file));
            Ok(name)
        })
        .map_err(fault)?;
        let mut study = parse(table).map_err(fault)?;
        study.origins = origins;
        study.validate().map_err(fault)?;
        Ok(study)
    }

    /// The specification that `--set` style parameters describe, for commands that need a single one.
    ///
    /// # Errors
    /// As for a study file; a parameter with several values.
    pub fn single(settings: &[String]) -> Result<UnitSpec, StudyError> {
        let mut table = Table::new();
        for setting in settings {
            apply_setting(&mut table, setting)?;
        }
        let mut point = Table::new();
        for (path, values) in table.get("axes").and_then(Value::as_table).into_iter().flatten() {
            match values.as_array().map(Vec::as_slice) {
                Some([value]) => {
                    point.insert(path.clone(), value.clone());
                }
                _ => {
                    let reason = "takes one value here".to_string();
                    return Err(StudyError::Setting { setting: path.clone(), reason });
                }
            }
        }
        super::plan::resolve(&point)
            .map_err(|reason| StudyError::Setting { setting: settings.join(" "), reason })
    }

    /// The resolved study as TOML: what is stored beside the results.
    pub fn resolved(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Whether units are simulations: any parameter of theirs is given.
    pub fn simulates(&self) -> bool {
        let zipped = self.zipped.iter().flat_map(|group| group.keys());
        let mut given = self.parameters.keys().chain(self.axes.keys()).chain(zipped);
        given.any(|path| path.starts_with("simulation."))
    }

    fn validate(&self) -> Result<(), String> {
        if self.schema != STUDY_SCHEMA {
            return Err(format!("schema is {:?}; this program reads {STUDY_SCHEMA:?}", self.schema));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(is_plain) {
            return Err(format!(
                "name {:?}: give letters, digits, '-', '_' or '.', for it names a directory",
                self.name
            ));
        }
        if self.replicates == 0 {
            return Err("replicates is 0; give at least 1".into());
        }
        let methods = &self.methods;
        if methods.bounds.is_empty() && methods.placements.is_empty() && methods.mechanisms.is_empty() {
            return Err("methods names nothing to compute; give methods.bounds, methods.placements or methods.mechanisms".into());
        }
        if self.simulates() && !(methods.bounds.is_empty() && methods.placements.is_empty()) {
            return Err("simulations have no methods.bounds or methods.placements; name lp or ilp among \
                        methods.mechanisms for a bound in the place of one, or set simulation.gap_every"
                .into());
        }
        for (key, list) in [
            ("bounds", &methods.bounds),
            ("placements", &methods.placements),
            ("mechanisms", &methods.mechanisms),
        ] {
            if let Some(twice) = list.iter().enumerate().find(|(i, name)| list[..*i].contains(name)) {
                return Err(format!("methods.{key} names {:?} twice", twice.1));
            }
        }
        for (name, values) in &self.axes {
            match values.as_array() {
                None => {
                    return Err(format!(
                        "axes.{name} must be a list; a single value belongs in [parameters]"
                    ));
                }
                Some(list) if list.is_empty() => {
                    return Err(format!(
                        "axes.{name} is an empty list, which leaves no unit; give it a value or remove it"
                    ));
                }
                Some(_) => {}
            }
        }
        for (index, group) in self.zipped.iter().enumerate() {
            let mut length = None;
            for (name, values) in group {
                let Some(list) = values.as_array().filter(|list| !list.is_empty()) else {
                    return Err(format!("zipped[{index}].{name} must be a list that is not empty"));
                };
                if *length.get_or_insert(list.len()) != list.len() {
                    return Err(format!(
                        "zipped[{index}]: lists of different lengths ({} and {}) cannot be walked together",
                        length.unwrap_or_default(),
                        list.len()
                    ));
                }
            }
            if group.is_empty() {
                return Err(format!("zipped[{index}] names no parameter"));
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for name in self.axes.keys().chain(self.zipped.iter().flat_map(|group| group.keys())) {
            if seen.contains(&name.as_str()) {
                return Err(format!("{name} is varied twice; leave one of its axes"));
            }
            if self.parameters.contains_key(name) {
                return Err(format!("{name} is both in [parameters] and an axis; leave one"));
            }
            seen.push(name);
        }
        let varied_or_fixed = |name: &str| seen.contains(&name) || self.parameters.contains_key(name);
        for (index, rule) in self.exclude.iter().enumerate() {
            if rule.is_empty() {
                return Err(format!("exclude[{index}] names no parameter and would leave no unit"));
            }
            if let Some(name) = rule.keys().find(|name| !varied_or_fixed(name)) {
                return Err(format!(
                    "exclude[{index}].{name} is not varied in this study{}",
                    suggestion(name, seen.iter().copied())
                ));
            }
        }
        Ok(())
    }
}

fn parse(table: Table) -> Result<StudyFile, String> {
    let parse = |table: Table| {
        Value::Table(table).try_into::<StudyFile>().map_err(|e: toml::de::Error| one_line(e.message()))
    };
    parse(table.clone()).map_err(|reason| {
        let alone = |mut entry: Table| {
            for key in ["schema", "name"] {
                entry.entry(key).or_insert_with(|| Value::String(String::new()));
            }
            parse(entry).map(drop)
        };
        match culprit(&table, alone) {
            Some((key, value, reason)) => plainly(key, value, &reason),
            None => reason,
        }
    })
}

fn read_with_includes(path: &Path, chain: &mut Vec<PathBuf>) -> Result<Table, StudyError> {
    let fault = |reason: String| StudyError::File { path: path.to_path_buf(), reason };
    let text = std::fs::read_to_string(path).map_err(|e| fault(format!("cannot be read: {e}")))?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        fault(format!("line {line}: {}", one_line(e.message())))
    })?;
    for section in ["parameters", "axes"] {
        if let Some(Value::Table(nested)) = table.get_mut(section) {
            *nested = by_path(std::mem::take(nested));
        }
    }
    if let Some(section) = table.remove("simulation") {
        let Value::Table(fields) = section else {
            return Err(fault("simulation must be a table: [simulation]".into()));
        };
        spread_simulation(&mut table, fields).map_err(fault)?;
    }
    for section in ["zipped", "exclude"] {
        for nested in table.get_mut(section).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Value::Table(nested) = nested {
                *nested = by_path(std::mem::take(nested));
            }
        }
    }
    let here = path.parent().unwrap_or(Path::new(""));
    let beside = &mut |file: &str| Ok(here.join(file).to_string_lossy().into_owned());
    inputs::rewrite(&mut table, beside).map_err(fault)?;
    let Some(include) = table.remove("include") else { return Ok(table) };
    let Some(include) = include.as_str() else {
        return Err(fault("include must be the path of one file, relative to this one".into()));
    };
    let own = path.canonicalize().map_err(StudyError::io(path))?;
    if chain.contains(&own) {
        return Err(fault("includes itself in a circle".into()));
    }
    chain.push(own);
    let base_path = here.join(include);
    let mut base = read_with_includes(&base_path, chain)?;
    for (key, value) in table {
        match (key.as_str(), value) {
            // A parameter of this file replaces the base's, be that one fixed or varied.
            (section @ ("parameters" | "axes"), Value::Table(own)) => {
                for (name, value) in own {
                    forget(&mut base, &name);
                    insert(&mut base, section, &name, value);
                }
            }
            ("methods", Value::Table(own)) => {
                for (name, value) in own {
                    insert(&mut base, "methods", &name, value);
                }
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
    Ok(base)
}

/// Nested tables as one table by full path. A table with a `kind` is a value, not a level.
fn by_path(table: Table) -> Table {
    fn walk(prefix: &str, table: Table, flat: &mut Table) {
        for (key, value) in table {
            let path = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
            match value {
                Value::Table(nested) if !nested.contains_key("kind") => walk(&path, nested, flat),
                value => {
                    flat.insert(full_path(&path).to_string(), value);
                }
            }
        }
    }
    let mut flat = Table::new();
    walk("", table, &mut flat);
    flat
}

/// The section `[simulation]` as what it stands for: `policies` and `loads` are axes, all else parameters.
fn spread_simulation(study: &mut Table, fields: Table) -> Result<(), String> {
    // An empty section is still a wish for simulations.
    let wish = fields.is_empty().then(|| ("semantics".to_string(), Value::String("paper".into())));
    for (key, value) in fields.into_iter().chain(wish) {
        let (section, name) = match key.as_str() {
            "policies" => ("axes", "policy"),
            "loads" => ("axes", "load"),
            other => ("parameters", other),
        };
        let path = format!("simulation.{name}");
        let known = |section: &str| {
            study.get(section).and_then(Value::as_table).is_some_and(|table| table.contains_key(&path))
        };
        if known("parameters") || known("axes") {
            return Err(format!("{name} is both in [simulation] and among parameters or axes; leave one"));
        }
        insert(study, section, &path, value);
    }
    Ok(())
}

/// Removes a parameter wherever it stands.
fn forget(study: &mut Table, name: &str) {
    for section in ["parameters", "axes"] {
        if let Some(table) = study.get_mut(section).and_then(Value::as_table_mut) {
            table.remove(name);
        }
    }
    if let Some(groups) = study.get_mut("zipped").and_then(Value::as_array_mut) {
        for group in groups.iter_mut().filter_map(Value::as_table_mut) {
            group.remove(name);
        }
        groups.retain(|group| group.as_table().is_none_or(|table| !table.is_empty()));
    }
}

fn insert(study: &mut Table, section: &str, name: &str, value: Value) {
    let table = study.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Some(table) = table.as_table_mut() {
        table.insert(name.to_string(), value);
    }
}

/// `name=a,b` makes an axis of a parameter; `seed`, `replicates`, `name`, and the lists of `methods`
/// are set as they are. A value with commas is written as TOML: `split=["20,70,10","50,0,50"]`.
fn apply_setting(study: &mut Table, setting: &str) -> Result<(), StudyError> {
    let fault = |reason: &str| StudyError::Setting { setting: setting.into(), reason: reason.into() };
    let (name, given) = setting.split_once('=').ok_or_else(|| fault("write it as name=value[,value...]"))?;
    let (name, given) = (name.trim(), given.trim());
    if name.is_empty() || given.is_empty() {
        return Err(fault("write it as name=value[,value...]"));
    }
    let values: Vec<Value> = match toml_value(given) {
        Some(Value::Array(list)) => list,
        Some(value) => vec![value],
        None => given
            .split(',')
            .map(|v| toml_value(v).unwrap_or_else(|| Value::String(v.trim().into())))
            .collect(),
    };
    match name {
        "seed" | "replicates" | "name" | "description" => {
            let [value] = values.as_slice() else { return Err(fault("takes one value")) };
            study.insert(name.into(), value.clone());
        }
        "bounds" | "placements" | "mechanisms" => insert(study, "methods", name, Value::Array(values)),
        "schema" | "include" | "methods" | "axes" | "zipped" | "exclude" | "parameters" | "programs"
        | "simulation" => {
            return Err(fault("names a section; set the parameters and lists inside it by their own names"));
        }
        _ => {
            let path = full_path(name);
            let mut values = values;
            // A path on the command line is relative to where the command runs.
            let absolute = &mut |file: &str| {
                let path = std::path::absolute(file).map_err(|e| e.to_string())?;
                Ok(path.to_string_lossy().into_owned())
            };
            for value in &mut values {
                inputs::rewrite_value(path, value, absolute).map_err(|reason| fault(&reason))?;
            }
            forget(study, path);
            insert(study, "axes", path, Value::Array(values));
        }
    }
    Ok(())
}

fn toml_value(text: &str) -> Option<Value> {
    format!("v = {text}").parse::<Table>().ok()?.remove("v")
}
