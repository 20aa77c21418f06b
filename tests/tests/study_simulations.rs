//! Studies of simulations and of imported traces: units like any other, whatever happens to a run.

use std::path::Path;
use std::time::Duration;
use synergy_experiments::tables::{Frame, schema};
use synergy_tests::Place;

/// Simulations on 16 GPUs, some milliseconds each.
const SIMULATIONS: &str = r#"
schema = "synergy-study/1"
name = "simulated"
seed = 5
replicates = 3
[methods]
mechanisms = ["proportional", "tune"]
[simulation]
policies = ["fifo", "srtf"]
loads = [0.6, 0.9]
measure = "20..60"
[parameters]
gpus = 16
"#;

/// The bytes of every table of simulations that must not depend on the run.
fn simulated(directory: &Path) -> Vec<Vec<u8>> {
    let tables = ["instances", "runs", "jobs"];
    tables.map(|table| std::fs::read(directory.join(format!("{table}.parquet"))).unwrap()).to_vec()
}

#[test]
fn simulations_are_units_like_any_other() {
    let place = Place::new();
    place.write("s.toml", SIMULATIONS);
    let plan = place.synergy("study plan s.toml --no-pilot").ok().stdout;
    assert!(plan.contains("units       12") && plan.contains("simulation.policy: 2"), "{plan}");
    let run = place.synergy("study run s.toml --out whole --jobs 1").ok();
    assert!(run.stdout.contains("Speedups: mean JCT of proportional"), "{}", run.stdout);
    // Threads, shards, a mechanism that comes later: the same bytes.
    place.synergy("study run s.toml --out three --jobs 3").ok();
    assert!(simulated(&place.path("whole")) == simulated(&place.path("three")));
    for shard in ["0/2", "1/2"] {
        place.synergy(&format!("study run s.toml --out merged --shard {shard}")).ok();
    }
    place.synergy("study merge merged").ok();
    assert!(simulated(&place.path("whole")) == simulated(&place.path("merged")));
    place.synergy("study run s.toml --out grown --set mechanisms=tune").ok();
    let grown = place.synergy("study run s.toml --out grown").ok();
    assert!(grown.stderr.contains("12 computed"), "{}", grown.stderr);
    assert!(simulated(&place.path("whole")) == simulated(&place.path("grown")));
    let check = place.synergy("study check whole --sample 4").ok();
    assert!(check.stdout.contains("4 units computed again: all hold"), "{}", check.stdout);

    // Numbers are those of `simulate`, and workloads are paired over policies.
    let columns = ["unit", "run", "policy", "mechanism", "jobs_per_hour", "seed", "jct_mean_s"];
    let frame = Frame::read(&place.path("whole/runs.parquet"), &schema::RUNS, &columns).unwrap();
    assert_eq!(frame.int("run").unwrap(), (0..24).map(Some).collect::<Vec<_>>());
    let (seeds, means) = (frame.int("seed").unwrap(), frame.real("jct_mean_s").unwrap());
    let mut distinct: Vec<i64> = seeds.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3);
    let row = 7;
    let cell = |name: &str| frame.text(name).unwrap()[row].unwrap().to_string();
    let load = frame.real("jobs_per_hour").unwrap()[row].unwrap();
    place
        .synergy(&format!(
            "simulate --gpus 16 --measure 20..60 --policy {} --mechanism {} --load {load} --seed {} --out alone",
            cell("policy"),
            cell("mechanism"),
            seeds[row].unwrap()
        ))
        .ok();
    let alone = Frame::read(&place.path("alone/runs.parquet"), &schema::RUNS, &["jct_mean_s"]).unwrap();
    assert_eq!(alone.real("jct_mean_s").unwrap(), [means[row]]);

    let summary = place.synergy("summarise whole --by policy --format json").ok().json();
    assert_eq!(summary["groups"].as_array().unwrap().len(), 2);
    let speedup = &summary["groups"][0]["speedups"][0];
    assert_eq!((speedup["mechanism"].as_str(), speedup["n"].as_i64()), (Some("tune"), Some(3)));
    assert!(speedup["speedup"]["mean"].as_f64().unwrap() > 1.0, "{speedup}");
    assert_eq!(place.synergy("worst whole").code, 3);
}

