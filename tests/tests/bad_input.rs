//! Bad input: one line that names file, place and mend; exit code 3; nothing half-written.

use serde_json::{Value, json};
use synergy_tests::{Place, Run, instance};

/// A file that is wrong, and what the message must hold.
struct Case {
    name: &'static str,
    file: &'static str,
    content: String,
    says: &'static [&'static str],
}

fn case(name: &'static str, edit: impl FnOnce(&mut Value), says: &'static [&'static str]) -> Case {
    Case { name, file: "bad.json", content: instance(edit), says }
}

fn text(name: &'static str, file: &'static str, content: &str, says: &'static [&'static str]) -> Case {
    Case { name, file, content: content.into(), says }
}

fn cases() -> Vec<Case> {
    let good = instance(|_| {});
    let one_job = |rest: &str| {
        format!(
            "schema = \"synergy-instance/1\"\n[[cluster]]\ngpu_type = \"v100\"\ncount = 1\ngpus = 4\ncpus = 12\n\
             memory_gb = 200\n[[jobs]]\nid = \"a\"\ngpus = 1\n{rest}\n"
        )
    };
    vec![
        text("cut off", "bad.json", &good[..good.len() - 20], &["line 1", "column", "cut off"]),
        text("no JSON", "bad.json", "{\"schema\": synergy}", &["line 1, column 12"]),
        text("more behind the end", "bad.json", &format!("{good} true"), &["line 1", "trailing"]),
        text("NaN in JSON", "bad.json", &good.replace("0.5,0.5", "NaN,0.5"), &["NaN", "line 1", "finite"]),
        text("a number too large", "bad.json", &good.replace("12.0", "1e999"), &["line 1", "out of range"]),
        text("a key twice", "bad.json", &good.replace("\"gpus\":2", "\"gpus\":2,\"gpus\":2"), &["jobs[1]", "\"gpus\"", "twice"]),
        text(
            "a profile twice",
            "bad.json",
            &good.replace("\"profiles\":{", "\"profiles\":{\"net\":{\"cpus_per_gpu\":[1],\"memory_gb_per_gpu\":[1],\"throughput\":[[1]]},"),
            &["profiles", "\"net\"", "twice"],
        ),
        text("empty file", "bad.json", "", &["is empty"]),
        text("no TOML", "bad.toml", "schema = \n", &["line 1, column 10"]),
        text("NaN in TOML", "bad.toml", &one_job("profile = \"alexnet\"\nweight = nan"), &["jobs[0].weight", "NaN", "0 to 1e12"]),
        text("unknown key in TOML", "bad.toml", &one_job("profle = \"alexnet\""), &["jobs[0].profle", "line 11", "did you mean \"profile\"?"]),
        case("another schema", |v| v["schema"] = json!("synergy-instance/9"), &["schema", "synergy-instance/9", "\"synergy-instance/1\""]),
        case("an allocation", |v| v["schema"] = json!("synergy-allocation/1"), &["schema", "\"synergy-instance/1\""]),
        case("no schema", |v| drop(v.as_object_mut().unwrap().remove("schema")), &["\"schema\" is missing"]),
        case("unknown key at the root", |v| v["job"] = json!([]), &["unknown key \"job\"", "did you mean \"jobs\"?"]),
        case("unknown key of a job", |v| v["jobs"][1]["gpu"] = json!(1), &["jobs[1].gpu", "did you mean \"gpus\"?"]),
        case("unknown key of a group", |v| v["cluster"][0]["memory"] = json!(1), &["cluster[0].memory", "\"memory_gb\""]),
        case("unknown profile", |v| v["jobs"][2]["profile"] = json!("resnet81"), &["jobs[2].profile", "\"resnet81\"", "did you mean \"resnet18\"?"]),
        case("a job without profile", |v| drop(v["jobs"][0].as_object_mut().unwrap().remove("profile")), &["jobs[0]", "\"profile\" is missing"]),
        case("a profile that is a number", |v| v["jobs"][0]["profile"] = json!(7), &["jobs[0].profile", "7", "name of a profile"]),
        case("negative throughput", |v| v["profiles"]["net"]["throughput"][0][0] = json!(-0.5), &["profiles.net.throughput[0][0]", "-0.5", "0 or above"]),
        case("throughput that falls", |v| v["profiles"]["net"]["throughput"][2][1] = json!(0.9), &["profiles.net.throughput[2][1]", "0.9", "must not decrease"]),
        case("throughput that is null", |v| v["profiles"]["net"]["throughput"][1][0] = Value::Null, &["profiles.net.throughput[1][0]", "give a number"]),
        case("a row too many", |v| v["profiles"]["net"]["throughput"].as_array_mut().unwrap().push(json!([2.0, 2.0])), &["profiles.net.throughput", "4 rows", "3 points"]),
        case("a ragged row", |v| v["profiles"]["net"]["throughput"][1] = json!([0.5]), &["profiles.net.throughput[1]", "1 cell", "2 points"]),
        case("an axis that falls", |v| v["profiles"]["net"]["cpus_per_gpu"] = json!([1.0, 6.0, 3.0]), &["profiles.net.cpus_per_gpu", "increasing"]),
        case("an axis with 0", |v| v["profiles"]["net"]["memory_gb_per_gpu"] = json!([0.0, 50.0]), &["profiles.net.memory_gb_per_gpu", "positive"]),
        case(
            "an inline matrix that falls",
            |v| v["jobs"][1]["profile"] = json!({ "cpus_per_gpu": [1.0, 2.0], "memory_gb_per_gpu": [10.0], "throughput": [[1.0], [0.5]] }),
            &["jobs[1].profile.throughput[1][0]", "must not decrease"],
        ),
        case("no job", |v| v["jobs"] = json!([]), &["jobs", "at least one"]),
        case("no GPU", |v| v["jobs"][1]["gpus"] = json!(0), &["jobs[1].gpus", "\"b\"", "above 0"]),
        case("negative GPUs", |v| v["jobs"][1]["gpus"] = json!(-1), &["jobs[1].gpus", "-1", "whole number"]),
        case("half a GPU", |v| v["jobs"][1]["gpus"] = json!(1.5), &["jobs[1].gpus", "1.5", "whole number"]),
        case("more GPUs than any group", |v| v["jobs"][1]["gpus"] = json!(5), &["jobs[1].gpus", "\"b\"", "5 GPUs", "4"]),
        case("an id twice", |v| v["jobs"][2]["id"] = json!("a"), &["jobs[2].id", "\"a\"", "jobs[0]"]),
        case("negative weight", |v| v["jobs"][0]["weight"] = json!(-1), &["jobs[0].weight", "-1"]),
        case("negative arrival", |v| v["jobs"][0]["arrival_s"] = json!(-3.5), &["jobs[0].arrival_s", "-3.5"]),
        case("a baseline of 0", |v| v["profiles"]["net"]["cpus_per_gpu"] = json!([4.0, 5.0, 6.0]), &["jobs[0].profile", "\"net\"", "GPU-proportional share"]),
        case("no cluster", |v| v["cluster"] = json!([]), &["cluster", "at least one"]),
        case("no server", |v| v["cluster"][0]["count"] = json!(0), &["cluster[0].count", "above 0"]),
        case("a server without GPUs", |v| v["cluster"][0]["gpus"] = json!(0), &["cluster[0].gpus"]),
        case("negative memory", |v| v["cluster"][0]["memory_gb"] = json!(-1.0), &["cluster[0].memory_gb", "-1"]),
        case("a weight too large", |v| v["jobs"][0]["weight"] = json!(1e300), &["jobs[0].weight", "1e12"]),
        case("work too large", |v| v["jobs"][0]["work_s"] = json!(2e12), &["jobs[0].work_s", "2000000000000", "1e12"]),
        case("CPUs too many", |v| v["cluster"][0]["cpus"] = json!(1e300), &["cluster[0].cpus", "1e12"]),
        case("memory too large", |v| v["cluster"][0]["memory_gb"] = json!(1.1e12), &["cluster[0].memory_gb", "1e12"]),
        case("a grid point too far", |v| v["profiles"]["net"]["memory_gb_per_gpu"] = json!([25.0, 1e13]), &["profiles.net.memory_gb_per_gpu", "1e12"]),
        case("a slip of the keyboard", |v| v["cluster"][0]["count"] = json!(99_999_999_999u64), &["cluster", "99999999999 servers"]),
    ]
}

