//! Solving until the certificate holds, and breaking ties among optima.

use super::certificate::Certificate;
use super::highs::{Algorithm, Basis, Options, Outcome, Session, Solution};
use super::program::{LinearProgram, Sense};
use crate::status::Status;

/// Which try at an LP passed its certificate. Warm-started LPs have been reported optimal with a
/// wrong objective, so a failure is re-solved before it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attempt {
    /// The first.
    First,
    /// From scratch, without presolve.
    Cold,
    /// Interior point with crossover, from scratch.
    InteriorPoint,
}

impl Attempt {
    /// Name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Attempt::First => "first",
            Attempt::Cold => "cold",
            Attempt::InteriorPoint => "interior-point",
        }
    }
}

/// A solved LP with its certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Certified {
    /// [`Status::Optimal`] only when the certificate holds; [`Status::Uncertified`] when no attempt's did.
    pub status: Status,
    /// What HiGHS returned.
    pub solution: Solution,
    /// What that proves. Its bound is valid whatever the status.
    pub certificate: Certificate,
    /// Which attempt this is.
    pub attempt: Attempt,
}

/// Solves an LP and certifies the answer; see [`resolve_certified`].
pub fn solve_certified(program: &LinearProgram, options: &Options) -> Certified {
    resolve_certified(&mut Session::new(program, options), program, options)
}

/// Solves the LP that `session` holds, from its basis, and certifies the answer against `program`, which must be the
/// same LP. When the certificate fails: cold without presolve, then interior point with crossover,
/// then [`Status::Uncertified`]. That a program is infeasible is believed without presolve only.
/// A limit that was reached is reported as such, without further attempts.
pub fn resolve_certified(session: &mut Session, program: &LinearProgram, options: &Options) -> Certified {
    if program.columns() == 0 {
        return without_columns(program);
    }
    let first = certify(program, session.solve(), Attempt::First);
    let presolved = options.presolve && first.status == Status::Infeasible;
    if first.status != Status::Uncertified && !presolved {
        return first;
    }
    session.forget();
    session.set_options(&Options { presolve: false, ..*options });
    let cold = certify(program, session.solve(), Attempt::Cold);
    session.set_options(options);
    if cold.status != Status::Uncertified {
        return cold;
    }
    let interior = Options { algorithm: Algorithm::InteriorPoint, ..*options };
    let last = certify(program, Session::new(program, &interior).solve(), Attempt::InteriorPoint);
    if last.status != Status::Uncertified {
        return last;
    }
    // None is certified. The tightest bound is still valid.
    let looseness = |c: &Certified| c.certificate.gap.abs().min(f64::MAX);
    [first, cold]
        .into_iter()
        .fold(last, |best, next| if looseness(&next) < looseness(&best) { next } else { best })
}

/// A program without columns, which HiGHS does not take: the empty vector is the optimum, unless a row excludes 0.
fn without_columns(program: &LinearProgram) -> Certified {
    let zeros = vec![0.0; program.rows()];
    let none = Solution::none(Outcome::Optimal);
    let solution = Solution { objective: 0.0, rows: zeros.clone(), row_duals: zeros, ..none };
    let certified = certify(program, solution, Attempt::First);
    let status = if certified.status == Status::Optimal { Status::Optimal } else { Status::Infeasible };
    Certified { status, ..certified }
}

fn certify(program: &LinearProgram, solution: Solution, attempt: Attempt) -> Certified {
    let certificate = Certificate::new(program, &solution.columns, &solution.row_duals);
    let status = match solution.outcome {
        Outcome::Optimal if certificate.holds() => Status::Optimal,
        Outcome::Infeasible => Status::Infeasible,
        Outcome::TimeLimit => Status::TimeLimit,
        Outcome::CountLimit => Status::NodeLimit,
        _ => Status::Uncertified,
    };
    Certified { status, solution, certificate, attempt }
}

/// Reduced costs and duals below this, relative to the largest cost, count as zero when the optimal face is found.
const ZERO_DUAL: f64 = 1e-9;

