//! Tests of whole simulations.

use super::allocators::{Kind, OwnAllocator};
use super::*;
use crate::profiles;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use synergy_solver::model::{Amounts, Cluster, Instance, Rules, ServerGroup};

/// The data beside the workspace, if it is there.
pub(super) fn shared(file: &str) -> Option<String> {
    let root = std::env::var_os("SYNERGY_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let text = std::fs::read_to_string(root.join(file)).ok();
    if text.is_none() {
        eprintln!("skipped: {file} is not beside the workspace");
    }
    text
}

pub(super) fn cluster(servers: usize) -> Cluster {
    let capacity = Amounts::new(24.0, 500.0);
    Cluster::new(vec![ServerGroup { gpu_type: "v100".into(), count: servers, gpus: 8, capacity }]).unwrap()
}

/// Rows kept in memory.
#[derive(Default, PartialEq, Debug)]
pub(super) struct Kept {
    pub rounds: Vec<RoundRow>,
    pub jobs: Vec<JobRow>,
}

impl Sink for Kept {
    fn round(&mut self, row: RoundRow) {
        self.rounds.push(row);
    }
    fn job(&mut self, row: JobRow) {
        self.jobs.push(row);
    }
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Checks nothing and bounds nothing.
pub(super) struct NoAudit;

impl Auditor for NoAudit {
    fn bound(&mut self, _: &Instance, _: &[usize], _: &Decision) -> Option<f64> {
        None
    }
    fn check(&mut self, _: &Instance, _: &[usize], _: &Decision) -> Result<(), SimulationError> {
        Ok(())
    }
}

/// Jobs of a replay file: id, model, arrival, iterations, GPUs.
fn replay(text: &str) -> Vec<SimJob> {
    let jobs = text.lines().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let name = match cells[1] {
            "res18" => "resnet18",
            "res50" => "resnet50",
            "mobilenet" => "mobilenetv2",
            "shufflenet" => "shufflenetv2",
            other => other,
        };
        let model = profiles::find(name).unwrap();
        let iterations: u64 = cells[3].parse().unwrap();
        SimJob {
            id: cells[0].parse().unwrap(),
            trace_id: None,
            profile: Arc::clone(&model.profile),
            gpus: cells[4].parse().unwrap(),
            arrival_s: cells[2].parse().unwrap(),
            work_s: iterations as f64 * model.iteration_s,
            weight: 1.0,
            iterations: Some(iterations),
        }
    });
    jobs.collect()
}

fn run_own(jobs: &[SimJob], policy: &str, mechanism: &str, switches: Switches, stepping: bool) -> Kept {
    let options = Options { switches, stepping, rate: Rate::of(&switches, mechanism), ..Options::default() };
    run_with(jobs, jobs.len(), policy, mechanism, 1.0, &options).0
}

fn run_with(
    jobs: &[SimJob],
    asked: usize,
    policy: &str,
    mechanism: &str,
    placement_penalty: f64,
    options: &Options,
) -> (Kept, Summary) {
    let kind = Kind::named(mechanism).unwrap();
    let policy = policies::find(policy, &options.switches).unwrap();
    let mut allocator = OwnAllocator::new(kind, policy.name(), options.switches, placement_penalty);
    let mut source = jobs.iter().cloned();
    let (mut kept, mut audit) = (Kept::default(), NoAudit);
    let engine = Engine::new(
        cluster(4),
        Rules::default(),
        &mut source,
        asked,
        policy.as_ref(),
        &mut allocator,
        &mut audit,
        options,
    );
    let summary = engine.unwrap().run(None, &mut kept).unwrap();
    (kept, summary)
}

