//! Stage two as linear and integer programs.

use super::{Placement, RESOURCES, Share, StageTwo};
use crate::lp::{Kind, LinearProgram, NamedProgram, Sense};

/// Names of the capacity rows.
const ROW_NAMES: [&str; RESOURCES] = ["gpu", "cpu", "mem"];

/// Non-zeros smaller than this are rounding.
pub(super) const ZERO: f64 = 1e-9;

/// Adds a row for every server and resource; row `RESOURCES * i + r` belongs to server i. With `scaled`, loads are
/// fractions of the capacity, which puts the solver's tolerance where ours is.
fn add_capacity_rows(program: &mut LinearProgram, problem: &StageTwo, scaled: bool) {
    for capacity in problem.capacities().iter().flatten() {
        program.add_row(f64::NEG_INFINITY, if scaled && *capacity > 0.0 { 1.0 } else { *capacity });
    }
}

/// The program of the paper, one variable per job and server: `x_{i,j}` is column `j * s + i`, and
/// the row of job j is `3s + j`. Costs are zero: any vertex will do.
pub fn direct(problem: &StageTwo) -> LinearProgram {
    per_job(problem, false)
}

fn per_job(problem: &StageTwo, scaled: bool) -> LinearProgram {
    let servers = problem.servers();
    let capacities = problem.capacities();
    let mut program = LinearProgram::new(Sense::Minimise);
    let columns = servers * problem.demands.len();
    program.reserve(columns, columns * (RESOURCES + 1));
    add_capacity_rows(&mut program, problem, scaled);
    for _ in &problem.demands {
        program.add_row(1.0, 1.0);
    }
    for (j, demand) in problem.demands.iter().enumerate() {
        for (i, capacity) in capacities.iter().enumerate() {
            let unit = |r: usize| if scaled && capacity[r] > 0.0 { capacity[r] } else { 1.0 };
            let loads = (0..RESOURCES).map(|r| (RESOURCES * i + r, demand[r] / unit(r)));
            let entries = loads.chain([(RESOURCES * servers + j, 1.0)]);
            program.add_column(Kind::Continuous, 0.0, (0.0, 1.0), entries);
        }
    }
    program
}

/// [`direct`] with loads as fractions of capacities, as our methods solve it.
pub(super) fn direct_scaled(problem: &StageTwo) -> LinearProgram {
    per_job(problem, true)
}

/// One variable per kind of job (equal demands) and server: the number of such jobs there, column `k * s + i`.
pub(super) fn by_kind(problem: &StageTwo, order: &[u32], starts: &[u32]) -> LinearProgram {
    let servers = problem.servers();
    let capacities = problem.capacities();
    let mut program = LinearProgram::new(Sense::Minimise);
    add_capacity_rows(&mut program, problem, true);
    for ends in starts.windows(2) {
        let count = f64::from(ends[1] - ends[0]);
        program.add_row(count, count);
    }
    for (k, &at) in starts[..starts.len() - 1].iter().enumerate() {
        let demand = &problem.demands[order[at as usize] as usize];
        for (i, capacity) in capacities.iter().enumerate() {
            let unit = |r: usize| if capacity[r] > 0.0 { capacity[r] } else { 1.0 };
            let loads = (0..RESOURCES).map(|r| (RESOURCES * i + r, demand[r] / unit(r)));
            let entries = loads.chain([(RESOURCES * servers + k, 1.0)]);
            program.add_column(Kind::Continuous, 0.0, (0.0, f64::INFINITY), entries);
        }
    }
    program
}

/// Lays the jobs of every kind, one after another, along its servers: the placement that numbers of
/// jobs per kind and server mean. A vertex of [`by_kind`] becomes a vertex of [`direct`] (`docs/placement.md`).
pub(super) fn lay_out(problem: &StageTwo, order: &[u32], starts: &[u32], numbers: &[f64]) -> Vec<Share> {
    let servers = problem.servers();
    let mut shares = Vec::with_capacity(order.len());
    for (k, ends) in starts.windows(2).enumerate() {
        let jobs = &order[ends[0] as usize..ends[1] as usize];
        let (mut at, mut laid) = (0, 0.0);
        for (i, &number) in numbers[k * servers..(k + 1) * servers].iter().enumerate() {
            if number <= ZERO {
                continue;
            }
            // Ends that are whole but for rounding are whole: no job has a sliver elsewhere.
            let end = snap(laid + number).min(jobs.len() as f64);
            while at < jobs.len() && laid < end {
                let job_end = ((at + 1) as f64).min(end);
                shares.push(Share { job: jobs[at], server: i as u32, fraction: job_end - laid });
                laid = job_end;
                at += usize::from(laid >= (at + 1) as f64);
            }
        }
    }
    shares
}

fn snap(number: f64) -> f64 {
    if (number - number.round()).abs() < 10.0 * ZERO { number.round() } else { number }
}

