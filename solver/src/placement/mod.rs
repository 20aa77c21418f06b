//! Stage two of OPT: put the jobs, with the amounts that stage one chose, on servers. One file per
//! method (problem statement, section 3):
//!
//! ```text
//! sum_j d_{j,r} x_{i,j} <= capacity_{i,r}   for every server i and resource r (GPUs, CPUs, memory)
//! sum_i x_{i,j} = 1                         for every job j,      x >= 0
//! ```
//!
//! `x_{i,j}` is the fraction of job j on server i. A job with more than one non-zero is **fragmented**;
//! **pieces** = number of non-zeros minus number of jobs. `docs/placement.md` proves the limits.

pub mod bisection;
pub mod exact;
pub mod merge;
pub mod program;
pub mod reweighted;
pub mod rounding;
mod split;
pub mod vertex;

pub use bisection::Bisection;
pub use exact::ExactPlacement;
pub use merge::Merged;
pub use reweighted::Reweighted;
pub use vertex::Vertex;

use crate::model::{AUXILIARY, Amounts};
use crate::status::Status;

/// Resources of stage two: GPUs, then the auxiliary ones.
pub const RESOURCES: usize = 1 + AUXILIARY;

/// An amount of every resource.
pub type Vector = [f64; RESOURCES];

/// Relative tolerance of "within capacity" (problem statement, tolerances).
pub const FEASIBILITY_TOLERANCE: f64 = 1e-6;

/// GPUs and auxiliary amounts as one vector.
pub fn vector(gpus: f64, amounts: &Amounts) -> Vector {
    let mut out = [gpus; RESOURCES];
    out[1..].copy_from_slice(&amounts.0);
    out
}

/// Identical servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Number of servers.
    pub servers: usize,
    /// Capacity of one.
    pub capacity: Vector,
}

/// Stage two as data: servers, numbered from 0 through the shapes in order, and the demand of every job.
///
/// OPT places every server group on its own, hence with one shape. Several shapes at once are the
/// melted cluster, whose stage one may have no placement.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTwo {
    /// Shapes in order.
    pub shapes: Vec<Shape>,
    /// `(g_j, c*_j, m*_j)` of every job.
    pub demands: Vec<Vector>,
}

impl StageTwo {
    /// Number of servers s.
    pub fn servers(&self) -> usize {
        self.shapes.iter().map(|shape| shape.servers).sum()
    }

    /// Capacity of every server.
    pub fn capacities(&self) -> Vec<Vector> {
        self.shapes.iter().flat_map(|shape| std::iter::repeat_n(shape.capacity, shape.servers)).collect()
    }

    /// Most jobs that a vertex fragments: one per capacity row, 3s. A vertex has at most as many
    /// non-zeros as there are rows, n + 3s, and every job has one at least.
    pub fn vertex_limit(&self) -> usize {
        RESOURCES * self.servers()
    }

    /// Pieces that no placement avoids: a job that no server holds entirely needs the fewest servers
    /// whose capacities together cover it.
    pub fn forced_pieces(&self) -> usize {
        let servers_for = |demand: &Vector| {
            (0..RESOURCES)
                .map(|r| {
                    let largest = self.shapes.iter().map(|s| s.capacity[r]).fold(0.0, f64::max);
                    if demand[r] <= largest * (1.0 + FEASIBILITY_TOLERANCE) {
                        1
                    } else {
                        (demand[r] / largest - FEASIBILITY_TOLERANCE).ceil().min(1e9) as usize
                    }
                })
                .max()
                .unwrap_or(1)
        };
        self.demands.iter().map(|demand| servers_for(demand) - 1).sum()
    }

    /// Whether the jobs fit the servers in sum, in every resource: necessary, and with one shape also
    /// sufficient (x = 1/s).
    pub fn fits_in_sum(&self) -> bool {
        (0..RESOURCES).all(|r| {
            let load: f64 = self.demands.iter().map(|d| d[r]).sum();
            let capacity: f64 = self.shapes.iter().map(|s| s.servers as f64 * s.capacity[r]).sum();
            load <= capacity * (1.0 + FEASIBILITY_TOLERANCE)
        })
    }

