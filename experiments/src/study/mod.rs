//! Studies: grids of generated instances with everything computed on each, resumable and in parallel.
//!
//! STUDY.toml ([`StudyFile`]) -> [`Plan`] of units with ids -> [`run()`] writes finished units as
//! parts -> [`write_tables`] makes the tidy tables of them, in the order of the plan. A unit is one
//! generated instance and one [`compare`](crate::compare) of the study's methods on it.
//!
//! Parts are the only state. A unit's id is the hash of its resolved specification without the
//! methods, and a part says which methods it has, so adding a mechanism to a finished study computes
//! that mechanism alone.

mod check;
mod directory;
mod error;
mod file;
mod merge;
pub mod parts;
mod plan;
mod progress;
mod run;
mod unit;

pub use check::{CheckReport, check};
pub use directory::{Directory, Shard};
pub use error::StudyError;
pub use file::{ALIASES, Methods, STUDY_SCHEMA, StudyFile, full_path, short_name};
pub use merge::{Completion, MergeReport, STUDY_TABLES, gather, progress_of, write_tables};
pub use plan::{Plan, PlannedUnit, UnitId, check_method, resolve, workload_seed};
pub use progress::duration;
pub use run::{Pilot, RunOptions, RunReport, pilot, run};
pub use unit::{LimitSpec, RuleSpec, UnitSpec, scope_of};

#[cfg(test)]
mod tests;
