//! `synergy reproduce`: names, the list, a recipe from the command line.

use synergy_tests::Place;

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
