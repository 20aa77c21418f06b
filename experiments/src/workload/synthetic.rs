//! Synthetic sensitivity profiles, so that gaps can be studied away from twelve models.
//!
//! Throughput is the slower of a CPU side f and a memory side h, both concave and non-decreasing:
//! W(c, m) = min(f(c), h(m)). So W is jointly concave. A side rises from the lowest grid point to a
//! **knee** and is 1 beyond it. Sensitivity s in [0, 1] places the knee between the lowest (s = 0: the
//! resource does not matter) and the highest grid point (s = 1: every bit helps), evenly on a
//! logarithmic axis.

use super::models::{Model, ModelSet};
use super::spec::{WorkloadError, fault};
use super::streams::{Purpose, Stream};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use synergy_solver::model::Profile;

/// How sensitive the models of a family are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Random, around the sensitivities asked for; one task class `synthetic`.
    #[default]
    Random,
    /// Adversarial: every model as sensitive as can be, class `sensitive`.
    AllSensitive,
    /// Adversarial: no model sensitive at all, class `insensitive`.
    NoneSensitive,
    /// Adversarial: every other model sensitive.
    HalfSensitive,
}

/// Shape of a side below its knee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Knee {
    /// A straight line through 0: throughput in proportion to the resource.
    #[default]
    Sharp,
    /// A saturating exponential: gains get smaller towards the knee.
    Smooth,
}

/// A family of synthetic profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SyntheticSpec {
    /// How sensitive models are.
    pub family: Family,
    /// Number of models.
    pub models: u32,
    /// Mean CPU sensitivity in [0, 1], of family `random`.
    pub cpu_sensitivity: f64,
    /// Mean memory sensitivity in [0, 1], of family `random`.
    pub memory_sensitivity: f64,
    /// Width of the uniform distribution around the means, in [0, 1].
    pub spread: f64,
    /// From -1 (CPU-sensitive models are not memory-sensitive) over 0 to 1 (both or neither).
    pub correlation: f64,
    /// Shape below the knee.
    pub knee: Knee,
    /// Grid points on the CPU axis, per GPU.
    pub cpus_per_gpu: Vec<f64>,
    /// Grid points on the memory axis, in GB per GPU.
    pub memory_gb_per_gpu: Vec<f64>,
}

impl Default for SyntheticSpec {
    /// Ten random models on the published grid.
    fn default() -> Self {
        SyntheticSpec {
            family: Family::Random,
            models: 10,
            cpu_sensitivity: 0.5,
            memory_sensitivity: 0.5,
            spread: 0.5,
            correlation: 0.0,
            knee: Knee::Sharp,
            cpus_per_gpu: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 12.0, 24.0],
            memory_gb_per_gpu: vec![62.5 / 3.0, 62.5, 125.0, 187.5, 250.0],
        }
    }
}

impl SyntheticSpec {
    /// Checks the numbers.
    ///
    /// # Errors
    /// The first that makes no sense.
    pub(super) fn validate(&self) -> Result<(), WorkloadError> {
        for (field, value, low) in [
            ("profiles.cpu_sensitivity", self.cpu_sensitivity, 0.0),
            ("profiles.memory_sensitivity", self.memory_sensitivity, 0.0),
            ("profiles.spread", self.spread, 0.0),
            ("profiles.correlation", self.correlation, -1.0),
        ] {
            if !(low..=1.0).contains(&value) {
                return Err(fault(field, format!("is {value}; give a number from {low} to 1")));
            }
        }
        if !(1..=100_000).contains(&self.models) {
            return Err(fault("profiles.models", format!("is {}; give 1 to 100000", self.models)));
        }
        Ok(())
    }

    /// The models, the same for the same seed.
    ///
    /// # Errors
    /// Axes that are no grid.
    pub(super) fn build(&self, seed: u64) -> Result<ModelSet, WorkloadError> {
        let mut stream = Stream::new(seed, Purpose::Profiles);
        let models = (0..self.models).map(|index| {
            let (cpu, memory) = self.sensitivities(index, &mut stream);
            let sensitive = match self.family {
                Family::Random => "synthetic",
                _ if cpu > 0.5 => "sensitive",
                _ => "insensitive",
            };
            let profile = self.profile(format!("synthetic{index}"), cpu, memory)?;
            Ok(Model { profile: Arc::new(profile), task: sensitive.into() })
        });
        ModelSet::new(models.collect::<Result<_, WorkloadError>>()?)
    }

    /// Sensitivity of model `index` to CPUs and memory; takes three draws.
    fn sensitivities(&self, index: u32, stream: &mut Stream) -> (f64, f64) {
        let (first, other, tie) = (stream.uniform(), stream.uniform(), stream.uniform());
        // With probability |correlation| the second follows the first, else it is independent: the
        // correlation coefficient of the two is then the one asked for.
        let second = match tie < self.correlation.abs() {
            true if self.correlation > 0.0 => first,
            true => 1.0 - first,
            false => other,
        };
        let around = |mean: f64, draw: f64| (mean + self.spread * (draw - 0.5)).clamp(0.0, 1.0);
        match self.family {
            Family::Random => (around(self.cpu_sensitivity, first), around(self.memory_sensitivity, second)),
            Family::AllSensitive => (1.0, 1.0),
            Family::NoneSensitive => (0.0, 0.0),
            Family::HalfSensitive if index.is_multiple_of(2) => (1.0, 1.0),
            Family::HalfSensitive => (0.0, 0.0),
        }
    }

