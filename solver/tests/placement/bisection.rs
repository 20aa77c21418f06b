//! Bisection: feasible, within 3(s-1), the same at any thread count, near what a solver finds.

use crate::support::{ALL_DEMANDS, Demands, assert_feasible, problem};
use synergy_solver::placement::merge::merge_fragments;
use synergy_solver::placement::{Bisection, NAMES, PlacementMethod, Shape, StageTwo, by_name};
use synergy_solver::status::Status;

const METHODS: [Bisection; 2] = [Bisection::Fast, Bisection::FewPieces];

#[test]
fn every_placement_is_feasible_and_within_the_limit() {
    for seed in 0..400 {
        for demands in ALL_DEMANDS {
            let servers = 1 + (seed as usize * 7) % 23;
            let problem = problem(seed, servers, demands);
            for method in METHODS {
                let placement = method.place(&problem);
                let what = format!("{} seed {seed} {demands:?} on {servers}", method.name());
                assert_eq!(placement.status, Status::Ok, "{what}");
                assert_feasible(&problem, &placement, &what);
                assert!(placement.pieces() <= 3 * (servers - 1), "{what}: {} pieces", placement.pieces());
                assert!(placement.pieces() >= problem.forced_pieces(), "{what}: fewer than are forced");
            }
        }
    }
}

#[test]
fn the_search_and_the_merging_only_lose_pieces() {
    let (mut fast, mut few, mut merged) = (0, 0, 0);
    for seed in 0..10 {
        for demands in ALL_DEMANDS {
            let problem = problem(seed, 5, demands);
            let first = Bisection::Fast.place(&problem);
            let second = Bisection::FewPieces.place(&problem);
            for placement in [&first, &second] {
                let after = merge_fragments(&problem, placement);
                assert_feasible(&problem, &after, &format!("merge, seed {seed} {demands:?}"));
                assert!(after.pieces() <= placement.pieces());
            }
            fast += first.pieces();
            few += second.pieces();
            merged += merge_fragments(&problem, &second).pieces();
        }
    }
    assert!(few * 10 < fast * 8, "the search leaves {few} of {fast} pieces");
    assert!(merged < few, "merging leaves {merged} of {few} pieces");
}

/// Beyond the servers of one program, reweighting works on parts: never more pieces than the bisection that makes them.
#[test]
fn reweighting_works_on_the_parts_of_many_servers() {
    let (mut bisected, mut reweighted) = (0, 0);
    for (seed, servers) in [(1, 17), (2, 40), (3, 50)] {
        for demands in ALL_DEMANDS {
            let problem = problem(seed, servers, demands);
            let placement = by_name("reweighted", &Default::default()).unwrap().place(&problem);
            let what = format!("reweighted, seed {seed} {demands:?} on {servers}");
            assert_eq!(placement.status, Status::Ok, "{what}");
            assert_feasible(&problem, &placement, &what);
            assert!(placement.pieces() <= 3 * (servers - 1), "{what}: {} pieces", placement.pieces());
            bisected += Bisection::FewPieces.place(&problem).pieces();
            reweighted += placement.pieces();
        }
    }
    assert!(reweighted <= bisected, "{reweighted} for {bisected}");
}

#[test]
fn jobs_that_pack_exactly_are_not_cut() {
    // Eight one-GPU jobs per server that fill it, in four kinds: proportional parts stay whole.
    let demands: Vec<_> =
        [1.0, 2.0, 4.0, 5.0].iter().flat_map(|&cpus| vec![[1.0, cpus, 3.0]; 2 * 16]).collect();
    let problem = StageTwo { shapes: vec![Shape { servers: 16, capacity: [8.0, 24.0, 24.0] }], demands };
    for method in METHODS {
        assert_eq!(method.place(&problem).pieces(), 0, "{}", method.name());
    }
}

#[test]
fn thread_counts_do_not_change_the_result() {
    let problem = problem(3, 1100, Demands::Reals);
    for method in METHODS {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| method.place(&problem))
        };
        assert_eq!(with(1), with(4), "{}", method.name());
    }
}

#[test]
fn defined_results_at_the_edges() {
    let server = |servers| Shape { servers, capacity: [8.0, 24.0, 500.0] };
    for name in NAMES {
        let method = by_name(name, &Default::default()).unwrap();
        let place = |shapes: &[Shape], demands: &[[f64; 3]]| {
            method.place(&StageTwo { shapes: shapes.to_vec(), demands: demands.to_vec() })
        };
        // No job at all; jobs of nothing; a resource that servers do not have.
        assert!(place(&[server(3)], &[]).shares.is_empty(), "{name}");
        assert_eq!(place(&[server(3)], &[[0.0; 3]; 5]).pieces(), 0, "{name}");
        let without_memory = Shape { servers: 2, capacity: [8.0, 24.0, 0.0] };
        assert_eq!(place(&[without_memory], &[[4.0, 12.0, 0.0]; 4]).pieces(), 0, "{name}");
        assert_eq!(place(&[without_memory], &[[1.0, 1.0, 1.0]]).status, Status::Infeasible, "{name}");
        // A job as large as two servers and a half.
        let large =
            StageTwo { shapes: vec![server(3)], demands: vec![[20.0, 60.0, 1250.0], [4.0, 12.0, 250.0]] };
        let placement = method.place(&large);
        assert_feasible(&large, &placement, name);
        assert_eq!(placement.pieces(), 2, "{name}: no fewer than three servers hold it");
        // More than there is.
        assert_eq!(place(&[server(1)], &[[4.0, 25.0, 1.0]]).status, Status::Infeasible, "{name}");
        assert!(place(&[server(1)], &[[4.0, 25.0, 1.0]]).shares.is_empty(), "{name}");
    }
    assert!(by_name("bisect", &Default::default()).is_none());
    assert_eq!(by_name("vertex+merge", &Default::default()).unwrap().name(), "vertex+merge");
}
