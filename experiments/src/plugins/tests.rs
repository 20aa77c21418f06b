//! Plug-ins that do well, and every way to do badly. They are Python programs; without Python, skipped.

use super::*;
use crate::workload::{Workload, WorkloadSpec};
use std::io::Write;
use std::path::{Path, PathBuf};
use synergy_solver::mechanisms::Proportional;

fn instance(gpus: u32) -> Instance {
    let mut spec = WorkloadSpec::default();
    spec.cluster.gpus = gpus;
    Workload::new(spec).unwrap().instance(Rules::default()).unwrap()
}

fn has_python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no python3");
    }
    found
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins").join(name)
}

/// A plug-in that greets and then runs `body` for every request to allocate.
fn plugin(directory: &Path, greeting: &str, body: &str) -> String {
    let path = directory.join("plugin.py");
    let mut file = std::fs::File::create(&path).unwrap();
    let text = format!(
        "import json, sys, time, os\n\
         for line in sys.stdin:\n\
         \x20   r = json.loads(line)\n\
         \x20   if r['type'] == 'hello':\n\
         \x20       {greeting}\n\
         \x20   elif r['type'] == 'allocate':\n\
         \x20       {body}\n"
    );
    file.write_all(text.as_bytes()).unwrap();
    format!("python3 {}", path.display())
}

fn start(text: &str) -> Result<Plugin, MechanismError> {
    Plugin::start(Command::parse(text)?)
}

const HELLO: &str =
    "print(json.dumps({'type': 'hello', 'schema': 'synergy-plugin/1', 'name': 'x'}), flush=True)";

fn reason(result: Result<Outcome, MechanismError>) -> String {
    let MechanismError::Failed { reason, .. } = result.unwrap_err();
    reason
}

#[test]
fn the_python_example_is_proportional() {
    if !has_python() {
        return;
    }
    let plugin = resolve(&format!("exec:{}", example("proportional.py").display())).unwrap();
    assert_eq!(plugin.about().name, "proportional-py");
    assert!(plugin.about().guarantees.fair);
    // Three rounds over two instances: what it was told of the first must not be used for the second.
    for gpus in [64, 128, 64] {
        let instance = instance(gpus);
        let queue = instance.queue();
        let theirs = plugin.allocate(&instance, &queue).unwrap();
        let ours = Proportional.allocate(&instance, &queue).unwrap();
        let value = |outcome: &Outcome| check(&instance, &queue, &outcome.allocation).value;
        assert_eq!(value(&theirs), value(&ours));
    }
}

#[test]
fn the_c_example_is_proportional() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("proportional");
    let compiled = std::process::Command::new("cc")
        .arg("-O2")
        .arg("-o")
        .arg(&program)
        .arg(example("proportional.c"))
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no C compiler");
        return;
    }
    let plugin = resolve(&format!("exec:{}", program.display())).unwrap();
    let instance = instance(128);
    let queue = instance.queue();
    for _ in 0..3 {
        let outcome = plugin.allocate(&instance, &queue).unwrap();
        assert!(check(&instance, &queue, &outcome.allocation).verdicts.fair);
    }
}

#[test]
fn every_failure_is_a_clear_record_and_the_next_round_starts_afresh() {
    if !has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let instance = instance(16);
    let answer = |jobs: &str| {
        format!(
            "print(json.dumps({{'type': 'allocation', 'round': r['round'], 'jobs': {jobs}}}), flush=True)"
        )
    };
    let over = "[{'job': j[0], 'parts': [{'server': 0, 'gpus': 1, 'cpus': 99, 'memory_gb': 1}]} for j in r['jobs'][:1]]";
    let cases = [
        ("sys.exit(3)".to_owned(), "it ended with exit code 3"),
        (
            "sys.stderr.write('no luck\\n'); sys.stderr.flush(); os._exit(1)".into(),
            "exit code 1; stderr: no luck",
        ),
        ("raise ValueError('bad matrix')".into(), "ValueError: bad matrix"),
        ("os.kill(os.getpid(), 9)".into(), "it was ended by a signal: 9"),
        ("time.sleep(60)".into(), "no answer within 0.5 s"),
        ("print('hello', flush=True)".into(), "its answer cannot be read"),
        ("print('{\"type\": \"allocation\"}', flush=True)".into(), "its allocation has no \"jobs\""),
        ("print('{\"type\": \"alloc\"}', flush=True)".into(), "its answer is of type \"alloc\""),
        (
            "print('{\"type\": \"allocation\", \"round\": 7, \"jobs\": []}', flush=True)".into(),
            "it answered round 7",
        ),
        ("print('{\"type\": \"error\", \"message\": \"too hard\"}', flush=True)".into(), "too hard"),
        (answer("[{'job': 1}]"), "missing field `parts`"),
        (answer("[{'job': 4000, 'parts': []}]"), "invalid allocation: job number 4000"),
        (answer(over), "invalid allocation: "),
    ];
    for (body, expected) in cases {
        let command = plugin(directory.path(), HELLO, &body);
        // Only the one that sleeps waits for the clock; a busy machine may start the others slowly.
        let timeout_s = if body.contains("sleep") { 0.5 } else { 60.0 };
        let plugin = start(&format!("{command} [timeout_s={timeout_s}]")).unwrap();
        for _ in 0..2 {
            let reason = reason(plugin.allocate(&instance, &instance.queue()));
            assert!(reason.contains(expected), "{body}: {reason}");
        }
    }
    // A failure once, then a good answer from a new process.
    let body = format!(
        "sys.exit(1) if not os.path.exists('{0}') and open('{0}', 'w') else {1}",
        directory.path().join("flag").display(),
        answer("[]")
    );
    let plugin = start(&plugin(directory.path(), HELLO, &body)).unwrap();
    assert!(plugin.allocate(&instance, &instance.queue()).is_err());
    assert!(plugin.allocate(&instance, &instance.queue()).unwrap().allocation.jobs.is_empty());
}

