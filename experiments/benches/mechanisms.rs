//! Time of every mechanism that needs no solver, on generated multi-GPU workloads that fill the cluster.
//!
//! `cargo bench --workspace --bench mechanisms`

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use synergy_experiments::workload::{DemandSpec, Workload, WorkloadSpec};
use synergy_solver::check::check;
use synergy_solver::mechanisms::{Mechanism, by_name};
use synergy_solver::model::{Instance, Rules};

fn instance(gpus: u32, demand: DemandSpec) -> Instance {
    let mut spec = WorkloadSpec { demand, ..WorkloadSpec::default() };
    spec.cluster.gpus = gpus;
    let workload = Workload::new(spec).expect("the workload's specification is valid");
    workload.instance(Rules::default()).expect("the workload fills the cluster")
}

fn mechanism(name: &str) -> Box<dyn Mechanism> {
    by_name(name).expect("a built-in mechanism")
}

fn benchmark(criterion: &mut Criterion) {
    let demands = [("single", DemandSpec::Single {}), ("multi", DemandSpec::Multi {})];
    for (demand_name, demand) in demands {
        for gpus in [128, 512, 1024, 10_000, 100_000] {
            let instance = instance(gpus, demand.clone());
            let queue = instance.queue();
            let mut group = criterion.benchmark_group(format!("{demand_name}/{gpus}"));
            if gpus > 10_000 {
                group.sample_size(10);
            }
            for name in ["proportional", "greedy", "tune", "tune-local", "price-greedy"] {
                let mechanism = mechanism(name);
                group.bench_function(BenchmarkId::from_parameter(name), |b| {
                    b.iter(|| mechanism.allocate(&instance, &queue));
                });
            }
            let outcome = mechanism("tune").allocate(&instance, &queue).expect("tune never fails");
            group.bench_function("check", |b| b.iter(|| check(&instance, &queue, &outcome.allocation)));
            group.finish();
        }
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