/// Every job of every heuristic row of both golden files, to the millisecond.
#[test]
fn published_completion_times_are_reproduced_to_the_job() {
    for (golden, trace) in [
        ("reference_2022_jct.csv", "synergy_dynamic_srtf.csv"),
        ("reference_2022_multi_jct.csv", "multi_gpu_100.csv"),
    ] {
        let (Some(golden), Some(trace)) =
            (shared(&format!("data/golden/{golden}")), shared(&format!("data/traces/{trace}")))
        else {
            return;
        };
        let jobs = replay(&trace);
        let mut rows: BTreeMap<(String, String), Vec<(i64, f64)>> = BTreeMap::new();
        for line in golden.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let row = rows.entry((cells[1].to_lowercase(), cells[2].to_string())).or_default();
            row.push((cells[7].parse().unwrap(), cells[8].parse().unwrap()));
        }
        assert!(rows.len() >= 9);
        for ((policy, mechanism), expected) in rows {
            let mechanism = match mechanism.as_str() {
                "fair" => "proportional",
                "opt" => continue,
                other => other,
            };
            let kept = run_own(&jobs, &policy, mechanism, Switches::REFERENCE_2022, false);
            let ours: BTreeMap<i64, f64> =
                kept.jobs.iter().filter_map(|job| Some((job.job_id, job.jct_s?))).collect();
            let wrong: Vec<_> = expected
                .iter()
                .filter(|(id, jct_s)| ours.get(id).is_none_or(|ours| (ours - jct_s).abs() >= 1e-3))
                .map(|(id, jct_s)| (*id, *jct_s, ours.get(id).copied()))
                .collect();
            assert!(
                wrong.is_empty(),
                "{policy} {mechanism}: {} of {}: {:?}",
                wrong.len(),
                expected.len(),
                &wrong[..wrong.len().min(5)]
            );
        }
    }
}

/// The first jobs of the multi-GPU trace, and published completion times under FIFO that later
/// arrivals do not touch: for machines without the data.
#[test]
fn some_published_completion_times_hold_without_the_data() {
    let jobs = replay(
        "0,mobilenet,15,7896,2\n1,alexnet,70,719,16\n2,shufflenet,154,14217,1\n3,res50,187,14637,1\n\
         4,deepspeech,223,4219,1\n5,mobilenet,234,15701,2\n6,transformer,316,859,4\n7,lstm,341,143764,16\n\
         8,gnmt,460,20322,16\n9,deepspeech,499,375,4\n10,res50,570,18170,8\n11,transformer,612,3021,1\n\
         12,alexnet,699,14099,4\n13,gnmt,713,29398,1\n14,mobilenet,750,389,8\n15,shufflenet,867,5575,8",
    );
    let unknown = f64::NAN;
    let published = [
        (
            "proportional",
            [5985.0, 830.0, 9146.0, 11813.0, 3377.0, 11466.0, 884.0, 2359.0, 4940.0, 401.0, 15030.0, 2388.0],
        ),
        (
            "greedy",
            [4185.0, 830.0, 3446.0, 10313.0, 3377.0, 7566.0, 884.0, 2359.0, 4940.0, 1001.0, 17430.0, 2988.0],
        ),
        // Later jobs of the full trace set job 3 back once more.
        (
            "tune",
            [5985.0, 830.0, 8546.0, unknown, 3377.0, 8466.0, 884.0, 2359.0, 4940.0, 401.0, 15030.0, 2388.0],
        ),
    ];
    for (mechanism, expected) in published {
        let kept = run_own(&jobs, "fifo", mechanism, Switches::REFERENCE_2022, false);
        for (job, expected) in kept.jobs.iter().zip(expected).filter(|(_, expected)| !expected.is_nan()) {
            assert_eq!(job.jct_s, Some(expected), "{mechanism}, job {}", job.job_id);
        }
    }
}

/// With every switch on the paper's side, the simulator's own allocation code and the solver's
/// mechanisms, which share nothing, agree on every part of every job.
#[test]
fn own_allocation_code_is_the_solvers_on_the_papers_side() {
    for seed in 0..400 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut jobs = random_jobs(seed, 60, 1.0, 1.0);
        if seed % 2 == 0 {
            // Demands that are no powers of two are split over servers.
            jobs.iter_mut().for_each(|job| job.gpus = random.random_range(1..12));
        }
        let specs = jobs.iter().enumerate().map(|(index, job)| synergy_solver::model::JobSpec {
            id: index.to_string(),
            profile: Arc::clone(&job.profile),
            gpus: job.gpus,
            weight: 1.0,
            arrival_s: None,
            work_s: None,
        });
        let instance = Instance::new("own", cluster(4), specs.collect(), Rules::default()).unwrap();
        for name in MECHANISMS {
            let mechanism = synergy_solver::mechanisms::by_name(name).unwrap();
            let mut theirs = MechanismAllocator::new(mechanism.as_ref(), 0.5, false);
            let mut own = OwnAllocator::new(Kind::named(name).unwrap(), "fifo", Switches::PAPER, 0.5);
            assert_eq!(own.takes(), theirs.takes());
            let queue = match own.takes() {
                synergy_solver::mechanisms::Takes::RunnableSet => instance.runnable(&instance.queue()),
                synergy_solver::mechanisms::Takes::WholeQueue => instance.queue(),
            };
            let (ours, theirs) = (own.decide(&instance, &queue), theirs.decide(&instance, &queue));
            assert_eq!(ours.unwrap(), theirs.unwrap(), "seed {seed}, {name}");
        }
    }
}

