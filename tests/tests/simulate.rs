//! `synergy simulate`: the published completion times, the same bytes whatever the threads, and clear ends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use synergy_experiments::tables::{Frame, schema};
use synergy_tests::{Place, Run};

fn shared(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SYNERGY_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let path = root.join(file);
    if !path.exists() {
        eprintln!("skipped: {file} is not beside the workspace");
    }
    path.exists().then_some(path)
}

/// Mean JCT by policy and mechanism, and JCT by job under them.
type Completions = BTreeMap<(String, String), BTreeMap<i64, f64>>;

fn completions(place: &Place, directory: &str) -> Completions {
    let path = place.path(directory).join("jobs.parquet");
    let frame = Frame::read(&path, &schema::JOBS, &["policy", "mechanism", "job_id", "jct_s"]).unwrap();
    let (policy, mechanism) = (frame.text("policy").unwrap(), frame.text("mechanism").unwrap());
    let (id, jct_s) = (frame.int("job_id").unwrap(), frame.real("jct_s").unwrap());
    let mut all = Completions::new();
    for row in 0..frame.rows() {
        let key = (policy[row].unwrap().to_string(), mechanism[row].unwrap().to_string());
        if let Some(jct_s) = jct_s[row] {
            all.entry(key).or_default().insert(id[row].unwrap(), jct_s);
        }
    }
    all
}

#[test]
fn reference_2022_gives_the_published_completion_times() {
    for (golden, trace) in [
        ("reference_2022_jct.csv", "synergy_dynamic_srtf.csv"),
        ("reference_2022_multi_jct.csv", "multi_gpu_100.csv"),
    ] {
        let (Some(golden), Some(trace)) =
            (shared(&format!("data/golden/{golden}")), shared(&format!("data/traces/{trace}")))
        else {
            return;
        };
        let place = Place::new();
        let simulate = |policies: &str, mechanisms: &str, out: &str| {
            place
                .synergy(&format!(
                    "simulate --trace {} --trace-format replay --servers 4 --policy {policies} --mechanism {mechanisms} \
                     --semantics reference-2022 --out {out}",
                    trace.display()
                ))
                .ok();
            completions(&place, out)
        };
        let heuristics = simulate("fifo,srtf,ftf", "proportional,greedy,tune", "heuristics");
        let opt = simulate("fifo,srtf", "ilp", "opt");
        let mut published = Completions::new();
        for line in std::fs::read_to_string(golden).unwrap().lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let mechanism = if cells[2] == "fair" { "proportional" } else { cells[2] };
            let key = (cells[1].to_lowercase(), mechanism.to_string());
            published.entry(key).or_default().insert(cells[7].parse().unwrap(), cells[8].parse().unwrap());
        }
        for ((policy, mechanism), jobs) in published {
            if mechanism == "opt" {
                // An integer program with ties: the mean alone counts.
                let mean = |jobs: &BTreeMap<i64, f64>| jobs.values().sum::<f64>() / jobs.len() as f64;
                let ours = &opt[&(policy.clone(), "ilp".to_string())];
                assert_eq!(ours.len(), jobs.len());
                let ratio = mean(ours) / mean(&jobs);
                assert!((ratio - 1.0).abs() < 0.02, "{policy} opt: {ratio}");
                continue;
            }
            let ours = &heuristics[&(policy.clone(), mechanism.clone())];
            for (id, jct_s) in jobs {
                let found = ours.get(&id).copied().unwrap_or(f64::NAN);
                assert!(
                    (found - jct_s).abs() < 1e-3,
                    "{policy} {mechanism} job {id}: {found}, published {jct_s}"
                );
            }
        }
    }
}

#[test]
fn tables_are_the_same_bytes_whatever_the_threads() {
    let place = Place::new();
    let run = |out: &str, threads: usize| {
        place
            .synergy(&format!(
                "simulate --load 2,3 --seed 1,2 --jobs 150 --measure 50..100 --demand multi --policy fifo,srtf \
                 --mechanism proportional,greedy,tune,lp --gap-every 20 --threads {threads} --out {out}"
            ))
            .ok()
    };
    let (one, two) = (run("one", 1), run("two", 2));
    for table in ["runs", "jobs", "rounds"] {
        let bytes = |out: &str| std::fs::read(place.path(out).join(format!("{table}.parquet"))).unwrap();
        assert!(bytes("one") == bytes("two"), "{table}");
    }
    assert!(one.stdout.contains("lp (bound)"), "{one:?}");
    assert!(two.stderr.contains("offered load"), "{two:?}");
}

