//! `synergy check`: sound allocations pass, and each way to spoil one is found and named.

use serde_json::{Value, json};
use synergy_tests::{Place, Run, instance};

/// One server of 4 GPUs and one of 8; what is wrong with an allocation shows on few jobs.
fn two_groups() -> String {
    instance(|v| {
        let second = json!({ "gpu_type": "a100", "count": 2, "gpus": 2, "cpus": 6.0, "memory_gb": 100.0 });
        v["cluster"].as_array_mut().unwrap().push(second);
        v["jobs"][2]["profile"] = json!("net");
    })
}

/// a on server 0 with 6 CPUs, b there with 6, c on server 1.
fn good() -> Value {
    json!({ "schema": "synergy-allocation/1", "jobs": [
        { "id": "a", "parts": [{ "server": 0, "gpus": 1, "cpus": 6.0, "memory_gb": 50.0 }] },
        { "id": "b", "parts": [{ "server": 0, "gpus": 2, "cpus": 6.0, "memory_gb": 100.0 }] },
        { "id": "c", "parts": [{ "server": 1, "gpus": 1, "cpus": 3.0, "memory_gb": 50.0 }] },
    ] })
}

fn check(edit: impl FnOnce(&mut Value)) -> Run {
    let place = Place::new();
    let mut allocation = good();
    edit(&mut allocation);
    place.write("i.json", two_groups()).write("a.json", allocation.to_string());
    place.synergy("check i.json a.json")
}

#[test]
fn a_hand_made_allocation_passes_with_its_value() {
    let run = check(|_| {}).ok();
    // Throughput 2, 1, 1 with weights 1, 2, 1.
    assert!(run.stdout.contains("value         5.000000"), "{run:?}");
    assert_eq!(run.stdout.matches("yes").count(), 4, "{run:?}");
}

#[test]
fn every_way_to_spoil_it_is_found_with_job_server_resource_and_amount() {
    type Edit = fn(&mut Value);
    let cases: [(&str, Edit, &[&str]); 9] = [
        (
            "too many CPUs",
            |v| v["jobs"][0]["parts"][0]["cpus"] = json!(6.5),
            &["not valid", "server 0", "cpus", "0.5 over"],
        ),
        (
            "too much memory",
            |v| v["jobs"][1]["parts"][0]["memory_gb"] = json!(160.0),
            &["not valid", "server 0", "memory_gb", "10 over"],
        ),
        (
            "too many GPUs on a server",
            |v| v["jobs"][1]["parts"][0]["server"] = json!(1),
            &["not valid", "server 1", "gpus", "1 over"],
        ),
        (
            "fewer GPUs than asked",
            |v| v["jobs"][1]["parts"][0]["gpus"] = json!(1),
            &["not valid", "\"b\"", "1 gpus", "2"],
        ),
        (
            "half a GPU",
            |v| v["jobs"][2]["parts"][0]["gpus"] = json!(0.5),
            &["not valid", "\"c\"", "server 1", "0.5"],
        ),
        (
            "below the share",
            |v| v["jobs"][2]["parts"][0]["cpus"] = json!(2.9),
            &["not fair", "\"c\"", "0.5", "1"],
        ),
        (
            "a job left out",
            |v| drop(v["jobs"].as_array_mut().unwrap().pop()),
            &["not complete", "\"c\"", "1 gpus"],
        ),
        (
            "a job on two servers",
            |v| {
                let part =
                    |server: usize| json!({ "server": server, "gpus": 1, "cpus": 3.0, "memory_gb": 50.0 });
                v["jobs"][1]["parts"] = json!([part(0), part(1)]);
            },
            &["not consolidated", "\"b\"", "2 servers"],
        ),
        (
            "parts out of proportion",
            |v| {
                let part = |server: usize, cpus: f64| json!({ "server": server, "gpus": 1, "cpus": cpus, "memory_gb": 50.0 });
                v["jobs"][1]["parts"] = json!([part(0, 4.0), part(2, 2.0)]);
            },
            &["not valid", "\"b\"", "cpus", "in proportion"],
        ),
    ];
    for (name, edit, says) in cases {
        let run = check(edit);
        assert_eq!(run.code, 5, "{name}: {run:?}");
        for part in says {
            assert!(run.stdout.contains(part), "{name}: no {part:?} in {run:?}");
        }
    }
}

#[test]
fn require_says_which_verdicts_matter_and_json_names_every_violation() {
    let place = Place::new();
    let mut allocation = good();
    allocation["jobs"].as_array_mut().unwrap().pop();
    place.write("i.json", two_groups()).write("a.json", allocation.to_string());
    place.synergy("check i.json a.json --require valid,fair").ok();
    let run = place.synergy("check i.json a.json --format json");
    assert_eq!(run.code, 5);
    let report = run.json();
    assert_eq!(report["complete"], false);
    let violation = &report["violations"][0];
    assert_eq!((&violation["verdict"], &violation["job"]), (&json!("complete"), &json!("c")));
}

#[test]
fn what_every_mechanism_allocates_is_valid_and_as_sound_as_it_promises() {
    let place = Place::new();
    place.synergy("generate --gpus 64 --demand multi --seed 3 --out i.json").ok();
    let list = place.synergy("mechanisms --format json").ok().json();
    for mechanism in list.as_array().unwrap() {
        let name = mechanism["name"].as_str().unwrap();
        place.synergy(&format!("allocate i.json --mechanism {name} --out a.json")).ok();
        let mut required = vec!["valid"];
        required.extend(mechanism["promises"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()));
        place.synergy(&format!("check i.json a.json --require {}", required.join(","))).ok();
    }
}