fn random_jobs(seed: u64, count: usize, mean_gap_s: f64, mean_work_s: f64) -> Vec<SimJob> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut clock_s = 0.0;
    (0..count)
        .map(|index| {
            let mut uniform = || random.random::<f64>();
            clock_s += -mean_gap_s * (1.0 - uniform()).ln();
            let model = &profiles::builtin()[(uniform() * 12.0) as usize];
            let gpus = [1, 1, 1, 2, 4, 8, 16][(uniform() * 7.0) as usize];
            SimJob {
                id: index as i64,
                trace_id: None,
                profile: Arc::clone(&model.profile),
                gpus,
                arrival_s: clock_s,
                work_s: -mean_work_s * (1.0 - uniform()).ln() + 1.0,
                weight: 1.0,
                iterations: None,
            }
        })
        .collect()
}

const MECHANISMS: [&str; 3] = ["proportional", "greedy", "tune"];

/// Rounds that are skipped over, and ordered sets instead of sorting, change nothing: not one bit.
#[test]
fn skipping_gives_what_stepping_gives() {
    for seed in 0..4 {
        let jobs = random_jobs(seed, 60, 400.0, 6000.0);
        for policy in policies::NAMES {
            for mechanism in MECHANISMS {
                for switches in [Switches::PAPER, Switches::REFERENCE_2022] {
                    let skipped = run_own(&jobs, policy, mechanism, switches, false);
                    let stepped = run_own(&jobs, policy, mechanism, switches, true);
                    assert!(skipped == stepped, "{policy} {mechanism} {}", switches.describe());
                }
            }
        }
    }
}

/// Seconds x throughput = work + overshoot + loss, for every job; nobody progresses without GPUs.
#[test]
fn work_is_conserved() {
    for seed in 0..4 {
        let jobs = random_jobs(100 + seed, 60, 400.0, 6000.0);
        for policy in policies::NAMES {
            for mechanism in MECHANISMS {
                let kept = run_own(&jobs, policy, mechanism, Switches::PAPER, false);
                assert_eq!(kept.jobs.len(), jobs.len());
                for (job, spec) in kept.jobs.iter().zip(&jobs) {
                    let out = spec.work_s + job.overshoot_s + job.lost_s;
                    assert!((job.gross_s - out).abs() < 1e-6 * out, "{policy} {mechanism}: {job:?}");
                    assert_eq!(job.lost_s, 0.0);
                    let class = profiles::find(spec.profile.name()).unwrap();
                    let best = class.profile.throughput().iter().copied().fold(0.0, f64::max);
                    assert!(job.jct_s.unwrap() >= spec.work_s / best);
                    assert!(job.queueing_delay_s.unwrap() >= 0.0 && job.longest_wait_s <= job.waited_s);
                    let waited = job.completion_s.unwrap()
                        - (job.arrival_s / 300.0).ceil() * 300.0
                        - job.rounds_run as f64 * 300.0;
                    assert_eq!(waited, job.waited_s, "{policy} {mechanism}: {job:?}");
                }
                // Sum over rounds of throughput is the sum over jobs of progress.
                let by_round: f64 =
                    kept.rounds.iter().map(|row| row.throughput * row.rounds as f64 * 300.0).sum();
                let by_job: f64 = kept.jobs.iter().map(|job| job.gross_s).sum();
                assert!((by_round - by_job).abs() < 1e-6 * by_job);
                for pair in kept.rounds.windows(2) {
                    assert!(pair[1].time_s >= pair[0].time_s + pair[0].rounds as f64 * 300.0);
                    assert!(!pair[0].repeats(&pair[1]) || pair[1].time_s > pair[0].time_s);
                }
            }
        }
    }
}

