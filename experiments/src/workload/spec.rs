//! `WorkloadSpec`: everything that makes a workload, as one TOML file or as flags.

use super::models::ModelSet;
use super::profile_files::read_profiles;
use super::synthetic::SyntheticSpec;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use synergy_solver::model::{Amounts, Cluster, ModelError, ServerGroup};
use thiserror::Error;

/// What is wrong with a workload. Messages are fragments that complete "FILE: ...".
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WorkloadError {
    /// A value of the spec.
    #[error("{field}: {problem}")]
    Field {
        /// Name in files.
        field: &'static str,
        /// What it is and what it should be.
        problem: String,
    },
    /// A file that is no spec.
    #[error("{0}")]
    Toml(String),
    /// A file that the spec names.
    #[error("{0}")]
    File(String),
    /// The instance that follows from the spec.
    #[error(transparent)]
    Model(#[from] ModelError),
}

pub(crate) fn fault(field: &'static str, problem: impl Into<String>) -> WorkloadError {
    WorkloadError::Field { field, problem: problem.into() }
}

/// A workload: cluster, profiles, and how jobs are drawn. The default is the paper's single-GPU
/// workload with all jobs at time 0 on 128 GPUs (problem statement, section 8).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkloadSpec {
    /// Seed of every random stream.
    pub seed: u64,
    /// Number of jobs. Absent: as many as fill the GPUs exactly, or an endless stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u64>,
    /// Imported trace that knobs of kind `trace` and `empirical` draw on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,
    /// Servers.
    pub cluster: ClusterSpec,
    /// Sensitivity matrices.
    pub profiles: ProfileSpec,
    /// Task classes and models.
    pub mix: MixSpec,
    /// When jobs arrive.
    pub arrivals: ArrivalSpec,
    /// Length of jobs at the baseline rate.
    pub durations: DurationSpec,
    /// GPU demands.
    pub demand: DemandSpec,
}

/// An imported trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSpec {
    /// Jobs table that `synergy import` wrote, relative to the working directory.
    pub path: PathBuf,
    /// Job that the workload begins with, from 0 in arrival order; its arrival becomes time 0.
    #[serde(default)]
    pub first_job: usize,
}

/// Identical servers by total GPUs and ratio, or a list of groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterSpec {
    /// GPUs in all; a multiple of `gpus_per_server`.
    pub gpus: u32,
    /// GPUs of one server.
    pub gpus_per_server: u32,
    /// CPU:GPU ratio.
    pub cpus_per_gpu: f64,
    /// Memory per GPU, in GB.
    pub memory_gb_per_gpu: f64,
    /// Name of the GPU type.
    pub gpu_type: String,
    /// Server groups; when given, they stand instead of all the above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupSpec>,
}

/// One group of identical servers, as in instance files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// Name of the GPU type.
    pub gpu_type: String,
    /// Number of servers.
    pub count: usize,
    /// GPUs of one server.
    pub gpus: u32,
    /// CPUs of one server.
    pub cpus: f64,
    /// Memory of one server, in GB.
    pub memory_gb: f64,
}

impl Default for ClusterSpec {
    /// The paper's: 16 servers of 8 GPUs, 24 CPUs, 500 GB.
    fn default() -> Self {
        ClusterSpec {
            gpus: 128,
            gpus_per_server: 8,
            cpus_per_gpu: 3.0,
            memory_gb_per_gpu: 62.5,
            gpu_type: "v100".into(),
            groups: Vec::new(),
        }
    }
}

impl ClusterSpec {
    /// The cluster.
    ///
    /// # Errors
    /// GPUs that are no multiple of a server's; a count or capacity that no cluster has.
    pub fn build(&self) -> Result<Cluster, WorkloadError> {
        if !self.groups.is_empty() {
            let group = |g: &GroupSpec| ServerGroup {
                gpu_type: g.gpu_type.clone(),
                count: g.count,
                gpus: g.gpus,
                capacity: Amounts::new(g.cpus, g.memory_gb),
            };
            return Ok(Cluster::new(self.groups.iter().map(group).collect())?);
        }
        let size = self.gpus_per_server;
        if size == 0 {
            return Err(fault("cluster.gpus_per_server", "is 0; give at least 1"));
        }
        if self.gpus == 0 || !self.gpus.is_multiple_of(size) {
            let problem =
                format!("is {}; give a multiple of the {size} GPUs of a server, above 0", self.gpus);
            return Err(fault("cluster.gpus", problem));
        }
        for (field, value) in [
            ("cluster.cpus_per_gpu", self.cpus_per_gpu),
            ("cluster.memory_gb_per_gpu", self.memory_gb_per_gpu),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(fault(field, format!("is {value}; give a finite number above 0")));
            }
        }
        let capacity = Amounts::new(self.cpus_per_gpu, self.memory_gb_per_gpu).scaled(f64::from(size));
        Ok(Cluster::new(vec![ServerGroup {
            gpu_type: self.gpu_type.clone(),
            count: (self.gpus / size) as usize,
            gpus: size,
            capacity,
        }])?)
    }
}