#[test]
fn kills_lose_nothing_of_simulations() {
    let place = Place::new();
    place.write("s.toml", SIMULATIONS.replace("replicates = 3", "replicates = 30"));
    place.synergy("study run s.toml --out whole").ok();
    for milliseconds in [30, 200, 900] {
        let mut child = place.start("study run s.toml --out killed --jobs 1");
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.synergy("study run s.toml --out killed").ok();
    assert!(simulated(&place.path("whole")) == simulated(&place.path("killed")));
}

#[test]
fn faults_of_simulations_are_one_line() {
    let place = Place::new();
    for (from, to, says) in [
        ("\"fifo\", \"srtf\"", "\"fifa\"", "did you mean \"fifo\""),
        ("\"tune\"", "\"tuna\"", "did you mean \"tune\""),
        ("measure = \"20..60\"", "measure = \"60..20\"", "a < b"),
        ("measure = \"20..60\"", "round_s = \"x\"", "simulation.round_s is \"x\"; give a number"),
        ("measure = \"20..60\"", "rounds = 3", "unknown parameter simulation.rounds"),
        ("loads = [0.6, 0.9]", "loads = [-1]", "above 0"),
        ("loads = [0.6, 0.9]", "loads = []", "empty list"),
        ("gpus = 16", "gpus = 16\nrules.objective = \"gpus\"", "rules are for instances"),
        ("gpus = 16", "gpus = 16\npolicy = \"fifo\"", "leave one"),
        ("[methods]", "[methods]\nbounds = [\"lp\"]", "no methods.bounds"),
    ] {
        assert!(SIMULATIONS.contains(from), "{from}");
        place.write("s.toml", SIMULATIONS.replacen(from, to, 1));
        let run = place.synergy("study run s.toml --out out");
        assert_eq!((run.code, run.stderr.lines().count()), (3, 1), "{to}: {run:?}");
        assert!(run.stderr.contains(says), "{to}: {}", run.stderr);
    }
    assert!(!place.path("out").exists());
}

const HELIOS: &str = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
    1,u1,vc1,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 02:00:00,7140,60\n\
    2,u2,vc1,8,32,1,FAILED,2020-04-01 00:10:00,2020-04-01 00:11:00,2020-04-01 04:00:00,13740,60\n\
    3,u3,vc2,4,16,1,CANCELLED,2020-04-01 01:00:00,2020-04-01 01:01:00,2020-04-01 02:01:00,3600,60\n";

#[test]
fn an_imported_trace_feeds_a_study() {
    let place = Place::new();
    std::fs::create_dir(place.path("studies")).unwrap();
    place.write("studies/log.csv", HELIOS);
    place.synergy("import helios studies/log.csv --out studies/jobs.parquet").ok();
    place.write(
        "studies/moments.toml",
        "schema = \"synergy-study/1\"\n[methods]\nbounds = [\"lp\"]\nmechanisms = [\"tune\"]\n\
         [parameters]\ntrace = \"jobs.parquet\"\ngpus = 8\n[axes]\nat_s = [300, 3900]\n",
    );
    place.synergy("study run studies/moments.toml --out out").ok();
    let jobs = |directory: &str| {
        let columns = ["runnable_jobs", "spec", "demand"];
        let path = place.path(directory).join("instances.parquet");
        let frame = Frame::read(&path, &schema::INSTANCES, &columns).unwrap();
        (frame.int("runnable_jobs").unwrap(), frame.text("spec").unwrap()[0].unwrap().to_string())
    };
    let (runnable, spec) = jobs("out");
    assert_eq!(runnable, [Some(1), Some(2)], "as `synergy instance` finds them");
    assert!(spec.contains("\"inputs/"), "{spec}");
    // The directory is complete: moved, and without the trace that it came from.
    std::fs::rename(place.path("out"), place.path("moved")).unwrap();
    std::fs::remove_file(place.path("studies/jobs.parquet")).unwrap();
    place.synergy("study check moved").ok();
    place.synergy("worst moved --bound lp --export hard --show demand").ok();
    assert_eq!(std::fs::read_dir(place.path("hard")).unwrap().count(), 2);
    let run = place.synergy("study run studies/moments.toml --out out");
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("jobs.parquet: cannot be read: it does not exist"), "{}", run.stderr);

    // A trace that is none ends the run before it touches what is there.
    let before = std::fs::read(place.path("moved/mechanisms.parquet")).unwrap();
    for content in ["", "PAR1 no table PAR1"] {
        place.write("studies/jobs.parquet", content);
        let run = place.synergy("study run studies/moments.toml --out moved");
        assert_eq!((run.code, run.stderr.lines().count()), (3, 1), "{run:?}");
        assert!(run.stderr.contains(".parquet: is no Parquet file"), "{run:?}");
        assert_eq!(std::fs::read(place.path("moved/mechanisms.parquet")).unwrap(), before);
    }

    // Another content under the same name is another unit.
    place.write("studies/log.csv", HELIOS.replace("7140", "7141"));
    place.synergy("import helios studies/log.csv --out studies/jobs.parquet").ok();
    let again = place.synergy("study run studies/moments.toml --out moved").ok();
    assert!(again.stderr.contains("2 computed"), "{}", again.stderr);
    assert!(again.stderr.contains("2 of its 2 units leave the tables"), "{}", again.stderr);

    // As instances filled from the trace, and as what is simulated.
    let filled = "study run studies/moments.toml --set name=filled --set at_s=300 --set gpus=16 --out filled";
    place.synergy(filled).ok();
    place.write(
        "studies/simulated.toml",
        "schema = \"synergy-study/1\"\n[methods]\nmechanisms = [\"proportional\", \"tune\"]\n\
         [simulation]\npolicies = [\"fifo\", \"srtf\"]\n[parameters]\ntrace = \"jobs.parquet\"\ngpus = 8\n",
    );
    place.synergy("study run studies/simulated.toml --out simulated").ok();
    let columns = ["trace_id", "policy", "mechanism", "jct_s"];
    let frame = Frame::read(&place.path("simulated/jobs.parquet"), &schema::JOBS, &columns).unwrap();
    assert_eq!(frame.rows(), 12);
    let direct = "simulate --trace studies/jobs.parquet --trace-format jobs --gpus 8 --policy fifo,srtf \
                  --mechanism proportional,tune --out direct";
    place.synergy(direct).ok();
    let direct = Frame::read(&place.path("direct/jobs.parquet"), &schema::JOBS, &columns).unwrap();
    assert_eq!(frame.real("jct_s").unwrap(), direct.real("jct_s").unwrap());
    for (settings, says) in [
        ("--set replicates=3", "nothing is drawn"),
        ("--set load=5", "own arrivals"),
        ("--set at_s=300", "leave one"),
    ] {
        let run = place.synergy(&format!("study run studies/simulated.toml --out no {settings}"));
        assert_eq!(run.code, 3, "{settings}: {run:?}");
        assert!(run.stderr.contains(says), "{settings}: {}", run.stderr);
    }
}
