//! How long simulations take: the targets of the README's table. One thread, no files.

use criterion::{Criterion, criterion_group};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use synergy_experiments::profiles;
use synergy_experiments::simulator::{
    JobRow, Plan, Progress, RoundRow, SimJob, SimulationSpec, Sink, Source, Trace,
};
use synergy_experiments::workload::{ArrivalSpec, WorkloadSpec};

/// Counts and forgets.
#[derive(Default)]
struct Counting {
    rounds: u64,
    jobs: u64,
}

impl Sink for Counting {
    fn round(&mut self, row: RoundRow) {
        self.rounds += row.rounds;
    }
    fn job(&mut self, _: JobRow) {
        self.jobs += 1;
    }
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn run(plan: &Plan) -> Counting {
    let mut sink = Counting::default();
    let end = plan.run(&plan.runs[0], &mut sink);
    end.summary.expect("a benchmark's simulation ends");
    sink
}

/// The paper's default: 128 GPUs, single-GPU jobs, 9 jobs per hour, jobs 4,000 to 5,000 of a stream.
fn default_load(mechanism: &str) -> Plan {
    let spec = SimulationSpec {
        mechanisms: vec![mechanism.into()],
        measure: Some("4000..5000".into()),
        workload: WorkloadSpec {
            jobs: Some(5000),
            arrivals: ArrivalSpec::Poisson { jobs_per_hour: 9.0 },
            ..WorkloadSpec::default()
        },
        ..SimulationSpec::default()
    };
    Plan::new(spec, Source::Generated).expect("a plan of the library's own")
}

/// Seconds of a moment such as 2017-10-09 07:01:55 within its year.
fn seconds(moment: &str) -> Option<f64> {
    const DAYS_BEFORE: [f64; 12] = [0., 31., 59., 90., 120., 151., 181., 212., 243., 273., 304., 334.];
    let parts: Vec<usize> = moment.split(['-', ' ', ':']).filter_map(|part| part.parse().ok()).collect();
    let [_, month, day, hour, minute, second] = parts[..] else { return None };
    let days = DAYS_BEFORE.get(month.checked_sub(1)?)? + day as f64;
    Some(((days * 24.0 + hour as f64) * 60.0 + minute as f64) * 60.0 + second as f64)
}

/// The first 8,000 jobs of the Philly table beside the workspace on 512 GPUs, models in turn.
fn philly() -> Option<Plan> {
    let root = std::env::var_os("SYNERGY_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let file = std::fs::File::open(root.join("data/traces/philly_jobs.csv.gz")).ok()?;
    let text = std::io::read_to_string(flate2::read::MultiGzDecoder::new(file)).ok()?;
    let mut jobs: Vec<SimJob> = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Some((seconds(cells[0])?, cells[1].parse::<f64>().ok()?, cells[2].parse::<u32>().ok()?))
        })
        .filter(|(_, duration_s, gpus)| *duration_s > 0.0 && *gpus > 0)
        .enumerate()
        .map(|(index, (arrival_s, work_s, gpus))| {
            let models: Vec<_> = profiles::builtin().iter().filter(|model| model.in_default_mix).collect();
            SimJob {
                id: index as i64,
                trace_id: None,
                profile: Arc::clone(&models[index % models.len()].profile),
                gpus,
                arrival_s,
                work_s,
                weight: 1.0,
                iterations: None,
            }
        })
        .collect();
    jobs.sort_by(|a, b| a.arrival_s.total_cmp(&b.arrival_s));
    let origin_s = jobs.first()?.arrival_s;
    jobs.iter_mut().for_each(|job| job.arrival_s -= origin_s);
    jobs.truncate(8000);
    let mut spec = SimulationSpec {
        policies: vec!["srtf".into()],
        mechanisms: vec!["tune".into()],
        ..SimulationSpec::default()
    };
    spec.workload.cluster.gpus = 512;
    Plan::new(spec, Source::Trace(Arc::new(Trace { jobs, first_line_s: 0.0 }))).ok()
}

fn simulations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(10);
    for mechanism in ["tune", "proportional", "lp"] {
        let plan = default_load(mechanism);
        let ran = run(&plan);
        eprintln!("fifo + {mechanism}: {} rounds, {} jobs", ran.rounds, ran.jobs);
        group.bench_function(format!("128 GPUs, 5000 jobs, fifo + {mechanism}"), |b| b.iter(|| run(&plan)));
    }
    match philly() {
        None => eprintln!("skipped: the Philly table is not beside the workspace"),
        Some(plan) => {
            let ran = run(&plan);
            eprintln!("srtf + tune on Philly: {} rounds, {} jobs", ran.rounds, ran.jobs);
            group.bench_function("512 GPUs, 8000 Philly jobs, srtf + tune", |b| b.iter(|| run(&plan)));
        }
    }
    group.finish();
}

/// 10,000 GPUs, 100,000 single-GPU jobs, a queue that is never empty. Half a minute and more each:
/// measured once.
fn large(policy: &str) {
    let name = format!("10000 GPUs, 100000 jobs, {policy} + tune");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let filter = words.iter().find(|word| !word.starts_with('-'));
    if !words.iter().any(|word| word == "--bench") || filter.is_some_and(|filter| !name.contains(filter)) {
        return;
    }
    let mut spec = SimulationSpec {
        policies: vec![policy.into()],
        mechanisms: vec!["tune".into()],
        workload: WorkloadSpec {
            jobs: Some(100_000),
            arrivals: ArrivalSpec::Poisson { jobs_per_hour: 2000.0 },
            ..WorkloadSpec::default()
        },
        ..SimulationSpec::default()
    };
    spec.workload.cluster.gpus = 10_000;
    let plan = Plan::new(spec, Source::Generated).expect("a plan of the library's own");
    let start = std::time::Instant::now();
    let ran = run(&plan);
    eprintln!(
        "simulate/{name}: {:.1} s, measured once ({} rounds, {} jobs)",
        start.elapsed().as_secs_f64(),
        ran.rounds,
        ran.jobs
    );
}

criterion_group!(benches, simulations);

fn main() {
    benches();
    large("fifo");
    large("ftf");
    Criterion::default().configure_from_args().final_summary();
}
