//! What a simulation unit has beside its workload: the rules of `synergy simulate`, one policy, one load.

use crate::simulator::SimulationSpec;
use crate::workload::WorkloadSpec;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// A simulation without its mechanisms. In files: the fields of [`SimulationSpec`] with one value each,
/// `policy` and `load` (jobs per hour; absent: the workload's own arrivals) for the lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct Simulated(SimulationSpec);

/// What the study itself says: its seed, its methods, its parameters.
const ELSEWHERE: [&str; 3] = ["mechanisms", "seeds", "workload"];

impl Simulated {
    /// The policy.
    pub fn policy(&self) -> &str {
        self.0.policies.first().map_or("", String::as_str)
    }

    /// All of it, with these mechanisms on this workload.
    pub fn spec(&self, mechanisms: Vec<String>, workload: WorkloadSpec) -> SimulationSpec {
        SimulationSpec { mechanisms, workload, ..self.0.clone() }
    }
}

impl TryFrom<Table> for Simulated {
    type Error = String;

    fn try_from(mut fields: Table) -> Result<Self, String> {
        for (one, list) in [("policy", "policies"), ("load", "loads")] {
            if fields.contains_key(list) {
                return Err(format!("simulation.{list}: in [parameters] and [axes] it is simulation.{one}"));
            }
            if let Some(value) = fields.remove(one) {
                fields.insert(list.into(), Value::Array(vec![value]));
            }
        }
        if let Some(key) = ELSEWHERE.into_iter().find(|key| fields.contains_key(*key)) {
            let place = match key {
                "mechanisms" => "[methods]",
                "seeds" => "seed and replicates",
                _ => "[parameters]",
            };
            return Err(format!("simulation.{key}: a study says it in {place}"));
        }
        Value::Table(fields).try_into().map(Simulated).map_err(|e: toml::de::Error| e.message().to_string())
    }
}

impl From<Simulated> for Table {
    fn from(simulated: Simulated) -> Table {
        let mut fields = Table::try_from(&simulated.0).unwrap_or_default();
        ELSEWHERE.iter().for_each(|key| drop(fields.remove(*key)));
        for (one, list) in [("policy", "policies"), ("load", "loads")] {
            let first = match fields.remove(list) {
                Some(Value::Array(values)) => values.into_iter().next(),
                _ => None,
            };
            fields.extend(first.map(|value| (one.to_string(), value)));
        }
        fields
    }
}
