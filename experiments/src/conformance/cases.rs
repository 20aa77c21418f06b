//! Instances for the conformance kit: a fixed set of hard and odd ones, then random ones.

use crate::workload::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;
use synergy_solver::model::{
    Amounts, Cluster, Instance, JobSpec, Objective, Profile, Rules, ServerGroup, ThroughputRule,
};

/// An instance that can still be changed: what is tested, and made smaller when it fails.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name in reports.
    pub name: String,
    /// Server groups.
    pub groups: Vec<ServerGroup>,
    /// Jobs in policy order.
    pub jobs: Vec<JobSpec>,
    /// Rules.
    pub rules: Rules,
}

impl Case {
    /// The instance; `None` for a case that is none (making one smaller may break it).
    pub fn instance(&self) -> Option<Instance> {
        let cluster = Cluster::new(self.groups.clone()).ok()?;
        Instance::new(self.name.clone(), cluster, self.jobs.clone(), self.rules).ok()
    }

    /// Whether consolidation is promised here: powers of two in demands and in the one GPU count of all
    /// servers, and, with several groups, no job larger than a server.
    pub fn packs_surely(&self) -> bool {
        let gpus = self.groups[0].gpus;
        gpus.is_power_of_two()
            && self.groups.iter().all(|group| group.gpus == gpus)
            && self.jobs.iter().all(|job| job.gpus.is_power_of_two())
            && (self.groups.len() == 1 || self.jobs.iter().all(|job| job.gpus <= gpus))
    }
}

fn group(count: usize, gpus: u32, cpus_per_gpu: f64, memory_gb_per_gpu: f64) -> ServerGroup {
    let capacity = Amounts::new(cpus_per_gpu, memory_gb_per_gpu).scaled(f64::from(gpus));
    ServerGroup { gpu_type: "v100".into(), count, gpus, capacity }
}

/// A profile over these axes with `w(CPU point, memory point)`.
fn profile(name: &str, cpus: &[f64], memory_gb: &[f64], w: impl Fn(usize, usize) -> f64) -> Arc<Profile> {
    let throughput = Array2::from_shape_fn((cpus.len(), memory_gb.len()), |(c, m)| w(c, m));
    Arc::new(
        Profile::new(name, cpus.to_vec(), memory_gb.to_vec(), throughput)
            .expect("profiles of the conformance kit do not decrease"),
    )
}

/// Jobs of these demands and profiles, in this order.
fn jobs(list: &[(u32, &Arc<Profile>)]) -> Vec<JobSpec> {
    let job = |(index, (gpus, profile)): (usize, &(u32, &Arc<Profile>))| JobSpec {
        id: format!("j{index}"),
        profile: Arc::clone(profile),
        gpus: *gpus,
        weight: 1.0,
        arrival_s: None,
        work_s: None,
    };
    list.iter().enumerate().map(job).collect()
}

