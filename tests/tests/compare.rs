//! `synergy compare`: the chain of bounds and values, the stable JSON, a golden instance, the options.

use serde_json::{Value, json};
use synergy_tests::{Place, instance};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// Three jobs of one profile on one server of 4 GPUs, 17 CPUs, 200 GB. Per GPU: 1 CPU gives 0.5,
/// 3 CPUs 1, 6 CPUs 2. The share is 4.25 CPUs, so the baseline is 1.
fn golden() -> String {
    instance(|v| {
        v["cluster"][0]["cpus"] = json!(17.0);
        v["jobs"][2]["profile"] = json!("net");
    })
}

#[test]
fn a_hand_made_instance_has_the_values_of_a_hand_made_solution() {
    let place = Place::new();
    place.write("golden.json", golden());
    let result = place.synergy("compare golden.json --format json").ok().json();
    assert_eq!(result["instance"], json!({ "name": "golden", "jobs": 3, "gpus": 4, "requested_gpus": 4 }));
    // Mixtures of 1 and 6 CPUs per GPU are best: 0.5 at 1 CPU and 0.3 for each further one. All jobs at 1
    // CPU per GPU are worth 2 with weights 1, 2, 1; the 13 CPUs left add 3.9, enough for everyone's share.
    for bound in ["lp", "lp-skip"] {
        let lp = &result["bounds"][bound];
        assert!(close(number(&lp["value"]), 5.9, 1e-9), "{bound}: {lp}");
        assert!(close(number(&lp["certified"]), 5.9, 1e-9), "{bound}: {lp}");
        assert!(close(number(&lp["shadow_prices"]["cpus"]), 0.3, 1e-9), "{bound}: {lp}");
        assert!(close(number(&lp["shadow_prices"]["memory_gb"]), 0.0, 1e-9), "{bound}: {lp}");
        assert_eq!(lp["status"], "optimal");
    }
    // Whole choices: 3 or 6 CPUs per GPU. 12 CPUs go to shares; of the 5 left, 3 double one small job.
    let ilp = &result["bounds"]["ilp"];
    assert!(close(number(&ilp["value"]), 5.0, 1e-9), "{ilp}");
    assert!(close(number(&ilp["incumbent"]), 5.0, 1e-9), "{ilp}");
    assert_eq!(ilp["trusted"], true);
    // TUNE: b takes 12 CPUs, a and c do not fit and revert, b reverts for c: everyone at the share.
    for mechanism in ["tune", "proportional"] {
        let record = &result["mechanisms"][mechanism];
        assert!(close(number(&record["value"]), 4.0, 1e-12), "{record}");
        assert!(close(number(&record["value_per_job"]), 1.0, 1e-12), "{record}");
        assert!(close(number(&record["gap"]["ilp"]), 0.2, 1e-9), "{record}");
        assert!(close(number(&record["gap"]["lp"]), 1.9 / 5.9, 1e-9), "{record}");
        for verdict in ["valid", "consolidated", "fair", "complete"] {
            assert_eq!(record[verdict], true, "{record}");
        }
    }
    assert_eq!(result["mechanisms"]["tune"]["reverted"], 3);
    // GREEDY: a and c at 6 CPUs each, b does not fit.
    let greedy = &result["mechanisms"]["greedy"];
    assert!(close(number(&greedy["value"]), 4.0, 1e-12), "{greedy}");
    assert_eq!(
        (&greedy["placed"], &greedy["skipped"], &greedy["gpus_idle"]),
        (&json!(2), &json!(1), &json!(2))
    );
    assert_eq!(greedy["complete"], false);
    assert_eq!(greedy["gap"]["lp"], Value::Null, "lp does not bound an allocation that skips a job");
    assert!(close(number(&greedy["gap"]["lp-skip"]), 1.9 / 5.9, 1e-9), "{greedy}");
    // One server: nothing to fragment.
    let vertex = &result["placements"]["vertex"];
    assert_eq!(
        (&vertex["fragmented"], &vertex["pieces"], &vertex["limit"]),
        (&json!(0), &json!(0), &json!(3))
    );
}

