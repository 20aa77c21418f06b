//! The templates do what they say. That the crate builds outside the workspace is what `scripts/scaffold.sh` shows.

use super::*;
use crate::conformance::{Effort, run as conform};
use crate::plugins::resolve;

#[path = "templates/rust/mechanism.rs"]
mod template;

#[test]
fn the_mechanism_of_the_rust_template_keeps_its_promises() {
    let make = || -> Result<Box<dyn synergy_solver::mechanisms::Mechanism>, _> {
        Ok(Box::new(template::StepsUp { gb_in_cpus: 0.02 }))
    };
    let found = conform("template", &make, &Effort { random: 60, seed: 1, measure: false }).unwrap();
    assert!(found.passed(), "{}", crate::conformance::to_text(&found));
    // Its name is filled in when it is written.
    assert!(template::register().is_err());
}

#[test]
fn the_python_template_keeps_its_promises() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: no python3");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("my-idea");
    write("my-idea", Language::Python, &Source::Git, &directory).unwrap();
    let name = format!("exec:{}[timeout_s=60]", directory.join("my_idea.py").display());
    assert_eq!(resolve(&name).unwrap().about().name, "my-idea");
    let found = conform(&name, &|| resolve(&name), &Effort { random: 20, seed: 1, measure: false }).unwrap();
    assert!(found.passed(), "{}", crate::conformance::to_text(&found));
}

#[test]
fn the_crate_has_the_profile_of_the_workspace() {
    let workspace =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml")).unwrap();
    let profile = |text: &str| {
        let table: toml::Table = toml::from_str(text).unwrap();
        table["profile"]["release"].clone()
    };
    let text = rust("my-idea", &Source::Git).remove(0).text;
    let mut ours = profile(&text);
    for member in ["synergy-solver", "synergy-experiments"] {
        // Members of a workspace are not among its packages "*"; here they are.
        let own = ours["package"].as_table_mut().unwrap().remove(member).unwrap();
        assert_eq!(own["opt-level"].as_integer(), Some(3));
    }
    assert_eq!(ours, profile(&workspace));
}

#[test]
fn nothing_is_overwritten_and_names_are_checked() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("mine");
    let source = Source::of_this_program();
    write("mine", Language::Rust, &source, &directory).unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/mechanism.rs", "README.md"] {
        let text = std::fs::read_to_string(directory.join(file)).unwrap();
        assert!(!text.contains("{{"), "{file}");
    }
    let refusal = write("mine", Language::Rust, &source, &directory).unwrap_err().to_string();
    assert!(refusal.contains("it exists"), "{refusal}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left behind");
    for (name, part) in [
        ("My", "lower-case"),
        ("9a", "lower-case"),
        ("a_b", "lower-case"),
        ("tune", "built-in"),
        ("lp", "a bound or a placement"),
        ("vertex", "a bound or a placement"),
        ("deps", "cargo"),
        ("synergy-solver", "cargo"),
    ] {
        assert!(check_name(name).unwrap_err().contains(part), "{name}");
    }
    assert!(Source::clone_at(place.path()).is_err());
}
