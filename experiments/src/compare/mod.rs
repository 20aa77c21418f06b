//! One instance, every method: bounds, placements and mechanisms side by side, with the gaps between them.
//!
//! [`compare`] is pure but for the seconds that it measures: same instance, same options, same
//! numbers. `synergy compare` prints a [`Comparison`]; a unit of a study is one.

mod estimate;
mod json;
mod methods;
mod promises;
mod rows;
mod run;
mod table;

pub use estimate::{ErrorCost, costs_to_json, costs_to_table, error_costs};
pub use json::to_json;
pub use methods::{AtHand, UnknownMethod, split_names};
pub use promises::broken_promises;
pub use rows::write_rows;
pub use run::{compare, compare_with};
pub use table::{legend, to_table};

use synergy_solver::bounds::{BoundResult, LpMethod};
use synergy_solver::check::Verdicts;
use synergy_solver::model::Instance;
use synergy_solver::status::{Effort, Status};

/// Everything that was computed for one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was compared on.
    pub instance: InstanceSummary,
    /// Bounds, in the order of the registry.
    pub bounds: Vec<BoundRecord>,
    /// Placements of stage two, in the order of the registry.
    pub placements: Vec<PlacementRecord>,
    /// Mechanisms, in the order of the registry.
    pub mechanisms: Vec<MechanismRecord>,
}

/// Size of an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceSummary {
    /// Name of the instance.
    pub name: String,
    /// Jobs in the queue.
    pub jobs: usize,
    /// Jobs of the runnable set.
    pub runnable_jobs: usize,
    /// GPUs of the cluster.
    pub gpus: u64,
    /// GPUs that all jobs together ask for.
    pub requested_gpus: u64,
    /// Servers of the cluster.
    pub servers: usize,
    /// CPUs of the cluster.
    pub cpus: f64,
    /// Memory of the cluster in GB.
    pub memory_gb: f64,
    /// Classes of equal profile and GPU demand.
    pub classes: usize,
    /// Sum of the objective weights of the runnable set: what `value_per_job` divides by, for every mechanism.
    pub runnable_weight: f64,
}

impl InstanceSummary {
    /// The summary of `instance`.
    pub fn new(instance: &Instance) -> Self {
        let queue = instance.queue();
        let runnable = instance.runnable(&queue);
        let cluster = instance.cluster();
        InstanceSummary {
            name: instance.name.clone(),
            jobs: queue.len(),
            runnable_jobs: runnable.len(),
            gpus: cluster.gpus(),
            requested_gpus: queue.iter().map(|&job| u64::from(instance.gpus(job))).sum(),
            servers: cluster.servers(),
            cpus: cluster.capacity().cpus(),
            memory_gb: cluster.capacity().memory_gb(),
            classes: instance.classes().len(),
            runnable_weight: runnable.iter().map(|&job| instance.objective_weight(job)).sum(),
        }
    }
}

/// A bound.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundRecord {
    /// Name.
    pub name: String,
    /// What was found.
    pub result: BoundResult,
    /// Wall time; unknown for a bound that was skipped.
    pub seconds: Option<f64>,
}

impl BoundRecord {
    /// The number that gaps use: our own certificate for LPs, the solver's dual bound where `trusted`.
    pub fn published(&self) -> Option<f64> {
        if self.result.trusted { self.result.value } else { self.result.certified }
    }
}

/// A placement of stage two.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacementRecord {
    /// Name.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// Jobs on more than one server.
    pub fragmented: Option<usize>,
    /// Non-zeros less the number of jobs.
    pub pieces: Option<usize>,
    /// Fragmented jobs that a vertex has at most: 3s on s servers of one group.
    pub limit: Option<usize>,
    /// Proven least number of pieces, where the method proves one.
    pub bound: Option<f64>,
    /// (pieces - bound) / max(pieces, 1), where there is a bound.
    pub gap: Option<f64>,
    /// Wall time of stage two; unknown for a placement that was skipped.
    pub seconds: Option<f64>,
    /// Why there is no placement, where that is not plain.
    pub message: Option<String>,
}

/// A mechanism's allocation and what the checker says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MechanismRecord {
    /// Name, with parameters.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// What the checker found; none without an allocation.
    pub checked: Option<Checked>,
    /// Gap to each bound of the comparison: (bound - value) / bound; `None` where the bound does
    /// not hold for this allocation, or is not known.
    pub gaps: Vec<(String, Option<f64>)>,
    /// Bound that the mechanism proves itself.
    pub bound: Option<f64>,
    /// (bound - value) / bound for its own bound.
    pub certified_gap: Option<f64>,
    /// What its search did.
    pub effort: Option<Effort>,
    /// Wall time; unknown for a mechanism that was skipped.
    pub seconds: Option<f64>,
    /// Why it has no allocation, or which promise its allocation breaks.
    pub message: Option<String>,
}

/// What the independent checker found about an allocation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checked {
    /// Sum of objective weight x normalised throughput.
    pub value: f64,
    /// Value over [`InstanceSummary::runnable_weight`]; `None` when that is 0.
    pub value_per_job: Option<f64>,
    /// The four verdicts.
    pub verdicts: Verdicts,
    /// Scheduled jobs.
    pub placed: usize,
    /// Jobs that the mechanism was given (the runnable set, or the whole queue) and left out.
    pub skipped: usize,
    /// GPUs that no job holds.
    pub gpus_idle: f64,
    /// Jobs reverted to their proportional share.
    pub reverted: usize,
    /// Jobs on more than one server.
    pub fragmented: usize,
}

/// What is compared, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// Bounds, placements and mechanisms by name. Without it: all, but those too large for the instance
    /// get status `skipped`. A method named here always runs.
    pub only: Option<Vec<String>>,
    /// Stage one offers only what the fewest servers for a job provide. Tighter; such bounds hold for
    /// consolidated allocations only.
    pub per_server_cap: bool,
    /// Seconds per solve. A row that the clock ended is outside the promise of equal results.
    pub time_limit_s: Option<f64>,
    /// Branch-and-bound nodes per solve. Without it, searches that nobody named stop after few, so that the
    /// comparison answers in seconds.
    pub node_limit: Option<u64>,
    /// Share of its baseline that bounds and optimal allocations leave every job, in [0, 1]; below 1 they show the
    /// price of fairness.
    pub fairness_floor: f64,
    /// How stage one is formulated and solved; by size and structure when `None`.
    pub lp_method: Option<LpMethod>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            only: None,
            per_server_cap: false,
            time_limit_s: Some(60.0),
            node_limit: None,
            fairness_floor: 1.0,
            lp_method: None,
        }
    }
}
