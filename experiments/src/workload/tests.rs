use super::*;
use crate::trace::Trace;
use synergy_solver::model::{Instance, Rules};

fn spec(toml: &str) -> WorkloadSpec {
    WorkloadSpec::from_toml(toml).unwrap()
}

fn jobs(spec: &WorkloadSpec, count: usize) -> Vec<StreamedJob> {
    Workload::new(spec.clone()).unwrap().stream().unwrap().endless().take(count).collect()
}

fn instance(spec: &WorkloadSpec) -> Instance {
    Workload::new(spec.clone()).unwrap().instance(Rules::default()).unwrap()
}

fn multi(seed: u64) -> WorkloadSpec {
    WorkloadSpec {
        seed,
        demand: DemandSpec::Multi {},
        arrivals: ArrivalSpec::Poisson { jobs_per_hour: 4.0 },
        ..WorkloadSpec::default()
    }
}

#[test]
fn the_gpus_are_filled_exactly_by_the_published_demands() {
    for seed in 0..50 {
        let instance = instance(&multi(seed));
        let total: u64 = instance.queue().iter().map(|&j| u64::from(instance.gpus(j))).sum();
        assert_eq!(total, 128);
        assert!(instance.queue().iter().all(|&j| [1, 2, 4, 8].contains(&instance.gpus(j))));
    }
    assert_eq!(instance(&WorkloadSpec::default()).jobs().len(), 128);
}

#[test]
fn demands_that_cannot_fill_the_gpus_are_an_error() {
    let spec = spec("cluster = { gpus = 8 }\ndemand = { kind = 'mixture', gpus = [3], weights = [1] }");
    let error = Workload::new(spec).unwrap().instance(Rules::default()).unwrap_err().to_string();
    assert!(error.contains("2 GPUs that are left"), "{error}");
}

#[test]
fn demands_have_the_published_shares() {
    let drawn = jobs(&multi(3), 40_000);
    for (gpus, share) in [(1, 0.70), (2, 0.10), (4, 0.15), (8, 0.05)] {
        let found = drawn.iter().filter(|job| job.gpus == gpus).count() as f64 / 40_000.0;
        assert!((found - share).abs() < 0.01, "{gpus}: {found}");
    }
}

#[test]
fn durations_have_the_published_shape_and_the_stated_means() {
    let drawn = jobs(&multi(3), 40_000);
    let short = drawn.iter().filter(|job| job.work_s <= 60_000.0).count() as f64 / 40_000.0;
    assert!((short - 0.8).abs() < 0.01, "{short}");
    assert!(drawn.iter().all(|job| (60.0 * 10f64.powf(1.5)..=600_000.0).contains(&job.work_s)));
    for durations in [
        DurationSpec::Published {},
        DurationSpec::LogNormal { median_s: 1000.0, sigma: 0.7 },
        DurationSpec::Fixed { duration_s: 5.0 },
    ] {
        let spec = WorkloadSpec { durations, ..multi(3) };
        let stated = Workload::new(spec.clone()).unwrap().load();
        let drawn = jobs(&spec, 40_000);
        let mean = drawn.iter().map(|job| job.work_s).sum::<f64>() / 40_000.0;
        let stated = stated.mean_gpu_s.unwrap() / stated.mean_gpus;
        assert!((mean / stated - 1.0).abs() < 0.02, "{mean} {stated}");
    }
}

#[test]
fn arrivals_come_at_the_stated_rate() {
    let drawn = jobs(&multi(3), 40_000);
    assert!(drawn.windows(2).all(|w| w[0].arrival_s <= w[1].arrival_s && w[0].index + 1 == w[1].index));
    let rate = 40_000.0 / (drawn[39_999].arrival_s / 3600.0);
    assert!((rate / 4.0 - 1.0).abs() < 0.02, "{rate}");
}