/// Where the sensitivity matrices come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ProfileSpec {
    /// The published profiles of the default mix.
    Published {},
    /// Profiles of a file, see [`read_profiles`].
    File {
        /// The file, relative to the working directory.
        path: PathBuf,
        /// Raise a matrix that decreases along an axis to its running maximum, instead of refusing it.
        #[serde(default)]
        repair: bool,
    },
    /// A synthetic family.
    Synthetic(SyntheticSpec),
}

impl ProfileSpec {
    /// The models; `seed` is for those that are drawn.
    ///
    /// # Errors
    /// A file that cannot be used, axes that are no grid.
    pub fn models(&self, seed: u64) -> Result<ModelSet, WorkloadError> {
        match self {
            ProfileSpec::Published {} => Ok(ModelSet::published()),
            ProfileSpec::File { path, repair } => read_profiles(path, *repair),
            ProfileSpec::Synthetic(family) => family.build(seed),
        }
    }
}

impl ProfileSpec {
    /// With matrices that decrease along an axis raised instead of refused. Nothing but a file has such.
    #[must_use]
    pub fn repairing(self) -> Self {
        match self {
            ProfileSpec::File { path, .. } => ProfileSpec::File { path, repair: true },
            other => other,
        }
    }
}

impl Default for ProfileSpec {
    fn default() -> Self {
        ProfileSpec::Published {}
    }
}

/// Task classes and models inside them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MixSpec {
    /// Weights of the classes: image, language, speech for the published profiles, otherwise classes
    /// in order of appearance. Absent: 20, 70, 10 for the published ones, otherwise equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<Vec<f64>>,
    /// How classes are assigned.
    pub classes: ClassChoice,
    /// How a model inside the class is chosen.
    pub models: ModelChoice,
}

/// How classes are assigned to jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassChoice {
    /// The class that lags most behind its share: the running mix tracks the split.
    #[default]
    Tracking,
    /// Independent draws.
    Random,
}

/// How a model is chosen inside a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ModelChoice {
    /// Uniform, independent draws.
    #[default]
    Random,
    /// One after another.
    RoundRobin,
    /// The trace's own, row by row; the split does not count.
    Trace,
}

/// When jobs arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// All at time 0.
    AtZero {},
    /// A Poisson stream.
    Poisson {
        /// Rate.
        jobs_per_hour: f64,
    },
    /// The trace's own, row by row.
    Trace {
        /// Factor on the arrival rate: 2 halves every arrival time.
        #[serde(default = "one")]
        speedup: f64,
    },
}

fn one() -> f64 {
    1.0
}

impl Default for ArrivalSpec {
    fn default() -> Self {
        ArrivalSpec::AtZero {}
    }
}

/// Length of jobs at the baseline rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DurationSpec {
    /// 80 % of jobs 10^U(1.5,3) minutes, 20 % 10^U(3,4) minutes; mean 16.77 h.
    Published {},
    /// Log-normal.
    LogNormal {
        /// Median.
        median_s: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// All equal.
    Fixed {
        /// Length.
        duration_s: f64,
    },
    /// Independent draws from the trace's durations.
    Empirical {},
    /// The trace's own, row by row.
    Trace {},
}

impl Default for DurationSpec {
    fn default() -> Self {
        DurationSpec::Published {}
    }
}

/// GPU demands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DemandSpec {
    /// One GPU each.
    Single {},
    /// 70 % 1, 10 % 2, 15 % 4, 5 % 8 GPUs.
    Multi {},
    /// Any mixture.
    Mixture {
        /// Demands.
        gpus: Vec<u32>,
        /// Their weights.
        weights: Vec<f64>,
    },
    /// Weight of demand g is g^-exponent.
    PowerLaw {
        /// Exponent.
        exponent: f64,
        /// Largest demand.
        max_gpus: u32,
        /// Only 1, 2, 4, 8, ...
        #[serde(default)]
        powers_of_two: bool,
    },
    /// Independent draws from the trace's demands.
    Empirical {},
    /// The trace's own, row by row.
    Trace {},
}

impl Default for DemandSpec {
    fn default() -> Self {
        DemandSpec::Single {}
    }
}

impl WorkloadSpec {
    /// Reads a TOML spec. Keys that are absent have their defaults; unknown keys are errors.
    ///
    /// # Errors
    /// Text that is no TOML or no spec, with line and column; values that [`WorkloadSpec::validate`] refuses.
    pub fn from_toml(text: &str) -> Result<Self, WorkloadError> {
        let spec: WorkloadSpec = toml::from_str(text).map_err(|error| {
            let place = error.span().map(|span| {
                let before = &text[..span.start.min(text.len())];
                let line = before.matches('\n').count() + 1;
                format!("line {line}: ")
            });
            WorkloadError::Toml(format!("{}{}", place.unwrap_or_default(), error.message()))
        })?;
        spec.validate()?;
        Ok(spec)
    }

