//! From a trace of the field to a comparison: import, describe, generate, profile.

use std::path::{Path, PathBuf};
use synergy_tests::Place;

const HELIOS: &str = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
    1,u1,vc1,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 02:00:00,7140,60\n\
    2,u2,vc1,8,32,1,FAILED,2020-04-01 00:10:00,2020-04-01 00:11:00,2020-04-01 04:00:00,13740,60\n\
    3,u2,vc1,0,32,1,FAILED,2020-04-01 00:10:00,2020-04-01 00:11:00,2020-04-01 04:00:00,13740,60\n\
    4,u3,vc2,4,16,1,CANCELLED,2020-04-01 01:00:00,2020-04-01 01:01:00,2020-04-01 02:01:00,3600,60\n";

fn imported() -> Place {
    let place = Place::new();
    place.write("log.csv", HELIOS);
    let run = place.synergy("import helios log.csv --out jobs.parquet --gpus 16").ok();
    assert!(run.stdout.contains("read 4 rows, kept 3, rejected 1"), "{run:?}");
    assert!(run.stdout.contains("gpu_num asks for no GPU (line 4)"), "{run:?}");
    assert!(run.stdout.contains("on 16 GPUs: offered load"), "{run:?}");
    place
}

#[test]
fn an_imported_trace_feeds_generate_and_compare() {
    let place = imported();
    place.synergy("generate --trace jobs.parquet --gpus 16 --out instance.json").ok();
    let instance: serde_json::Value = serde_json::from_str(&place.read("instance.json")).unwrap();
    let ids: Vec<&str> =
        instance["jobs"].as_array().unwrap().iter().map(|j| j["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["1", "2", "4"]);
    assert_eq!(instance["jobs"][1]["work_s"], 13740.0);
    let comparison = place.synergy("compare instance.json --only lp,tune --format json").ok().json();
    assert_eq!(comparison["mechanisms"]["tune"]["placed"], 3);
}

#[test]
fn a_trace_is_described_as_table_and_json() {
    let place = imported();
    let table = place.synergy("describe jobs.parquet --gpus 16").ok();
    assert!(table.stdout.contains("3 jobs") && table.stdout.contains("33.3 % single-GPU"), "{table:?}");
    let json = place.synergy("describe jobs.parquet --format json").ok().json();
    assert_eq!(json["duration_s"]["quantiles"][2], 7140.0);
    assert_eq!(json["sizes"][2]["failed_share"], 1.0);
    assert_eq!(json["semi_synthetic"], true);
    let wrong = place.synergy("describe log.csv");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (3, ""));
}

/// Load = arrival rate x mean GPU-seconds / GPUs: by hand, on every way to a jobs table, with its warning.
#[test]
fn the_offered_load_is_printed_stored_and_warned_of() {
    let place = Place::new();
    place.write("log.csv", HELIOS);
    // 3 jobs: 2 gaps in an hour; 7140 + 8 x 13740 + 4 x 3600 GPU-seconds.
    let busy = 2.0 / 3600.0 * (7140.0 + 8.0 * 13740.0 + 4.0 * 3600.0) / 3.0;
    let near = |value: &serde_json::Value, expected: f64| {
        (value.as_f64().unwrap_or(f64::NAN) - expected).abs() < 1e-9 * expected
    };
    let account = place.synergy("import helios log.csv --gpus 100 --report json --out jobs.parquet").ok();
    let json = account.json();
    assert!(near(&json["mean_busy_gpus"], busy) && near(&json["load"]["load"], busy / 100.0), "{json}");
    assert!(near(&json["load"]["saturation_jobs_per_hour"], 2.0 * 100.0 / busy), "{json}");
    assert_eq!(account.stderr, "");
    // Stored: describe knows the cluster that the table was made for.
    let stored = place.synergy("describe jobs.parquet --format json").ok();
    assert!(near(&stored.json()["load"]["load"], busy / 100.0) && stored.stderr.is_empty(), "{stored:?}");
    for command in ["import helios log.csv --gpus 16", "describe jobs.parquet --gpus 16"] {
        let run = place.synergy(command).ok();
        assert!(run.stdout.contains(&format!("offered load {:.3}", busy / 16.0)), "{command}: {run:?}");
        assert!(run.stderr.starts_with("warning: offered load is 1.52"), "{command}: {run:?}");
    }
    let unknown = place.synergy("import helios log.csv").ok();
    assert!(unknown.stdout.contains(&format!("keeps {busy:.1} GPUs busy")), "{unknown:?}");
    // Generated: by the distributions' means; instances print and keep it too.
    for out in ["made.parquet", "made.json", "made.toml"] {
        let flags = "--jobs 50 --arrivals poisson:9 --durations fixed:36000 --gpus 64";
        let run = place.synergy(&format!("generate {flags} --out {out}")).ok();
        assert!(
            run.stderr.contains("offered load 1.406") && run.stderr.contains("warning: "),
            "{out}: {run:?}"
        );
    }
    let made = place.synergy("describe made.parquet").ok();
    assert!(made.stdout.contains("on 64 GPUs: offered load"), "{made:?}");
    let instance: serde_json::Value = serde_json::from_str(&place.read("made.json")).unwrap();
    assert!(near(&instance["offered_load"]["load"], 9.0 * 36000.0 / 3600.0 / 64.0), "{instance}");
    let compared = ["made.json", "made.toml"].map(|file| {
        let run = place.synergy(&format!("compare {file} --only lp,tune --format json")).ok().json();
        (run["bounds"]["lp"]["certified"].clone(), run["mechanisms"]["tune"]["value"].clone())
    });
    assert!(compared[0].0.is_number() && compared[0] == compared[1], "{compared:?}");
}

#[test]
fn strict_imports_refuse_rejects_and_write_nothing() {
    let place = Place::new();
    place.write("log.csv", HELIOS);
    let run = place.synergy("import helios log.csv --strict --out jobs.parquet");
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("1 of 4 rows") && run.stderr.contains("line 4"), "{run:?}");
    assert_eq!(place.files(), ["log.csv"]);
}

