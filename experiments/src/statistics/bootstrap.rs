//! Percentile bootstrap of a mean (Efron & Tibshirani, 1993, chapter 13).

use super::quantile;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Mean of the sample.
    pub mean: f64,
    /// 2.5 % quantile of the means of resamples.
    pub low: f64,
    /// 97.5 % quantile of the means of resamples.
    pub high: f64,
}

/// Resamples: the ends of the interval then move by a few hundredths of its width between seeds.
const RESAMPLES: usize = 1000;

/// Mean and bootstrap 95 % interval. The draws depend on `purpose` alone (a label such as
/// `gap tune lp multi`), so a summary is the same every time; `None` for no values.
pub fn bootstrap_mean(values: &[f64], purpose: &str) -> Option<Interval> {
    let mean = super::mean(values)?;
    let n = values.len();
    if n == 1 {
        return Some(Interval { mean, low: mean, high: mean });
    }
    let seed = *blake3::hash(format!("synergy bootstrap {purpose}").as_bytes()).as_bytes();
    let mut random = ChaCha8Rng::from_seed(seed);
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let mut sum = 0.0;
        let mut drawn = 0;
        // Two indices from one 64-bit draw, by multiplication: n is far below 2^32, so the bias is nil.
        while drawn < n {
            let bits = random.next_u64();
            sum += values[(((bits & 0xffff_ffff) * n as u64) >> 32) as usize];
            drawn += 1;
            if drawn < n {
                sum += values[(((bits >> 32) * n as u64) >> 32) as usize];
                drawn += 1;
            }
        }
        means.push(sum / n as f64);
    }
    means.sort_by(f64::total_cmp);
    Some(Interval { mean, low: quantile(&means, 0.025)?, high: quantile(&means, 0.975)? })
}
