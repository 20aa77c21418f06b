//! Certificates: they accept what is right, reject what is wrong, and their bound is valid for any duals.

use crate::support::{KINDS, assert_close, default_options, instances};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use synergy_solver::bounds::{lp, lp_groups, lp_skip};
use synergy_solver::lp::{
    Algorithm, Certificate, Kind, Limits, LinearProgram, Options, Outcome, Sense, Session, highs,
    solve_certified,
};
use synergy_solver::status::Status;

fn programs() -> Vec<LinearProgram> {
    let mut programs = Vec::new();
    for kind in KINDS {
        for (_, instance) in instances(kind, 20) {
            let (queue, options) = (instance.queue(), default_options());
            programs.push(lp::named_program(&instance, &queue, &options, Kind::Continuous).program);
            programs.push(lp_skip::named_program(&instance, &queue, &options).program);
            programs.push(lp_groups::named_program(&instance, &queue, &options).program);
        }
    }
    programs
}

/// min 2a + 3b  s.t.  a + b >= 4, a - b <= 2, 0 <= a <= 10, 0 <= b <= 10: a = 3, b = 1, value 9.
fn minimisation() -> LinearProgram {
    let mut program = LinearProgram::new(Sense::Minimise);
    program.add_row(4.0, f64::INFINITY);
    program.add_row(f64::NEG_INFINITY, 2.0);
    program.add_column(Kind::Continuous, 2.0, (0.0, 10.0), [(0, 1.0), (1, 1.0)]);
    program.add_column(Kind::Continuous, 3.0, (0.0, 10.0), [(0, 1.0), (1, -1.0)]);
    program
}

#[test]
fn an_optimum_is_certified_in_either_sense() {
    let certified = solve_certified(&minimisation(), &Options::default());
    assert_eq!(certified.status, Status::Optimal);
    assert_close(certified.certificate.bound, 9.0, 1e-9, "bound");
    assert_close(certified.certificate.primal, 9.0, 1e-9, "primal");
    for program in programs() {
        let certified = solve_certified(&program, &Options::default());
        assert_eq!(certified.status, Status::Optimal);
        assert!(certified.certificate.gap.abs() <= 1e-9);
    }
}

#[test]
fn the_bound_is_valid_for_any_duals() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for program in programs().iter().chain([&minimisation()]) {
        let optimum = solve_certified(program, &Options::default());
        let value = optimum.certificate.primal;
        for _ in 0..20 {
            let noise = |y: &f64| y * rng.random_range(0.0..2.0) + rng.random_range(-0.3..0.3);
            let duals: Vec<f64> = optimum.solution.row_duals.iter().map(noise).collect();
            let certificate = Certificate::new(program, &optimum.solution.columns, &duals);
            let tolerance = 1e-7 * value.abs().max(1.0);
            match program.sense() {
                Sense::Maximise => assert!(certificate.bound >= value - tolerance),
                Sense::Minimise => assert!(certificate.bound <= value + tolerance),
            }
        }
    }
}

#[test]
fn wrong_duals_are_rejected() {
    let program = minimisation();
    let optimum = solve_certified(&program, &Options::default()).solution;
    let flipped: Vec<f64> = optimum.row_duals.iter().map(|y| -y).collect();
    for wrong in [flipped, vec![0.0; 2], vec![f64::NAN; 2], vec![2.5, -0.6], vec![1.0]] {
        assert!(!Certificate::new(&program, &optimum.columns, &wrong).holds(), "{wrong:?}");
    }
}

#[test]
fn wrong_primal_points_are_rejected() {
    let program = minimisation();
    let optimum = solve_certified(&program, &Options::default()).solution;
    for wrong in [vec![3.0, 0.9], vec![3.1, 1.0], vec![-1e-3, 4.0], vec![f64::NAN, 1.0], vec![3.0], vec![]] {
        assert!(!Certificate::new(&program, &wrong, &optimum.row_duals).holds(), "{wrong:?}");
    }
}

#[test]
fn a_column_without_bound_needs_an_implied_one() {
    let mut program = LinearProgram::new(Sense::Maximise);
    let row = program.add_row(f64::NEG_INFINITY, 2.0);
    let column = program.add_column(Kind::Continuous, 1.0, (0.0, f64::INFINITY), [(row, 1.0)]);
    assert_eq!(Certificate::new(&program, &[2.0], &[0.5]).bound, f64::INFINITY);
    program.imply_upper(column, 2.0);
    assert_close(Certificate::new(&program, &[2.0], &[0.5]).bound, 2.0, 1e-12, "bound");
}