#[test]
fn the_json_has_the_keys_that_scripts_rely_on() {
    let place = Place::new();
    place.write("golden.json", golden());
    let result = place.synergy("compare golden.json --format json").ok().json();
    assert_eq!(keys(&result), ["schema", "instance", "bounds", "placements", "mechanisms"]);
    assert_eq!(result["schema"], "synergy-comparison/1");
    assert_eq!(
        keys(&result["bounds"]["lp"]),
        ["value", "certified", "status", "seconds", "shadow_prices", "method"]
    );
    assert_eq!(keys(&result["bounds"]["lp"]["shadow_prices"]), ["cpus", "memory_gb"]);
    assert_eq!(
        keys(&result["bounds"]["ilp"])[..6],
        ["value", "incumbent", "certified", "trusted", "status", "seconds"]
    );
    assert_eq!(
        keys(&result["placements"]["vertex"]),
        ["fragmented", "pieces", "limit", "bound", "gap", "status", "seconds"]
    );
    let tune = [
        "status",
        "value",
        "value_per_job",
        "valid",
        "consolidated",
        "fair",
        "complete",
        "placed",
        "skipped",
        "gpus_idle",
        "reverted",
        "fragmented",
        "seconds",
        "gap",
    ];
    assert_eq!(keys(&result["mechanisms"]["tune"]), tune);
    for name in ["lp", "ilp", "lp-skip"] {
        assert!(result["bounds"].get(name).is_some(), "{name}");
        assert!(result["mechanisms"]["tune"]["gap"].get(name).is_some(), "{name}");
    }
    for name in ["proportional", "greedy", "tune", "opt-rounded"] {
        assert!(result["mechanisms"].get(name).is_some(), "{name}");
    }
    assert!(result["placements"].get("exact-placement").is_some());
}

#[test]
fn on_generated_clusters_of_128_gpus_lp_is_above_ilp_above_tune_above_proportional() {
    let place = Place::new();
    for (seed, demand, ratio) in [(1, "single", 3.0), (2, "multi", 3.0), (3, "multi", 4.0)] {
        let generate = format!(
            "generate --gpus 128 --demand {demand} --cpus-per-gpu {ratio} --seed {seed} --out i.json"
        );
        place.synergy(&generate).ok();
        let result = place.synergy("compare i.json --format json").ok().json();
        assert_eq!(result["instance"]["gpus"], 128);
        assert_eq!(result["instance"]["requested_gpus"], 128);
        let bound = |name: &str, key: &str| number(&result["bounds"][name][key]);
        let value = |name: &str| number(&result["mechanisms"][name]["value"]);
        let chain = [
            ("lp", bound("lp", "certified")),
            ("ilp", bound("ilp", "value")),
            ("tune", value("tune")),
            ("proportional", value("proportional")),
        ];
        for pair in chain.windows(2) {
            assert!(pair[0].1 >= pair[1].1 * (1.0 - 1e-9), "seed {seed}: {pair:?}");
        }
        assert!(close(bound("lp", "value"), bound("lp", "certified"), 1e-7), "seed {seed}");
        assert!(bound("ilp", "incumbent") <= bound("ilp", "value") * (1.0 + 1e-9), "seed {seed}");
        assert!(value("greedy") <= bound("lp-skip", "certified") * (1.0 + 1e-9), "seed {seed}");
        assert!(value("opt-rounded") <= bound("lp", "certified") * (1.0 + 1e-9), "seed {seed}");
        let vertex = &result["placements"]["vertex"];
        assert_eq!(vertex["limit"], 48);
        assert!(number(&vertex["fragmented"]) <= 48.0, "seed {seed}: {vertex}");
        for name in ["proportional", "tune", "opt-rounded"] {
            let record = &result["mechanisms"][name];
            for verdict in ["valid", "consolidated", "fair", "complete"] {
                assert_eq!(record[verdict], true, "seed {seed} {name}: {record}");
            }
            assert_eq!(
                (&record["skipped"], &record["gpus_idle"]),
                (&json!(0), &json!(0)),
                "seed {seed} {name}"
            );
            for (name, key) in [("lp", "certified"), ("ilp", "value")] {
                let (gap, bound) = (number(&record["gap"][name]), bound(name, key));
                assert!(
                    close(gap, (bound - number(&record["value"])) / bound, 1e-9),
                    "seed {seed}: {record}"
                );
            }
        }
        assert_eq!(result["placements"]["exact-placement"]["status"], "skipped");
        assert_eq!(result["placements"]["exact-placement"]["pieces"], Value::Null);
    }
}

