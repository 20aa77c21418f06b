//! Workloads: a million generated jobs, 82,247 rows imported, both in one run.
//!
//! `cargo bench --workspace --bench workloads`

use criterion::{Criterion, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;
use std::io::Cursor;
use std::time::Duration;
use synergy_experiments::importers::{Format, Options, import_from};
use synergy_experiments::workload::{ArrivalSpec, DemandSpec, Workload, WorkloadSpec};

/// Rows of the published Philly table.
const PHILLY_ROWS: usize = 82_247;

fn generate(c: &mut Criterion) {
    let spec = WorkloadSpec {
        arrivals: ArrivalSpec::Poisson { jobs_per_hour: 4.0 },
        demand: DemandSpec::Multi {},
        ..WorkloadSpec::default()
    };
    let workload = Workload::new(spec).expect("default workload");
    c.bench_function("generate a million jobs", |b| {
        b.iter(|| {
            let jobs = workload.stream().expect("stream").take(1_000_000);
            black_box(jobs.map(|job| job.work_s * f64::from(job.gpus)).sum::<f64>())
        });
    });
}

/// A table with the size and the look of the published one.
fn philly() -> Vec<u8> {
    let workload = Workload::new(WorkloadSpec { demand: DemandSpec::Multi {}, ..WorkloadSpec::default() });
    let mut text = String::from("timestamp,duration,num_gpus,gpu_time,cluster\n");
    for job in workload.expect("default workload").stream().expect("stream").take(PHILLY_ROWS) {
        let second = job.index * 7919 % 86_400;
        writeln!(
            text,
            "2017-{:02}-{:02} {:02}:{:02}:{:02},{:.1},{},{:.1},{:06x}",
            9 + job.index % 4,
            1 + job.index % 28,
            second / 3600,
            second / 60 % 60,
            second % 60,
            job.work_s,
            job.gpus,
            job.work_s * f64::from(job.gpus),
            job.index % 15 * 0x11_11_11
        )
        .expect("write to a string");
    }
    text.into_bytes()
}

fn import(c: &mut Criterion) {
    let table = philly();
    c.bench_function("import 82,247 rows", |b| {
        b.iter(|| {
            let source = Box::new(Cursor::new(table.clone()));
            let found =
                import_from(Format::PhillyTable, source, "philly", &Options::default()).expect("import");
            assert_eq!(found.trace.jobs.len(), PHILLY_ROWS);
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = generate, import
}
criterion_main!(benches);