    /// Jobs by equal demand: indices sorted so that equal demands stand together, and the start of
    /// every kind in that order, closed by the number of jobs. Jobs of a kind are interchangeable.
    fn kinds(&self) -> (Vec<u32>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.demands.len() as u32).collect();
        let demand = |job: u32| &self.demands[job as usize];
        order.sort_by(|&a, &b| {
            let by_amount = demand(b).iter().zip(demand(a)).map(|(x, y)| x.total_cmp(y));
            by_amount.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(&b))
        });
        let mut starts = Vec::new();
        for (at, &job) in order.iter().enumerate() {
            if at == 0 || demand(job) != demand(order[at - 1]) {
                starts.push(at as u32);
            }
        }
        starts.push(order.len() as u32);
        (order, starts)
    }
}

/// A non-zero `x_{i,j}`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Job, as index into [`StageTwo::demands`].
    pub job: u32,
    /// Server.
    pub server: u32,
    /// Fraction of the job there, in (0, 1].
    pub fraction: f64,
}

/// A solution of stage two. Without one (infeasible, a limit) `shares` is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// How it ended.
    pub status: Status,
    /// The non-zeros, by job, then server.
    pub shares: Vec<Share>,
    /// Lower bound on the pieces of every placement, from methods that prove one.
    pub bound: Option<usize>,
    /// Whether it was made as a vertex of the placement polytope.
    pub vertex: bool,
}

impl Placement {
    /// A placement from its non-zeros in any order.
    pub fn new(mut shares: Vec<Share>, vertex: bool) -> Self {
        shares.sort_unstable_by_key(|share| (share.job, share.server));
        Placement { status: Status::Ok, shares, bound: None, vertex }
    }

    /// No placement, for this reason.
    pub fn none(status: Status) -> Self {
        Placement { status, shares: Vec::new(), bound: None, vertex: false }
    }

    /// The non-zeros of one job after another.
    pub fn by_job(&self) -> impl Iterator<Item = &[Share]> {
        self.shares.chunk_by(|a, b| a.job == b.job)
    }

    /// Number of fragmented jobs.
    pub fn fragmented(&self) -> usize {
        self.by_job().filter(|shares| shares.len() > 1).count()
    }

    /// Non-zeros minus jobs.
    pub fn pieces(&self) -> usize {
        self.shares.len() - self.by_job().count()
    }

    /// The largest violation of any row, recomputed from the problem's data: of a capacity relative to
    /// itself, of "every job once" and of x >= 0 absolute. NaN never passes: it counts as infinite.
    pub fn violation(&self, problem: &StageTwo) -> f64 {
        let capacities = problem.capacities();
        let mut loads = vec![[0.0; RESOURCES]; capacities.len()];
        let mut placed = vec![0.0; problem.demands.len()];
        let mut worst: f64 = 0.0;
        let mut note = |amount: f64| worst = worst.max(if amount.is_nan() { f64::INFINITY } else { amount });
        for share in &self.shares {
            note(-share.fraction);
            placed[share.job as usize] += share.fraction;
            for (load, demand) in
                loads[share.server as usize].iter_mut().zip(&problem.demands[share.job as usize])
            {
                *load += demand * share.fraction;
            }
        }
        placed.iter().for_each(|sum| note((sum - 1.0).abs()));
        for (load, capacity) in loads.iter().flatten().zip(capacities.iter().flatten()) {
            let excess = load - capacity;
            note(if *capacity > 0.0 { excess / capacity } else { excess });
        }
        worst
    }
}

/// A way to solve stage two. Same problem, same placement, at any thread count.
pub trait PlacementMethod: Send + Sync {
    /// Name, as in tables and on the command line.
    fn name(&self) -> &str;

    /// Places every job of `problem`.
    fn place(&self, problem: &StageTwo) -> Placement;
}

/// When solver-based methods stop.
pub type MethodLimits = crate::lp::Limits;

/// Names of the methods, in the order of tables.
pub const NAMES: [&str; 5] = ["vertex", "reweighted", "bisection-fast", "bisection", "exact-placement"];

/// The method of this name: one of [`NAMES`], or one with `+merge` behind it for the local search after it.
pub fn by_name(name: &str, limits: &MethodLimits) -> Option<Box<dyn PlacementMethod>> {
    let limits = *limits;
    if let Some(first) = name.strip_suffix("+merge") {
        let known = NAMES.into_iter().find(|known| *known == first)?;
        return Some(Box::new(Merged::new(known, by_name(first, &limits)?)));
    }
    Some(match name {
        "vertex" => Box::new(Vertex { limits }),
        "reweighted" => Box::new(Reweighted { limits }),
        "bisection-fast" => Box::new(Bisection::Fast),
        "bisection" => Box::new(Bisection::FewPieces),
        "exact-placement" => Box::new(ExactPlacement { limits }),
        _ => return None,
    })
}
