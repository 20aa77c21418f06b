//! The checker: a good allocation, then everything that can be wrong with it, one thing at a time.

use crate::random::{self, Kind};
use crate::{flat, group, instance, job, profile};
use synergy_solver::check::{Breach, Report, Resource, Violation, check};
use synergy_solver::mechanisms::{Mechanism, Proportional, Tune};
use synergy_solver::model::{
    Allocation, Amounts, Cluster, Instance, JobAllocation, Objective, Part, Rules, ThroughputRule,
};

const CPUS: Option<Resource> = Some(Resource::Auxiliary(0));
const MEMORY: Option<Resource> = Some(Resource::Auxiliary(1));

fn part(server: usize, gpus: f64, cpus: f64, memory_gb: f64) -> Part {
    Part { server, gpus, amounts: Amounts::new(cpus, memory_gb) }
}

fn entry(job: usize, parts: &[Part]) -> JobAllocation {
    JobAllocation { job, parts: parts.into() }
}

/// Two servers of 4 GPUs, 12 CPUs, 400 GB; jobs of 2, 1, 6 and 1 GPUs, the last two not runnable together.
fn example() -> (Instance, Allocation) {
    let p = profile((3.0, 100.0), (4.0, 100.0));
    let jobs = vec![job("a", 2, &p), job("b", 1, &p), job("c", 6, &p), job("d", 1, &p)];
    let i = instance(vec![group(2, 4, 12.0, 400.0)], jobs);
    let allocation = Allocation {
        fractional: false,
        jobs: vec![
            entry(0, &[part(0, 2.0, 8.0, 200.0)]),
            entry(1, &[part(0, 1.0, 4.0, 100.0)]),
            entry(3, &[part(1, 1.0, 3.0, 100.0)]),
        ],
    };
    (i, allocation)
}

fn run(edit: impl Fn(&mut Vec<JobAllocation>)) -> Report {
    let (i, mut allocation) = example();
    edit(&mut allocation.jobs);
    let report = check(&i, &i.queue(), &allocation);
    for violation in &report.violations {
        assert!(!violation.describe(&i).contains("NaN job"), "{}", violation.describe(&i));
    }
    report
}

fn breach(
    breach: Breach,
    job: Option<usize>,
    server: Option<usize>,
    resource: Option<Resource>,
    amount: f64,
    limit: f64,
) -> Violation {
    Violation { breach, job, server, resource, amount, limit }
}

#[test]
fn a_good_allocation_has_no_violation_and_its_value_is_the_sum() {
    let report = run(|_| ());
    assert_eq!(report.violations, []);
    let v = report.verdicts;
    assert!(v.valid && v.consolidated && v.fair && v.complete);
    assert_eq!(report.value, 2.0 + 2.0 + 1.0);
    assert_eq!(report.value_per_job, Some(5.0 / 3.0));
    assert_eq!((report.skipped, report.fragmented, report.gpus_idle), (1, 0, 4.0));
    assert_eq!(report.load, Amounts::new(15.0, 400.0));
}

#[test]
fn the_objective_multiplies_weights_and_the_runnable_weights_divide() {
    let (i, allocation) = example();
    let p = profile((3.0, 100.0), (4.0, 100.0));
    let mut jobs = vec![job("a", 2, &p), job("b", 1, &p), job("c", 6, &p), job("d", 1, &p)];
    jobs[0].weight = 0.5;
    let rules = Rules { objective: Objective::Gpus, ..Rules::default() };
    let i =
        Instance::new("weights", Cluster::new(i.cluster().groups().to_vec()).unwrap(), jobs, rules).unwrap();
    let report = check(&i, &i.queue(), &allocation);
    assert_eq!(report.value, 0.5 * 2.0 * 2.0 + 2.0 + 1.0);
    assert_eq!(report.value_per_job, Some(5.0 / 3.0));
}