/// One line on stderr that begins with `error:` and holds all of `says`.
fn assert_one_line(name: &str, run: &Run, code: i32, says: &[&str]) {
    eprintln!("{name}: {}", run.stderr.trim_end());
    assert_eq!(run.code, code, "{name}: {run:?}");
    assert!(run.stdout.is_empty(), "{name}: {run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{name}: {run:?}");
    assert!(run.stderr.starts_with("error: "), "{name}: {run:?}");
    for part in says {
        assert!(run.stderr.contains(part), "{name}: no {part:?} in {run:?}");
    }
}

#[test]
fn every_bad_instance_is_one_line_with_file_place_and_mend_and_leaves_no_output() {
    assert!(cases().len() >= 20);
    for Case { name, file, content, says } in cases() {
        let place = Place::new();
        place.write(file, content).write("old.json", "old");
        let run = place.synergy(&format!("allocate {file} --mechanism tune --out old.json"));
        assert_one_line(name, &run, 3, says);
        assert!(run.stderr.contains(file), "{name}: {run:?}");
        assert_eq!(place.read("old.json"), "old", "{name}");
        assert_eq!(place.files(), [file, "old.json"], "{name}");
    }
}

#[test]
fn the_good_instance_that_the_bad_ones_come_from_is_good() {
    let place = Place::new();
    place.write("good.json", instance(|_| {}));
    place.synergy("allocate good.json --mechanism tune --out a.json").ok();
    place.synergy("check good.json a.json").ok();
}

