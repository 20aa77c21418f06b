//! The dual against the whole LP, on programs with ties, degenerate prices, and capacities that just suffice.

use crate::support::{all_different, assert_close, default_options};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use synergy_solver::bounds::choice::{Choices, Chosen, Point};
use synergy_solver::bounds::{BoundOptions, LpMethod, StageOne, lp};
use synergy_solver::lp::Options;
use synergy_solver::status::Status;

/// A random program that has a solution. Small whole numbers make many points and prices tie.
fn random<const R: usize>(rng: &mut ChaCha8Rng) -> (Choices<R>, Vec<Point<R>>) {
    let whole = rng.random_bool(0.6);
    let number = |rng: &mut ChaCha8Rng, largest: u32| match whole {
        true => f64::from(rng.random_range(0..=largest)),
        false => rng.random_range(0.0..f64::from(largest)),
    };
    let mut blocks = Vec::new();
    let mut capacity = [0.0; R];
    for _ in 0..rng.random_range(1..=12) {
        let count = f64::from(*[1, 1, 2, 7].choose(rng).unwrap());
        let points: Vec<Point<R>> = (0..rng.random_range(1..=6))
            .map(|_| Point { value: number(rng, 6), usage: std::array::from_fn(|_| number(rng, 4)) })
            .collect();
        // The capacity of some choice, so that there is a solution, and sometimes just one.
        let chosen = *points.choose(rng).unwrap();
        for (capacity, usage) in capacity.iter_mut().zip(chosen.usage) {
            *capacity += count * usage;
        }
        blocks.push((count, points));
    }
    let slack = *[1.0, 1.0, 1.1, 2.0, 10.0].choose(rng).unwrap();
    let mut choices = Choices::new(capacity.map(|c| c * slack));
    let mut all = Vec::new();
    for (count, points) in blocks {
        all.extend(points.iter().copied());
        choices.add_block(count, points);
    }
    (choices, all)
}

fn used<const R: usize>(chosen: &Chosen<R>, points: &[Point<R>], resource: usize) -> f64 {
    chosen.amounts.iter().zip(points).map(|(amount, point)| amount * point.usage[resource]).sum()
}

fn dual_agrees_with_the_whole<const R: usize>(seeds: std::ops::Range<u64>, ties: &[usize]) {
    let mut by_dual = 0;
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let (choices, points) = random::<R>(&mut ChaCha8Rng::seed_from_u64(seed));
        let whole = choices.solve_whole(ties, &Options::default());
        let dual = choices.solve_dual(ties, &Options::default());
        assert_eq!((whole.status, dual.status), (Status::Optimal, Status::Optimal), "seed {seed}");
        let what = format!("{R} resources, seed {seed}");
        assert_close(dual.value, whole.value, 1e-9, &what);
        assert_close(dual.bound, dual.value, 1e-9, &what);
        for &resource in ties.iter().take(1) {
            assert_close(used(&dual, &points, resource), used(&whole, &points, resource), 1e-6, &what);
        }
        by_dual += u64::from(dual.by_dual);
    }
    assert!(by_dual * 100 >= count * 98, "{} of {count} fell back to the whole LP", count - by_dual);
}

#[test]
fn the_dual_agrees_with_the_whole_lp() {
    dual_agrees_with_the_whole::<1>(0..300, &[0]);
    dual_agrees_with_the_whole::<2>(0..2000, &[0, 1]);
    dual_agrees_with_the_whole::<3>(0..1000, &[]);
}

#[test]
fn a_program_without_solution_is_infeasible_by_both() {
    let mut choices = Choices::new([1.0, 5.0]);
    choices.add_block(2.0, [Point { value: 1.0, usage: [1.0, 1.0] }]);
    for chosen in
        [choices.solve_whole(&[], &Options::default()), choices.solve_dual(&[], &Options::default())]
    {
        assert_eq!(chosen.status, Status::Infeasible);
    }
}

#[test]
fn results_are_the_same_at_any_number_of_threads() {
    let instance = all_different(9000, 3, false);
    let options = BoundOptions { method: Some(LpMethod::Dual), ..default_options() };
    let solve = |threads: usize| -> StageOne {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| lp::solve(&instance, &instance.queue(), &options))
    };
    let one = solve(1);
    assert_eq!(one.bound.method, Some(LpMethod::Dual));
    assert_eq!(one, solve(4));
}