#[test]
fn every_mutation_is_named_with_job_server_resource_and_amount() {
    let unknown_job = run(|jobs| jobs[1].job = 9);
    assert_eq!(unknown_job.violations[0], breach(Breach::UnknownJob, Some(9), None, None, 9.0, 4.0));
    assert!(!unknown_job.verdicts.valid && !unknown_job.verdicts.complete);

    let twice = run(|jobs| jobs.push(jobs[2].clone()));
    assert_eq!(twice.violations, [breach(Breach::JobTwice, Some(3), None, None, 2.0, 1.0)]);
    assert_eq!(twice.value, 5.0, "counted once");

    let server = run(|jobs| jobs[2].parts[0].server = 2);
    assert_eq!(server.violations[0], breach(Breach::UnknownServer, Some(3), Some(2), None, 2.0, 2.0));

    let half = run(|jobs| jobs[2].parts[0].gpus = 1.5);
    let gpus = Some(Resource::Gpus);
    assert_eq!(half.violations[0], breach(Breach::PartGpus, Some(3), Some(1), gpus, 1.5, 0.0));
    assert_eq!(half.violations[1], breach(Breach::TotalGpus, Some(3), None, None, 1.5, 1.0));

    let total = run(|jobs| jobs[2].parts[0].gpus = 2.0);
    assert_eq!(total.violations, [breach(Breach::TotalGpus, Some(3), None, None, 2.0, 1.0)]);

    let negative = run(|jobs| jobs[2].parts[0].amounts[1] = -1.0);
    assert_eq!(negative.violations[0], breach(Breach::PartAmount, Some(3), Some(1), MEMORY, -1.0, 0.0));
    assert!(!negative.verdicts.fair);
    let nan = run(|jobs| jobs[2].parts[0].amounts[0] = f64::NAN);
    assert_eq!(nan.violations[0].breach, Breach::PartAmount);
    assert!(!nan.verdicts.valid && !nan.verdicts.fair && nan.value == 4.0);

    let over = run(|jobs| jobs[1].parts[0].amounts[0] = 4.001);
    assert_eq!(over.violations.len(), 1);
    let Violation { breach: kind, job, server, resource, amount, limit } = over.violations[0];
    assert_eq!((kind, job, server, resource, limit), (Breach::OverCapacity, None, Some(0), CPUS, 12.0));
    assert!((amount - 12.001).abs() < 1e-9);
    // Within a millionth it is no violation.
    assert!(run(|jobs| jobs[1].parts[0].amounts[0] = 4.000_011).verdicts.valid);
    assert!(!run(|jobs| jobs[1].parts[0].amounts[0] = 4.000_013).verdicts.valid);

    let gpus_over = run(|jobs| {
        jobs[0].parts[0].server = 1;
        jobs[2].parts[0] = part(1, 3.0, 3.0, 100.0);
    });
    assert!(gpus_over.violations.contains(&breach(Breach::OverCapacity, None, Some(1), gpus, 5.0, 4.0)));

    let skewed = run(|jobs| jobs[0].parts = vec![part(0, 1.0, 5.0, 100.0), part(1, 1.0, 3.0, 100.0)].into());
    assert_eq!(
        skewed.violations,
        [
            breach(Breach::NotProportional, Some(0), Some(0), CPUS, 5.0, 4.0),
            breach(Breach::NotProportional, Some(0), Some(1), CPUS, 3.0, 4.0),
            breach(Breach::NotConsolidated, Some(0), None, None, 2.0, 1.0),
        ]
    );
    assert_eq!(skewed.fragmented, 1);

    let unfair = run(|jobs| jobs[2].parts[0].amounts[0] = 2.9);
    assert_eq!(unfair.violations, [breach(Breach::Unfair, Some(3), None, None, 0.0, 1.0)]);
    assert!(unfair.verdicts.valid && unfair.verdicts.consolidated && unfair.verdicts.complete);

    let missing = run(|jobs| _ = jobs.remove(0));
    assert_eq!(missing.violations, [breach(Breach::NotScheduled, Some(0), None, gpus, 0.0, 2.0)]);
    assert_eq!(missing.value_per_job, Some(1.0), "over the runnable set");

    let empty = run(|jobs| jobs[2].parts.clear());
    assert_eq!(empty.violations[0], breach(Breach::TotalGpus, Some(3), None, None, 0.0, 1.0));

    // Two parts on one server count together.
    let joined = run(|jobs| jobs[0].parts = vec![part(0, 1.0, 4.0, 100.0), part(0, 1.0, 4.0, 100.0)].into());
    assert_eq!(joined.violations, []);
    let nothing = run(Vec::clear);
    assert_eq!(nothing.violations.len(), 3);
    assert!(nothing.verdicts.valid && nothing.verdicts.fair && nothing.value == 0.0);
}

#[test]
fn a_job_outside_the_queue_is_a_violation() {
    let (i, allocation) = example();
    let report = check(&i, &[0, 1], &allocation);
    assert_eq!(report.violations, [breach(Breach::NotQueued, Some(3), None, None, 0.0, 0.0)]);
}