#[test]
fn matrices_that_fall_are_raised_where_that_is_asked_for() {
    let place = Place::new();
    place.write("falls.json", instance(|v| v["profiles"]["net"]["throughput"][2][1] = json!(0.9)));
    let level = |v: &mut Value| {
        let below = v["profiles"]["net"]["throughput"][1][1].clone();
        let left = v["profiles"]["net"]["throughput"][2][0].clone();
        let larger = below.as_f64().unwrap().max(left.as_f64().unwrap());
        v["profiles"]["net"]["throughput"][2][1] = json!(larger);
    };
    place.write("level.json", instance(level));
    assert_one_line("falls", &place.synergy("compare falls.json"), 3, &["--repair-profiles"]);
    let value = |run: &Run| run.json()["bounds"]["lp"]["value"].clone();
    let repaired = place.synergy("compare falls.json --repair-profiles --only lp --format json").ok();
    assert!(
        repaired.stderr.contains("warning: falls.json: profile \"net\": 1 cell(s) raised"),
        "{repaired:?}"
    );
    let plain = place.synergy("compare level.json --repair-profiles --only lp --format json").ok();
    assert_eq!(plain.stderr, "");
    assert_eq!(value(&repaired), value(&plain));
    let table = "model,task,cpus_per_gpu,memory_gb_per_gpu,relative_throughput\na,t,1,10,1\na,t,3,10,0.8\n";
    place.write("falls.csv", table);
    let generate = "generate --gpus 8 --profiles file:falls.csv --out out.json";
    assert_one_line("generate", &place.synergy(generate), 3, &["--repair-profiles"]);
    let generated = place.synergy(&format!("{generate} --repair-profiles")).ok();
    assert!(generated.stderr.contains("warning: profile \"a\": 1 cell(s) raised"), "{generated:?}");
}

#[test]
fn an_absent_file_a_directory_and_bytes_that_are_no_text_are_named() {
    let place = Place::new();
    std::fs::create_dir(place.path("directory")).unwrap();
    place.write("bytes.json", [0xff, 0xfe, 0x00]);
    for file in ["absent.json", "directory", "bytes.json"] {
        let run = place.synergy(&format!("allocate {file} --mechanism tune"));
        assert_one_line(file, &run, 3, &[file]);
    }
}

