//! Statistics of studies: what a sceptical reader asks of a mean.
//!
//! Pure functions of numbers; [`summary`] applies them to the tables of a results directory.

mod bootstrap;
mod paired;
mod profile;
pub mod simulations;
mod student;
pub mod summary;
pub mod tidy;
mod units;

pub use bootstrap::{Interval, bootstrap_mean};
pub use paired::{Paired, compare_paired};
pub use profile::{Curve, gap_profile, performance_profile};
pub use student::{StudentMean, student_mean};
pub(crate) use units::Label;
pub use units::Units;

/// Quantile of values in ascending order, linear between neighbours (type 7, as numpy and R have
/// it); `None` for no values.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let (below, part) = (position.floor() as usize, position.fract());
    let above = sorted[(below + 1).min(last)];
    Some(sorted[below] + part * (above - sorted[below]))
}

/// Arithmetic mean; `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Shifted geometric mean: exp(mean(ln(x + shift))) - shift. The usual mean of solution times, with a
/// shift of 1 s, which keeps tiny times from dominating; `None` for no values.
pub fn shifted_geometric_mean(values: &[f64], shift: f64) -> Option<f64> {
    let logs: Vec<f64> = values.iter().map(|x| (x + shift).ln()).collect();
    mean(&logs).map(|log| log.exp() - shift)
}

/// Ascending copy; every value is finite where tables come from.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests;
