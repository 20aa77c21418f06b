//! The benchmark set: a few hundred fixed instances with the best value and the best bounds known for
//! each, and the score of a mechanism on them.
//!
//! An instance is kept as the specification of its workload and a fingerprint of what that generates, so
//! that a generator that changes is noticed and never changes a score. Scores are exact: same set, same
//! mechanism, same numbers on any number of threads. Seconds are measured apart.

mod known;
mod report;
mod run;
mod score;
#[cfg(test)]
mod tests;

pub use known::{Improvement, improve};
pub use report::{to_json, to_markdown, to_text};
pub use run::{Measured, Prepared, Run, Timing, prepare, run, time};
pub use score::{Score, score};

use crate::error::InputError;
use crate::study::{Inputs, RuleSpec, UnitSpec, scope_of};
use crate::workload::WorkloadSpec;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use synergy_solver::check::Verdicts;
use synergy_solver::model::{Instance, ThroughputRule};

/// Name of the set that comes with the program.
pub const BUILTIN: &str = "v1";

/// The file of a set's directory.
pub const FILE: &str = "instances.jsonl";

/// Relative tolerance of "above": values that differ by less are equal.
pub const TOLERANCE: f64 = 1e-6;

/// A set of instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// Name of the directory, such as `v1`.
    pub name: String,
    /// Instances in the order of the file.
    pub entries: Vec<Entry>,
}

/// An instance and what is known of it: one line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name, unique in the set.
    pub name: String,
    /// The workload ([`WorkloadSpec`]); what is absent has its default.
    pub workload: Value,
    /// The rules ([`RuleSpec`]), where they are not the defaults.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub rules: Value,
    /// [`fingerprint`] of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Certified bounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<KnownBound>,
    /// Best value of a complete, fair, consolidated allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<KnownValue>,
}

/// A certified upper bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBound {
    /// Name of the bound.
    pub by: String,
    /// Allocations that it holds for, as in the column `scope` of the table `bounds`.
    pub scope: String,
    /// Certified number.
    pub value: f64,
}

/// A value that an allocation has reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownValue {
    /// Mechanism, with parameters.
    pub by: String,
    /// Value.
    pub value: f64,
}

impl Set {
    /// The set that comes with the program.
    ///
    /// # Errors
    /// Never: its file is part of the program, and a test reads it.
    pub fn builtin() -> Result<Self, InputError> {
        let text = include_str!("../../benchmark-sets/v1/instances.jsonl");
        Self::parse(BUILTIN, &format!("benchmark-sets/v1/{FILE}"), text)
    }

    /// The set in `directory`.
    ///
    /// # Errors
    /// No file there, or a line that is no entry, by number.
    pub fn read(directory: &Path) -> Result<Self, InputError> {
        let file = Self::file(directory);
        let text = std::fs::read_to_string(&file).map_err(|error| InputError::read(file.display(), error))?;
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &file.display().to_string(), &text)
    }

    /// Where the set in `directory` is stored.
    pub fn file(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    fn parse(name: &str, file: &str, text: &str) -> Result<Self, InputError> {
        let mut entries: Vec<Entry> = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = |message: String| InputError::at(file, format!("line {}", index + 1), message);
            let entry: Entry = serde_json::from_str(line).map_err(|error| place(error.to_string()))?;
            if let Some(bound) = entry.bounds.iter().find(|bound| scope_of(&bound.scope).is_none()) {
                return Err(place(format!(
                    "unknown scope {:?}; see the column scope of bounds",
                    bound.scope
                )));
            }
            if entries.iter().any(|earlier| earlier.name == entry.name) {
                return Err(place(format!("a second instance {:?}; names are unique", entry.name)));
            }
            entries.push(entry);
        }
        if entries.is_empty() {
            return Err(InputError::whole(file, "has no instances; one JSON object per line"));
        }
        Ok(Set { name: name.to_owned(), entries })
    }

    /// The file's text: one line per instance.
    pub fn to_text(&self) -> String {
        let line = |entry: &Entry| serde_json::to_string(entry).unwrap_or_default() + "\n";
        self.entries.iter().map(line).collect()
    }
}

impl Entry {
    /// Generates the instance.
    ///
    /// # Errors
    /// A specification that generates none, in one line.
    pub fn instance(&self) -> Result<Instance, String> {
        let workload: WorkloadSpec =
            serde_json::from_value(self.workload.clone()).map_err(|error| format!("workload: {error}"))?;
        workload.validate().map_err(|error| format!("workload: {error}"))?;
        let rules: RuleSpec = match &self.rules {
            Value::Null => RuleSpec::default(),
            rules => serde_json::from_value(rules.clone()).map_err(|error| format!("rules: {error}"))?,
        };
        let mut instance = UnitSpec { workload, rules, ..UnitSpec::default() }.instance(&Inputs::default())?;
        instance.name = self.name.clone();
        Ok(instance)
    }

    /// The least bound that holds for an allocation with these verdicts.
    pub fn bound(&self, verdicts: &Verdicts) -> Option<&KnownBound> {
        let holds = |bound: &&KnownBound| scope_of(&bound.scope).is_some_and(|scope| scope.covers(verdicts));
        self.bounds.iter().filter(holds).min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The least bound on complete, fair, consolidated allocations: what the best known value is held against.
    pub fn best_bound(&self) -> Option<&KnownBound> {
        self.bound(&Verdicts { valid: true, consolidated: true, fair: true, complete: true })
    }
}

/// A hash of everything that a value depends on: rules, servers, matrices, demands, weights and order. Names
/// do not count.
pub fn fingerprint(instance: &Instance) -> String {
    let mut hash = blake3::Hasher::new();
    let mut number = |x: f64| {
        hash.update(&x.to_le_bytes());
    };
    let rules = instance.rules();
    number(f64::from(u8::from(rules.whole_cpus)));
    number(f64::from(u8::from(rules.throughput == ThroughputRule::Bilinear)));
    for group in instance.cluster().groups() {
        number(group.count as f64);
        number(f64::from(group.gpus));
        group.capacity.iter().for_each(&mut number);
    }
    for class in instance.classes() {
        number(f64::from(class.gpus));
        number(class.configurations.len() as f64);
        for configuration in &class.configurations {
            configuration.amounts.iter().for_each(&mut number);
            number(configuration.throughput);
        }
        number(class.baseline);
    }
    for job in instance.queue() {
        number(instance.jobs()[job].class as f64);
        number(instance.objective_weight(job));
    }
    hash.finalize().to_hex()[..16].to_owned()
}
