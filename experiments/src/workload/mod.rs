//! Workloads: what jobs there are and when they arrive.
//!
//! A [`WorkloadSpec`] says everything in one file; a [`Workload`] has the profiles and traces that it
//! names at hand and gives a static instance ([`Workload::instance`]) or a stream in arrival order
//! ([`Workload::stream`]). Same spec, same bytes.

mod generate;
mod load;
mod models;
mod spec;
mod streams;

pub use generate::{JobStream, StreamedJob, Workload};
pub use load::OfferedLoad;
pub use models::{Model, ModelChooser, ModelSet};
pub use spec::{
    ArrivalSpec, ClassChoice, ClusterSpec, DemandSpec, DurationSpec, GroupSpec, MixSpec, ModelChoice,
    ProfileSpec, WorkloadError, WorkloadSpec,
};
pub use streams::{Purpose, Stream};

#[cfg(test)]
mod tests;
