//! Fewest pieces: against brute force, and the search against it.

use crate::support::{Demands, assert_feasible, full_instance, problem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use synergy_solver::bounds::BoundOptions;
use synergy_solver::lp::{Limits, Options, Outcome, highs};
use synergy_solver::placement::merge::merge_fragments;
use synergy_solver::placement::{
    Bisection, ExactPlacement, PlacementMethod, RESOURCES, Shape, StageTwo, program,
};
use synergy_solver::status::Status;
use synergy_solver::two_stage;

/// Tries every support in order of its size; whether one holds a solution is an LP.
fn brute_force(problem: &StageTwo) -> usize {
    let (servers, jobs) = (problem.servers(), problem.demands.len());
    let supports: Vec<u32> = (1..1u32 << servers).collect();
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..jobs {
        let longer = |chosen: &Vec<u32>| {
            supports.iter().map(|&support| [&chosen[..], &[support]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let pieces = |chosen: &Vec<u32>| chosen.iter().map(|s| s.count_ones() as usize - 1).sum::<usize>();
    all.sort_by_key(pieces);
    let feasible = |chosen: &Vec<u32>| {
        let mut lp = program::direct(problem);
        for (job, support) in chosen.iter().enumerate() {
            for server in (0..servers).filter(|server| support >> server & 1 == 0) {
                lp.set_bounds(job * servers + server, 0.0, 0.0);
            }
        }
        highs::solve(&lp, &Options::default()).outcome == Outcome::Optimal
    };
    all.iter().find(|chosen| feasible(chosen)).map(pieces).expect("x = 1/s is a solution")
}

/// Few jobs that fill two or three servers to the brim in one or two resources.
fn tiny(seed: u64) -> StageTwo {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let servers = 2 + seed as usize % 2;
    let jobs = if servers == 2 { 5 } else { 3 + seed as usize / 2 % 2 };
    let mut demands: Vec<[f64; RESOURCES]> =
        (0..jobs).map(|_| [(); RESOURCES].map(|()| f64::from(rng.random_range(1..=6u32)))).collect();
    // Capacities follow from the demands: some resources full, the others with room.
    let mut capacity = [0.0; RESOURCES];
    for (r, capacity) in capacity.iter_mut().enumerate() {
        let load: f64 = demands.iter().map(|d| d[r]).sum();
        let room = if rng.random_bool(0.6) { 1.0 } else { rng.random_range(1.05..1.6) };
        *capacity = load * room / servers as f64;
    }
    if rng.random_bool(0.3) {
        demands[0] = demands[1];
    }
    StageTwo { shapes: vec![Shape { servers, capacity }], demands }
}

#[test]
fn it_finds_what_brute_force_finds() {
    let mut with_pieces = 0;
    for seed in 0..24 {
        let problem = tiny(seed);
        if !problem.fits_in_sum() {
            continue;
        }
        let placement = ExactPlacement::default().place(&problem);
        assert_eq!(placement.status, Status::Optimal, "seed {seed}");
        assert_feasible(&problem, &placement, &format!("seed {seed}"));
        let least = brute_force(&problem);
        assert_eq!(placement.pieces(), least, "seed {seed}: {problem:?}");
        assert_eq!(placement.bound, Some(least), "seed {seed}");
        with_pieces += usize::from(least > 0);
        // With and without the rows that break symmetry, from nothing.
        for break_symmetry in [false, true] {
            let program = program::fewest_pieces(&problem, break_symmetry);
            let value = highs::solve(&program, &Options::default()).objective;
            let pieces = value - problem.demands.len() as f64;
            assert!(
                (pieces - least as f64).abs() < 1e-6,
                "seed {seed} {break_symmetry}: {pieces}, not {least}"
            );
        }
    }
    assert!(with_pieces >= 6, "only {with_pieces} of the problems need a piece");
}

#[test]
fn the_local_search_ends_within_three_of_the_optimum_where_it_closes() {
    let limits = Limits { node_limit: Some(300), ..Limits::default() };
    let mut closed = 0;
    for seed in 0..10 {
        let problem = problem(seed, 2 + seed as usize % 2, Demands::Grid);
        let merged = merge_fragments(&problem, &Bisection::FewPieces.place(&problem));
        let exact = ExactPlacement { limits }.place(&problem);
        assert_feasible(&problem, &exact, &format!("seed {seed}"));
        let bound = exact.bound.expect("it proves a bound");
        assert!(bound <= exact.pieces() && exact.pieces() <= merged.pieces());
        if exact.status == Status::Optimal {
            closed += 1;
            assert!(
                merged.pieces() <= exact.pieces() + 3,
                "seed {seed}: {} for {}",
                merged.pieces(),
                exact.pieces()
            );
        }
    }
    assert!(closed >= 5, "only {closed} of 10 closed");
}

/// Full instances on the published grid, beyond three servers, with CPUs full and with room.
#[test]
fn on_full_instances_the_search_is_near_what_is_proven() {
    let limits = Limits { node_limit: Some(20), ..Limits::default() };
    let mut closed = 0;
    for servers in [4, 6] {
        for (multi, cpus_per_gpu) in [(false, 3.0), (false, 6.0), (true, 3.0), (true, 6.0)] {
            let instance = full_instance(servers, multi, cpus_per_gpu, 7 + servers as u64);
            let stage_one = two_stage::stage_one(&instance, &instance.queue(), &BoundOptions::default());
            let problem = &two_stage::stage_two(&instance, &stage_one)[0].problem;
            let merged = merge_fragments(problem, &Bisection::FewPieces.place(problem));
            let what = format!("{servers} servers, multi {multi}, {cpus_per_gpu} CPUs per GPU");
            assert_feasible(problem, &merged, &what);
            assert!(merged.pieces() <= 3 * (servers - 1), "{what}: {}", merged.pieces());
            let exact = ExactPlacement { limits }.place(problem);
            let bound = exact.bound.expect("it proves a bound");
            assert!(bound <= exact.pieces() && exact.pieces() <= merged.pieces(), "{what}");
            if exact.status == Status::Optimal {
                closed += 1;
                assert!(merged.pieces() <= bound + 3, "{what}: {} for {bound}", merged.pieces());
            }
        }
    }
    assert!(closed >= 2, "only {closed} of 8 closed");
}