/// The published set. Names say what is odd.
pub fn odd() -> Vec<Case> {
    let flat = profile("flat", &[1.0], &[20.0], |_, _| 1.0);
    let hungry = profile("cpu-hungry", &[1.0, 3.0, 6.0, 12.0], &[20.0, 62.5], |c, m| {
        [0.3, 1.0, 1.8, 3.0][c] * [0.9, 1.0][m]
    });
    let thirsty = profile("memory-hungry", &[1.0, 3.0], &[20.0, 62.5, 125.0, 187.5], |c, m| {
        [0.8, 1.0][c] * [0.5, 1.0, 1.6, 2.4][m]
    });
    let both = profile("needs-both", &[1.0, 3.0, 9.0], &[20.0, 62.5, 125.0], |c, m| {
        if c == 2 && m == 2 { 3.0 } else { [0.4, 1.0, 1.1][c] * [0.8, 1.0, 1.05][m] }
    });
    let trader =
        profile("trades-cpus-for-memory", &[3.0, 6.0], &[20.0, 62.5], |c, m| [[0.25, 1.0], [2.0, 2.0]][c][m]);
    let between = profile("between-grid-points", &[0.7, 2.2, 4.4], &[15.0, 40.0, 90.0], |c, m| {
        [1.0, 2.0, 3.5][c] + [0.0, 0.5, 0.6][m]
    });
    let all = [&flat, &hungry, &thirsty, &both, &trader, &between];
    let cycle = |demands: &[u32], n: usize| -> Vec<(u32, &Arc<Profile>)> {
        (0..n).map(|i| (demands[i % demands.len()], all[(i * 5 + i / 6) % all.len()])).collect()
    };
    let paper = |count| vec![group(count, 8, 3.0, 62.5)];
    let case = |name: &str, groups: Vec<ServerGroup>, list: &[(u32, &Arc<Profile>)]| Case {
        name: name.into(),
        groups,
        jobs: jobs(list),
        rules: Rules::default(),
    };
    let mut cases = vec![
        case("no-jobs", paper(1), &[]),
        case("one-job-one-gpu", vec![group(1, 1, 3.0, 62.5)], &[(1, &hungry)]),
        case("one-server-full", paper(1), &cycle(&[1], 8)),
        case("one-server-too-many-jobs", paper(1), &cycle(&[1, 2, 4], 20)),
        case("one-point-matrices", paper(2), &[(1, &flat); 16]),
        case("all-cpu-hungry", paper(4), &[(1, &hungry); 32]),
        case("all-memory-hungry", paper(4), &[(1, &thirsty); 32]),
        case("all-need-both", paper(4), &[(1, &both); 32]),
        case(
            "mixed-revert",
            vec![group(2, 2, 3.0, 62.5)],
            &[(1, &trader), (1, &flat), (1, &trader), (1, &trader)],
        ),
        case("hungry-first-lean-last", paper(4), &{
            let mut list = vec![(1, &hungry); 12];
            list.extend([(1, &flat); 20]);
            list
        }),
        case("powers-of-two", paper(4), &cycle(&[8, 4, 2, 1, 1], 20)),
        case("no-powers-of-two", vec![group(5, 6, 3.0, 62.5)], &cycle(&[5, 4, 3, 2, 1], 14)),
        case("three-gpu-servers-two-gpu-jobs", vec![group(5, 3, 3.0, 62.5)], &cycle(&[2], 7)),
        case("larger-than-a-server", paper(6), &[(16, &hungry), (12, &both), (9, &thirsty), (1, &flat)]),
        case("as-large-as-the-cluster", paper(3), &[(24, &hungry)]),
        case("larger-with-a-small-job-first", paper(3), &[(1, &hungry), (12, &both), (8, &thirsty)]),
        case("unequal-groups", vec![group(2, 8, 3.0, 62.5), group(3, 4, 6.0, 30.0)], &cycle(&[4, 1, 2], 20)),
        case("split-over-groups", vec![group(1, 3, 2.0, 62.5), group(1, 3, 4.0, 50.0)], &cycle(&[2], 3)),
        case("one-lean-group", vec![group(2, 4, 8.0, 20.0), group(2, 4, 1.0, 200.0)], &[(1, &flat); 16]),
        case("share-between-grid-points", vec![group(3, 8, 3.3, 47.1)], &[(1, &between); 24]),
        case("underloaded", paper(8), &cycle(&[1, 2], 9)),
        case("twice-overloaded", paper(2), &cycle(&[1, 2, 1], 28)),
    ];
    let with = |base: usize, name: &str, cases: &[Case], rules: Rules| Case {
        name: name.into(),
        rules,
        ..cases[base].clone()
    };
    let place = |name: &str, cases: &[Case]| cases.iter().position(|case| case.name == name).unwrap_or(0);
    let between_at = place("share-between-grid-points", &cases);
    let mixed_at = place("powers-of-two", &cases);
    cases.push(with(between_at, "whole-cpus", &cases, Rules { whole_cpus: true, ..Rules::default() }));
    let bilinear = Rules { throughput: ThroughputRule::Bilinear, ..Rules::default() };
    cases.push(with(between_at, "bilinear", &cases, bilinear));
    cases.push(with(
        mixed_at,
        "weighted-by-gpus",
        &cases,
        Rules { objective: Objective::Gpus, ..Rules::default() },
    ));
    let mut weights = with(mixed_at, "weights-0-and-100", &cases, Rules::default());
    for (index, job) in weights.jobs.iter_mut().enumerate() {
        job.weight = [1.0, 0.0, 100.0][index % 3];
    }
    cases.push(weights);
    cases
}

