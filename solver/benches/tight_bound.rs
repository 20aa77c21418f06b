//! Times and gaps of `config` and `opt-deployable` on generated workloads that fill the cluster.
//!
//! ```text
//! cargo bench --workspace --bench tight_bound -- [GPUS ...] [--instances N] [--all-differ]
//! ```
//!
//! Prints per cluster size: median milliseconds of the bound (stage one included), median seconds of
//! the allocation (bound and TUNE included), median and worst certified gap, columns, what TUNE is below the bound.

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use synergy_solver::bounds::{Bound, BoundOptions, Config, lp::Lp};
use synergy_solver::check::check;
use synergy_solver::mechanisms::{Mechanism, OptDeployable, Tune};
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup};

/// The published profiles of the default mix, by task class.
fn profiles() -> [Vec<Arc<Profile>>; 3] {
    type Cell = (f64, f64, f64);
    let mut points: BTreeMap<(&str, &str), Vec<Cell>> = BTreeMap::new();
    for line in include_str!("../../experiments/profiles/osdi22_v100.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        let memory_gb = if number(3) == 20.83 { 62.5 / 3.0 } else { number(3) };
        points.entry((fields[1], fields[0])).or_default().push((number(2), memory_gb, number(4)));
    }
    let used: Vec<&str> = include_str!("../../experiments/profiles/osdi22_v100_models.csv")
        .lines()
        .filter(|line| line.ends_with(",yes"))
        .map(|line| line.split(',').next().unwrap())
        .collect();
    let of = |task: &str| {
        let models = points.iter().filter(|((t, model), _)| *t == task && used.contains(model));
        models
            .map(|((_, model), points)| {
                let mut axes: [Vec<f64>; 2] =
                    [points.iter().map(|p| p.0).collect(), points.iter().map(|p| p.1).collect()];
                for axis in &mut axes {
                    axis.sort_by(f64::total_cmp);
                    axis.dedup();
                }
                let mut w = Array2::zeros((axes[0].len(), axes[1].len()));
                for &(c, m, value) in points {
                    let at = |axis: &[f64], x: f64| axis.iter().position(|&a| a == x).unwrap();
                    w[(at(&axes[0], c), at(&axes[1], m))] = value;
                }
                let [cpus, memory] = axes;
                Arc::new(Profile::new(*model, cpus, memory, w).unwrap())
            })
            .collect()
    };
    [of("image"), of("language"), of("speech")]
}

fn instance(seed: u64, gpus: u32, split: [u32; 3], multi: bool, ratio: f64, all_differ: bool) -> Instance {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let profiles = profiles();
    let group = ServerGroup {
        gpu_type: "v100".into(),
        count: (gpus / 8) as usize,
        gpus: 8,
        capacity: Amounts::new(8.0 * ratio, 500.0),
    };
    let mut free = gpus;
    let mut jobs = Vec::new();
    while free > 0 {
        let draw = rng.random_range(0..100);
        let demand = match draw {
            _ if !multi => 1,
            0..70 => 1,
            70..80 => 2,
            80..95 => 4,
            _ => 8,
        };
        if demand > free {
            continue;
        }
        free -= demand;
        let draw = rng.random_range(0..100);
        let class = if draw < split[0] {
            0
        } else if draw < split[0] + split[1] {
            1
        } else {
            2
        };
        jobs.push(JobSpec {
            id: jobs.len().to_string(),
            profile: Arc::clone(&profiles[class][rng.random_range(0..profiles[class].len())]),
            gpus: demand,
            weight: if all_differ { rng.random_range(0.5..2.0) } else { 1.0 },
            arrival_s: None,
            work_s: None,
        });
    }
    Instance::new("bench", Cluster::new(vec![group]).unwrap(), jobs, Rules::default()).unwrap()
}

/// Seconds of a call: on the CPU where Linux tells, as other work on the machine then does not count.
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let on_cpu = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    let (clock, before) = (Instant::now(), on_cpu());
    let out = call();
    let wall = clock.elapsed().as_secs_f64();
    (before.zip(on_cpu()).map_or(wall, |(before, after)| (after - before) * 1e-9), out)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let after = |name: &str| {
        arguments.iter().position(|a| a == name).and_then(|i| arguments.get(i + 1)?.parse().ok())
    };
    let instances: u64 = after("--instances").unwrap_or(12);
    let all_differ = arguments.iter().any(|a| a == "--all-differ");
    let verbose = arguments.iter().any(|a| a == "--each");
    let mut sizes: Vec<u32> = arguments.iter().filter_map(|a| a.parse().ok()).filter(|&n| n >= 32).collect();
    if sizes.is_empty() {
        sizes = vec![128, 512, 10_000, 100_000];
    }
    println!(
        "cpu time per instance, medians\ngpus     bound_ms  deploy_s  gap_median_% gap_worst_%  rounds columns  lp-config_%  tune_below_config_%"
    );
    for gpus in sizes {
        let n = if gpus >= 10_000 { instances.min(6) } else { instances };
        let mut columns: [Vec<f64>; 7] = Default::default();
        for seed in 0..n {
            let splits = [[20, 70, 10], [33, 33, 34], [50, 0, 50]];
            let split = splits[seed as usize % 3];
            let (multi, ratio) = (seed % 2 == 0, [3.0, 4.0, 5.0, 6.0][(seed / 2) as usize % 4]);
            let instance = instance(seed, gpus, split, multi, ratio, all_differ);
            let queue = instance.queue();
            let (bound_s, config) = timed(|| Config::default().evaluate(&instance, &queue));
            let (deploy_s, outcome) = timed(|| OptDeployable::default().allocate(&instance, &queue).unwrap());
            let lp = Lp { options: BoundOptions::default() }.evaluate(&instance, &queue).certified.unwrap();
            let bound = config.value.unwrap();
            let report = check(&instance, &queue, &outcome.allocation);
            assert!(report.verdicts.valid && report.verdicts.fair && report.verdicts.consolidated);
            let tune = Tune.allocate(&instance, &queue).unwrap();
            let tune = check(&instance, &queue, &tune.allocation).value;
            let percent = |value: f64| 100.0 * (bound - value) / bound;
            let effort = config.effort.unwrap_or_default();
            let row = [
                bound_s * 1e3,
                deploy_s,
                percent(report.value),
                effort.rounds as f64,
                effort.columns as f64,
                100.0 * (lp - bound) / lp,
                percent(tune),
            ];
            if verbose {
                println!(
                    "  {split:?} multi {multi} ratio {ratio}: {} {} {row:.3?}",
                    config.status, outcome.status
                );
            }
            columns.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
        }
        let worst = columns[2].iter().copied().fold(0.0, f64::max);
        let [bound, deploy, gap, rounds, found, walls, tune] = columns.map(median);
        println!(
            "{gpus:<8} {bound:>8.1} {deploy:>9.3} {gap:>12.4} {worst:>11.4} {rounds:>8} {found:>7} {walls:>11.3} {tune:>12.2}"
        );
    }
}