/// A jobs table needs no word of its format; the tables of `simulate` are no study, and `summarise` says what to do.
#[test]
fn a_jobs_table_is_known_by_its_content() {
    let place = Place::new();
    place.synergy("generate --jobs 40 --arrivals poisson:3 --gpus 16 --out jobs.parquet").ok();
    std::fs::rename(place.path("jobs.parquet"), place.path("jobs.data")).unwrap();
    let simulate = "simulate --gpus 16 --policy srtf --mechanism tune --trace jobs.data";
    place.synergy(&format!("{simulate} --out known")).ok();
    place.synergy(&format!("{simulate} --trace-format jobs --out said")).ok();
    assert_eq!(completions(&place, "known"), completions(&place, "said"));
    assert_eq!(place.synergy(&format!("{simulate} --trace-format replay")).code, 3);
    let summarised = place.synergy("summarise known");
    assert_eq!(summarised.code, 3, "{summarised:?}");
    assert!(summarised.stderr.contains("`synergy report`"), "{summarised:?}");
}

/// What is named twice runs once.
#[test]
fn repeated_names_run_once() {
    let place = Place::new();
    let run = place
        .synergy(
            "simulate --load 2,2 --seed 1,1 --jobs 20 --policy fifo,fifo --mechanism tune,tune --out out",
        )
        .ok();
    let frame = Frame::read(&place.path("out").join("runs.parquet"), &schema::RUNS, &["run"]).unwrap();
    assert_eq!(frame.rows(), 1, "{run:?}");
}

/// The gap stands only beside a bound that holds, and is never negative.
#[test]
fn gaps_are_sound() {
    let place = Place::new();
    place
        .synergy(
            "simulate --load 4 --jobs 200 --demand multi --policy srtf --mechanism proportional,greedy,tune \
             --gap-every 1 --check-every 1 --out out",
        )
        .ok();
    let path = place.path("out").join("rounds.parquet");
    let frame = Frame::read(&path, &schema::ROUNDS, &[]).unwrap();
    let gaps: Vec<f64> = frame.real("gap").unwrap().into_iter().flatten().collect();
    assert!(gaps.len() > 100);
    assert!(gaps.iter().all(|gap| *gap >= -1e-9), "{:?}", gaps.iter().copied().reduce(f64::min));
    assert!(gaps.iter().any(|gap| *gap > 0.01));
}

#[test]
fn overload_is_warned_of_and_starvation_ends_a_run() {
    let place = Place::new();
    let run = place.synergy(
        "simulate --gpus 8 --load 30 --jobs 60 --measure 0..60 --policy srtf --mechanism tune --starvation-hours 50",
    );
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("grows without end") && run.stderr.contains("starved"), "{run:?}");
}

#[test]
fn what_makes_no_sense_is_one_line_and_exit_code_3() {
    let place = Place::new();
    place
        .write("bad.csv", "0,alexnet,0,100,1\n1,alexnet,zero,100,1\n")
        .write("bad.toml", "policy = [\"fifo\"]\n");
    let cases = [
        ("simulate --policy lifo", "unknown policy"),
        ("simulate --mechanism tun", "did you mean"),
        ("simulate --semantics papr", "known: paper, reference-2022"),
        ("simulate --with ftf-order=x", "largest"),
        ("simulate --measure 9..3", "give a..b"),
        ("simulate --measure 0..10 --jobs 5", "widen --jobs"),
        ("simulate --load 0", "above 0"),
        ("simulate --placement-penalty 2", "above 1"),
        ("simulate --round-s 0.001", "1 or more"),
        ("simulate --gpus 4 --gpus-per-server 4 --demand multi", "jobs of 8 GPUs on a cluster whose largest"),
        ("simulate --gpus 16 --demand power-law:1,64", "jobs of 64 GPUs"),
        ("simulate --jobs 18446744073709551615", "at most"),
        ("simulate --measure 0..99999999999", "at most"),
        ("simulate --gpus 4294967288", "at most"),
        ("simulate --trace bad.csv", "line 2"),
        ("simulate --trace absent.csv", "does not exist"),
        ("simulate bad.toml", "policy"),
        ("simulate --mechanism tune-local --with tune-order=reference", "as the paper does"),
        ("simulate --mechanism ilp --policy las --semantics reference-2022", "crashes"),
    ];
    for (command, expected) in cases {
        let run: Run = place.synergy(command);
        assert_eq!(run.code, 3, "{command}: {run:?}");
        let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert!(errors.len() == 1 && errors[0].contains(expected), "{command}: {run:?}");
    }
}
