//! `synergy new-mechanism` and `synergy bench`: from nothing to a mechanism of one's own and its score.

use synergy_tests::Place;

fn has_python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no python3");
    }
    found
}

#[test]
fn a_python_mechanism_runs_in_compare_and_bench_as_it_is_written() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.synergy("new-mechanism my-idea --language python").ok();
    place.synergy("generate --gpus 32 --demand multi --seed 7 --out i.json").ok();
    let exec = "exec:my-idea/my_idea.py";
    let compared =
        place.synergy(&format!("compare i.json --format json --only lp,lp-skip,tune,{exec}")).ok().json();
    let mine = &compared["mechanisms"][exec];
    assert_eq!(mine["status"], "ok", "{mine}");
    assert!(mine["value"].as_f64().unwrap() > 1.0);
    let scored =
        place.synergy(&format!("bench {exec} tune --only single-32-c3 --no-times --format json")).ok().json();
    assert_eq!(scored["schema"], "synergy-benchmark/1");
    assert_eq!(scored["instances"], 4);
    let gap = |index: usize| scored["scores"][index]["mean_gap"]["mean"].as_f64().unwrap();
    assert!(gap(0) > 0.0 && gap(1) > 0.0);
    let again = place.synergy("new-mechanism my-idea --language python");
    assert_eq!(again.code, 3, "{again:?}");
    assert!(again.stderr.contains("it exists"), "{again:?}");
}

#[test]
fn wrong_names_are_refused_before_any_work() {
    let place = Place::new();
    for (command, code, text) in [
        ("new-mechanism tune", 2, "built-in mechanism"),
        ("new-mechanism My_Idea", 2, "lower-case letters"),
        ("new-mechanism mine --workbench .", 3, "no clone of the workbench"),
        ("bench tuen", 2, "did you mean"),
        ("bench tune --only nothing-like-it", 2, "no instance of set v1"),
        ("bench tune --set nowhere", 3, "does not exist"),
        ("bench tune --update", 2, "--set"),
        ("bench --export multi-33", 2, "has no instance"),
        ("bench", 2, "MECHANISM"),
        ("bench tune --jobs 0", 2, "give at least 1"),
    ] {
        let run = place.synergy(command);
        assert_eq!(run.code, code, "{command}: {run:?}");
        assert!(run.stderr.contains(text), "{command}: {run:?}");
    }
}

#[test]
fn an_exported_instance_is_the_one_that_was_scored() {
    let place = Place::new();
    let name = "multi-64-c3-20-70-10";
    let scored = place.synergy(&format!("bench tune --only {name} --no-times --format json")).ok().json();
    let value = scored["scores"][0]["rows"][0]["value"].as_f64().unwrap();
    place.synergy(&format!("bench --export {name} --out i.json")).ok();
    let compared = place.synergy("compare i.json --only tune --format json").ok().json();
    let exported = compared["mechanisms"]["tune"]["value"].as_f64().unwrap();
    assert!((exported - value).abs() <= 1e-9 * value, "{exported} {value}");
}
