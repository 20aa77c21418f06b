//! Flags that change what the numbers of an instance mean, shared by every command that reads one.

use super::Context;
use crate::error::InputError;
use crate::files::instance;
use clap::ValueEnum;
use synergy_solver::model::{Instance, Objective, Rules, ThroughputRule};

/// Rules of an instance.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    /// What the value of an allocation sums over jobs
    #[arg(long, value_enum, default_value = "normalised")]
    objective: ObjectiveArg,
    /// How throughput between the grid points of a profile is read
    #[arg(long, value_enum, default_value = "floor")]
    throughput: ThroughputArg,
    /// Whole CPUs: shares round down, demands and configurations round up
    #[arg(long)]
    whole_cpus: bool,
    /// Raise profiles that decrease along an axis to their running maximum, with a warning
    #[arg(long)]
    repair_profiles: bool,
}

impl RuleArgs {
    /// Reads an instance by these rules, with a warning for every profile that was repaired.
    pub fn read(self, file: &str, context: &Context) -> Result<Instance, InputError> {
        if !self.repair_profiles {
            return instance::read(file, self.rules());
        }
        let (instance, repairs) = instance::read_repaired(file, self.rules())?;
        repairs.iter().for_each(|repair| context.warn(format_args!("{file}: {}", repair.warning())));
        Ok(instance)
    }

    /// The rules that the flags ask for.
    pub fn rules(self) -> Rules {
        Rules {
            throughput: match self.throughput {
                ThroughputArg::Floor => ThroughputRule::Floor,
                ThroughputArg::Bilinear => ThroughputRule::Bilinear,
            },
            objective: match self.objective {
                ObjectiveArg::Normalised => Objective::Normalised,
                ObjectiveArg::Gpus => Objective::Gpus,
            },
            whole_cpus: self.whole_cpus,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ObjectiveArg {
    /// Weight x normalised throughput
    Normalised,
    /// Weight x GPU demand x normalised throughput
    Gpus,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ThroughputArg {
    /// The largest grid point not above; never optimistic
    Floor,
    /// Bilinear between grid points
    Bilinear,
}
