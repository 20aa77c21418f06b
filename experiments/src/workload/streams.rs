//! Random streams, one per purpose.
//!
//! Every kind of draw has its own generator, seeded from the seed and the purpose alone, and every job
//! takes the same number of draws from each stream whatever the knobs say. So changing one knob leaves
//! the draws of the others as they were: the workloads of a study are paired (common random numbers).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Times between arrivals.
    Arrivals,
    /// Durations at the baseline rate.
    Durations,
    /// GPU demands.
    Demands,
    /// Task classes, where they are random.
    Classes,
    /// Models inside a class.
    Models,
    /// Shapes of synthetic profiles.
    Profiles,
    /// Errors of measurement.
    Noise,
    /// Odd instances of the conformance kit.
    Conformance,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Purpose::Arrivals => "arrivals",
            Purpose::Durations => "durations",
            Purpose::Demands => "demands",
            Purpose::Classes => "classes",
            Purpose::Models => "models",
            Purpose::Profiles => "profiles",
            Purpose::Noise => "noise",
            Purpose::Conformance => "conformance",
        }
    }
}

/// One stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    generator: ChaCha8Rng,
}

impl Stream {
    /// The stream of `seed` for `purpose`.
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(b"synergy-stream/1");
        hash.update(&seed.to_le_bytes());
        hash.update(purpose.name().as_bytes());
        Stream { generator: ChaCha8Rng::from_seed(*hash.finalize().as_bytes()) }
    }

    /// Uniform in [0, 1): 53 bits, made here so that the bytes do not follow a library's version.
    pub fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in (0, 1], for logarithms.
    pub fn positive(&mut self) -> f64 {
        1.0 - self.uniform()
    }

    /// Standard normal (Box and Muller); takes two draws.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.positive(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_purpose_only() {
        let first = |seed, purpose| Stream::new(seed, purpose).uniform();
        assert_eq!(first(7, Purpose::Arrivals), first(7, Purpose::Arrivals));
        assert_ne!(first(7, Purpose::Arrivals), first(7, Purpose::Durations));
        assert_ne!(first(7, Purpose::Arrivals), first(8, Purpose::Arrivals));
    }

    #[test]
    fn normal_has_mean_0_and_variance_1() {
        let mut stream = Stream::new(1, Purpose::Noise);
        let draws: Vec<f64> = (0..20_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