    /// The spec as TOML, with every default written out.
    ///
    /// # Errors
    /// Never for a valid spec; a number that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String, WorkloadError> {
        toml::to_string(self).map_err(|error| WorkloadError::Toml(error.to_string()))
    }

    /// Checks every value that does not depend on files.
    ///
    /// # Errors
    /// The first value that makes no sense, by its name in files.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        if self.jobs == Some(0) {
            return Err(fault("jobs", "is 0; give at least 1, or leave it out to fill the GPUs"));
        }
        self.cluster.build()?;
        let positive = |field, value: f64| {
            if value.is_finite() && value > 0.0 {
                Ok(())
            } else {
                Err(fault(field, format!("is {value}; give a finite number above 0")))
            }
        };
        if let Some(split) = &self.mix.split {
            check_weights("mix.split", split)?;
        }
        if let ProfileSpec::Synthetic(family) = &self.profiles {
            family.validate()?;
        }
        match &self.arrivals {
            ArrivalSpec::AtZero {} => {}
            ArrivalSpec::Poisson { jobs_per_hour } => positive("arrivals.jobs_per_hour", *jobs_per_hour)?,
            ArrivalSpec::Trace { speedup } => positive("arrivals.speedup", *speedup)?,
        }
        match &self.durations {
            DurationSpec::Published {} | DurationSpec::Empirical {} | DurationSpec::Trace {} => {}
            DurationSpec::LogNormal { median_s, sigma } => {
                positive("durations.median_s", *median_s)?;
                if !(sigma.is_finite() && *sigma >= 0.0) {
                    return Err(fault(
                        "durations.sigma",
                        format!("is {sigma}; give a finite number, 0 or above"),
                    ));
                }
            }
            DurationSpec::Fixed { duration_s } => positive("durations.duration_s", *duration_s)?,
        }
        match &self.demand {
            DemandSpec::Single {}
            | DemandSpec::Multi {}
            | DemandSpec::Empirical {}
            | DemandSpec::Trace {} => {}
            DemandSpec::Mixture { gpus, weights } => {
                if gpus.is_empty() || gpus.contains(&0) {
                    return Err(fault("demand.gpus", "give at least one demand, all above 0"));
                }
                if gpus.len() != weights.len() {
                    let problem = format!("has {} entries for {} demands", weights.len(), gpus.len());
                    return Err(fault("demand.weights", problem));
                }
                check_weights("demand.weights", weights)?;
            }
            DemandSpec::PowerLaw { exponent, max_gpus, .. } => {
                if !exponent.is_finite() {
                    return Err(fault("demand.exponent", format!("is {exponent}; give a finite number")));
                }
                if !(1..=MOST_GPUS).contains(max_gpus) {
                    return Err(fault("demand.max_gpus", format!("is {max_gpus}; give 1 to {MOST_GPUS}")));
                }
            }
        }
        Ok(())
    }
}

impl WorkloadSpec {
    /// Everything from a trace: arrivals, durations, demands and profiles.
    pub fn of_trace(path: impl Into<PathBuf>) -> Self {
        WorkloadSpec {
            trace: Some(TraceSpec { path: path.into(), first_job: 0 }),
            mix: MixSpec { models: ModelChoice::Trace, ..MixSpec::default() },
            arrivals: ArrivalSpec::Trace { speedup: 1.0 },
            durations: DurationSpec::Trace {},
            demand: DemandSpec::Trace {},
            ..WorkloadSpec::default()
        }
    }

    /// Whether a seed changes anything: not where every knob follows a trace row by row.
    pub fn is_drawn(&self) -> bool {
        let by_row = matches!(self.arrivals, ArrivalSpec::Trace { .. } | ArrivalSpec::AtZero {})
            && matches!(self.durations, DurationSpec::Trace {})
            && matches!(self.demand, DemandSpec::Trace {})
            && self.mix.models == ModelChoice::Trace;
        !by_row || matches!(self.profiles, ProfileSpec::Synthetic(_))
    }

    /// The first knob that draws on a trace, by its name in files.
    pub(super) fn knob_of_trace(&self) -> Option<&'static str> {
        [
            ("arrivals", matches!(self.arrivals, ArrivalSpec::Trace { .. })),
            ("durations", matches!(self.durations, DurationSpec::Trace {} | DurationSpec::Empirical {})),
            ("demand", matches!(self.demand, DemandSpec::Trace {} | DemandSpec::Empirical {})),
            ("mix.models", self.mix.models == ModelChoice::Trace),
        ]
        .into_iter()
        .find_map(|(knob, uses)| uses.then_some(knob))
    }
}

/// Largest demand of a power law: every demand up to it is an entry of a table.
const MOST_GPUS: u32 = 1 << 20;

/// Weights: finite, none below 0, not all 0.
fn check_weights(field: &'static str, weights: &[f64]) -> Result<(), WorkloadError> {
    let sound = weights.iter().all(|w| w.is_finite() && *w >= 0.0);
    if !sound || weights.iter().sum::<f64>() <= 0.0 {
        return Err(fault(field, "give finite numbers, none below 0, at least one above"));
    }
    Ok(())
}