#[test]
fn bad_traces_are_one_line_and_exit_3() {
    let place = Place::new();
    place
        .write("log.csv", HELIOS)
        .write("empty.csv", "")
        .write("steps.csv", "application,seconds_per_step\nx,-1\n");
    for (arguments, said) in [
        ("import philly-table log.csv", "no column timestamp"),
        ("import helios empty.csv", "holds no row"),
        ("import helios absent.csv", "absent.csv"),
        ("import gavel log.csv", "none of its"),
        ("import gavel log.csv --seconds-per-step steps.csv", "line 2"),
        ("import helios log.csv --split 1,2", "image, language, speech"),
        ("import helios log.csv --out absent/jobs.parquet", "absent/jobs.parquet"),
        ("generate --trace absent.parquet", "absent.parquet"),
        ("generate --trace log.csv", "log.csv"),
        ("generate --durations empirical", "durations"),
        ("generate --arrivals poisson:-1", "arrivals.jobs_per_hour"),
        ("generate --demand power-law:1,4 --out jobs.parquet", "jobs: is not given"),
        ("profile --from log.csv", "log.csv"),
    ] {
        let run = place.synergy(arguments);
        assert_eq!((run.code, run.stderr.lines().count()), (3, 1), "{arguments}: {run:?}");
        assert!(run.stderr.contains(said), "{arguments}: {run:?}");
    }
    for arguments in [
        "import unknown log.csv",
        "generate --arrivals late",
        "profile resnet --noise 0",
        "profile --noise -1",
    ] {
        assert_eq!(place.synergy(arguments).code, 2, "{arguments}");
    }
    assert_eq!(place.files(), ["empty.csv", "log.csv", "steps.csv"]);
}

