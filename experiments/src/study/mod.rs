//! Studies: grids of instances or simulations with everything computed on each, resumable and in parallel.
//!
//! STUDY.toml ([`StudyFile`]) -> [`Plan`] of units with ids -> [`run()`] writes finished units as
//! parts -> [`write_tables`] makes the tidy tables of them, in the order of the plan. A unit is one
//! instance, generated or taken from a trace, and one [`compare`](crate::compare) of the study's methods
//! on it; or one workload, policy and load, simulated with every mechanism.
//!
//! Parts are the only state. A unit's id is the hash of its resolved specification without the
//! methods, and a part says which methods it has, so adding a mechanism to a finished study computes
//! that mechanism alone.

mod check;
mod directory;
mod error;
mod file;
mod inputs;
mod merge;
mod method;
pub mod parts;
mod plan;
mod progress;
mod run;
mod simulated;
mod unit;
mod words;

pub use check::{CheckReport, check};
pub use directory::{Directory, Shard};
pub use error::StudyError;
pub use file::{ALIASES, Methods, STUDY_SCHEMA, StudyFile, full_path, short_name};
pub use inputs::Inputs;
pub use merge::{
    Completion, MergeReport, SIMULATION_TABLES, STUDY_TABLES, gather, progress_of, write_tables,
};
pub use method::{Method, Plugins, check_method};
pub use plan::{Plan, PlannedUnit, UnitId, resolve, workload_seed};
pub use progress::duration;
pub use run::{Pilot, RunOptions, RunReport, pilot, run};
pub use simulated::Simulated;
pub use unit::{Computed, LimitSpec, MomentSpec, RuleSpec, Runner, UnitSpec, scope_of};

#[cfg(test)]
mod tests;
