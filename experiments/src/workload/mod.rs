//! Workloads: what jobs there are and when they arrive.
//!
//! A [`WorkloadSpec`] says everything in one file; a [`Workload`] has the profiles and traces that it
//! names at hand and gives a static instance ([`Workload::instance`]) or a stream in arrival order
//! ([`Workload::stream`]). Same spec, same bytes.

mod distributions;
mod flags;
mod generate;
mod load;
mod models;
mod profile_files;
mod spec;
mod streams;
mod synthetic;

pub(crate) use distributions::Durations;
pub use generate::{JobStream, StreamedJob, Workload};
pub use load::OfferedLoad;
pub use models::{Model, ModelChooser, ModelSet};
pub use profile_files::{Repair, parse_profiles, profiles_to_text, read_profiles, running_maximum};
pub use spec::{
    ArrivalSpec, ClassChoice, ClusterSpec, DemandSpec, DurationSpec, GroupSpec, MixSpec, ModelChoice,
    ProfileSpec, TraceSpec, WorkloadError, WorkloadSpec,
};
pub use streams::{Purpose, Stream};
pub use synthetic::{Family, Knee, SyntheticSpec};

#[cfg(test)]
mod tests;