    fn profile(&self, name: String, cpu: f64, memory: f64) -> Result<Profile, WorkloadError> {
        let f = self.side(&self.cpus_per_gpu, cpu);
        let h = self.side(&self.memory_gb_per_gpu, memory);
        // Six decimals: the same bytes whatever the platform's exponential.
        let throughput =
            Array2::from_shape_fn((f.len(), h.len()), |(c, m)| (f[c].min(h[m]) * 1e6).round() / 1e6);
        Ok(Profile::new(name, self.cpus_per_gpu.clone(), self.memory_gb_per_gpu.clone(), throughput)?)
    }

    /// Values of one side at the grid points.
    fn side(&self, axis: &[f64], sensitivity: f64) -> Vec<f64> {
        let (low, high) = (axis.first().copied().unwrap_or(1.0), axis.last().copied().unwrap_or(1.0));
        let knee = low * (high / low).powf(sensitivity);
        let value = |x: f64| match self.knee {
            Knee::Sharp => (x / knee).min(1.0),
            Knee::Smooth => (1.0 - (-STEEPNESS * (x / knee).min(1.0)).exp()) / (1.0 - (-STEEPNESS).exp()),
        };
        axis.iter().map(|&x| value(x)).collect()
    }
}

/// Exponent of the smooth shape at the knee.
const STEEPNESS: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use synergy_solver::model::{Amounts, ThroughputRule};

    fn gain(set: &ModelSet, amounts: Amounts) -> Vec<f64> {
        let at = |model: &Model, amounts| model.profile.throughput_at(amounts, ThroughputRule::Floor);
        let share = Amounts::new(3.0, 62.5);
        set.models().iter().map(|model| at(model, amounts) / at(model, share)).collect()
    }

    #[test]
    fn adversarial_sets_gain_as_their_names_say() {
        let full = Amounts::new(24.0, 250.0);
        let of = |family| SyntheticSpec { family, ..SyntheticSpec::default() }.build(1).unwrap();
        assert!(gain(&of(Family::NoneSensitive), full).iter().all(|g| *g == 1.0));
        assert!(gain(&of(Family::AllSensitive), full).iter().all(|g| *g > 7.9));
        let half = of(Family::HalfSensitive);
        assert_eq!(gain(&half, full).iter().filter(|g| **g == 1.0).count(), 5);
        assert_eq!(half.classes(), ["sensitive", "insensitive"]);
    }

    #[test]
    fn each_sensitivity_moves_its_own_axis_and_correlation_ties_them() {
        let spec = SyntheticSpec { spread: 0.0, memory_sensitivity: 0.0, ..SyntheticSpec::default() };
        let set = SyntheticSpec { cpu_sensitivity: 1.0, ..spec.clone() }.build(1).unwrap();
        assert!(gain(&set, Amounts::new(12.0, 62.5)).iter().all(|g| *g > 3.9));
        assert!(gain(&set, Amounts::new(3.0, 250.0)).iter().all(|g| *g == 1.0));
        let coefficient = |correlation: f64| {
            let spec = SyntheticSpec { correlation, spread: 1.0, ..SyntheticSpec::default() };
            let mut stream = Stream::new(3, Purpose::Profiles);
            let pairs: Vec<(f64, f64)> = (0..20_000).map(|i| spec.sensitivities(i, &mut stream)).collect();
            pairs.iter().map(|(a, b)| (a - 0.5) * (b - 0.5)).sum::<f64>() / 20_000.0 * 12.0
        };
        for asked in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            assert!((coefficient(asked) - asked).abs() < 0.03, "{asked}: {}", coefficient(asked));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Concave along both axes, monotone, positive, 1 at the top: whatever the knobs.
        #[test]
        fn profiles_are_concave(cpu in 0.0..=1.0f64, memory in 0.0..=1.0f64, smooth: bool, seed: u64) {
            let knee = if smooth { Knee::Smooth } else { Knee::Sharp };
            let spec = SyntheticSpec { cpu_sensitivity: cpu, memory_sensitivity: memory, knee, ..SyntheticSpec::default() };
            for model in spec.build(seed).unwrap().models() {
                let w = model.profile.throughput();
                prop_assert!(w[(0, 0)] > 0.0);
                prop_assert_eq!(w[(8, 4)], 1.0);
                let concave = |axis: &[f64], values: Vec<f64>| (1..axis.len() - 1).all(|i| {
                    let left = (values[i] - values[i - 1]) / (axis[i] - axis[i - 1]);
                    let right = (values[i + 1] - values[i]) / (axis[i + 1] - axis[i]);
                    // Values are rounded to six decimals.
                    right <= left + 2e-6
                });
                for c in 0..9 {
                    prop_assert!(concave(&spec.memory_gb_per_gpu, w.row(c).to_vec()));
                }
                for m in 0..5 {
                    prop_assert!(concave(&spec.cpus_per_gpu, w.column(m).to_vec()));
                }
            }
        }
    }
}
