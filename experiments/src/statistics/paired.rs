//! Two methods on the same instances: wins, Wilcoxon's signed-rank test, effect size.

use statrs::distribution::{ContinuousCDF, Normal};

/// A comparison of a against b, paired by instance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Paired {
    /// Instances on which both have a value.
    pub n: usize,
    /// Instances on which a is larger.
    pub wins: usize,
    /// Instances on which they differ by no more than the tolerance.
    pub ties: usize,
    /// Instances on which a is smaller.
    pub losses: usize,
    /// Mean of a - b.
    pub mean_difference: Option<f64>,
    /// Median of a - b.
    pub median_difference: Option<f64>,
    /// Two-sided p of Wilcoxon's signed-rank test over the pairs that are no ties: exact up to 50
    /// pairs without equal differences, otherwise by the normal approximation with corrections for
    /// ties and continuity. `None` when all pairs are ties.
    pub p: Option<f64>,
    /// Matched-pairs rank-biserial correlation (Kerby, 2014): (R+ - R-) / (R+ + R-), from -1 to 1.
    pub effect: Option<f64>,
}

/// Pairs up to which the exact distribution is used.
const EXACT: usize = 50;

/// Compares pairs (a, b). A pair whose relative difference is at most `tolerance` is a tie and is
/// left out of the test.
pub fn compare_paired(pairs: &[(f64, f64)], tolerance: f64) -> Paired {
    let differences: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| if (a - b).abs() <= tolerance * a.abs().max(b.abs()) { 0.0 } else { a - b })
        .collect();
    let count = |keep: fn(&f64) -> bool| differences.iter().filter(|d| keep(d)).count();
    let sorted = super::sorted(&differences);
    let test = signed_rank(&differences);
    Paired {
        n: pairs.len(),
        wins: count(|d| *d > 0.0),
        ties: count(|d| *d == 0.0),
        losses: count(|d| *d < 0.0),
        mean_difference: super::mean(&differences),
        median_difference: super::quantile(&sorted, 0.5),
        p: test.map(|(p, _)| p),
        effect: test.map(|(_, effect)| effect),
    }
}

/// p and rank-biserial correlation; zeros are dropped (Wilcoxon's own treatment).
fn signed_rank(differences: &[f64]) -> Option<(f64, f64)> {
    let mut nonzero: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = nonzero.len();
    if n == 0 {
        return None;
    }
    nonzero.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Ranks from 1; equal magnitudes share their mean rank.
    let (mut positive, mut tie_term, mut tied) = (0.0, 0.0, false);
    let mut start = 0;
    while start < n {
        let end = start + nonzero[start..].iter().take_while(|d| d.abs() == nonzero[start].abs()).count();
        let size = (end - start) as f64;
        let rank = (start + 1 + end) as f64 / 2.0;
        positive += rank * nonzero[start..end].iter().filter(|d| **d > 0.0).count() as f64;
        tie_term += size * size * size - size;
        tied |= end - start > 1;
        start = end;
    }
    let nf = n as f64;
    let total = nf * (nf + 1.0) / 2.0;
    let effect = (2.0 * positive - total) / total;
    let p = if n <= EXACT && !tied {
        exact_p(n, positive.min(total - positive))
    } else {
        let variance = nf * (nf + 1.0) * (2.0 * nf + 1.0) / 24.0 - tie_term / 48.0;
        let distance = ((positive - total / 2.0).abs() - 0.5).max(0.0);
        2.0 * Normal::standard().sf(distance / variance.sqrt())
    };
    Some((p.min(1.0), effect))
}

/// P(W <= w or W >= total - w) when every sign is as likely as the other: counts subsets of 1..n by
/// their sum.
fn exact_p(n: usize, w: f64) -> f64 {
    let total = n * (n + 1) / 2;
    let mut ways = vec![0.0; total + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=total).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let below: f64 = ways[..=(w as usize).min(total)].iter().sum();
    2.0 * below / 2f64.powi(n as i32)
}