#[test]
fn saturation_is_where_the_published_simulator_has_it() {
    let at = |spec| {
        let load = Workload::new(spec).unwrap().load();
        (load.saturation_jobs_per_hour.unwrap(), load)
    };
    let (single, load) =
        at(WorkloadSpec { arrivals: ArrivalSpec::Poisson { jobs_per_hour: 9.0 }, ..WorkloadSpec::default() });
    assert_eq!(format!("{single:.2}"), "7.63");
    assert_eq!(format!("{:.2}", load.load.unwrap()), "1.18");
    assert!(load.warning().is_some_and(|w| w.contains("1.18")));
    let (several, load) = at(multi(0));
    assert_eq!(format!("{several:.2}"), "4.02");
    assert!(load.warning().is_none());
}

/// Common random numbers: a change of one knob leaves the draws of all others as they were.
#[test]
fn one_knob_changes_its_own_draws_only() {
    let base = multi(11);
    type Change = fn(&mut WorkloadSpec);
    let changes: [(&str, Change); 7] = [
        ("arrivals", |s| s.arrivals = ArrivalSpec::Poisson { jobs_per_hour: 8.0 }),
        ("durations", |s| s.durations = DurationSpec::LogNormal { median_s: 100.0, sigma: 1.0 }),
        ("demands", |s| s.demand = DemandSpec::Mixture { gpus: vec![1, 16], weights: vec![1.0, 2.0] }),
        ("models", |s| s.mix.split = Some(vec![33.0, 33.0, 33.0])),
        ("models", |s| s.mix.models = ModelChoice::RoundRobin),
        ("models", |s| s.mix.classes = ClassChoice::Random),
        ("nothing", |s| s.cluster.cpus_per_gpu = 6.0),
    ];
    let before = jobs(&base, 2000);
    for (knob, change) in changes {
        let mut spec = base.clone();
        change(&mut spec);
        let after = jobs(&spec, 2000);
        let same = |f: fn(&StreamedJob) -> f64| before.iter().map(f).eq(after.iter().map(f));
        assert_eq!(same(|j| j.arrival_s), knob != "arrivals", "arrivals after a change of {knob}");
        assert_eq!(same(|j| j.work_s), knob != "durations", "durations after a change of {knob}");
        assert_eq!(same(|j| f64::from(j.gpus)), knob != "demands", "demands after a change of {knob}");
        assert_eq!(same(|j| j.model as f64), knob != "models", "models after a change of {knob}");
    }
    // Twice the rate: the same gaps, halved.
    let mut faster = base.clone();
    faster.arrivals = ArrivalSpec::Poisson { jobs_per_hour: 8.0 };
    for (slow, fast) in before.iter().zip(jobs(&faster, 2000)) {
        assert!((slow.arrival_s / fast.arrival_s - 2.0).abs() < 1e-9);
    }
}

/// Same seed, same bytes, whatever the number of threads that draw at once.
#[test]
fn same_seed_same_bytes_on_any_thread() {
    let alone = jobs(&multi(5), 1000);
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| jobs(&multi(5), 1000))).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
    assert_ne!(jobs(&multi(6), 1000), alone);
}

#[test]
fn the_cpu_gpu_ratio_changes_the_servers_alone() {
    let wide = spec("cluster = { cpus_per_gpu = 6 }");
    let (narrow, wide) = (instance(&WorkloadSpec::default()), instance(&wide));
    assert_eq!(wide.cluster().groups()[0].capacity.cpus(), 48.0);
    assert_eq!(wide.cluster().groups()[0].capacity.memory_gb(), 500.0);
    for (a, b) in narrow.queue().iter().zip(wide.queue()) {
        assert_eq!(narrow.class_of(*a).profile.name(), wide.class_of(b).profile.name());
    }
}

