//! Certificates: what a solver's answer proves, recomputed from the data in our own arithmetic.

use super::program::{LinearProgram, Sense};

/// Largest violation of a row or a bound that passes, relative to the larger of 1 and the bound.
/// One tenth of what the allocation checker allows.
pub const FEASIBILITY_TOLERANCE: f64 = 1e-7;

/// Largest difference of primal value and certified bound that passes, relative to the larger of 1
/// and the primal value.
pub const GAP_TOLERANCE: f64 = 1e-9;

/// What a primal and a dual vector prove about a linear program (integer columns count as continuous).
///
/// With duals y and reduced costs d = c - A'y, every feasible x of a maximisation has
///
/// ```text
/// c'x = y'(Ax) + d'x  <=  sum_i max(y_i L_i, y_i U_i) + sum_j max(d_j l_j, d_j u_j)
/// ```
///
/// (weak duality), for **any** y. Where the side that the sign of y_i asks for is infinite, y_i is set to 0. So
/// the bound is valid whatever the solver says; a wrong y only makes it weak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Valid bound: upper for a maximisation, lower for a minimisation. Infinite when the duals prove nothing.
    pub bound: f64,
    /// Objective of the primal vector.
    pub primal: f64,
    /// Largest violation of the primal vector, relative to the larger of 1 and the bound violated.
    pub violation: f64,
    /// How far the bound is from the primal value, relative to the larger of 1 and the primal value.
    /// Negative when the bound is on the wrong side, which a violation within tolerance can cause.
    pub gap: f64,
}

impl Certificate {
    /// The certificate of primal vector `x` and row duals `y`, in the convention d = c - A'y for either sense.
    /// Vectors of a wrong length prove nothing.
    pub fn new(program: &LinearProgram, x: &[f64], y: &[f64]) -> Self {
        let bound = dual_bound(program, y);
        let (primal, violation) = match x.len() == program.columns() {
            true => (dot(&program.cost, x), violation(program, x)),
            false => (f64::NAN, f64::INFINITY),
        };
        let difference = match program.sense {
            Sense::Maximise => bound - primal,
            Sense::Minimise => primal - bound,
        };
        Certificate { bound, primal, violation, gap: difference / primal.abs().max(1.0) }
    }

    /// Whether the primal vector is feasible and optimal, within [`FEASIBILITY_TOLERANCE`] and [`GAP_TOLERANCE`].
    pub fn holds(&self) -> bool {
        // Written so that NaN fails.
        self.violation <= FEASIBILITY_TOLERANCE && self.gap.abs() <= GAP_TOLERANCE
    }
}

/// The bound that row duals prove by weak duality; see [`Certificate`]. Infinite when they prove nothing.
pub fn dual_bound(program: &LinearProgram, y: &[f64]) -> f64 {
    // A minimisation is the maximisation of -c'x with duals -y.
    let sign = match program.sense {
        Sense::Maximise => 1.0,
        Sense::Minimise => -1.0,
    };
    if y.len() != program.rows() || y.iter().any(|dual| !dual.is_finite()) {
        return sign * f64::INFINITY;
    }
    let mut bound = Sum::default();
    let mut clamped = Vec::with_capacity(y.len());
    for ((&dual, &lower), &upper) in y.iter().zip(&program.row_lower).zip(&program.row_upper) {
        let dual = sign * dual;
        let side = if dual > 0.0 { upper } else { lower };
        clamped.push(if side.is_finite() { dual } else { 0.0 });
        bound.add(if side.is_finite() { dual * side } else { 0.0 });
    }
    for column in 0..program.columns() {
        let mut reduced = Sum::default();
        reduced.add(sign * program.cost[column]);
        for (row, value) in program.column(column) {
            reduced.add(-clamped[row] * value);
        }
        let reduced = reduced.total();
        let side = if reduced > 0.0 { program.implied_upper[column] } else { program.lower[column] };
        if reduced != 0.0 {
            bound.add(reduced * side);
        }
    }
    let total = bound.total();
    sign * if total.is_nan() { f64::INFINITY } else { total }
}

/// Largest violation of rows and column bounds, with activities recomputed from the data.
fn violation(program: &LinearProgram, x: &[f64]) -> f64 {
    let mut activity = vec![Sum::default(); program.rows()];
    let mut worst = 0.0_f64;
    let excess = |value: f64, lower: f64, upper: f64| {
        let below = (lower - value) / lower.abs().max(1.0);
        let above = (value - upper) / upper.abs().max(1.0);
        // An infinite side gives NaN or minus infinity here; a NaN value must not pass.
        if value.is_nan() { f64::INFINITY } else { below.max(above).max(0.0) }
    };
    for (column, &value) in x.iter().enumerate() {
        worst = worst.max(excess(value, program.lower[column], program.upper[column]));
        for (row, coefficient) in program.column(column) {
            activity[row].add(coefficient * value);
        }
    }
    for ((sum, &lower), &upper) in activity.iter().zip(&program.row_lower).zip(&program.row_upper) {
        worst = worst.max(excess(sum.total(), lower, upper));
    }
    worst
}

/// Compensated scalar product.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).collect::<Sum>().total()
}

/// Compensated (Neumaier) summation: sums over 100,000 jobs stay exact to the last digits, so that
/// primal and dual values can be compared at 1e-9.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// Adds a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost +=
            if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum so far.
    #[inline]
    pub fn total(&self) -> f64 {
        // An infinite term makes the correction NaN; the plain sum is right then.
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Sum::default();
        for term in terms {
            sum.add(term);
        }
        sum
    }
}
