//! Smaller instances that still fail.

use super::cases::Case;
use ndarray::Array2;
use std::sync::Arc;
use synergy_solver::model::{Profile, Rules};

/// Tries at most this many smaller instances.
const TRIES: usize = 2000;

/// The smallest case found on which `fails` still says why, with its last word.
pub fn shrink(case: Case, why: String, fails: impl Fn(&Case) -> Option<String>) -> (Case, String) {
    let (mut case, mut why) = (case, why);
    let mut tries = 0;
    'smaller: loop {
        for candidate in candidates(&case) {
            tries += 1;
            if tries > TRIES {
                break 'smaller;
            }
            if let Some(reason) = fails(&candidate) {
                (case, why) = (candidate, reason);
                continue 'smaller;
            }
        }
        break;
    }
    case.name += "-shrunk";
    (case, why)
}

/// One step smaller, largest steps first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Case)| {
        let mut candidate = case.clone();
        change(&mut candidate);
        found.push(candidate);
    };
    let jobs = case.jobs.len();
    let mut chunk = jobs.div_ceil(2);
    while chunk > 0 {
        for start in (0..jobs).step_by(chunk) {
            add(&|c| _ = c.jobs.drain(start..(start + chunk).min(jobs)));
        }
        chunk /= 2;
    }
    for index in 0..case.groups.len() {
        let count = case.groups[index].count;
        if case.groups.len() > 1 {
            add(&|c| _ = c.groups.remove(index));
        }
        if count > 1 {
            add(&|c| c.groups[index].count = count / 2);
            add(&|c| c.groups[index].count = count - 1);
        }
    }
    if case.rules != Rules::default() {
        add(&|c| c.rules = Rules::default());
    }
    if case.jobs.iter().any(|job| job.weight != 1.0) {
        add(&|c| c.jobs.iter_mut().for_each(|job| job.weight = 1.0));
    }
    let mut seen: Vec<*const Profile> = Vec::new();
    for job in &case.jobs {
        let profile = &job.profile;
        if seen.contains(&Arc::as_ptr(profile)) {
            continue;
        }
        seen.push(Arc::as_ptr(profile));
        for smaller in smaller_profiles(profile) {
            add(&|c| {
                for other in c.jobs.iter_mut().filter(|other| Arc::ptr_eq(&other.profile, profile)) {
                    other.profile = Arc::clone(&smaller);
                }
            });
        }
    }
    for index in 0..jobs {
        let gpus = case.jobs[index].gpus;
        if gpus > 1 {
            add(&|c| c.jobs[index].gpus = gpus / 2);
            add(&|c| c.jobs[index].gpus = gpus - 1);
        }
    }
    found
}

/// The profile less one grid point on an axis.
fn smaller_profiles(profile: &Profile) -> Vec<Arc<Profile>> {
    let (cpus, memory, w) = (profile.cpus_per_gpu(), profile.memory_gb_per_gpu(), profile.throughput());
    let without =
        |points: &[f64], at: usize| -> Vec<usize> { (0..points.len()).filter(|&i| i != at).collect() };
    let all = |points: &[f64]| -> Vec<usize> { (0..points.len()).collect() };
    let rows = (0..cpus.len()).filter(|_| cpus.len() > 1).map(|at| (without(cpus, at), all(memory)));
    let columns = (0..memory.len()).filter(|_| memory.len() > 1).map(|at| (all(cpus), without(memory, at)));
    rows.chain(columns)
        .filter_map(|(rows, columns)| {
            let kept = Array2::from_shape_fn((rows.len(), columns.len()), |(c, m)| w[(rows[c], columns[m])]);
            let pick = |points: &[f64], kept: &[usize]| kept.iter().map(|&i| points[i]).collect();
            Profile::new(profile.name(), pick(cpus, &rows), pick(memory, &columns), kept).ok().map(Arc::new)
        })
        .collect()
}
