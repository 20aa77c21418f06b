//! Few pieces by iteratively reweighted L1: each round minimises `sum x_{i,j} / (x'_{i,j} + eps)` with x' the
//! solution of the round before, which approximates the number of non-zeros (Candes, Wakin, Boyd 2008).
//!
//! The program of jobs times servers grows too fast for large clusters, so those are first bisected into parts. A part
//! keeps its bisection where that has no more pieces, so there are at most 3(s-1) in all.

use super::bisection::{Bisection, Effort, Part, Tree};
use super::{FEASIBILITY_TOLERANCE, Placement, PlacementMethod, RESOURCES, Share, StageTwo, program};
use crate::lp::Sense;
use crate::lp::highs::{Limits, Options, Outcome, Session};
use crate::status::Status;
use rayon::prelude::*;

/// Reweighted L1 over the paper's program, from costs that favour a best-fit assignment, warm started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reweighted {
    /// When to stop one round.
    pub limits: Limits,
}

/// Rounds after the first solve, at most; it ends earlier when the pieces do not fall.
const ROUNDS: usize = 6;
/// Servers of one program; more are bisected into parts that have no more.
const SERVERS: usize = 16;
/// The eps of the weights: a fraction below it is as good as none.
const EPSILON: f64 = 0.01;

impl PlacementMethod for Reweighted {
    fn name(&self) -> &str {
        "reweighted"
    }

    fn place(&self, problem: &StageTwo) -> Placement {
        if !problem.fits_in_sum() {
            return Placement::none(Status::Infeasible);
        }
        match problem.shapes[..] {
            [shape] if shape.servers > SERVERS => {
                let tree = Tree::new(problem, &shape, Bisection::FewPieces, 0, Effort::FULL);
                let parts = tree.parts(SERVERS);
                let placed: Vec<Vec<Share>> =
                    parts.into_par_iter().map(|part| self.place_part(problem, &tree, part)).collect();
                Placement::new(placed.concat(), false)
            }
            _ => self.place_whole(problem),
        }
    }
}

impl Reweighted {
    /// The non-zeros of a part of the cluster: by the program of its own or, where that has no fewer, by bisection.
    fn place_part(&self, problem: &StageTwo, tree: &Tree, part: Part) -> Vec<Share> {
        let (own, members) = tree.problem_of(problem, &part);
        let first = part.servers.start as u32;
        let bisected = tree.place_part(part);
        let placed = self.place_whole(&own);
        if placed.shares.is_empty() || placed.shares.len() >= bisected.len() {
            return bisected;
        }
        let share = |share: &Share| {
            let (job, fraction) = members[share.job as usize];
            Share { job, server: first + share.server, fraction: share.fraction * fraction }
        };
        placed.shares.iter().map(share).collect()
    }

    /// All servers in one program.
    fn place_whole(&self, problem: &StageTwo) -> Placement {
        let servers = problem.servers();
        let mut fractions = vec![0.0; servers * problem.demands.len()];
        for share in best_fit(problem) {
            fractions[share.job as usize * servers + share.server as usize] = 1.0;
        }
        let program = program::direct_scaled(problem);
        let mut session = Session::new(&program, &Options { limits: self.limits, ..Options::default() });
        let mut best: Option<Placement> = None;
        for _ in 0..=ROUNDS {
            let costs: Vec<f64> = fractions.iter().map(|x| EPSILON / (x + EPSILON)).collect();
            session.set_objective(Sense::Minimise, &costs);
            let solution = session.solve();
            let status = match solution.outcome {
                Outcome::Optimal => Status::Optimal,
                Outcome::Infeasible | Outcome::InfeasibleOrUnbounded => Status::Infeasible,
                Outcome::TimeLimit => Status::TimeLimit,
                Outcome::CountLimit => Status::NodeLimit,
                _ => Status::Uncertified,
            };
            if status != Status::Optimal {
                // A later round that hit a limit leaves the best so far.
                return best.unwrap_or_else(|| Placement::none(status));
            }
            fractions = solution.columns;
            let next = Placement::new(program::shares_of(problem, &fractions), true);
            if next.violation(problem) > FEASIBILITY_TOLERANCE {
                return best.unwrap_or_else(|| Placement::none(Status::Uncertified));
            }
            let gained = best.as_ref().is_none_or(|b| next.pieces() < b.pieces());
            if gained {
                best = Some(next);
            } else {
                break;
            }
        }
        best.unwrap_or_else(|| Placement::none(Status::Uncertified))
    }
}

/// Whole jobs by best fit, largest first: each on the server that has least room left after it, in sum over resources
/// relative to capacity. A job that fits nowhere whole is left out.
fn best_fit(problem: &StageTwo) -> Vec<Share> {
    let capacities = problem.capacities();
    let relative = |amount: f64, capacity: f64| if capacity > 0.0 { amount / capacity } else { 0.0 };
    let mut free = capacities.clone();
    let size = |j: &usize| -> f64 {
        (0..RESOURCES).map(|r| relative(problem.demands[*j][r], capacities[0][r])).fold(0.0, f64::max)
    };
    let mut order: Vec<usize> = (0..problem.demands.len()).collect();
    order.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
    let mut shares = Vec::new();
    for j in order {
        let demand = &problem.demands[j];
        let fits = |i: &usize| (0..RESOURCES).all(|r| demand[r] <= free[*i][r] + 1e-9 * capacities[*i][r]);
        let room = |i: usize| -> f64 { (0..RESOURCES).map(|r| relative(free[i][r], capacities[i][r])).sum() };
        let Some(server) = (0..free.len()).filter(fits).min_by(|&a, &b| room(a).total_cmp(&room(b))) else {
            continue;
        };
        (0..RESOURCES).for_each(|r| free[server][r] -= demand[r]);
        shares.push(Share { job: j as u32, server: server as u32, fraction: 1.0 });
    }
    shares
}