#[test]
fn a_nodes_file_is_a_cluster_for_generate() {
    let place = Place::new();
    place.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,96000,786432,8,V100\nn1,96000,786432,8,V100\nn2,64000,262144,4,T4\nn3,8000,1024,0,\n");
    let run = place.synergy("import alibaba-nodes nodes.csv --out cluster.toml").ok();
    assert!(run.stdout.contains("20 GPUs in 2 server groups"), "{run:?}");
    place.synergy("generate --spec cluster.toml --demand multi --out instance.json").ok();
    let instance: serde_json::Value = serde_json::from_str(&place.read("instance.json")).unwrap();
    assert_eq!(instance["cluster"][0]["count"], 2);
    let gpus: i64 = instance["jobs"].as_array().unwrap().iter().map(|j| j["gpus"].as_i64().unwrap()).sum();
    assert_eq!(gpus, 20);
}

#[test]
fn generated_jobs_are_a_trace_that_gives_them_back() {
    let place = Place::new();
    let run = place.synergy("generate --jobs 200 --arrivals poisson:9 --seed 3 --out jobs.parquet").ok();
    assert!(
        run.stderr.contains("offered load 1.179") && run.stderr.contains("warning: offered load is 1.18"),
        "{run:?}"
    );
    place.synergy("generate --jobs 200 --arrivals poisson:9 --seed 3 --out again.parquet").ok();
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert!(bytes("jobs.parquet") == bytes("again.parquet"), "same seed, same bytes");
    place.synergy("generate --trace jobs.parquet --jobs 128 --out a.json").ok();
    place.synergy("generate --jobs 128 --arrivals poisson:9 --seed 3 --out b.json").ok();
    let profiles = |name: &str| -> Vec<(String, f64)> {
        let instance: serde_json::Value = serde_json::from_str(&place.read(name)).unwrap();
        let jobs = instance["jobs"].as_array().unwrap();
        jobs.iter()
            .map(|j| (j["profile"].as_str().unwrap().to_string(), j["work_s"].as_f64().unwrap()))
            .collect()
    };
    assert_eq!(profiles("a.json"), profiles("b.json"));
}

#[test]
fn profiling_reproduces_the_published_minutes_and_carries_profiles_in_and_out() {
    let place = Place::new();
    let rows = place.synergy("profile --format json").ok().json();
    for row in rows.as_array().unwrap() {
        let minutes = row["minutes"].as_f64().unwrap();
        match row["method"].as_str().unwrap() {
            "full-grid" => assert_eq!(minutes, 240.0),
            "cpu-axis" => assert_eq!(minutes, 24.0),
            _ => assert!(minutes < 8.0, "{row}"),
        }
    }
    place.synergy("profile --own-grid --method full-grid --estimates own.csv").ok();
    place.synergy("profile --from own.csv --own-grid --method full-grid --estimates own.json").ok();
    place.synergy("profile --from own.json --own-grid --method full-grid --estimates back.csv").ok();
    assert_eq!(place.read("own.csv"), place.read("back.csv"));
    place.synergy("generate --profiles file:own.csv --gpus 16 --out own-instance.json").ok();
    place.synergy("compare own-instance.json --only tune").ok();
}

#[test]
fn profiling_error_is_scored_on_the_truth() {
    let place = Place::new();
    place.synergy("generate --gpus 32 --demand multi --seed 5 --out i.json").ok();
    let of = |flags: &str| {
        let run =
            place.synergy(&format!("compare i.json --only proportional,tune --format json {flags}")).ok();
        run.json()["profile_error"].clone()
    };
    let exact = of("--profile-error full-grid --profile-noise 0");
    assert_eq!(exact["tune"]["cost"], 0.0);
    let wrong = of("--profile-error binary-search --profile-noise 0.1");
    // Proportional shares look at no profile.
    assert_eq!(wrong["proportional"]["cost"], 0.0);
    assert_ne!(wrong["tune"]["value_on_truth"], wrong["tune"]["value_on_estimate"]);
    assert_eq!(of(""), serde_json::Value::Null);
}

fn shared(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SYNERGY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = root.join("data/traces").join(file);
    if !path.exists() {
        eprintln!("skipped: no {file} beside the project");
    }
    path.canonicalize().ok()
}