#[test]
fn an_infeasible_program_is_said_to_be() {
    let mut program = LinearProgram::new(Sense::Maximise);
    let row = program.add_row(2.0, f64::INFINITY);
    program.add_column(Kind::Continuous, 1.0, (0.0, 1.0), [(row, 1.0)]);
    assert_eq!(solve_certified(&program, &Options::default()).status, Status::Infeasible);
}

#[test]
fn interior_point_agrees_and_without_crossover_is_no_vertex() {
    for program in programs() {
        let simplex = solve_certified(&program, &Options::default());
        let options = Options { algorithm: Algorithm::InteriorPoint, ..Options::default() };
        let interior = solve_certified(&program, &options);
        assert_eq!(interior.status, Status::Optimal);
        assert_close(simplex.certificate.primal, interior.certificate.primal, 1e-7, "value");
    }
    let mut program = LinearProgram::new(Sense::Maximise);
    program.add_row(1.0, 1.0);
    for _ in 0..3 {
        program.add_column(Kind::Continuous, 1.0, (0.0, 1.0), [(0, 1.0)]);
    }
    let options = Options {
        algorithm: Algorithm::InteriorPointWithoutCrossover,
        presolve: false,
        ..Options::default()
    };
    let fractional =
        highs::solve(&program, &options).columns.iter().filter(|x| **x > 1e-3 && **x < 0.999).count();
    assert_eq!(fractional, 3);
}

/// A kept model that is changed and solved again, against a fresh one of the same data.
#[test]
fn warm_re_solves_agree_with_cold_ones() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    for mut program in programs() {
        let options = Options::default();
        let mut session = Session::new(&program, &options);
        session.solve();
        for _ in 0..4 {
            let cost: Vec<f64> = program.cost().iter().map(|c| c * rng.random_range(0.5..1.5)).collect();
            session.set_objective(Sense::Maximise, &cost);
            program.set_objective(Sense::Maximise, cost);
            let (lower, upper) = program.row_bounds(0);
            let upper = upper * rng.random_range(1.0..1.2);
            program.set_row_bounds(0, lower, upper);
            session.set_row_bounds(0, lower, upper);
            let column = rng.random_range(0..program.columns());
            let entries: Vec<(usize, f64)> =
                program.column(column).map(|(row, value)| (row, value * 0.9)).collect();
            let cost = program.cost()[column];
            program.add_column(Kind::Continuous, cost, (0.0, f64::INFINITY), entries.iter().copied());
            session.add_columns([(cost, (0.0, f64::INFINITY), &entries[..])]);
            let (warm, cold) = (session.solve(), highs::solve(&program, &options));
            assert_eq!((warm.outcome, cold.outcome), (Outcome::Optimal, Outcome::Optimal));
            assert_close(warm.objective, cold.objective, 1e-7, "objective");
            let basis = warm.basis.unwrap();
            session.set_basis(&basis);
            assert_eq!(session.solve().iterations, 0, "a solve from the optimal basis takes no iteration");
        }
    }
}

#[test]
fn duals_are_changes_of_the_optimum() {
    for mut program in programs().into_iter().take(60) {
        let before = solve_certified(&program, &Options::default());
        let (lower, upper) = program.row_bounds(0);
        program.set_row_bounds(0, lower, upper + 1e-3);
        let after = solve_certified(&program, &Options::default()).certificate.primal;
        let change = (after - before.certificate.primal) / 1e-3;
        // At a kink the dual is one of several; the change to the right is the least of them.
        assert!(change <= before.solution.row_duals[0] + 1e-5, "{change} {}", before.solution.row_duals[0]);
    }
}

#[test]
fn a_count_limit_ends_a_solve_with_a_valid_bound() {
    let program = programs().into_iter().max_by_key(LinearProgram::columns).unwrap();
    let optimum = solve_certified(&program, &Options::default()).certificate.primal;
    let limits = Limits { iteration_limit: Some(1), ..Limits::default() };
    let limited = solve_certified(&program, &Options { limits, presolve: false, ..Options::default() });
    assert_eq!(limited.status, Status::NodeLimit);
    assert!(limited.certificate.bound >= optimum - 1e-6);
}

#[test]
fn what_highs_refuses_is_a_failed_solve() {
    let program = minimisation();
    let mut session = Session::new(&program, &Options::default());
    session.set_objective(Sense::Minimise, &[1.0]);
    assert!(matches!(session.solve().outcome, Outcome::Failed(_)));
}