#[test]
fn a_spec_survives_the_round_trip_and_a_bad_one_is_explained() {
    let full = spec(
        "seed = 3\njobs = 10\n[arrivals]\nkind = 'poisson'\njobs_per_hour = 9\n[demand]\nkind = 'power-law'\n\
         exponent = 1.5\nmax_gpus = 16\n[[cluster.groups]]\ngpu_type = 'a100'\ncount = 2\ngpus = 8\ncpus = 96\nmemory_gb = 1000",
    );
    assert_eq!(WorkloadSpec::from_toml(&full.to_toml().unwrap()).unwrap(), full);
    for (text, said) in [
        ("sed = 3", "line 1: unknown field `sed`"),
        ("[demand]\nkind = 'single'\ngpus = 3", "unknown field `gpus`"),
        ("[demand]\nkind = 'triple'", "unknown variant `triple`"),
        ("[cluster]\ngpus = 130", "cluster.gpus: is 130; give a multiple of the 8 GPUs"),
        ("[cluster]\ncpus_per_gpu = -1", "cluster.cpus_per_gpu: is -1"),
        ("[arrivals]\nkind = 'poisson'\njobs_per_hour = 0", "arrivals.jobs_per_hour: is 0"),
        ("[mix]\nsplit = [0, 0, 0]", "mix.split"),
        ("jobs = 0", "jobs: is 0"),
        ("[durations]\nkind = 'fixed'\nduration_s = nan", "durations.duration_s: is NaN"),
        ("[arrivals]\nkind = 'trace'\nspeedup = -1", "arrivals.speedup: is -1"),
        ("[profiles]\nkind = 'synthetic'\ncorrelation = 2", "profiles.correlation: is 2"),
        ("[profiles]\nkind = 'synthetic'\nmodel = 2", "unknown field `model`"),
        ("[demand]\nkind = 'mixture'\ngpus = [1, 2]\nweights = [1]", "demand.weights: has 1 entries for 2"),
    ] {
        let error = WorkloadSpec::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(said), "{text:?}: {error}");
    }
}

fn trace() -> std::sync::Arc<Trace> {
    let job = |(index, (arrival_s, gpus, duration_s)): (usize, (f64, u32, f64))| crate::trace::TraceJob {
        id: format!("t{index}").into(),
        arrival_s,
        gpus,
        duration_s: Some(duration_s),
        profile: Some(["bert", "alexnet"][index % 2].into()),
        ..Default::default()
    };
    let rows = [(0.0, 1, 100.0), (10.0, 16, 50.0), (30.0, 2, 400.0), (60.0, 1, 10.0)];
    let jobs = rows.into_iter().enumerate().map(job).collect();
    std::sync::Arc::new(Trace { jobs, ..Default::default() })
}

#[test]
fn a_trace_gives_its_own_rows() {
    let spec = WorkloadSpec::of_trace("jobs.parquet");
    let workload = Workload::with_trace(spec.clone(), Some(trace())).unwrap();
    let jobs: Vec<StreamedJob> = workload.stream().unwrap().endless().collect();
    assert_eq!(jobs.iter().map(|j| j.arrival_s).collect::<Vec<_>>(), [0.0, 10.0, 30.0, 60.0]);
    assert_eq!(jobs.iter().map(|j| (j.gpus, j.work_s)).collect::<Vec<_>>()[1], (16, 50.0));
    let names: Vec<&str> = jobs.iter().map(|j| workload.profile(j.model).name()).collect();
    assert_eq!(names, ["bert", "alexnet", "bert", "alexnet"]);
    // 3 gaps in 60 s; (100 + 800 + 800 + 10) / 4 GPU-seconds per job; 128 GPUs.
    let load = workload.load();
    assert_eq!(load.jobs_per_hour, Some(180.0));
    assert!((load.load.unwrap() - 180.0 / 3600.0 * 427.5 / 128.0).abs() < 1e-12);

    let mut fast = spec.clone();
    fast.arrivals = ArrivalSpec::Trace { speedup: 2.0 };
    let fast = Workload::with_trace(fast, Some(trace())).unwrap();
    assert_eq!(fast.stream().unwrap().last().unwrap().arrival_s, 30.0);
    assert_eq!(fast.load().jobs_per_hour, Some(360.0));

    // A job that does not fit any more is passed over; ids are the trace's.
    let mut small = spec.clone();
    small.cluster = ClusterSpec { gpus: 4, gpus_per_server: 4, ..ClusterSpec::default() };
    let instance = Workload::with_trace(small, Some(trace())).unwrap().instance(Rules::default()).unwrap();
    assert_eq!(instance.jobs().iter().map(|j| j.id.as_str()).collect::<Vec<_>>(), ["t0", "t2", "t3"]);

    let missing = Workload::with_trace(spec, None).unwrap_err().to_string();
    assert!(missing.contains("arrivals: is the trace's"), "{missing}");
}

