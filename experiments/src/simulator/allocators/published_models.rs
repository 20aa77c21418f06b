//! What the published simulator knows of its ten models: demands and one speed each.
//!
//! It never reads the sensitivity matrix outside OPT. A job runs at a scalar speed when its full demand
//! is granted, and at 1 otherwise.

use crate::profiles;
use crate::simulator::SimulationError;
use crate::simulator::switches::{Switch, Switches};

/// A model of the published simulator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedModel {
    /// Name of the profile.
    pub name: &'static str,
    /// Best-case CPUs per GPU.
    pub cpus: f64,
    /// Best-case memory per GPU.
    pub memory_gb: f64,
    /// Speed at the best case; 1 is the GPU-proportional share's.
    pub speedup: f64,
    /// Seconds per iteration at the GPU-proportional share.
    pub iteration_s: f64,
}

const fn model(
    name: &'static str,
    cpus: f64,
    memory_gb: f64,
    speedup: f64,
    iteration_s: f64,
) -> PublishedModel {
    PublishedModel { name, cpus, memory_gb, speedup, iteration_s }
}

/// The ten models. The first also stands for every name that is not here.
pub const PUBLISHED_MODELS: [PublishedModel; 10] = [
    model("alexnet", 12.0, 125.0, 2.94, 0.6),
    model("resnet18", 9.0, 62.5, 2.4, 0.64),
    model("resnet50", 4.0, 62.5, 1.15, 0.78),
    model("mobilenetv2", 6.0, 62.5, 1.55, 0.71),
    model("shufflenetv2", 12.0, 125.0, 2.89, 0.615),
    model("gnmt", 1.0, 20.0, 1.0, 0.12),
    model("transformer", 1.0, 20.0, 1.0, 0.67),
    model("lstm", 1.0, 20.0, 1.0, 0.011),
    model("m5", 6.0, 187.5, 2.5, 0.6),
    model("deepspeech", 3.0, 62.5, 1.0, 0.757),
];

/// Storage bandwidth that every job demands per GPU, in MB/s.
pub(super) const STORAGE_PER_GPU: f64 = 62.5;
/// Storage bandwidth of every server, in MB/s.
pub(super) const STORAGE_PER_SERVER: f64 = 500.0;

/// The model of profile `name`; a name outside the ten is silently read as alexnet, as published.
pub fn published_model(name: &str) -> &'static PublishedModel {
    PUBLISHED_MODELS.iter().find(|model| model.name == name).unwrap_or(&PUBLISHED_MODELS[0])
}

/// Seconds per iteration of profile `name`: the published simulator's where demands are, else the
/// built-in profile's.
pub fn iteration_s(name: &str, switches: &Switches) -> Option<f64> {
    if switches.published(Switch::Demand) {
        return Some(published_model(name).iteration_s);
    }
    profiles::find(name).map(|model| model.iteration_s)
}

/// Full demand of a job, clamped component by component to one server, and the speed with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceDemand {
    /// CPUs, memory in GB, storage in MB/s, in all.
    pub amounts: [f64; 3],
    /// Speed with the full demand.
    pub speed: f64,
}

/// The demand of `gpus` GPUs of profile `name` on servers of `server_gpus` GPUs with `server` CPUs,
/// GB and MB/s.
///
/// # Errors
/// Where the published simulator stops: a GPU demand other than 1, 2, 4, 8 and 16; a clamped demand
/// of a model whose best-case CPUs are the proportional ones.
pub fn reference_demand(
    name: &str,
    gpus: u32,
    server_gpus: u32,
    server: [f64; 3],
) -> Result<ReferenceDemand, SimulationError> {
    let stops = |why: &str| SimulationError::PublishedStops(format!("{gpus}-GPU job of {name}: {why}"));
    if ![1, 2, 4, 8, 16].contains(&gpus) {
        return Err(stops("it knows demands of 1, 2, 4, 8 and 16 GPUs only"));
    }
    let model = published_model(name);
    let g = f64::from(gpus);
    let share = server.map(|capacity| capacity / f64::from(server_gpus) * g);
    let ideal = [model.cpus, model.memory_gb, STORAGE_PER_GPU].map(|per_gpu| per_gpu * g);
    let (mut amounts, mut clamped) = (ideal, false);
    for r in 0..3 {
        if ideal[r] > server[r] {
            clamped = true;
            amounts[r] = if gpus > server_gpus { share[r] } else { server[r] };
        }
    }
    let speed = match (clamped, gpus > server_gpus) {
        (false, _) => model.speedup,
        (true, true) => 1.0,
        // A line in CPU alone, whatever component was clamped.
        (true, false) if ideal[0] == share[0] => {
            return Err(stops("it divides by zero where best-case CPUs equal the proportional share"));
        }
        (true, false) => 1.0 + ((model.speedup - 1.0) / (ideal[0] - share[0])) * (amounts[0] - share[0]),
    };
    Ok(ReferenceDemand { amounts, speed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: [f64; 3] = [24.0, 500.0, 500.0];

    /// Figures measured on the published simulator: 4 GPUs, speed and iterations per round.
    #[test]
    fn clamped_speeds_are_the_published_ones() {
        let figures = [
            ("alexnet", 1.64667, 823.0),
            ("shufflenetv2", 1.63, 795.0),
            ("resnet18", 1.7, 796.0),
            ("m5", 2.5, 1250.0),
        ];
        for (name, speed, iterations) in figures {
            let demand = reference_demand(name, 4, 8, SERVER).unwrap();
            assert!((demand.speed - speed).abs() < 5e-6, "{name}: {}", demand.speed);
            assert_eq!(
                (300.0 / (published_model(name).iteration_s / demand.speed)).floor(),
                iterations,
                "{name}"
            );
        }
        assert_eq!((300.0f64 / (0.6 / 2.94)).floor(), 1470.0);
    }

    #[test]
    fn what_is_not_clamped_stays_at_the_best_case() {
        let lstm = reference_demand("lstm", 16, 8, SERVER).unwrap();
        assert_eq!((lstm.amounts, lstm.speed), ([16.0, 320.0, 1000.0], 1.0));
        let alexnet = reference_demand("alexnet", 16, 8, SERVER).unwrap();
        assert_eq!((alexnet.amounts, alexnet.speed), ([48.0, 1000.0, 1000.0], 1.0));
        let m5 = reference_demand("m5", 4, 8, SERVER).unwrap();
        assert_eq!(m5.amounts, [24.0, 500.0, 250.0]);
    }

    #[test]
    fn demands_that_stop_the_published_simulator_are_errors() {
        assert!(reference_demand("alexnet", 3, 8, SERVER).is_err());
        // Twelve CPUs per GPU: alexnet's best case is the proportional share, and memory is clamped.
        assert!(reference_demand("alexnet", 8, 8, [96.0, 500.0, 500.0]).is_err());
    }
}