/// One job alone: whole rounds at its best-case throughput.
#[test]
fn a_job_alone_has_the_closed_form() {
    for model in profiles::builtin() {
        for gpus in [1, 2, 4, 8, 16] {
            let mut jobs = random_jobs(1, 1, 1.0, 1.0);
            (jobs[0].profile, jobs[0].gpus) = (Arc::clone(&model.profile), gpus);
            (jobs[0].arrival_s, jobs[0].work_s) = (450.0, 12_345.0);
            let spec = synergy_solver::model::JobSpec {
                id: "j".into(),
                profile: Arc::clone(&model.profile),
                gpus,
                weight: 1.0,
                arrival_s: None,
                work_s: None,
            };
            let instance = Instance::new("one", cluster(4), vec![spec], Rules::default()).unwrap();
            let speed = instance.class_of(0).demand_throughput;
            let kept = run_own(&jobs, "srtf", "tune", Switches::PAPER, false);
            let rounds = (12_345.0 / (300.0 * speed)).ceil();
            assert_eq!(kept.jobs[0].completion_s, Some(600.0 + 300.0 * rounds), "{} {gpus}", model.name());
            assert_eq!(kept.jobs[0].queueing_delay_s, Some(150.0));
        }
    }
}

/// A simulator that anybody can check by eye: every round from scratch, one addition per round.
fn oracle(jobs: &[SimJob], policy: &str, mechanism: &str) -> Vec<f64> {
    let specs = jobs.iter().enumerate().map(|(index, job)| synergy_solver::model::JobSpec {
        id: index.to_string(),
        profile: Arc::clone(&job.profile),
        gpus: job.gpus,
        weight: 1.0,
        arrival_s: None,
        work_s: None,
    });
    let instance = Instance::new("oracle", cluster(4), specs.collect(), Rules::default()).unwrap();
    let mut allocator = OwnAllocator::new(Kind::named(mechanism).unwrap(), policy, Switches::PAPER, 1.0);
    let (mut done, mut attained) = (vec![0.0; jobs.len()], vec![0.0; jobs.len()]);
    let mut jct = vec![f64::NAN; jobs.len()];
    let mut now = 0.0;
    while jct.iter().any(|jct| jct.is_nan()) {
        let mut queue: Vec<usize> =
            (0..jobs.len()).filter(|&j| jobs[j].arrival_s <= now && jct[j].is_nan()).collect();
        let key = |j: usize| {
            let (class, remaining) = (instance.class_of(j), jobs[j].work_s - done[j]);
            let shares = [f64::from(class.gpus) / 32.0, class.demand[0] / 96.0, class.demand[1] / 2000.0];
            match policy {
                "fifo" => jobs[j].arrival_s,
                "srtf" => remaining,
                "las" => attained[j],
                "ftf" => -(now - jobs[j].arrival_s + remaining) / jobs[j].work_s,
                "drf" => shares[0].max(shares[1]).max(shares[2]),
                "tetris" => remaining * shares[0] + remaining * shares[1] + remaining * shares[2],
                _ => unreachable!(),
            }
        };
        queue.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        if mechanism != "greedy" {
            queue = instance.runnable(&queue);
        }
        for grant in allocator.decide(&instance, &queue).unwrap().grants {
            done[grant.job] += 300.0 * grant.speed;
            attained[grant.job] += 300.0 * f64::from(instance.gpus(grant.job));
            if done[grant.job] >= jobs[grant.job].work_s * (1.0 - 1e-9) {
                jct[grant.job] = now + 300.0 - jobs[grant.job].arrival_s;
            }
        }
        now += 300.0;
    }
    jct
}

#[test]
fn the_engine_agrees_with_an_obvious_simulator() {
    for seed in 0..6 {
        let jobs = random_jobs(200 + seed, 40, 500.0, 5000.0);
        for policy in policies::NAMES {
            for mechanism in MECHANISMS {
                let kept = run_own(&jobs, policy, mechanism, Switches::PAPER, false);
                let ours: Vec<f64> = kept.jobs.iter().map(|job| job.jct_s.unwrap()).collect();
                assert_eq!(ours, oracle(&jobs, policy, mechanism), "seed {seed}, {policy} {mechanism}");
            }
        }
    }
}

/// The load stays on until the last measured job ends; who comes later is marked.
#[test]
fn arrivals_go_on_beyond_the_jobs_asked_for() {
    let jobs = random_jobs(7, 400, 300.0, 20_000.0);
    let options = Options { measure: Some(20..40), ..Options::default() };
    let (kept, summary) = run_with(&jobs, 40, "srtf", "tune", 1.0, &options);
    assert_eq!(summary.end, End::Done);
    let measured: Vec<_> = kept.jobs.iter().filter(|job| job.measured).collect();
    assert_eq!(measured.iter().map(|job| job.index).collect::<Vec<_>>(), (20..40).collect::<Vec<_>>());
    let last_s = measured.iter().map(|job| job.completion_s.unwrap()).fold(0.0, f64::max);
    assert_eq!(last_s, summary.end_s);
    assert!(kept.jobs.iter().all(|job| job.beyond == (job.index >= 40)));
    // Everybody who had come by then is there, and nobody else.
    let expected = jobs.iter().filter(|job| (job.arrival_s / 300.0).ceil() * 300.0 < last_s).count();
    assert_eq!(kept.jobs.len(), expected);
    assert!(expected > 60);
}

