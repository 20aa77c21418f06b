//! Any vertex of the placement LP by the simplex method: the paper's guarantee of at most 3s fragmented jobs.

use super::{FEASIBILITY_TOLERANCE, Placement, PlacementMethod, StageTwo, program};
use crate::lp::highs::{self, Limits, Options, Outcome};
use crate::status::Status;

/// The plain LP. Jobs of equal demand are one variable per server, then laid out job by job, which
/// keeps it a vertex (`docs/placement.md`); with no two jobs alike it is the paper's program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Vertex {
    /// When to stop.
    pub limits: Limits,
}

impl PlacementMethod for Vertex {
    fn name(&self) -> &str {
        "vertex"
    }

    fn place(&self, problem: &StageTwo) -> Placement {
        if !problem.fits_in_sum() {
            return Placement::none(Status::Infeasible);
        }
        let (order, starts) = problem.kinds();
        let program = program::by_kind(problem, &order, &starts);
        let options = Options { limits: self.limits, ..Options::default() };
        let mut solution = highs::solve(&program, &options);
        if matches!(solution.outcome, Outcome::Infeasible | Outcome::InfeasibleOrUnbounded) {
            // Presolve has been wrong about that before: confirm without it.
            solution = highs::solve(&program, &Options { presolve: false, ..options });
        }
        let status = match solution.outcome {
            Outcome::Optimal => Status::Optimal,
            Outcome::Infeasible => Status::Infeasible,
            Outcome::TimeLimit => Status::TimeLimit,
            Outcome::CountLimit => Status::NodeLimit,
            _ => Status::Uncertified,
        };
        if status != Status::Optimal {
            return Placement::none(status);
        }
        let shares = program::lay_out(problem, &order, &starts, &solution.columns);
        let placement = Placement::new(shares, true);
        let rows = problem.demands.len() + problem.vertex_limit();
        let holds = placement.shares.len() <= rows && placement.violation(problem) <= FEASIBILITY_TOLERANCE;
        Placement { status: if holds { Status::Optimal } else { Status::Uncertified }, ..placement }
    }
}