/// Random case `index` of `seed`: unequal groups, odd demands and shares, odd matrices.
pub fn random(seed: u64, index: u64) -> Case {
    let mut rng = Stream::new(seed.wrapping_mul(1_000_003).wrapping_add(index), Purpose::Conformance);
    loop {
        let case = draw(&mut rng, format!("random-{seed}-{index}"));
        if case.instance().is_some() {
            return case;
        }
    }
}

fn pick<T: Copy>(rng: &mut Stream, choices: &[T]) -> T {
    choices[rng.below(choices.len())]
}

fn draw(rng: &mut Stream, name: String) -> Case {
    let powers = rng.below(3) == 0;
    let server_gpus: &[u32] = if powers { &[1, 2, 4, 8] } else { &[1, 2, 3, 4, 5, 6, 8] };
    let common = pick(rng, server_gpus);
    let groups: Vec<ServerGroup> = (0..pick(rng, &[1, 1, 2, 3]))
        .map(|_| {
            let gpus = if powers { common } else { pick(rng, server_gpus) };
            let cpus = pick(rng, &[1.0, 2.0, 2.5, 3.0, 3.7, 6.0]);
            let memory_gb = pick(rng, &[20.83, 33.3, 50.0, 62.5, 100.0]);
            group(1 + rng.below(6), gpus, cpus, memory_gb)
        })
        .collect();
    let smallest = |share: fn(&ServerGroup) -> f64| groups.iter().map(share).fold(f64::INFINITY, f64::min);
    let share = [
        smallest(|g| g.capacity.cpus() / f64::from(g.gpus)),
        smallest(|g| g.capacity.memory_gb() / f64::from(g.gpus)),
    ];
    let profiles: Vec<Arc<Profile>> =
        (0..1 + rng.below(5)).map(|index| random_profile(rng, &format!("p{index}"), share)).collect();
    let largest = groups.iter().map(|g| g.count as u32 * g.gpus).max().unwrap_or(1);
    let most = if powers && groups.len() > 1 { common } else { largest };
    let demands: &[u32] = if powers { &[1, 1, 1, 2, 4, 8, 16] } else { &[1, 1, 1, 2, 3, 4, 5, 7, 8, 12, 16] };
    let demands: Vec<u32> = demands.iter().copied().filter(|&gpus| gpus <= most).collect();
    let list: Vec<(u32, &Arc<Profile>)> =
        (0..1 + rng.below(40)).map(|_| (pick(rng, &demands), &profiles[rng.below(profiles.len())])).collect();
    let mut jobs = jobs(&list);
    for job in &mut jobs {
        job.weight = pick(rng, &[1.0, 1.0, 1.0, 0.5, 3.0]);
    }
    let rules = Rules {
        throughput: pick(rng, &[ThroughputRule::Floor, ThroughputRule::Floor, ThroughputRule::Bilinear]),
        objective: pick(rng, &[Objective::Normalised, Objective::Gpus]),
        whole_cpus: rng.below(4) == 0,
    };
    Case { name, groups, jobs, rules }
}

/// Axes that start at or below the share; steps along each of them.
fn random_profile(rng: &mut Stream, name: &str, share: [f64; 2]) -> Arc<Profile> {
    let axis = |rng: &mut Stream, share: f64| {
        let mut points = vec![share * pick(rng, &[1.0, 0.5, 0.33, 0.9])];
        points.extend((0..rng.below(6)).map(|_| share * (0.1 + 3.9 * rng.uniform())));
        points.sort_by(f64::total_cmp);
        points.dedup();
        points
    };
    let steps = |rng: &mut Stream, points: usize| -> Vec<f64> {
        let size = pick(rng, &[0.0, 0.2, 1.0]);
        let mut level = 0.0;
        let step = |_| {
            level += size * rng.uniform().powi(3);
            level
        };
        (0..points).map(step).collect()
    };
    let (cpus, memory) = (axis(rng, share[0]), axis(rng, share[1]));
    let (by_cpus, by_memory) = (steps(rng, cpus.len()), steps(rng, memory.len()));
    let joint = rng.below(2) == 0;
    profile(name, &cpus, &memory, |c, m| {
        0.2 + if joint { by_cpus[c].min(by_memory[m]) } else { by_cpus[c] + by_memory[m] }
    })
}