/// Two groups and 14 GPUs for demands 5, 3, 2, 4: no consolidated allocation exists. Another job does not fit.
fn several_groups_of_odd_size() -> String {
    instance(|v| {
        let group = |count: u32, gpus: u32, cpus: f64, memory_gb: f64| json!({ "gpu_type": "v100", "count": count, "gpus": gpus, "cpus": cpus, "memory_gb": memory_gb });
        v["cluster"] = json!([group(2, 3, 9.0, 187.5), group(1, 8, 48.0, 1000.0)]);
        let job = |id: &str, profile: &str, gpus: u32| json!({ "id": id, "profile": profile, "gpus": gpus });
        v["jobs"] = json!([
            job("a", "resnet18", 5),
            job("b", "gnmt", 3),
            job("c", "alexnet", 2),
            job("d", "alexnet", 4),
            job("e", "m5", 7)
        ]);
    })
}

#[test]
fn with_several_groups_and_no_consolidated_allocation_the_chain_still_holds() {
    let place = Place::new();
    place.write("groups.json", several_groups_of_odd_size());
    let result = place.synergy("compare groups.json --format json").ok().json();
    let bound = |name: &str, key: &str| number(&result["bounds"][name][key]);
    let tune = &result["mechanisms"]["tune"];
    assert!(bound("lp", "certified") >= bound("lp-groups", "certified") * (1.0 - 1e-9));
    assert!(bound("lp-groups", "certified") >= number(&tune["value"]) * (1.0 - 1e-9));
    assert!(bound("ilp", "value") >= number(&tune["value"]) * (1.0 - 1e-9));
    assert_eq!(
        (&tune["fair"], &tune["complete"], &tune["consolidated"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(result["bounds"]["config"]["status"], "no-consolidated-allocation");
    assert_eq!(tune["gap"]["config"], Value::Null);
    assert_eq!(result["mechanisms"]["optimum"]["status"], "no-consolidated-allocation");
    let exact = &result["placements"]["exact-placement"];
    assert_eq!(exact["status"], "optimal", "{exact}");
    assert_eq!(
        number(&exact["pieces"]),
        number(&exact["bound"]),
        "optimal means that the bound is met: {exact}"
    );
}

#[test]
fn several_instances_give_an_array_in_their_order() {
    let place = Place::new();
    place.write("b.json", golden()).write("a.json", golden());
    let result = place.synergy("compare b.json a.json --only tune --format json").ok().json();
    let names: Vec<&Value> = result.as_array().unwrap().iter().map(|c| &c["instance"]["name"]).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn only_runs_what_it_names_even_where_it_is_too_large_unasked() {
    let place = Place::new();
    place.synergy("generate --gpus 2008 --out large.json").ok();
    let unasked = place.synergy("compare large.json --format json").ok().json();
    assert_eq!(unasked["placements"]["vertex"]["status"], "skipped");
    assert_eq!(unasked["placements"]["vertex"]["seconds"], Value::Null);
    place.write("golden.json", golden());
    let named = place.synergy("compare golden.json --only exact-placement,tune --format json").ok().json();
    assert_eq!(keys(&named["bounds"]), [""; 0]);
    assert_eq!(keys(&named["placements"]), ["exact-placement"]);
    assert_eq!(keys(&named["mechanisms"]), ["tune"]);
    assert_eq!(named["mechanisms"]["tune"]["gap"], json!({ "lp": null, "ilp": null, "lp-skip": null }));
}

/// Without the seconds, which differ from run to run.
fn without_seconds(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.shift_remove("seconds");
            map.values_mut().for_each(|v| *v = without_seconds(v.take()));
        }
        Value::Array(list) => list.iter_mut().for_each(|v| *v = without_seconds(v.take())),
        _ => {}
    }
    value
}

#[test]
fn the_same_command_gives_the_same_bytes_but_for_seconds() {
    let place = Place::new();
    for out in ["one", "two"] {
        place.synergy(&format!("generate --gpus 64 --demand multi --seed 5 --out {out}.json")).ok();
        place.synergy(&format!("allocate {out}.json --mechanism opt-rounded --out {out}.a.json")).ok();
        place.synergy(&format!("export {out}.json --stage 1 --out {out}.lp")).ok();
    }
    assert_eq!(place.read("one.json"), place.read("two.json"));
    assert_eq!(place.read("one.a.json"), place.read("two.a.json"));
    assert_eq!(
        place.read("one.lp").lines().skip(1).collect::<Vec<_>>(),
        place.read("two.lp").lines().skip(1).collect::<Vec<_>>()
    );
    let methods =
        "lp,ilp,lp-skip,config,vertex,bisection,proportional,greedy,tune,opt-rounded,opt-deployable";
    let compare = || {
        without_seconds(
            place.synergy(&format!("compare one.json --only {methods} --format json")).ok().json(),
        )
    };
    assert_eq!(compare(), compare());
}

#[test]
fn json_toml_and_inline_matrices_say_the_same() {
    let place = Place::new();
    let toml = r#"
        schema = "synergy-instance/1"
        cluster = [{ gpu_type = "v100", count = 1, gpus = 4, cpus = 17, memory_gb = 200 }]
        jobs = [{ id = "a", profile = "net", gpus = 1 }, { id = "b", profile = "net", gpus = 2, weight = 2 },
                { id = "c", profile = "net", gpus = 1 }]
        [profiles.net]
        cpus_per_gpu = [1, 3, 6]
        memory_gb_per_gpu = [25, 50]
        throughput = [[0.5, 0.5], [0.5, 1], [0.5, 2]]
    "#;
    let inline = instance(|v| {
        v["cluster"][0]["cpus"] = json!(17.0);
        let matrix = v.as_object_mut().unwrap().remove("profiles").unwrap()["net"].take();
        for job in 0..3 {
            v["jobs"][job]["profile"] = matrix.clone();
        }
    });
    place.write("i.json", golden());
    let expected = without_seconds(place.synergy("compare i.json --format json").ok().json());
    place.write("i.toml", toml).write("i.json", inline);
    for file in ["i.toml", "i.json"] {
        let found = without_seconds(place.synergy(&format!("compare {file} --format json")).ok().json());
        assert_eq!(found, expected, "{file}");
    }
    let piped = place.synergy_with("compare - --format json", toml).ok().json();
    assert_eq!(piped["mechanisms"]["tune"]["value"], expected["mechanisms"]["tune"]["value"]);
}

#[test]
fn rules_change_what_they_say() {
    let place = Place::new();
    place.write("golden.json", golden());
    let compare =
        |flags: &str| place.synergy(&format!("compare golden.json --format json {flags}")).ok().json();
    // Weights 1, 2, 1 times GPUs 1, 2, 1.
    let gpus = compare("--objective gpus");
    assert!(close(number(&gpus["mechanisms"]["proportional"]["value"]), 6.0, 1e-12));
    assert!(close(number(&gpus["mechanisms"]["proportional"]["value_per_job"]), 1.0, 1e-12));
    // Between 3 and 6 CPUs throughput rises by a third per CPU; the baseline at 4.25 CPUs rises too.
    let bilinear = compare("--throughput bilinear");
    assert_eq!(bilinear["bounds"]["ilp"]["status"], "skipped");
    assert_eq!(bilinear["bounds"]["ilp"]["value"], Value::Null);
    assert_eq!(bilinear["mechanisms"]["tune"]["gap"]["ilp"], Value::Null);
    assert!(close(number(&bilinear["mechanisms"]["proportional"]["value"]), 4.0, 1e-12));
    // A share of 4.25 CPUs becomes 4; its throughput is 1 as before.
    let whole = compare("--whole-cpus");
    assert!(close(number(&whole["mechanisms"]["proportional"]["value"]), 4.0, 1e-12));
    // A cap that no job of one server meets changes nothing but whom the bound holds for.
    let capped = compare("--per-server-cap");
    assert!(close(number(&capped["bounds"]["lp"]["certified"]), 5.9, 1e-9));
}

#[test]
fn the_table_is_100_columns_wide_at_most_and_plain_in_a_pipe() {
    let place = Place::new();
    place.synergy("generate --gpus 128 --demand multi --seed 7 --out i.json").ok();
    place.write("groups.json", several_groups_of_odd_size());
    let run = place.synergy("compare i.json groups.json").ok();
    assert!(!run.stdout.contains('\u{1b}'));
    for word in [
        "lp",
        "ilp",
        "lp-skip",
        "vertex",
        "greedy",
        "tune",
        "opt-rounded",
        "price/CPU",
        "consolidated",
        "idle GPUs",
    ] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn csv_and_parquet_hold_a_row_per_instance_and_method_with_the_values_of_the_json() {
    use synergy_experiments::tables::{Frame, schema::COMPARISON};
    let place = Place::new();
    place.write("a.json", golden()).write("b.json", golden());
    let only = "--only lp,ilp,vertex,greedy,tune";
    let json = place.synergy(&format!("compare a.json {only} --format json")).ok().json();
    place.synergy(&format!("compare a.json b.json {only} --format parquet --out c.parquet")).ok();
    let names = ["instance", "kind", "method", "value", "gap_lp", "fair", "fragmented"];
    let frame = Frame::read(&place.path("c.parquet"), &COMPARISON, &names).unwrap();
    assert_eq!(frame.rows(), 10);
    let text = |name: &str| frame.text(name).unwrap();
    assert_eq!(text("instance")[4..6], [Some("a"), Some("b")]);
    assert_eq!(text("method")[..5], ["lp", "ilp", "vertex", "greedy", "tune"].map(Some));
    assert_eq!(text("kind")[1..4], ["bound", "placement", "mechanism"].map(Some));
    let values = frame.real("value").unwrap();
    assert_eq!(values[4], json["mechanisms"]["tune"]["value"].as_f64());
    assert_eq!(values[0], json["bounds"]["lp"]["value"].as_f64());
    assert_eq!(values[2], None, "a placement has no value");
    let gaps = frame.real("gap_lp").unwrap();
    assert_eq!((gaps[3], gaps[4]), (None, json["mechanisms"]["tune"]["gap"]["lp"].as_f64()));
    let csv = place.synergy(&format!("compare a.json b.json {only} --format csv")).ok().stdout;
    assert_eq!(csv.lines().count(), 11);
    assert!(csv.starts_with("instance,jobs,gpus,requested_gpus,kind,method,status,"), "{csv}");
    assert_eq!(place.synergy("compare a.json --format parquet").code, 2);
}

#[test]
fn the_method_of_stage_one_can_be_forced_and_is_told() {
    let place = Place::new();
    place.write("golden.json", golden());
    for method in ["direct", "aggregated", "dual"] {
        let arguments = format!("compare golden.json --only lp,lp-skip --lp-method {method}");
        let result = place.synergy(&format!("{arguments} --format json")).ok().json();
        for bound in ["lp", "lp-skip"] {
            assert_eq!(result["bounds"][bound]["method"], method, "{bound}");
            assert!(close(number(&result["bounds"][bound]["value"]), 5.9, 1e-9), "{bound} by {method}");
        }
        let table = place.synergy(&arguments).ok().stdout;
        assert!(table.contains(&format!("solved as: lp {method}, lp-skip {method}")), "{table}");
    }
    let wrong = place.synergy("compare golden.json --lp-method simplex");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("direct, aggregated, dual"), "{wrong:?}");
}

/// At half the share everyone is fair with 1 CPU per GPU: b takes 12 CPUs, a 3 and c 1, which is worth 4 + 1 + 0.5.
#[test]
fn a_lower_fairness_floor_reaches_bounds_and_allocations() {
    let place = Place::new();
    place.write("golden.json", golden());
    let value = |floor: &str, name: &str| {
        let arguments = format!("compare golden.json --fairness-floor {floor} --format json --only");
        let result = place.synergy(&format!("{arguments} config,optimum,opt-deployable,lp")).ok().json();
        let record = if result["bounds"].get(name).is_some() { "bounds" } else { "mechanisms" };
        number(&result[record][name]["value"])
    };
    for name in ["config", "optimum", "opt-deployable"] {
        assert!(close(value("1", name), 5.0, 1e-6), "{name}: {}", value("1", name));
        assert!(close(value("0.5", name), 5.5, 1e-6), "{name}: {}", value("0.5", name));
    }
    assert!(value("0.5", "lp") >= value("1", "lp") - 1e-9);
    let wrong = place.synergy("compare golden.json --fairness-floor 1.5");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("--fairness-floor"), "{wrong:?}");
}