#[test]
fn a_starving_measured_job_ends_the_run() {
    // A long job under srtf, with a stream of short ones that fills the cluster for ever.
    let mut jobs = random_jobs(3, 4000, 30.0, 4_000.0);
    jobs.iter_mut().for_each(|job| job.gpus = 8);
    jobs[5].work_s = 1e7;
    let options = Options { measure: Some(0..10), starvation_s: 30.0 * 3600.0, ..Options::default() };
    let (kept, summary) = run_with(&jobs, 10, "srtf", "proportional", 1.0, &options);
    assert_eq!(summary.end, End::Starved);
    assert!(summary.message.unwrap().contains("measured jobs are left"));
    let starved = kept.jobs[..10].iter().filter(|job| job.longest_wait_s >= 30.0 * 3600.0);
    assert!(starved.clone().count() > 0 && starved.clone().all(|job| job.completion_s.is_none()));
}

#[test]
fn options_cost_what_they_say() {
    let one = |change: &dyn Fn(&mut Vec<SimJob>, &mut Options)| {
        let mut jobs = random_jobs(1, 2, 1.0, 1.0);
        for (index, job) in jobs.iter_mut().enumerate() {
            job.profile = Arc::clone(&profiles::find("lstm").unwrap().profile);
            (job.gpus, job.arrival_s, job.work_s) = (32, 300.0 * index as f64, 1000.0);
        }
        let mut options = Options::default();
        change(&mut jobs, &mut options);
        let asked = jobs.len();
        run_with(&jobs, asked, "srtf", "tune", 1.0, &options).0.jobs
    };
    // Plain: whole rounds, one after the other.
    let plain = one(&|_, _| {});
    assert_eq!(plain[0].completion_s, Some(1200.0));
    assert_eq!(plain[1].completion_s, Some(2400.0));
    assert_eq!(plain[0].overshoot_s, 200.0);
    // Exact completion; the GPUs stay taken to the end of the round.
    let exact = one(&|_, options| options.completion = Completion::Exact);
    assert_eq!(exact[0].completion_s, Some(1000.0));
    assert_eq!(exact[1].completion_s, Some(2200.0));
    // Profiling delays the first round that a job can run in.
    let profiled = one(&|_, options| options.profiling_s = 310.0);
    assert_eq!(profiled[0].first_start_s, Some(600.0));
    assert_eq!(profiled[0].queueing_delay_s, Some(600.0));
    // The second job is shorter: it preempts the first, which pays when it resumes, not when it starts.
    let preempted = one(&|jobs, options| {
        jobs[1].work_s = 300.0;
        options.lease_change_s = 50.0;
    });
    assert_eq!((preempted[0].preemptions, preempted[1].preemptions), (1, 0));
    assert_eq!((preempted[0].lost_s, preempted[1].lost_s), (50.0, 0.0));
    assert_eq!(preempted[0].completion_s, Some(1500.0));
    assert_eq!(preempted[0].gross_s, 1000.0 + preempted[0].lost_s + preempted[0].overshoot_s);
    assert_eq!(preempted[0].longest_wait_s, 300.0);
}

/// Jobs on more servers than they need run slower by the penalty, others do not.
#[test]
fn the_placement_penalty_falls_on_split_jobs_alone() {
    let mut jobs = random_jobs(1, 5, 0.0, 1.0);
    for job in &mut jobs {
        job.profile = Arc::clone(&profiles::find("lstm").unwrap().profile);
        (job.gpus, job.arrival_s, job.work_s) = (6, 0.0, 3000.0);
    }
    jobs[4].work_s = 1000.0;
    let (kept, _) = run_with(&jobs, 5, "fifo", "tune", 0.5, &Options::default());
    // Four servers take one each; the fifth is split over what is left.
    assert!(kept.jobs[..4].iter().all(|job| job.most_servers == 1 && job.mean_throughput == Some(1.0)));
    assert_eq!((kept.jobs[4].most_servers, kept.jobs[4].mean_throughput), (3, Some(0.5)));
}
