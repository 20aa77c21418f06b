//! `synergy reproduce`: names, the list, a recipe from the command line.

use std::process::{Child, Command};
use std::time::Duration;
use synergy_tests::Place;

/// A recipe of twenty cases, each kept as it ends.
const CHEAP: &str = "reproduce profile-error --quick";

/// Finished work that a directory holds.
fn kept(place: &Place, out: &str) -> usize {
    let Ok(entries) = std::fs::read_dir(place.path(out).join("store")) else { return 0 };
    entries.filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(".zst")).count()
}

/// Waits until something is kept, or the run has ended.
fn wait_for_work(place: &Place, out: &str, child: &mut Child) {
    while kept(place, out) == 0 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Tables and claims that must not depend on what happened to a run.
fn results(place: &Place, out: &str) -> Vec<Vec<u8>> {
    let files =
        ["profile-error/profile_error.parquet", "profile-error/claims.parquet", "claims.csv", "claims.md"];
    files.map(|file| std::fs::read(place.path(out).join(file)).unwrap()).into()
}

#[test]
fn an_unknown_recipe_is_one_line_with_a_suggestion() {
    let run = Place::new().synergy("reproduce profilng");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("did you mean \"profiling\"?"), "{run:?}");
}

#[test]
fn a_missing_philly_file_is_found_before_any_work() {
    let place = Place::new();
    let run = place.synergy("reproduce fig-philly-512 --quick --philly absent.csv --out out");
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("absent.csv: does not exist"), "{run:?}");
    assert!(!place.path("out").exists());
}

#[test]
fn the_list_names_every_recipe() {
    let run = Place::new().synergy("reproduce --list").ok();
    for name in synergy_experiments::reproduce::names() {
        assert!(run.stdout.contains(name), "{name}");
    }
}

#[test]
fn a_recipe_writes_tables_and_the_claims() {
    let place = Place::new();
    let run = place.synergy("reproduce profiling --quick --out out").ok();
    assert!(run.stdout.contains("C13") && run.stdout.contains("agrees"), "{run:?}");
    let text = std::fs::read_to_string(place.path("out").join("claims.md")).unwrap();
    assert!(text.contains("| C13 profiling a model") && text.contains("`profiling --quick`"), "{text}");
    assert!(place.path("out").join("profiling/profiling.parquet").exists());
}

#[cfg(unix)]
#[test]
fn kills_and_interrupts_lose_nothing() {
    let place = Place::new();
    let mut killed = place.start(&format!("{CHEAP} --out parts --threads 1"));
    wait_for_work(&place, "parts", &mut killed);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let after_kill = kept(&place, "parts");
    assert!(after_kill > 0, "what was done is on disk");
    assert!(!place.path("parts/claims.md").exists());
    std::fs::write(place.path("parts/store/.synergy-x.part"), "half").unwrap();

    let mut interrupted = place.start(&format!("{CHEAP} --out parts --threads 1"));
    while kept(&place, "parts") == after_kill && interrupted.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &interrupted.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    assert!(kept(&place, "parts") > after_kill, "the second run went on where the first was");

    place.synergy(&format!("{CHEAP} --out parts")).ok();
    place.synergy(&format!("{CHEAP} --out whole")).ok();
    assert!(results(&place, "parts") == results(&place, "whole"));
    assert_eq!(kept(&place, "parts"), kept(&place, "whole"), "nothing was done twice");
    assert!(!place.path("parts/store/.synergy-x.part").exists());
}

#[test]
fn one_process_at_a_time_works_in_a_directory() {
    let place = Place::new();
    let mut first = place.start(&format!("{CHEAP} --out out --threads 1"));
    wait_for_work(&place, "out", &mut first);
    let second = place.synergy("reproduce profiling --quick --out out");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.stderr.contains("out: another synergy process reproduces into it"), "{second:?}");
    assert!(!place.path("out/profiling").exists());
    place.synergy("reproduce profiling --quick --out out").ok();
}