#[test]
fn messages_name_job_server_resource_and_amount() {
    let (i, mut allocation) = example();
    allocation.jobs[1].parts[0].amounts[0] = 4.5;
    let report = check(&i, &i.queue(), &allocation);
    assert_eq!(report.violations[0].describe(&i), "server 0: 12.5 cpus in use, 0.5 over its capacity of 12");
    allocation.jobs[0].parts[0].gpus = 3.0;
    let report = check(&i, &i.queue(), &allocation);
    assert_eq!(report.violations[0].describe(&i), r#"job "a": 3 gpus in all, but its demand is 2"#);
}

#[test]
fn only_a_fractional_allocation_may_break_gpus() {
    let (i, mut allocation) = example();
    allocation.jobs[0].parts = vec![part(0, 0.5, 2.0, 50.0), part(1, 1.5, 6.0, 150.0)].into();
    assert!(!check(&i, &i.queue(), &allocation).verdicts.valid);
    allocation.fractional = true;
    let report = check(&i, &i.queue(), &allocation);
    assert!(report.verdicts.valid && !report.verdicts.consolidated);
    allocation.jobs[0].parts[1].gpus = 1.4;
    assert!(!check(&i, &i.queue(), &allocation).verdicts.valid);
}

#[test]
fn large_jobs_are_consolidated_on_whole_servers_of_one_group() {
    let p = flat(3.0, 100.0);
    let groups = vec![group(3, 4, 12.0, 400.0), group(3, 3, 9.0, 300.0)];
    let i = instance(groups, vec![job("a", 6, &p)]);
    let on = |servers: &[(usize, f64)]| {
        let parts: Vec<Part> = servers.iter().map(|&(s, g)| part(s, g, 3.0 * g, 100.0 * g)).collect();
        let allocation = Allocation { fractional: false, jobs: vec![entry(0, &parts)] };
        let report = check(&i, &i.queue(), &allocation);
        assert!(report.verdicts.valid && report.verdicts.fair);
        report
    };
    assert!(on(&[(0, 4.0), (2, 2.0)]).verdicts.consolidated);
    assert!(on(&[(3, 3.0), (5, 3.0)]).verdicts.consolidated);
    assert!(!on(&[(0, 3.0), (1, 3.0)]).verdicts.consolidated, "no whole server");
    assert!(!on(&[(0, 4.0), (3, 2.0)]).verdicts.consolidated, "two groups");
    let three = on(&[(0, 2.0), (1, 2.0), (2, 2.0)]);
    assert_eq!(three.violations, [breach(Breach::NotConsolidated, Some(0), None, None, 3.0, 2.0)]);
}

#[test]
fn whole_cpus_are_whole_in_all_but_parts() {
    let p = flat(2.0, 100.0);
    let rules = Rules { whole_cpus: true, ..Rules::default() };
    let cluster = Cluster::new(vec![group(2, 2, 6.0, 200.0)]).unwrap();
    let i = Instance::new("whole", cluster, vec![job("a", 2, &p), job("b", 1, &p)], rules).unwrap();
    let with = |first: &[Part]| {
        let jobs = vec![entry(0, first), entry(1, &[part(1, 1.0, 2.0, 100.0)])];
        check(&i, &i.queue(), &Allocation { fractional: false, jobs })
    };
    assert!(with(&[part(0, 2.0, 5.0, 200.0)]).verdicts.valid);
    assert!(with(&[part(0, 1.0, 2.5, 100.0), part(1, 1.0, 2.5, 100.0)]).verdicts.valid);
    let broken = with(&[part(0, 2.0, 4.5, 200.0)]);
    assert_eq!(broken.violations, [breach(Breach::BrokenCpus, Some(0), None, CPUS, 4.5, 4.0)]);
}

#[test]
fn throughput_and_baseline_agree_with_the_model() {
    // The two are written apart: the checker from the raw matrix, the model for everybody else.
    for seed in 0..1000 {
        let i = random::instance(seed, Kind::Any);
        let queue = i.queue();
        for mechanism in [&Tune as &dyn Mechanism, &Proportional] {
            let allocation = mechanism.allocate(&i, &queue).unwrap().allocation;
            let report = check(&i, &queue, &allocation);
            for (entry, checked) in allocation.jobs.iter().zip(&report.jobs) {
                let expected = i.class_of(entry.job).throughput_at(&entry.total());
                assert!((checked.throughput - expected).abs() <= 1e-9 * expected, "seed {seed}");
            }
        }
    }
}

#[test]
fn bilinear_throughput_lies_between_the_grid_points() {
    let w = ndarray::array![[1.0, 2.0], [3.0, 6.0]];
    let p = synergy_solver::model::Profile::new("plane", vec![1.0, 3.0], vec![50.0, 100.0], w).unwrap();
    let rules = Rules { throughput: ThroughputRule::Bilinear, ..Rules::default() };
    let cluster = Cluster::new(vec![group(1, 2, 2.0, 100.0)]).unwrap();
    let i = Instance::new("plane", cluster, vec![job("a", 1, &p.into())], rules).unwrap();
    // The baseline is W(1, 50) = 1; half way on both axes is the mean of the four.
    let with = |cpus, memory_gb| {
        let jobs = vec![entry(0, &[part(0, 1.0, cpus, memory_gb)])];
        check(&i, &i.queue(), &Allocation { fractional: false, jobs }).value
    };
    assert_eq!(with(2.0, 75.0), 3.0);
    assert_eq!(with(2.0, 50.0), 2.0);
    assert_eq!(with(9.0, 900.0), 6.0);
    assert_eq!(with(0.5, 75.0), 0.0);
}