/// What is known of the Philly table.
#[test]
fn the_philly_table_shows_what_was_published() {
    let Some(table) = shared("philly_jobs.csv.gz") else { return };
    let place = Place::new();
    place.synergy(&format!("import philly-table {} --out jobs.parquet", table.display())).ok();
    let run = place.synergy("describe jobs.parquet").ok();
    assert!(run.stdout.starts_with("82,247 jobs over 108.90 days, 93.2 % single-GPU"), "{run:?}");
    assert!(run.stdout.contains("median 1,144 s"), "{run:?}");
    place.synergy("generate --trace jobs.parquet --gpus 512 --out i.json").ok();
    place.synergy("compare i.json --only lp,proportional,tune").ok();
}

#[test]
fn the_queue_at_a_moment_is_an_instance_and_the_trace_simulates() {
    let place = imported();
    // 8 GPUs: job 1 (1 GPU) runs from 0 s; job 2 (8 GPUs) waits for it; job 4 (4 GPUs) fits beside job 1.
    let at = |flags: &str| -> Vec<String> {
        place.synergy(&format!("instance jobs.parquet --gpus 8 --out at.json {flags}")).ok();
        let instance: serde_json::Value = serde_json::from_str(&place.read("at.json")).unwrap();
        instance["jobs"].as_array().unwrap().iter().map(|j| j["id"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(at("--at 300"), ["1"]);
    assert_eq!(at("--at 3900"), ["1", "4"]);
    assert_eq!(at("--at 3900 --whole-queue"), ["1", "2", "4"]);
    assert_eq!(at("--at 3900 --policy srtf --whole-queue"), ["1", "4", "2"]);
    assert_eq!(at("--at 2020-04-01T01:05:00"), ["1", "4"]);
    place.synergy("compare at.json --only tune").ok();
    assert_eq!(place.synergy("instance jobs.parquet --at later").code, 2);
    assert_eq!(place.synergy("instance jobs.parquet --at 5 --policy lifo").code, 2);
    assert_eq!(place.synergy("instance jobs.parquet --at 5 --gpus 4 --gpus-per-server 4").code, 3);
    let run = place
        .synergy("simulate --trace jobs.parquet --trace-format jobs --gpus 8 --policy fifo --mechanism tune --out sim")
        .ok();
    assert!(run.stdout.contains("tune"), "{run:?}");
}

#[test]
fn a_trace_is_drawn_as_far_as_it_holds_the_numbers() {
    let place = imported();
    let run = place.synergy("describe jobs.parquet --figures figures").ok();
    assert!(run.stderr.contains("figures/trace-demand.{pdf,svg,png,csv}"), "{run:?}");
    let sizes = place.read("figures/trace-sizes.csv");
    // One job of 1, 2 to 4 and 5 to 8 GPUs each; the large one failed, none was spread, attempts are unknown.
    assert!(sizes.contains("failed,5-8,100,1") && sizes.contains("on several servers,1,0,1"), "{sizes}");
    assert!(!sizes.contains("tried again") && run.stderr.contains("which jobs were tried again"), "{run:?}");
    let demand = place.read("figures/trace-demand.csv");
    assert!(demand.contains("jobs,8,1\n") && demand.contains("GPU time,1,"), "{demand}");
    let queueing = place.read("figures/trace-queueing.csv");
    assert_eq!(queueing, "size,seconds,share,jobs\n1 GPU,60,1,1\n2-4 GPU,60,1,1\n5-8 GPU,60,1,1\n");
    assert!(place.read("figures/trace-load.svg").contains("<svg"));
    // A figure's own data sets it anew, and a trace without delays has no such figure.
    place.synergy("plot trace-duration figures/trace-duration.csv --out again").ok();
    assert_eq!(place.read("again.svg"), place.read("figures/trace-duration.svg"));
    place.synergy("generate --jobs 20 --arrivals poisson:3 --out made.parquet").ok();
    let made = place.synergy("describe made.parquet --figures made").ok();
    assert!(made.stderr.contains("no trace-queueing: no job has a queueing delay"), "{made:?}");
    assert!(made.stderr.contains("no trace-sizes: holds neither"), "{made:?}");
    let wrong = place.synergy("plot trace-load log.csv");
    assert_eq!((wrong.code, wrong.stderr.lines().count()), (3, 1), "{wrong:?}");
}
