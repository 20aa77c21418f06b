//! Why the limit of 3s needs a vertex: points that satisfy every row and break it.

use crate::support::{assert_feasible, full_instance};
use synergy_solver::bounds::BoundOptions;
use synergy_solver::lp::{Algorithm, Options, Outcome, highs};
use synergy_solver::placement::{Placement, PlacementMethod, Share, Vertex, program};
use synergy_solver::two_stage;

#[test]
fn interior_points_fragment_more_than_3s_jobs() {
    let instance = full_instance(4, false, 3.0, 5);
    let stage_one = two_stage::stage_one(&instance, &instance.queue(), &BoundOptions::default());
    let problem = two_stage::stage_two(&instance, &stage_one).remove(0).problem;
    let limit = problem.vertex_limit();
    let jobs = problem.demands.len();
    assert!(jobs > limit, "with fewer jobs than the limit there is nothing to break");

    // The centre, x = 1/s: feasible whenever the jobs fit in sum, and every job is fragmented.
    let everywhere = |job: u32| (0..4).map(move |server| Share { job, server, fraction: 0.25 });
    let centre = Placement::new((0..jobs as u32).flat_map(everywhere).collect(), false);
    assert_feasible(&problem, &centre, "centre");
    assert_eq!(centre.fragmented(), jobs);

    // What an interior-point method returns when nobody asks it for a vertex.
    let interior = Options {
        algorithm: Algorithm::InteriorPointWithoutCrossover,
        presolve: false,
        ..Options::default()
    };
    let solution = highs::solve(&program::direct(&problem), &interior);
    assert_eq!(solution.outcome, Outcome::Optimal);
    let servers = problem.servers();
    let shares = solution.columns.iter().enumerate().filter(|(_, x)| **x > 1e-6);
    let shares = shares.map(|(column, &fraction)| Share {
        job: (column / servers) as u32,
        server: (column % servers) as u32,
        fraction,
    });
    let interior = Placement::new(shares.collect(), false);
    assert!(interior.violation(&problem) < 1e-4);
    assert!(interior.fragmented() > limit, "{} of at most {limit}", interior.fragmented());

    // The same program by the simplex method keeps it.
    assert!(Vertex::default().place(&problem).fragmented() <= limit);
}
