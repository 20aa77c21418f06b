//! The published set is whole, its numbers hold together, and scores say what they should of cases worked out by hand.

use super::*;
use synergy_solver::mechanisms::{
    About, Greedy, Guarantees, Mechanism, MechanismError, Outcome, Proportional, Takes, Tune,
};

fn some(count: usize) -> Set {
    let set = Set::builtin().unwrap();
    // Small ones from every part of the file.
    let step = set.entries.len() / count;
    let mut entries: Vec<Entry> = set.entries.iter().step_by(step).cloned().collect();
    entries.retain(|entry| entry.instance().unwrap().cluster().gpus() <= 128);
    Set { entries, ..set }
}

#[test]
fn every_instance_of_the_published_set_is_described_in_full() {
    let set = Set::builtin().unwrap();
    assert!(set.entries.len() >= 300);
    for entry in &set.entries {
        assert!(entry.fingerprint.is_some(), "{}", entry.name);
        let (best, bound) = (entry.best.as_ref().unwrap(), entry.best_bound().unwrap());
        assert!(best.value <= bound.value * (1.0 + TOLERANCE), "{}", entry.name);
        assert!(best.value > 0.0, "{}", entry.name);
    }
    assert_eq!(Set::parse("v1", "x", &set.to_text()).unwrap(), set);
}

#[test]
fn instances_are_the_published_ones() {
    let set = some(60);
    assert!(set.entries.len() > 20);
    assert_eq!(prepare(&set).unwrap().len(), set.entries.len());
    let mut other = set.clone();
    other.entries[3].workload["seed"] = 4711.into();
    let refusal = prepare(&other).err().unwrap().to_string();
    assert!(refusal.contains(&set.entries[3].name) && refusal.contains("fingerprint"), "{refusal}");
}

#[test]
fn recorded_bounds_are_what_the_bounds_say_and_hold_for_other_mechanisms() {
    let mut set = some(30);
    let known = set.clone();
    set.entries.iter_mut().for_each(|entry| entry.bounds.clear());
    let (again, _) = improve(&set, &prepare(&set).unwrap(), &[]);
    for (entry, known) in again.entries.iter().zip(&known.entries) {
        assert_eq!(entry.bounds.len(), known.bounds.len(), "{}", entry.name);
        for (bound, known) in entry.bounds.iter().zip(&known.bounds) {
            assert_eq!((&bound.by, &bound.scope), (&known.by, &known.scope));
            assert!((bound.value - known.value).abs() <= 1e-6 * known.value, "{}", entry.name);
        }
    }
    let instances = prepare(&known).unwrap();
    let mechanisms: [(&str, &dyn Mechanism); 3] =
        [("tune", &Tune), ("greedy", &Greedy), ("proportional", &Proportional)];
    for (name, mechanism) in mechanisms {
        let score = score(&run(name, mechanism, &instances), &instances);
        assert!(score.bugs.is_empty() && score.failed.is_empty(), "{score:?}");
        assert_eq!(score.with_gap, instances.len());
    }
}

#[test]
fn the_score_of_tune_closes_nothing_of_tune() {
    let set = some(30);
    let instances = prepare(&set).unwrap();
    let done = run("tune", &Tune, &instances);
    let score = score(&done, &instances);
    assert_eq!(score.closed_of_tune, Some(0.0));
    let gaps: Vec<f64> = done.outcomes.iter().map(|m| m.as_ref().unwrap().gap.unwrap()).collect();
    let worst = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (gap, name) = score.worst.unwrap();
    assert_eq!(gap, worst);
    let at = gaps.iter().position(|gap| *gap == worst).unwrap();
    assert_eq!(name, set.entries[at].name);
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((score.gap.unwrap().mean - mean).abs() < 1e-12);
}

/// Leaves every other instance without an answer, by the parity of its jobs.
struct Moody;

impl Mechanism for Moody {
    fn about(&self) -> About {
        About {
            name: "moody",
            description: "fails or schedules nothing",
            source: "this test",
            takes: Takes::RunnableSet,
            guarantees: Guarantees { fair: false, complete: false, consolidated: false },
            parameters: &[],
        }
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        if queue.len().is_multiple_of(2) {
            return Err(MechanismError::Failed { mechanism: "moody".into(), reason: "even".into() });
        }
        Proportional.allocate(instance, &queue[..1])
    }
}

#[test]
fn failures_are_counted_and_gaps_stand_only_against_bounds_that_hold() {
    let set = some(60);
    let instances = prepare(&set).unwrap();
    let done = run("moody", &Moody, &instances);
    let score = score(&done, &instances);
    let odd = instances.iter().filter(|p| p.instance.jobs().len() % 2 == 1).count();
    assert!(odd > 0 && odd < instances.len());
    assert_eq!(score.failed.len(), instances.len() - odd);
    assert_eq!((score.incomplete, score.unfair), (odd, 0));
    // One job of many: no bound on complete allocations may be used.
    for (prepared, outcome) in instances.iter().zip(&done.outcomes) {
        if let Ok(measured) = outcome {
            let skip = prepared.entry.bounds.iter().find(|bound| bound.by == "lp-skip").unwrap();
            let gap = (skip.value - measured.value) / skip.value;
            assert_eq!(measured.gap, Some(gap), "{}", prepared.entry.name);
        }
    }
}

#[test]
fn what_beats_the_best_value_is_offered_and_what_beats_a_bound_is_a_bug() {
    let mut set = some(30);
    let instances = prepare(&set).unwrap();
    let tune = run("tune", &Tune, &instances);
    let value = |index: usize| tune.outcomes[index].as_ref().unwrap().value;
    // The first is known at less than TUNE's value; the second has a bound that is wrong.
    let single = |entry: &Entry| entry.name.starts_with("single-") || entry.name.starts_with("multi-");
    let places: Vec<usize> = (0..set.entries.len()).filter(|&i| single(&set.entries[i])).collect();
    let (low, wrong) = (places[0], places[1]);
    set.entries[low].best = Some(KnownValue { by: "someone".into(), value: value(low) - 1.0 });
    set.entries[wrong].bounds[0].value = value(wrong) - 1.0;
    let instances = prepare(&set).unwrap();
    let again = run("tune", &Tune, &instances);
    let score = score(&again, &instances);
    assert_eq!(score.beaten, [set.entries[low].name.clone()]);
    assert_eq!(score.bugs.len(), 1);
    assert_eq!(score.bugs[0].0, set.entries[wrong].name);
    assert!(score.bugs[0].1.contains("above the bound config"), "{}", score.bugs[0].1);
    let (improved, improvements) = improve(&set, &instances, &[again]);
    assert_eq!(improvements.len(), 1);
    assert_eq!(improved.entries[low].best, Some(KnownValue { by: "tune".into(), value: value(low) }));
    assert_eq!(improved.entries[wrong], set.entries[wrong]);
}

#[test]
fn results_do_not_depend_on_threads() {
    let set = some(30);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let instances = prepare(&set).unwrap();
            let runs = vec![run("tune-local", &*crate::plugins::resolve("tune-local").unwrap(), &instances)];
            let scores = vec![score(&runs[0], &instances)];
            let json = to_json(&set, &instances, &runs, &scores, &[None]);
            format!("{json:#}{}", to_text(&set, &scores, &[None], false))
        })
    };
    assert_eq!(on(1), on(3));
}
