//! Stage two from 128 to 100,000 GPUs: seconds, pieces, growth, against the direct LP, and what rounding keeps.
//!
//! ```text
//! cargo bench --workspace --bench placement -- [GPUS ...]
//! cargo bench --workspace --bench placement -- pieces [GPUS ...]
//! ```
//!
//! The second prints what the local search leaves beside what `exact-placement` proves.
//!
//! One thread. Workloads of the published profiles fill the GPUs. Times are those that the thread computed, so that other load
//! on the machine counts little. `direct` is the paper's program, one variable per job and server, by HiGHS's simplex method.

use ndarray::Array2;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Instant;
use synergy_solver::bounds::BoundOptions;
use synergy_solver::check::check;
use synergy_solver::lp::{Limits, Options, highs};
use synergy_solver::mechanisms::by_name as mechanism;
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, Profile, Rules, ServerGroup};
use synergy_solver::placement::{self, program};
use synergy_solver::two_stage;

const SIZES: [u32; 8] = [128, 512, 1024, 4096, 10_000, 16_384, 65_536, 100_000];
/// Largest cluster that each method runs on here, in GPUs.
const METHODS: [(&str, u32); 5] = [
    ("bisection-fast", u32::MAX),
    ("bisection", u32::MAX),
    ("bisection+merge", u32::MAX),
    ("vertex", 1024),
    ("reweighted", 10_000),
];
/// Demands, CPUs per GPU. With three the CPUs are full; with six there is slack.
const WORKLOADS: [(bool, f64); 4] = [(false, 3.0), (true, 3.0), (true, 4.0), (true, 6.0)];

/// The published profiles.
fn profiles() -> Vec<Arc<Profile>> {
    let memory = vec![62.5 / 3.0, 62.5, 125.0, 187.5, 250.0];
    let mut models: Vec<(&str, Vec<f64>, Vec<f64>)> = Vec::new();
    for line in include_str!("../../experiments/profiles/osdi22_v100.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if models.last().is_none_or(|(name, ..)| *name != fields[0]) {
            models.push((fields[0], Vec::new(), Vec::new()));
        }
        let (_, cpus, throughput) = models.last_mut().unwrap();
        let count: f64 = fields[2].parse().unwrap();
        if cpus.last() != Some(&count) {
            cpus.push(count);
        }
        throughput.push(fields[4].parse().unwrap());
    }
    let profile = |(name, cpus, throughput): (&str, Vec<f64>, Vec<f64>)| {
        let matrix = Array2::from_shape_vec((cpus.len(), memory.len()), throughput).unwrap();
        Arc::new(Profile::new(name, cpus, memory.clone(), matrix).unwrap())
    };
    models.into_iter().map(profile).collect()
}

fn instance(gpus: u32, multi: bool, cpus_per_gpu: f64) -> Instance {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let profiles = profiles();
    let mut left = gpus;
    let mut specs = Vec::new();
    while left > 0 {
        let demand = match rng.random_range(0..100) {
            _ if !multi => 1,
            0..70 => 1,
            70..80 => 2,
            80..95 => 4,
            _ => 8,
        };
        if demand <= left {
            left -= demand;
            let (id, profile) = (format!("j{}", specs.len()), Arc::clone(profiles.choose(rng).unwrap()));
            specs.push(JobSpec { id, profile, gpus: demand, weight: 1.0, arrival_s: None, work_s: None });
        }
    }
    let group = ServerGroup {
        gpu_type: "v100".into(),
        count: (gpus / 8) as usize,
        gpus: 8,
        capacity: Amounts::new(8.0 * cpus_per_gpu, 500.0),
    };
    Instance::new("bench", Cluster::new(vec![group]).unwrap(), specs, Rules::default()).unwrap()
}

/// Milliseconds that this thread has computed; by the clock where the system does not say.
fn spent_ms(since: Instant) -> f64 {
    let computed = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = computed.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// Result, and milliseconds of one run, as mean over runs of half a second at least.
fn timed<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let since = Instant::now();
    let start = spent_ms(since);
    for runs in 1.. {
        let result = work();
        let spent = spent_ms(since) - start;
        if spent > 500.0 {
            return (result, spent / f64::from(runs));
        }
    }
    unreachable!("half a second ends")
}

