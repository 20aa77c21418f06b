//! The vertex and the paper's program: against a second formulation, two solvers, and linear algebra.

use crate::support::{ALL_DEMANDS, Demands, assert_feasible, full_instance, problem};
use good_lp::{Expression, Solution, SolverModel, constraint, variable, variables};
use synergy_solver::bounds::BoundOptions;
use synergy_solver::check::check;
use synergy_solver::lp::{Options, Outcome, highs};
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Rules, ServerGroup};
use synergy_solver::placement::{
    Bisection, Placement, PlacementMethod, RESOURCES, Reweighted, Shape, StageTwo, Vertex, program,
};
use synergy_solver::status::Status;
use synergy_solver::two_stage;

#[test]
fn a_vertex_is_feasible_within_the_limit_and_a_vertex() {
    for seed in 0..120 {
        for demands in ALL_DEMANDS {
            let servers = 1 + seed as usize % 6;
            let problem = problem(seed, servers, demands);
            for method in [&Vertex::default() as &dyn PlacementMethod, &Reweighted::default()] {
                let placement = method.place(&problem);
                let what = format!("{} seed {seed} {demands:?}", method.name());
                assert!(
                    matches!(placement.status, Status::Optimal | Status::Ok),
                    "{what}: {}",
                    placement.status
                );
                assert_feasible(&problem, &placement, &what);
                assert!(placement.fragmented() <= 3 * servers, "{what}: {}", placement.fragmented());
                assert!(placement.vertex && is_vertex(&problem, &placement), "{what}: no vertex");
            }
        }
    }
}

/// A feasible point is a vertex when the columns of its non-zeros, with the slacks of the rows that are not
/// tight, are independent. Dense elimination.
fn is_vertex(problem: &StageTwo, placement: &Placement) -> bool {
    let capacities = problem.capacities();
    let rows = capacities.len() * RESOURCES + problem.demands.len();
    let mut loads = vec![[0.0; RESOURCES]; capacities.len()];
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for share in &placement.shares {
        let (i, j) = (share.server as usize, share.job as usize);
        let mut column = vec![0.0; rows];
        for r in 0..RESOURCES {
            column[i * RESOURCES + r] = problem.demands[j][r] / capacities[i][r];
            loads[i][r] += share.fraction * column[i * RESOURCES + r];
        }
        column[capacities.len() * RESOURCES + j] = 1.0;
        columns.push(column);
    }
    for (row, load) in loads.iter().flatten().enumerate() {
        if *load < 1.0 - 1e-6 {
            let mut column = vec![0.0; rows];
            column[row] = 1.0;
            columns.push(column);
        }
    }
    let wanted = columns.len();
    let mut rank = 0;
    for row in 0..rows {
        let pivot =
            (rank..columns.len()).max_by(|&a, &b| columns[a][row].abs().total_cmp(&columns[b][row].abs()));
        let Some(pivot) = pivot.filter(|&p| columns[p][row].abs() > 1e-7) else { continue };
        columns.swap(rank, pivot);
        let lead = columns[rank].clone();
        for column in &mut columns[rank + 1..] {
            let factor = column[row] / lead[row];
            column.iter_mut().zip(&lead).for_each(|(value, l)| *value -= factor * l);
        }
        rank += 1;
    }
    rank == wanted
}

/// Stage two written down a second time, solved by `solver`; the least load of server 0 in GPUs.
fn least_on_first_server<S: good_lp::Solver>(problem: &StageTwo, solver: S) -> f64 {
    let capacities = problem.capacities();
    let mut vars = variables!();
    let x: Vec<Vec<_>> = problem
        .demands
        .iter()
        .map(|_| capacities.iter().map(|_| vars.add(variable().min(0.0))).collect())
        .collect();
    let load = |i: usize, r: usize| -> Expression {
        problem.demands.iter().zip(&x).map(|(demand, of_job)| demand[r] * of_job[i]).sum()
    };
    let mut model = vars.minimise(load(0, 0)).using(solver);
    for (i, capacity) in capacities.iter().enumerate() {
        for r in 0..RESOURCES {
            model = model.with(constraint!(load(i, r) <= capacity[r]));
        }
    }
    for of_job in &x {
        model = model.with(constraint!(of_job.iter().sum::<Expression>() == 1.0));
    }
    model.solve().expect("x = 1/s is a solution").eval(load(0, 0))
}