#[test]
fn a_trace_without_durations_gives_instances_but_no_stream() {
    let mut bare = (*trace()).clone();
    bare.jobs.iter_mut().for_each(|job| job.duration_s = None);
    let bare = Some(std::sync::Arc::new(bare));
    let spec = WorkloadSpec::of_trace("jobs.parquet");
    let workload = Workload::with_trace(spec.clone(), bare.clone()).unwrap();
    assert_eq!(workload.instance(Rules::default()).unwrap().jobs().len(), 4);
    assert!(workload.stream().unwrap_err().to_string().contains("durations.kind"));
    assert_eq!(workload.load().load, None);
    let drawn = WorkloadSpec { durations: DurationSpec::Published {}, ..spec };
    assert_eq!(Workload::with_trace(drawn, bare).unwrap().stream().unwrap().count(), 4);
}

#[test]
fn empirical_draws_come_from_the_trace_and_never_end() {
    let spec = WorkloadSpec {
        durations: DurationSpec::Empirical {},
        demand: DemandSpec::Empirical {},
        ..WorkloadSpec::default()
    };
    let workload = Workload::with_trace(spec, Some(trace())).unwrap();
    let jobs: Vec<StreamedJob> = workload.stream().unwrap().take(4000).collect();
    assert_eq!(jobs.len(), 4000);
    for (value, share) in [(10.0, 0.25), (50.0, 0.25), (100.0, 0.25), (400.0, 0.25)] {
        let found = jobs.iter().filter(|j| j.work_s == value).count() as f64 / 4000.0;
        assert!((found - share).abs() < 0.03, "{value}: {found}");
    }
    let ones = jobs.iter().filter(|j| j.gpus == 1).count() as f64 / 4000.0;
    assert!((ones - 0.5).abs() < 0.03, "{ones}");
    assert_eq!(workload.load().mean_gpu_s, Some(140.0 * 5.0));
}

#[test]
fn synthetic_profiles_feed_an_instance() {
    let spec = spec("[profiles]\nkind = 'synthetic'\nfamily = 'half-sensitive'\n[mix]\nsplit = [1, 3]");
    let instance = instance(&spec);
    let sensitive =
        instance.queue().iter().filter(|&&j| instance.class_of(j).demand_throughput > 1.0).count();
    assert_eq!((sensitive, instance.jobs().len()), (32, 128));
}

#[test]
fn a_stream_becomes_a_trace_that_gives_the_same_stream() {
    let spec = WorkloadSpec { jobs: Some(500), ..multi(4) };
    let workload = Workload::new(spec.clone()).unwrap();
    let trace = Trace { jobs: workload.trace_jobs().unwrap().collect(), about: workload.about().unwrap() };
    assert_eq!(trace.about.mean_busy_gpus, trace.mean_busy_gpus());
    assert_eq!(trace.about.load, Some(workload.load()));
    assert_eq!(WorkloadSpec::from_toml(&trace.about.remarks[0]).unwrap(), spec);
    let again = Workload::with_trace(WorkloadSpec::of_trace("x"), Some(std::sync::Arc::new(trace))).unwrap();
    let shown = |workload: &Workload| -> Vec<_> {
        let name = |j: &StreamedJob| workload.profile(j.model).name().to_string();
        workload.stream().unwrap().map(|j| (name(&j), j.arrival_s, j.gpus, j.work_s)).collect()
    };
    assert_eq!(shown(&again), shown(&workload));
    let endless = Workload::new(multi(4)).unwrap().about().unwrap_err().to_string();
    assert!(endless.contains("jobs: is not given"), "{endless}");
}