#[test]
fn bad_allocations_are_named_with_their_place() {
    let part = |server: i64, gpus: f64, cpus: f64| json!({ "server": server, "gpus": gpus, "cpus": cpus, "memory_gb": 50.0 });
    let jobs = |jobs: Value| json!({ "schema": "synergy-allocation/1", "jobs": jobs });
    let cases: Vec<(&str, Value, &[&str])> = vec![
        ("unknown job", jobs(json!([{ "id": "z", "parts": [part(0, 1.0, 3.0)] }])), &["jobs[0].id", "\"z\""]),
        (
            "a job twice",
            jobs(json!([{ "id": "a", "parts": [part(0, 1.0, 3.0)] }, { "id": "a", "parts": [] }])),
            &["jobs[1].id", "\"a\"", "jobs[0]"],
        ),
        (
            "no such server",
            jobs(json!([{ "id": "a", "parts": [part(1, 1.0, 3.0)] }])),
            &["jobs[0].parts[0].server", "0 to 0"],
        ),
        (
            "a negative server",
            jobs(json!([{ "id": "a", "parts": [part(-1, 1.0, 3.0)] }])),
            &["jobs[0].parts[0].server", "-1"],
        ),
        (
            "a server twice",
            jobs(json!([{ "id": "b", "parts": [part(0, 1.0, 3.0), part(0, 1.0, 3.0)] }])),
            &["jobs[0].parts[1].server", "twice"],
        ),
        (
            "negative CPUs",
            jobs(json!([{ "id": "a", "parts": [part(0, 1.0, -3.0)] }])),
            &["jobs[0].parts[0].cpus", "-3"],
        ),
        ("unknown key", jobs(json!([{ "id": "a", "part": [] }])), &["jobs[0].part", "\"parts\""]),
        ("an instance", json!({ "schema": "synergy-instance/1" }), &["schema", "\"synergy-allocation/1\""]),
    ];
    for (name, allocation, says) in cases {
        let place = Place::new();
        place.write("good.json", instance(|_| {})).write("bad.json", allocation.to_string());
        let run = place.synergy("check good.json bad.json");
        assert_one_line(name, &run, 3, says);
        assert!(run.stderr.contains("bad.json"), "{name}: {run:?}");
    }
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_work() {
    let place = Place::new();
    place.write("good.json", instance(|_| {}));
    std::fs::create_dir(place.path("directory")).unwrap();
    for (out, says) in [
        ("directory", "is a directory"),
        ("no/such/file.json", "the directory no/such does not exist"),
        ("good.json/x", "is a file and not a directory"),
    ] {
        for command in
            ["generate --gpus 16", "allocate good.json --mechanism tune", "compare good.json --format json"]
        {
            let run = place.synergy(&format!("{command} --out {out}"));
            assert_one_line(command, &run, 3, &[out, says]);
        }
    }
    assert_eq!(place.files(), ["directory", "good.json"]);
}

#[test]
fn values_of_flags_that_make_no_sense_are_usage_or_input_errors() {
    let place = Place::new();
    place.write("good.json", instance(|_| {}));
    for (arguments, code, says) in [
        ("allocate good.json --mechanism tun", 2, "did you mean \"tune\"?"),
        ("compare good.json --only lp,tnue", 2, "did you mean \"tune\"?"),
        ("compare good.json --time-limit 0", 2, "--time-limit"),
        ("generate --gpus 12", 3, "multiple of the 8"),
        ("generate --gpus 0", 3, "above 0"),
        ("generate --servers 20000000", 3, "at most 10000000"),
        ("generate --gpus 4000000000", 3, "at most 10000000"),
        ("generate --gpus 4000000000 --gpus-per-server 1000000", 3, "at most 10000000 jobs"),
        ("generate --jobs 20000000000", 3, "at most 10000000 jobs"),
        ("generate --gpus 128 --split 20,70", 3, "split"),
        ("generate --gpus 128 --split 0,0,0", 3, "split"),
        ("generate --gpus 128 --cpus-per-gpu -1", 3, "cpus_per_gpu: is -1"),
        ("generate --gpus 128 --cpus-per-gpu nan", 3, "cpus_per_gpu"),
        ("check - -", 2, "standard input"),
    ] {
        let run = place.synergy(arguments);
        assert_eq!(run.code, code, "{arguments}: {run:?}");
        assert!(run.stderr.contains(says), "{arguments}: {run:?}");
    }
}