#[test]
fn the_program_is_the_one_that_good_lp_reads() {
    for seed in 0..100 {
        for demands in [Demands::Grid, Demands::Reals] {
            let problem = problem(seed, 1 + seed as usize % 4, demands);
            let mut ours = program::direct(&problem);
            let costs = (0..ours.columns()).map(|column| {
                let (job, server) = (column / problem.servers(), column % problem.servers());
                if server == 0 { problem.demands[job][0] } else { 0.0 }
            });
            let costs = costs.collect();
            ours.set_objective(synergy_solver::lp::Sense::Minimise, costs);
            let value = highs::solve(&ours, &Options::default()).objective;
            for (name, second) in [
                ("HiGHS", least_on_first_server(&problem, good_lp::highs)),
                ("clarabel", least_on_first_server(&problem, good_lp::clarabel)),
            ] {
                assert!(
                    (value - second).abs() < 1e-6 * value.max(1.0),
                    "seed {seed}: {value}, {name} {second}"
                );
            }
        }
    }
}

/// Two groups of one GPU count, the second with few CPUs.
fn unequal(jobs: usize, cpus_per_job: f64) -> Instance {
    let profile = synergy_solver::model::Profile::new(
        "two",
        vec![1.0, cpus_per_job],
        vec![10.0],
        ndarray::array![[1.0], [2.0]],
    );
    let profile = std::sync::Arc::new(profile.unwrap());
    let group = |count, cpus| ServerGroup {
        gpu_type: "v100".into(),
        count,
        gpus: 1,
        capacity: Amounts::new(cpus, 10.0),
    };
    let spec = |j: usize| JobSpec {
        id: format!("j{j}"),
        profile: profile.clone(),
        gpus: 1,
        weight: 1.0,
        arrival_s: None,
        work_s: None,
    };
    let cluster = Cluster::new(vec![group(1, 7.0), group(1, 1.0)]).unwrap();
    Instance::new("unequal", cluster, (0..jobs).map(spec).collect(), Rules::default()).unwrap()
}

#[test]
fn melted_unequal_groups_may_have_no_placement_and_their_own_stage_one_has() {
    // 8 CPUs in all, two jobs that want 4 each: one server has only 1.
    let instance = unequal(2, 4.0);
    let queue = instance.queue();
    let melted = synergy_solver::bounds::lp::solve(&instance, &queue, &BoundOptions::default());
    let problem = two_stage::melted_stage_two(&instance, &melted);
    assert!(problem.fits_in_sum());
    assert_eq!(Vertex::default().place(&problem).status, Status::Infeasible);
    let direct = highs::solve(&program::direct(&problem), &Options::default());
    assert_eq!(direct.outcome, Outcome::Infeasible);

    let solved = two_stage::solve(&instance, &queue, &BoundOptions::default(), &Vertex::default());
    assert_eq!(solved.placement.status, Status::Optimal);
    assert!(solved.stage_one.bound.value.unwrap() < melted.bound.value.unwrap() - 1e-6);
}

#[test]
fn several_shapes_at_once_are_placed_where_they_can_be() {
    for seed in 0..40 {
        let mut problem = problem(seed, 4, Demands::Grid);
        problem.shapes.push(Shape { servers: 2, capacity: [4.0, 36.0, 10.0] });
        let placement = Vertex::default().place(&problem);
        assert_eq!(placement.status, Status::Optimal, "seed {seed}");
        assert_feasible(&problem, &placement, &format!("seed {seed}"));
        assert_eq!(Bisection::Fast.place(&problem).status, Status::Skipped);
    }
}

#[test]
fn both_stages_make_an_allocation_that_the_checker_accepts() {
    for seed in 0..20 {
        let instance = full_instance(4, seed % 2 == 0, [3.0, 4.0][seed as usize / 2 % 2], seed);
        let queue = instance.queue();
        for name in ["vertex", "bisection-fast", "bisection", "reweighted", "vertex+merge"] {
            let method = synergy_solver::placement::by_name(name, &Default::default()).unwrap();
            let solved = two_stage::solve(&instance, &queue, &BoundOptions::default(), &*method);
            let placement = &solved.placement;
            assert!(matches!(placement.status, Status::Optimal | Status::Ok), "{name} seed {seed}");
            assert!(placement.fragmented <= placement.limit && placement.limit == 12, "{name} seed {seed}");
            let report = check(&instance, &queue, &placement.allocation(&instance, &solved.stage_one));
            assert!(report.verdicts.valid, "{name} seed {seed}: {:?}", report.violations.first());
            assert_eq!(report.fragmented, placement.fragmented, "{name} seed {seed}");
            assert_eq!(placement.main_servers(solved.stage_one.jobs.len()).len(), instance.jobs().len());
        }
    }
}
