//! How stage one grows: `cargo bench --workspace --bench stage_one_scaling`.
//!
//! Prints, for 1k to 100k GPUs, the time to build the instance and the time of stage one on one core, with the
//! exponent of the growth fitted over all sizes, and the direct formulation at 1,024 GPUs beside it. The time is what
//! the thread spent on a core (Linux: `/proc/thread-self/schedstat`), so that other work on the machine does not count.

mod support;

use std::time::Instant;
use synergy_solver::bounds::{BoundOptions, LpMethod, lp};
use synergy_solver::model::Instance;
use synergy_solver::status::Status;

const SIZES: [u32; 5] = [1024, 4096, 16_384, 65_536, 100_000];

fn main() {
    // Everything, parallel parts included, on the one thread whose time is read.
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(run),
        Err(error) => eprintln!("no thread pool: {error}"),
    }
}

fn run() {
    println!(
        "{:<28} {:>8} {:>8} {:>12} {:>12} {:>10}",
        "workload, method", "GPUs", "jobs", "build ms", "solve ms", "gap"
    );
    for (different, method) in [
        (false, LpMethod::Aggregated),
        (false, LpMethod::Dual),
        (true, LpMethod::Dual),
        (false, LpMethod::Direct),
        (true, LpMethod::Direct),
    ] {
        let label = format!("{}, {method}", if different { "all different" } else { "alike" });
        let mut points = Vec::new();
        for gpus in SIZES.into_iter().filter(|&gpus| method != LpMethod::Direct || gpus == 1024) {
            let (built, instance) = measure(|| support::instance(gpus, different));
            let options = BoundOptions { method: Some(method), ..BoundOptions::default() };
            let (solved, gap) = solve(&instance, &options);
            let jobs = instance.jobs().len();
            println!("{label:<28} {gpus:>8} {jobs:>8} {built:>12.2} {solved:>12.2} {gap:>10.1e}");
            points.push((f64::from(gpus).ln(), solved.ln()));
        }
        if points.len() > 1 {
            println!("{label:<28} exponent {:.2}", slope(&points));
        }
    }
    let instance = support::instance(128, false);
    let (queue, solver) = (instance.queue(), lp::Solver::new(&instance, &BoundOptions::default()));
    let (round, _) = measure(|| (0..200).for_each(|_| drop(solver.solve(&queue))));
    println!("one round of a simulation at 128 GPUs: {:.3} ms", round / 200.0);
}

/// Median time in ms of a few solves, and the gap of the certificate.
fn solve(instance: &Instance, options: &BoundOptions) -> (f64, f64) {
    let queue = instance.queue();
    let mut gap = f64::NAN;
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let (time, stage) = measure(|| lp::solve(instance, &queue, options));
            assert_eq!(stage.bound.status, Status::Optimal);
            assert_eq!(stage.bound.method, options.method);
            if let (Some(value), Some(certified)) = (stage.bound.value, stage.bound.certified) {
                gap = (certified - value).abs() / value;
            }
            time
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], gap)
}

/// Milliseconds that this thread was on a core during `work`; by the clock where that is not known.
fn measure<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let on_core = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let (clock, before) = (Instant::now(), on_core());
    let result = work();
    let elapsed = match (before, on_core()) {
        (Some(before), Some(after)) => (after - before) / 1e6,
        _ => clock.elapsed().as_secs_f64() * 1e3,
    };
    (elapsed, result)
}

/// Slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}
