//! Tests of recipes as a whole, on small scales.

use super::*;
use crate::tables::{Frame, schema};
use std::sync::atomic::Ordering;

/// Seconds instead of minutes.
fn tiny() -> Scale {
    Scale {
        name: "test",
        seeds: vec![1, 2],
        warm_up: 10,
        measured: 20,
        single_loads: vec![6.0, 9.0],
        multi_loads: vec![3.0],
        single_lp_loads: vec![9.0],
        multi_lp_loads: vec![3.0],
        switch_loads: vec![9.0],
        philly_jobs: 20,
        replicates: 1,
    }
}

fn request(out: &Path) -> Request {
    Request { scale: tiny(), out: out.to_path_buf(), philly: None, threads: Some(2), progress: false }
}

fn run_here(names: &[&str], out: &Path) -> Vec<Claim> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    run(&find(&names).unwrap(), &request(out), &AtomicBool::new(false), &|_| {}).unwrap()
}

/// Every simulation, study and name of every recipe resolves, at every scale.
#[test]
fn recipes_resolve() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    for scale in [Scale::quick(), Scale::full()] {
        for recipe in RECIPES {
            let work = (recipe.work)(&Request { scale: scale.clone(), ..request(place.path()) }).unwrap();
            assert!(!work.batches.is_empty() || !work.studies.is_empty() || work.tables.is_some());
            for (name, study) in &work.studies {
                assert_eq!(study.name, *name, "{}", recipe.name);
                crate::study::Plan::new(study.clone(), Path::new(recipe.name)).unwrap();
            }
            assert!(recipe.minutes[0] <= recipe.minutes[1]);
        }
    }
    for name in names() {
        assert!(!seen.contains(&name), "{name} twice");
        seen.push(name);
    }
    let quick: f64 = RECIPES.iter().map(|recipe| recipe.minutes[0]).sum();
    assert!(quick <= 10.0, "{quick} min");
}

#[test]
fn an_unknown_recipe_gets_a_suggestion() {
    let error = find(&["fig-load-fifo-singel".into()]).err().unwrap().to_string();
    assert!(error.contains("did you mean \"fig-load-fifo-single\"?"), "{error}");
    let named = find(&["scaling".into(), "profiling".into(), "scaling".into()]).unwrap();
    let named: Vec<_> = named.iter().map(|recipe| recipe.name).collect();
    assert_eq!(named, ["profiling", "scaling"], "their own order, each once");
}

/// Every claim of the paper is settled by some recipe.
#[test]
fn all_claims_are_measured() {
    let place = tempfile::tempdir().unwrap();
    let claims = run_here(&[], place.path());
    for number in 1..=15 {
        let name = format!("C{number}");
        assert!(claims.iter().any(|claim| claim.claim == name), "{name}");
    }
    let of = |name: &str| claims.iter().find(|claim| claim.claim == name).unwrap();
    assert_eq!(of("C6").verdict, Verdict::NotRun);
    assert!(of("C6").why.contains("--philly"));
    assert_eq!(of("C13").verdict, Verdict::Agrees);
    assert_eq!(of("C14").verdict, Verdict::Agrees);
    let frame = Frame::read(
        &place.path().join("fig-load-fifo-single/mechanisms/runs.parquet"),
        &schema::RUNS,
        &["run", "mechanism"],
    )
    .unwrap();
    let runs: Vec<i64> = frame.int("run").unwrap().into_iter().flatten().collect();
    assert_eq!(runs, (0..8).collect::<Vec<_>>(), "numbers of this plan, whoever ran first");
    let csv = std::fs::read_to_string(place.path().join("claims.csv")).unwrap();
    let numbers: usize = claims.iter().map(|claim| claim.ours.len().max(1)).sum();
    assert_eq!(csv.lines().count(), 1 + numbers);
}

fn tables(out: &Path) -> Vec<(String, Vec<u8>)> {
    let recipe = out.join("fig-load-multi");
    ["mechanisms/runs.parquet", "mechanisms/jobs.parquet", "claims.parquet"]
        .map(|file| (file.to_string(), std::fs::read(recipe.join(file)).unwrap()))
        .into()
}

/// What was finished before an end at any moment is not run again, and the tables are the same bytes.
#[test]
fn going_on_gives_the_tables_of_one_go() {
    let place = tempfile::tempdir().unwrap();
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    run_here(&["fig-load-multi"], &whole);
    // Half of the store, one part damaged, a temporary file left: what a kill leaves behind.
    let kept = parts.join("store");
    std::fs::create_dir_all(&kept).unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(whole.join("store")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 4, "one load, two seeds, two mechanisms");
    for file in &files[..2] {
        std::fs::copy(file, kept.join(file.file_name().unwrap())).unwrap();
    }
    let bytes = std::fs::read(&files[2]).unwrap();
    std::fs::write(kept.join(files[2].file_name().unwrap()), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(kept.join(".synergy-x.part"), "half").unwrap();
    let untouched = std::fs::metadata(kept.join(files[0].file_name().unwrap())).unwrap().modified().unwrap();
    run_here(&["fig-load-multi"], &parts);
    assert!(tables(&whole) == tables(&parts));
    let after = std::fs::metadata(kept.join(files[0].file_name().unwrap())).unwrap().modified().unwrap();
    assert_eq!(after, untouched);
}

#[test]
fn an_interrupted_run_keeps_what_is_finished() {
    let place = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(true);
    let recipes = find(&["fig-load-multi".into()]).unwrap();
    let error = run(&recipes, &request(place.path()), &stop, &|_| {}).unwrap_err();
    assert!(matches!(error, ReproduceError::Interrupted), "{error}");
    assert!(!place.path().join("fig-load-multi/claims.parquet").exists());
    stop.store(false, Ordering::SeqCst);
    run(&recipes, &request(place.path()), &stop, &|_| {}).unwrap();
    assert!(place.path().join("claims.md").exists());
}

/// What a report embeds is what a recipe drew, byte for byte.
#[test]
fn the_figures_of_a_recipe_are_set_anew_from_their_data() {
    let place = tempfile::tempdir().unwrap();
    run_here(&["profiling"], place.path());
    let directory = place.path().join("profiling");
    let (drawn, others) = drawn_in(&directory);
    assert_eq!((drawn.len(), others.len()), (1, 0));
    let svg = std::fs::read_to_string(directory.join("figures/profiler.svg")).unwrap();
    assert!(drawn[0].svg == svg);
    let sections = crate::report::sections(place.path(), None).unwrap();
    let page = crate::report::page(place.path(), &sections);
    assert!(page.contains("<strong>profiler</strong>"));
    std::fs::write(directory.join("figures/profiler.csv"), "no,figure\n1,2\n").unwrap();
    assert_eq!(drawn_in(&directory).1.len(), 1, "a damaged file is named");
    assert!(drawn_in(place.path()).0.is_empty(), "no recipe's directory");
}