/// The non-zeros of a solution of [`direct`].
pub(super) fn shares_of(problem: &StageTwo, columns: &[f64]) -> Vec<Share> {
    let servers = problem.servers();
    let share = |(column, &fraction): (usize, &f64)| Share {
        job: (column / servers) as u32,
        server: (column % servers) as u32,
        fraction,
    };
    columns.iter().enumerate().filter(|(_, x)| **x > ZERO).map(share).collect()
}

/// Least pieces as an integer program: [`direct`], and for every `x_{i,j}` a 0/1 column `z_{i,j} >= x_{i,j}` after
/// the x, in the same order. Minimises sum z.
///
/// Identical servers and identical jobs make every solution come in many guises. `break_symmetry` adds rows
/// that keep at least one: servers of a shape in order of falling `sum_j j x_{i,j}`, jobs of a kind in
/// order of falling `sum_i i x_{i,j}`. The guise that is least in `sum_{i,j} i j x_{i,j}` obeys both, as a
/// neighbouring pair out of order could be exchanged to make it less.
pub fn fewest_pieces(problem: &StageTwo, break_symmetry: bool) -> LinearProgram {
    let servers = problem.servers();
    let jobs = problem.demands.len();
    let capacities = problem.capacities();
    let mut program = LinearProgram::new(Sense::Minimise);
    add_capacity_rows(&mut program, problem, true);
    for _ in 0..jobs {
        program.add_row(1.0, 1.0);
    }
    let link = program.rows();
    for _ in 0..servers * jobs {
        program.add_row(f64::NEG_INFINITY, 0.0);
    }
    let mut order_rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); servers * jobs];
    if break_symmetry {
        add_order_rows(&mut program, problem, &mut order_rows);
    }
    for (j, demand) in problem.demands.iter().enumerate() {
        for (i, capacity) in capacities.iter().enumerate() {
            let unit = |r: usize| if capacity[r] > 0.0 { capacity[r] } else { 1.0 };
            let loads = (0..RESOURCES).map(|r| (RESOURCES * i + r, demand[r] / unit(r)));
            let rest = [(RESOURCES * servers + j, 1.0), (link + j * servers + i, 1.0)];
            let entries = loads.chain(rest).chain(order_rows[j * servers + i].iter().copied());
            program.add_column(Kind::Continuous, 0.0, (0.0, 1.0), entries.collect::<Vec<_>>());
        }
    }
    for z in 0..servers * jobs {
        program.add_column(Kind::Integer, 1.0, (0.0, 1.0), [(link + z, -1.0)]);
    }
    program
}

fn add_order_rows(program: &mut LinearProgram, problem: &StageTwo, of_column: &mut [Vec<(usize, f64)>]) {
    let servers = problem.servers();
    let jobs = problem.demands.len();
    let mut first = 0;
    for shape in &problem.shapes {
        for i in first..(first + shape.servers).saturating_sub(1) {
            let row = program.add_row(0.0, f64::INFINITY);
            for j in 0..jobs {
                let weight = (j + 1) as f64 / jobs as f64;
                of_column[j * servers + i].push((row, weight));
                of_column[j * servers + i + 1].push((row, -weight));
            }
        }
        first += shape.servers;
    }
    let (order, starts) = problem.kinds();
    for ends in starts.windows(2) {
        for pair in order[ends[0] as usize..ends[1] as usize].windows(2) {
            let row = program.add_row(0.0, f64::INFINITY);
            for i in 0..servers {
                let weight = (i + 1) as f64 / servers as f64;
                of_column[pair[0] as usize * servers + i].push((row, weight));
                of_column[pair[1] as usize * servers + i].push((row, -weight));
            }
        }
    }
}

/// A placement as a point of [`fewest_pieces`] without order rows.
pub(super) fn start_of(problem: &StageTwo, placement: &Placement) -> Vec<f64> {
    let servers = problem.servers();
    let columns = servers * problem.demands.len();
    let mut start = vec![0.0; 2 * columns];
    for share in &placement.shares {
        let x = share.job as usize * servers + share.server as usize;
        start[x] = share.fraction;
        start[columns + x] = 1.0;
    }
    start
}

/// Stage two with names, in the problem's own units: `direct` or, with `exact`, the least pieces.
pub fn named(problem: &StageTwo, exact: bool) -> NamedProgram {
    let servers = problem.servers();
    let of_x = |prefix: &str| -> Vec<String> {
        let name = |j: usize| (0..servers).map(move |i| format!("{prefix}_s{i}_j{j}"));
        (0..problem.demands.len()).flat_map(name).collect()
    };
    let mut column_names = of_x("x");
    let mut row_names: Vec<String> =
        (0..servers).flat_map(|i| ROW_NAMES.map(|resource| format!("cap_{resource}_s{i}"))).collect();
    row_names.extend((0..problem.demands.len()).map(|j| format!("place_j{j}")));
    let program = if exact {
        column_names.extend(of_x("z"));
        row_names.extend(of_x("link"));
        fewest_pieces(problem, false)
    } else {
        direct(problem)
    };
    let name = if exact { "stage_two_fewest_pieces" } else { "stage_two" };
    NamedProgram { name: name.into(), program, column_names, row_names }
}
