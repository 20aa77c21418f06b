//! The fewest pieces, proven where it closes: NP-hard, and hard in practice too.

use super::bisection::Bisection;
use super::{FEASIBILITY_TOLERANCE, Placement, PlacementMethod, StageTwo, merge, program};
use crate::lp::highs::{Limits, Options, Outcome, Session};
use crate::status::Status;

/// Least pieces as an integer program, from the best placement of the local search. When that has no more
/// pieces than are forced, there is nothing to solve.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExactPlacement {
    /// When to stop; the bound proven by then is reported.
    pub limits: Limits,
}

impl PlacementMethod for ExactPlacement {
    fn name(&self) -> &str {
        "exact-placement"
    }

    fn place(&self, problem: &StageTwo) -> Placement {
        if !problem.fits_in_sum() {
            return Placement::none(Status::Infeasible);
        }
        let start = merge::merge_fragments(problem, &Bisection::FewPieces.place(problem));
        let forced = problem.forced_pieces();
        let solved = |placement: &Placement| placement.status == Status::Ok;
        if solved(&start) && start.pieces() <= forced {
            return Placement { status: Status::Optimal, bound: Some(forced), ..start };
        }
        let program = program::fewest_pieces(problem, true);
        let mut session = Session::new(&program, &Options { limits: self.limits, ..Options::default() });
        if solved(&start) {
            session.set_start(&program::start_of(problem, &start));
        }
        let solution = session.solve();
        let jobs = problem.demands.len() as f64;
        let bound =
            solution.dual_bound.filter(|b| b.is_finite()).map_or(0.0, |b| (b - jobs - 1e-6).ceil().max(0.0));
        let status = match solution.outcome {
            Outcome::Optimal => Status::Optimal,
            Outcome::Infeasible | Outcome::InfeasibleOrUnbounded => {
                return Placement::none(Status::Infeasible);
            }
            Outcome::TimeLimit => Status::TimeLimit,
            Outcome::CountLimit => Status::NodeLimit,
            _ => Status::Uncertified,
        };
        let bound = forced.max(bound as usize);
        let mut best = start;
        if !solution.columns.is_empty() {
            let columns = &solution.columns[..problem.servers() * problem.demands.len()];
            let found = Placement::new(program::shares_of(problem, columns), false);
            let better = !solved(&best) || found.pieces() < best.pieces();
            if better && found.violation(problem) <= FEASIBILITY_TOLERANCE {
                best = found;
            }
        }
        let proven = solved(&best) && best.pieces() <= bound;
        Placement { status: if proven { Status::Optimal } else { status }, bound: Some(bound), ..best }
    }
}
