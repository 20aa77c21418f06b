//! Mechanisms by name.

use synergy_solver::mechanisms::{ALL, NameError, by_name};

fn refusal(text: &str) -> NameError {
    by_name(text).err().unwrap()
}

#[test]
fn every_mechanism_is_found_by_its_name_and_with_its_defaults() {
    for entry in ALL {
        let name = entry.about.name;
        assert_eq!(by_name(name).unwrap().about().name, name);
        assert_eq!(by_name(&format!(" {name} []")).unwrap().about().name, name);
        let all: Vec<String> =
            entry.about.parameters.iter().map(|p| format!("{}={}", p.name, p.default)).collect();
        assert_eq!(by_name(&format!("{name}[{}]", all.join(", "))).unwrap().about().name, name);
    }
    assert!(ALL.windows(2).all(|w| w[0].about.name < w[1].about.name), "listed by name, each once");
}

#[test]
fn a_wrong_name_is_one_clear_line() {
    let message = refusal("gredy").to_string();
    assert!(
        message.starts_with(r#"no mechanism "gredy" (did you mean "greedy"?); known are greedy, "#),
        "{message}"
    );
    assert!(matches!(refusal("simulated-annealing"), NameError::Unknown { suggestion: None, .. }));
    assert!(matches!(refusal("tune[alpha"), NameError::Syntax { .. }));
    assert!(matches!(refusal("tune[alpha]"), NameError::Syntax { .. }));
    assert_eq!(refusal("tune[alpha=1]").to_string(), r#"mechanism tune: no parameter "alpha"; it has none"#);
}
