//! Stage one and the other LP bounds: `cargo bench --workspace --bench stage_one`.
//!
//! In `alike` jobs share ten models and four GPU demands; in `different` no two jobs are alike.

mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use support::instance;
use synergy_solver::bounds::{BoundOptions, LpMethod, by_name, lp};
use synergy_solver::status::Status;

fn bounds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bounds");
    group.sample_size(10);
    for gpus in [128, 512, 1024] {
        let instance = instance(gpus, false);
        let queue = instance.queue();
        for name in ["lp", "ilp", "lp-skip", "lp-groups"] {
            let bound = by_name(name, BoundOptions::default()).unwrap();
            group.bench_function(BenchmarkId::new(name, gpus), |bencher| {
                bencher.iter(|| assert_eq!(bound.evaluate(&instance, &queue).status, Status::Optimal));
            });
        }
    }
    group.finish();
}

fn methods(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stage_one");
    group.sample_size(10);
    for (different, methods) in [
        (false, &[(LpMethod::Direct, 1024), (LpMethod::Aggregated, 100_000), (LpMethod::Dual, 100_000)][..]),
        (true, &[(LpMethod::Direct, 1024), (LpMethod::Aggregated, 1024), (LpMethod::Dual, 100_000)][..]),
    ] {
        for gpus in [128, 1024, 10_000, 100_000] {
            let instance = instance(gpus, different);
            let queue = instance.queue();
            for &(method, _) in methods.iter().filter(|(_, largest)| gpus <= *largest) {
                let options = BoundOptions { method: Some(method), ..BoundOptions::default() };
                let label = format!("{method}/{}", if different { "different" } else { "alike" });
                group.bench_function(BenchmarkId::new(label, gpus), |bencher| {
                    bencher.iter(|| {
                        assert_eq!(lp::solve(&instance, &queue, &options).bound.status, Status::Optimal)
                    });
                });
            }
        }
    }
    // What a simulation pays per round.
    let instance = instance(128, false);
    let (queue, solver) = (instance.queue(), lp::Solver::new(&instance, &BoundOptions::default()));
    group.bench_function("prepared/alike/128", |bencher| bencher.iter(|| solver.solve(&queue)));
    group.finish();
}

criterion_group!(benches, bounds, methods);
criterion_main!(benches);
