//! Mechanisms by name.

use synergy_solver::mechanisms::{
    ALL, About, Mechanism, NameError, Parameter, Parameters, Tune, by_name, known, register,
};

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

#[test]
fn a_registered_mechanism_is_known_like_a_built_in_one() {
    let about = About {
        name: "half-tune",
        description: "a test's own",
        source: "this test",
        parameters: &[Parameter { name: "share", default: "0.5", description: "from 0 to 1" }],
        ..Tune::ABOUT
    };
    let build = |parameters: &Parameters| -> Result<Box<dyn Mechanism>, NameError> {
        parameters.get("share", 0.5, "a number from 0 to 1", |share| (0.0..=1.0).contains(share))?;
        Ok(Box::new(Tune))
    };
    register(about, build).unwrap();
    register(about, build).unwrap();
    assert_eq!(known().iter().filter(|about| about.name == "half-tune").count(), 1);
    assert!(by_name("half-tune[share=0.25]").is_ok());
    let message = refusal("half-tune[share=2]").to_string();
    assert_eq!(message, r#"mechanism half-tune: share is "2"; give a number from 0 to 1"#);
    assert!(matches!(refusal("half-tun"), NameError::Unknown { suggestion: Some("half-tune"), .. }));
    let taken = register(Tune::ABOUT, build).unwrap_err();
    assert_eq!(taken.to_string(), r#""tune" is a built-in mechanism; give yours another name"#);
    assert!(register(About { name: "a[b]", ..about }, build).is_err());
}