/// Slope of log time over log GPUs from 1,024 on, by least squares.
fn exponent(times: &[(u32, f64)]) -> f64 {
    let points: Vec<(f64, f64)> =
        times.iter().filter(|(gpus, _)| *gpus >= 1024).map(|&(g, ms)| (f64::from(g).ln(), ms.ln())).collect();
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Most memory that the process has held, in MB, where the system says.
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

fn main() {
    // In the pool from the start: a call from outside waits for the pool's thread to wake.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    pool.install(run);
}

/// Clusters of the table of pieces, in GPUs.
const PIECES_SIZES: [u32; 6] = [16, 24, 32, 48, 64, 128];
/// Seconds and nodes of one exact search there.
const EXACT_LIMITS: Limits =
    Limits { time_limit_s: Some(20.0), node_limit: Some(5_000), iteration_limit: None };

/// Pieces before and after the local search, and what is proven.
fn pieces(sizes: &[u32]) {
    println!(
        "| workload | GPUs | bisection | +merge | reweighted+merge | proven least | 3(s-1) | exact-placement |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (multi, cpus_per_gpu) in WORKLOADS {
        for &gpus in sizes {
            let instance = instance(gpus, multi, cpus_per_gpu);
            let stage_one = two_stage::stage_one(&instance, &instance.queue(), &BoundOptions::default());
            let place = |name: &str, limits: &Limits| {
                let method = placement::by_name(name, limits).expect("a method");
                two_stage::place(&instance, &stage_one, &*method)
            };
            let found = ["bisection", "bisection+merge", "reweighted+merge"]
                .map(|name| place(name, &Limits::default()).pieces);
            let exact = place("exact-placement", &EXACT_LIMITS);
            let demands = if multi { "multi" } else { "single" };
            println!(
                "| {demands}, {cpus_per_gpu} CPUs per GPU | {gpus} | {} | {} | {} | {} | {} | {} {} |",
                found[0],
                found[1],
                found[2],
                exact.bound.map_or("-".into(), |bound| bound.to_string()),
                3 * (gpus / 8 - 1),
                exact.pieces,
                exact.status,
            );
        }
    }
}

fn run() {
    let asked: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    if std::env::args().any(|word| word == "pieces") {
        return pieces(if asked.is_empty() { &PIECES_SIZES } else { &asked });
    }
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    for (multi, cpus_per_gpu) in WORKLOADS {
        let demands = if multi { "multi" } else { "single" };
        println!("## {demands}-GPU jobs, {cpus_per_gpu} CPUs per GPU\n");
        println!("| GPUs | jobs | method | ms | fragmented | pieces | 3(s-1) | value kept |");
        println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
        let mut times: Vec<(&str, Vec<(u32, f64)>)> = Vec::new();
        for &gpus in &sizes {
            let instance = instance(gpus, multi, cpus_per_gpu);
            let queue = instance.queue();
            let (stage_one, ms) = timed(|| two_stage::stage_one(&instance, &queue, &BoundOptions::default()));
            let (jobs, limit) = (instance.jobs().len(), 3 * (gpus as usize / 8 - 1));
            println!("| {gpus} | {jobs} | stage one | {ms:.1} | | | | |");
            let mut record = |name: &'static str, ms: f64| match times.iter_mut().find(|(n, _)| *n == name) {
                Some((_, list)) => list.push((gpus, ms)),
                None => times.push((name, vec![(gpus, ms)])),
            };
            let bound = stage_one.bound.certified.expect("stage one is solved");
            let mut fast_ms = f64::NAN;
            for (name, _) in METHODS.into_iter().filter(|(_, largest)| gpus <= *largest) {
                let method = placement::by_name(name, &Default::default()).expect("a method");
                let (placed, ms) = timed(|| two_stage::place(&instance, &stage_one, &*method));
                assert!(check(&instance, &queue, &placed.allocation(&instance, &stage_one)).verdicts.valid);
                record(name, ms);
                if name == "bisection-fast" {
                    fast_ms = ms;
                }
                let mut kept = String::new();
                if gpus <= 1024 {
                    let rounded = mechanism(&format!("opt-rounded[placement={name}]")).expect("a mechanism");
                    let outcome = rounded.allocate(&instance, &queue).expect("an allocation");
                    let value = check(&instance, &queue, &outcome.allocation).value;
                    kept = format!("{:.2} %", 100.0 * value / bound);
                }
                let (fragmented, pieces) = (placed.fragmented, placed.pieces);
                println!(
                    "| {gpus} | {jobs} | {name} | {ms:.2} | {fragmented} | {pieces} | {limit} | {kept} |"
                );
            }
            if gpus <= 1024 {
                let problem = &two_stage::stage_two(&instance, &stage_one)[0].problem;
                let (_, ms) = timed(|| highs::solve(&program::direct(problem), &Options::default()));
                println!("| {gpus} | {jobs} | direct | {ms:.1} ({:.0} x fast) | | | | |", ms / fast_ms);
            }
        }
        println!();
        for (name, list) in times.iter().filter(|(_, list)| list.len() >= 4 && list[list.len() - 1].0 > 4096)
        {
            println!("Growth of {name}: time ~ GPUs^{:.2}", exponent(list));
        }
        println!();
    }
    if let Some(mb) = peak_memory_mb() {
        println!("Peak memory of the process: {mb:.0} MB");
    }
}