/// Solves an LP, and among its optimal solutions finds one that is least in the first of
/// `then_minimise`, among those one that is least in the second, and so on.
///
/// By complementary slackness, with any optimal duals, the optimal solutions are the feasible ones
/// where each column with a reduced cost stays at its bound and each row with a dual stays tight. So
/// each further objective is a re-solve with those fixed, warm from the last basis. A unique optimum
/// needs none. The result's certificate is that of the first objective, for the final vector; a
/// re-solve that would break it is not used.
pub fn solve_lexicographic(
    program: &LinearProgram,
    then_minimise: &[Vec<f64>],
    options: &Options,
) -> Certified {
    let mut session = Session::new(program, options);
    let mut best = resolve_certified(&mut session, program, options);
    if best.status != Status::Optimal || program.columns() == 0 {
        return best;
    }
    let duals = best.solution.row_duals.clone();
    let mut face = program.clone();
    for costs in then_minimise {
        if is_unique(&face, &best.solution) {
            break;
        }
        restrict_to_optimal_face(&mut face, &mut session, &best.solution);
        face.set_objective(Sense::Minimise, costs.clone());
        session.set_objective(Sense::Minimise, costs);
        let next = resolve_certified(&mut session, &face, options);
        let certificate = Certificate::new(program, &next.solution.columns, &duals);
        if next.status != Status::Optimal || !certificate.holds() {
            break;
        }
        best.solution = next.solution;
        best.certificate = certificate;
    }
    best.solution.row_duals = duals;
    best.solution.reduced_costs = reduced_costs(program, &best.solution.row_duals);
    best
}

fn reduced_costs(program: &LinearProgram, duals: &[f64]) -> Vec<f64> {
    let reduced =
        |j: usize| program.cost[j] - program.column(j).map(|(row, value)| duals[row] * value).sum::<f64>();
    (0..program.columns()).map(reduced).collect()
}

fn zero_dual(program: &LinearProgram) -> f64 {
    ZERO_DUAL * program.cost.iter().fold(1.0, |largest, cost| cost.abs().max(largest))
}

/// Whether a row's dual is zero, weighed by the row's own scale.
fn is_zero_row(program: &LinearProgram, row: usize, dual: f64, zero: f64) -> bool {
    let (lower, upper) = program.row_bounds(row);
    let scale = [lower, upper].into_iter().filter(|b| b.is_finite()).fold(1.0, |s: f64, b| s.max(b.abs()));
    dual.abs() * scale <= zero
}

/// Whether no non-basic column or row can move at no cost: then the optimum is the only one.
fn is_unique(program: &LinearProgram, solution: &Solution) -> bool {
    let Some(Basis { columns, rows }) = &solution.basis else {
        return false;
    };
    let zero = zero_dual(program);
    let column_moves = |j: usize| {
        let (lower, upper) = program.bounds(j);
        columns[j] != Basis::BASIC && lower < upper && solution.reduced_costs[j].abs() <= zero
    };
    let row_moves = |i: usize| {
        let (lower, upper) = program.row_bounds(i);
        rows[i] != Basis::BASIC && lower < upper && is_zero_row(program, i, solution.row_duals[i], zero)
    };
    !(0..program.columns()).any(column_moves) && !(0..program.rows()).any(row_moves)
}

/// Fixes what complementary slackness fixes.
fn restrict_to_optimal_face(face: &mut LinearProgram, session: &mut Session, optimum: &Solution) {
    let zero = zero_dual(face);
    let nearest = |value: f64, (lower, upper): (f64, f64)| {
        if (value - lower).abs() <= (upper - value).abs() { lower } else { upper }
    };
    for column in 0..face.columns() {
        if optimum.reduced_costs[column].abs() > zero {
            let at = nearest(optimum.columns[column], face.bounds(column));
            face.set_bounds(column, at, at);
        }
    }
    session.set_all_bounds(&face.lower, &face.upper);
    for row in 0..face.rows() {
        if !is_zero_row(face, row, optimum.row_duals[row], zero) {
            let at = nearest(optimum.rows[row], face.row_bounds(row));
            face.set_row_bounds(row, at, at);
            session.set_row_bounds(row, at, at);
        }
    }
}
