//! Looks for instances on which a mechanism is far from a bound: random restarts with local moves.
//!
//! A move changes a few jobs and keeps the GPUs that they ask for in all, so that a full cluster stays
//! full. Every restart has its own random stream and its own budget, counted in comparisons, so the
//! best found depends on the seed alone.

use crate::compare::{CompareOptions, compare_with};
use crate::profiles;
use crate::study::{Inputs, Plugins, UnitSpec};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use synergy_solver::model::{Instance, JobSpec, Profile};

/// What to look for, and how long.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Mechanism whose gap is to be large.
    pub mechanism: String,
    /// Bound that the gap is measured against.
    pub bound: String,
    /// Starts, each from a workload of its own.
    pub restarts: u32,
    /// Instances compared per start.
    pub evaluations: u32,
    /// Master seed.
    pub seed: u64,
    /// Branch-and-bound nodes per solve.
    pub node_limit: u64,
}

/// The best of one start.
#[derive(Debug, Clone)]
pub struct Found {
    /// Number of the start.
    pub restart: u32,
    /// Gap of the workload it began with; `None` when the bound does not hold there.
    pub start_gap: Option<f64>,
    /// Largest gap found.
    pub gap: f64,
    /// The instance with that gap.
    pub instance: Instance,
}

/// Best of every start, largest gap first; of equals the earlier start. Starts that were cut off by
/// `stop` give the best that they had.
///
/// # Errors
/// A workload that cannot be generated, in one line.
pub fn search_worst(
    spec: &UnitSpec,
    options: &SearchOptions,
    stop: &AtomicBool,
) -> Result<Vec<Found>, String> {
    let plugins = Plugins::start([&options.mechanism]).map_err(|e| e.to_string())?;
    let gap = |instance: &Instance| gap(instance, options, &plugins);
    let results: Vec<Result<Option<Found>, String>> = (0..options.restarts)
        .into_par_iter()
        .map(|restart| climb(spec, options, restart, &gap, stop))
        .collect();
    let mut found = Vec::new();
    for result in results {
        found.extend(result?);
    }
    found.sort_by(|a, b| b.gap.total_cmp(&a.gap).then(a.restart.cmp(&b.restart)));
    Ok(found)
}

fn climb(
    spec: &UnitSpec,
    options: &SearchOptions,
    restart: u32,
    gap: &dyn Fn(&Instance) -> Option<f64>,
    stop: &AtomicBool,
) -> Result<Option<Found>, String> {
    let purpose = format!("synergy search-worst {} {restart}", options.seed);
    let mut random = ChaCha8Rng::from_seed(*blake3::hash(purpose.as_bytes()).as_bytes());
    let start = spec.clone().seeded(random.next_u64() >> 11).instance(&Inputs::default())?;
    let start_gap = gap(&start);
    let pool: Vec<Arc<Profile>> =
        profiles::builtin().iter().map(|model| Arc::clone(&model.profile)).collect();
    let mut current = (start_gap.unwrap_or(f64::NEG_INFINITY), specs_of(&start));
    let mut best = start_gap.map(|gap| (gap, start.clone()));
    for _ in 1..options.evaluations {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut jobs = current.1.clone();
        // One move mostly, sometimes more, to leave a hill.
        for _ in 0..1 + random.next_u32() % 3 / 2 {
            change(&mut jobs, &pool, largest_server(&start), &mut random);
        }
        let name = format!("worst-{}-{}-seed{}-{restart}", options.mechanism, options.bound, options.seed);
        let Ok(instance) = Instance::new(name, start.cluster().clone(), jobs.clone(), start.rules()) else {
            continue; // a profile without throughput at this cluster's share
        };
        let Some(gap) = gap(&instance) else { continue };
        // Sideways moves are taken: many changes do nothing until a second one joins them.
        if gap >= current.0 {
            if best.as_ref().is_none_or(|(best, _)| gap > *best) {
                best = Some((gap, instance));
            }
            current = (gap, jobs);
        }
    }
    Ok(best.map(|(gap, instance)| Found { restart, start_gap, gap, instance }))
}

fn largest_server(instance: &Instance) -> u32 {
    instance.cluster().groups().iter().map(|group| group.gpus).max().unwrap_or(1)
}

fn gap(instance: &Instance, options: &SearchOptions, plugins: &Plugins) -> Option<f64> {
    let compared = compare_with(
        instance,
        &CompareOptions {
            only: Some(vec![options.mechanism.clone(), options.bound.clone()]),
            node_limit: Some(options.node_limit),
            time_limit_s: None,
            ..CompareOptions::default()
        },
        &|name| plugins.get(name),
    )
    .ok()?;
    let record = compared.mechanisms.iter().find(|record| record.name == options.mechanism)?;
    record.gaps.iter().find(|(bound, _)| *bound == options.bound)?.1
}

fn specs_of(instance: &Instance) -> Vec<JobSpec> {
    instance
        .jobs()
        .iter()
        .enumerate()
        .map(|(index, job)| JobSpec {
            id: job.id.clone(),
            profile: Arc::clone(&instance.class_of(index).profile),
            gpus: instance.gpus(index),
            weight: job.weight,
            arrival_s: job.arrival_s,
            work_s: job.work_s,
        })
        .collect()
}

/// One move that keeps the sum of GPU demands.
fn change(jobs: &mut Vec<JobSpec>, pool: &[Arc<Profile>], largest: u32, random: &mut ChaCha8Rng) {
    let mut below = |n: usize| (random.next_u64() % n.max(1) as u64) as usize;
    let job = below(jobs.len());
    match below(4) {
        // Another model.
        0 | 1 => jobs[job].profile = Arc::clone(&pool[below(pool.len())]),
        // Split a job in two halves.
        2 if jobs[job].gpus.is_multiple_of(2) => {
            jobs[job].gpus /= 2;
            let mut twin = jobs[job].clone();
            twin.profile = Arc::clone(&pool[below(pool.len())]);
            jobs.push(twin);
        }
        // Merge two equal demands into one.
        _ => {
            let gpus = jobs[job].gpus;
            let other = below(jobs.len());
            if other != job && jobs[other].gpus == gpus && 2 * gpus <= largest {
                jobs[job].gpus = 2 * gpus;
                jobs.remove(other);
            }
        }
    }
    for (index, job) in jobs.iter_mut().enumerate() {
        job.id = format!("j{index}");
    }
}