#[test]
fn a_plug_in_that_does_not_start_or_greet_is_refused_at_once() {
    let refusal = |command: &str| start(command).err().unwrap().to_string();
    assert!(refusal("./no-such-program").contains("no such program"), "{}", refusal("./no-such-program"));
    assert!(refusal(" ").contains("no command after exec:"));
    assert!(refusal("x[timeout_s=never]").contains("timeout_s is \"never\""));
    assert!(refusal("x[alpha]").contains("write parameter=value"));
    if !has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let greetings = [
        ("print('hi', flush=True)", "its greeting cannot be read"),
        (
            "print('{\"type\": \"hello\", \"schema\": \"synergy-plugin/9\", \"name\": \"x\"}', flush=True)",
            "synergy-plugin/1",
        ),
        (
            "print('{\"type\": \"hello\", \"schema\": \"synergy-plugin/1\", \"name\": \"x\", \"promises\": [\"fast\"]}', flush=True)",
            "promises \"fast\"",
        ),
    ];
    for (greeting, expected) in greetings {
        let command = plugin(directory.path(), greeting, "pass");
        let refusal = refusal(&format!("{command}[timeout_s=60]"));
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn parameters_reach_the_plug_in() {
    if !has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let greeting = "print(json.dumps({'type': 'hello', 'schema': 'synergy-plugin/1', 'name': json.dumps(r['parameters'])}), flush=True)";
    let command = plugin(directory.path(), greeting, "pass");
    let plugin = start(&format!("{command}[alpha=0.5, timeout_s=60,beta=x]")).unwrap();
    assert_eq!(plugin.about().name, r#"{"alpha": "0.5", "beta": "x"}"#);
}

#[test]
fn matrices_are_sent_once_per_class() {
    let one = instance(64);
    let session_news = |session: &mut Known, instance: &Instance| session.news(instance).len();
    let mut known = Known::default();
    assert_eq!(session_news(&mut known, &one), 2);
    assert_eq!(session_news(&mut known, &one), 0);
    // Another cluster: everything again.
    let two = instance(128);
    assert_eq!(session_news(&mut known, &two), 2);
    // The same jobs built anew share the built-in matrices.
    assert_eq!(session_news(&mut known, &instance(128)), 0);
}

#[test]
fn the_schema_names_every_key_that_we_send() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/synergy-plugin-1.schema.json"),
    );
    let schema: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
    let instance = instance(16);
    let jobs = vec![(0, 0, 1.0)];
    let messages = [
        protocol::line(&Hello::new(&[])),
        protocol::line(&Request::cluster(&instance)),
        protocol::line(&Request::classes(&instance, 0)),
        protocol::line(&Request::Allocate { round: 0, jobs }),
    ];
    for message in messages {
        let message: serde_json::Value = serde_json::from_str(&message).unwrap();
        let described = &schema["$defs"][message["type"].as_str().unwrap()];
        assert_same_keys(&message, described);
    }
}

/// The message has exactly the properties that the schema describes and requires, at every level.
fn assert_same_keys(message: &serde_json::Value, described: &serde_json::Value) {
    match message {
        serde_json::Value::Object(map) if described["properties"].is_object() => {
            let mut keys: Vec<&String> = map.keys().collect();
            let mut properties: Vec<&String> = described["properties"].as_object().unwrap().keys().collect();
            keys.sort();
            properties.sort();
            assert_eq!(keys, properties);
            assert_eq!(described["required"].as_array().unwrap().len(), keys.len());
            map.iter().for_each(|(key, value)| assert_same_keys(value, &described["properties"][key]));
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| assert_same_keys(item, &described["items"]))
        }
        _ => (),
    }
}
