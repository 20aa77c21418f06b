//! What a round costs through a plug-in, beside the same mechanism in process: GPU-proportional shares on a
//! generated workload of 128 GPUs.
//!
//! `cargo bench --workspace --bench plugins`. Needs a C compiler and Python; without one of them its rows are missing.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use synergy_experiments::plugins::resolve;
use synergy_experiments::workload::{DemandSpec, Workload, WorkloadSpec};
use synergy_solver::mechanisms::Mechanism;
use synergy_solver::model::{Instance, Rules};

/// Rounds of which the median overhead is printed.
const ROUNDS: usize = 2001;

fn instance(demand: DemandSpec) -> Instance {
    let workload = Workload::new(WorkloadSpec { demand, ..WorkloadSpec::default() });
    let workload = workload.expect("the workload's specification is valid");
    workload.instance(Rules::default()).expect("the workload fills the cluster")
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins").join(name)
}

/// The plug-ins that can be had here, compiled into `directory`.
fn plugins(directory: &Path) -> Vec<(&'static str, Box<dyn Mechanism>)> {
    let program = directory.join("proportional");
    let compiled =
        Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(example("proportional.c")).status();
    let mut commands = Vec::new();
    if compiled.is_ok_and(|status| status.success()) {
        commands.push(("C", program));
    }
    commands.push(("Python", example("proportional.py")));
    let start = |(name, path): (_, PathBuf)| Some((name, resolve(&format!("exec:{}", path.display())).ok()?));
    commands.into_iter().filter_map(start).collect()
}

/// Seconds of one round.
fn round(mechanism: &dyn Mechanism, instance: &Instance, queue: &[usize]) -> f64 {
    let start = Instant::now();
    let outcome = mechanism.allocate(instance, queue);
    let seconds = start.elapsed().as_secs_f64();
    outcome.expect("the examples answer every round");
    seconds
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn benchmark(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let plugins = plugins(directory.path());
    let inside = resolve("proportional").expect("a built-in mechanism");
    for (demand, spec) in [("single", DemandSpec::Single {}), ("multi", DemandSpec::Multi {})] {
        let instance = instance(spec);
        let queue = instance.queue();
        let mut group = criterion.benchmark_group(format!("plugins/{demand}/128"));
        let all = std::iter::once(("in process", &inside)).chain(plugins.iter().map(|(n, m)| (*n, m)));
        for (name, mechanism) in all {
            group.bench_function(BenchmarkId::from_parameter(name), |b| {
                b.iter(|| mechanism.allocate(&instance, &queue));
            });
        }
        group.finish();
        for (name, plugin) in &plugins {
            // In turns, so that both see the same machine.
            let rounds = (0..ROUNDS)
                .map(|_| (round(&**plugin, &instance, &queue), round(&*inside, &instance, &queue)));
            let (through, within): (Vec<f64>, Vec<f64>) = rounds.unzip();
            let overhead = median(through) - median(within);
            println!("{demand}, {} jobs: {name} adds {:.3} ms per round", queue.len(), 1e3 * overhead);
        }
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
