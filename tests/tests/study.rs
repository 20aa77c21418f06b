//! `synergy study` and what follows it: equal bytes whatever happens to a run, clear faults, exit codes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use synergy_experiments::tables::{Frame, schema};
use synergy_tests::Place;

/// Instances of 32 GPUs, some milliseconds each.
fn study(replicates: u32) -> String {
    format!(
        r#"
schema = "synergy-study/1"
name = "small"
seed = 5
replicates = {replicates}
[methods]
bounds = ["lp", "ilp", "lp-skip"]
mechanisms = ["proportional", "greedy", "tune"]
[parameters]
gpus = 32
demand = "multi"
[axes]
cpus_per_gpu = [3, 6]
"#
    )
}

/// The bytes of every table that must not depend on the run.
fn science(directory: &Path) -> Vec<Vec<u8>> {
    ["instances", "bounds", "placements", "mechanisms", "gaps"]
        .iter()
        .map(|table| {
            let path = directory.join(format!("{table}.parquet"));
            std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        })
        .collect()
}

fn parts(place: &Place, out: &str) -> usize {
    let Ok(entries) = std::fs::read_dir(place.path(out).join("parts")) else { return 0 };
    entries.filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(".zst")).count()
}

#[test]
fn one_command_gives_tables_figure_and_overview() {
    let place = Place::new();
    place.write("small.toml", study(3));
    let run = place.synergy("study small.toml").ok();
    assert!(run.stdout.contains("tune") && run.stdout.contains("lp-skip"), "{}", run.stdout);
    let out = place.path("results/small");
    for table in ["instances", "bounds", "placements", "mechanisms", "gaps", "timings"] {
        assert_eq!(&std::fs::read(out.join(format!("{table}.parquet"))).unwrap()[..4], b"PAR1", "{table}");
    }
    let figure = |extension: &str| std::fs::read(out.join(format!("figures/gaps.{extension}"))).unwrap();
    assert!(figure("pdf").starts_with(b"%PDF-"));
    assert!(figure("png").starts_with(b"\x89PNG"));
    assert!(figure("svg").starts_with(b"<svg"));
    let csv = String::from_utf8(figure("csv")).unwrap();
    assert!(csv.starts_with("group,mechanism,mean_percent") && csv.contains("tune"), "{csv}");
    let stored = std::fs::read_to_string(out.join("study.toml")).unwrap();
    assert!(stored.contains("cluster.cpus_per_gpu"), "the resolved study lies beside the results: {stored}");
    // Figures repeat byte for byte too.
    let before = (figure("pdf"), figure("png"));
    std::fs::remove_dir_all(out.join("figures")).unwrap();
    place.synergy("study small.toml").ok();
    assert!(before == (figure("pdf"), figure("png")));
}

#[test]
fn threads_do_not_change_a_byte() {
    let place = Place::new();
    place.write("small.toml", study(6));
    place.synergy("study run small.toml --out one --jobs 1").ok();
    place.synergy("study run small.toml --out three --jobs 3").ok();
    assert!(science(&place.path("one")) == science(&place.path("three")));
    place.synergy("study check one").ok();
}

#[test]
fn kills_lose_nothing() {
    let place = Place::new();
    place.write("small.toml", study(40));
    place.synergy("study run small.toml --out whole").ok();
    // The moments differ between machines, which is as it should be: none may matter.
    for milliseconds in [20, 90, 400, 2_200] {
        let mut child = place.start("study run small.toml --out killed --jobs 1");
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.synergy("study run small.toml --out killed").ok();
    assert!(science(&place.path("whole")) == science(&place.path("killed")));
    for directory in ["killed", "killed/parts"] {
        let leftovers = std::fs::read_dir(place.path(directory)).unwrap();
        let leftovers =
            leftovers.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with(".synergy-"));
        assert_eq!(leftovers.count(), 0);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done_and_exits_130() {
    let place = Place::new();
    place.write("small.toml", study(1_000));
    let mut child = place.start("study run small.toml --out out");
    for _ in 0..200 {
        if parts(&place, "out") > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(parts(&place, "out") > 0, "what was done is on disk");
    // The lock is free again, and what was done is not done twice.
    let run = place.synergy("study run small.toml --set replicates=5 --out out").ok();
    assert!(run.stderr.contains("done before"), "{}", run.stderr);
}

#[test]
fn shards_merge_and_a_missing_one_is_named() {
    let place = Place::new();
    place.write("small.toml", study(5));
    place.synergy("study run small.toml --out whole").ok();
    place.synergy("study run small.toml --out a --shard 0/2").ok();
    let run = place.synergy("study merge a");
    assert_eq!(run.code, 3, "{run:?}");
    assert!(
        run.stderr.contains("5 of 10 units are missing") && run.stderr.contains("--partial"),
        "{}",
        run.stderr
    );
    place.synergy("study run small.toml --out b --shard 1/2").ok();
    place.synergy("study merge a b --out merged").ok();
    assert!(science(&place.path("whole")) == science(&place.path("merged")));
    let wrong = place.synergy("study run small.toml --out a --shard 2/2");
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[test]
fn the_plan_says_what_would_run_and_runs_nothing() {
    let place = Place::new();
    place.write("small.toml", study(5));
    let run = place.synergy("study plan small.toml --set split=[[20,70,10],[50,0,50]]").ok();
    for expected in ["units       20", "cluster.cpus_per_gpu: 2", "mix.split: 2", "results/small", "estimate"]
    {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert_eq!(place.files(), ["small.toml"]);
    let listed = place.synergy("study plan small.toml --no-pilot --units").ok();
    assert_eq!(listed.stdout.lines().filter(|line| line.contains("\"workload\"")).count(), 10);
}

#[test]
fn units_that_fail_are_rows_and_exit_4() {
    let place = Place::new();
    place.write("small.toml", study(2));
    // 3-GPU jobs alone cannot fill 32 GPUs.
    let demand = r#"--set demand=[{kind="single"},{kind="mixture",gpus=[3],weights=[1.0]}]"#;
    let run = place.synergy(&format!("study run small.toml --out out {demand}"));
    assert_eq!(run.code, 4, "{run:?}");
    assert!(
        run.stderr.contains("4 with failures") && run.stderr.contains("--retry-failed"),
        "{}",
        run.stderr
    );
    assert_eq!(place.synergy(&format!("study run small.toml --out out {demand}")).code, 4, "and again");
}

#[test]
fn faults_are_one_line_with_exit_3() {
    let place = Place::new();
    place.write("small.toml", study(2));
    place.synergy("study run small.toml --out out --set replicates=1").ok();
    place.write("empty.toml", study(2).replace("[3, 6]", "[]"));
    place.write("tuna.toml", study(2).replace("\"tune\"", "\"tuna\""));
    place.write("other.toml", study(2).replace("\"small\"", "\"other\""));
    place.write("key.toml", study(2).replace("gpus = 32", "gpsu = 32"));
    place.write("file", "");
    std::fs::create_dir(place.path("nothing")).unwrap();
    for (arguments, says) in [
        ("study run absent.toml", "absent.toml"),
        ("study run empty.toml", "empty list"),
        ("study run tuna.toml", "did you mean"),
        ("study run key.toml", "gpsu"),
        ("study run other.toml --out out", "holds the study"),
        ("study run small.toml --out file", "file"),
        ("study run small.toml --set gpus=33", "multiple"),
        ("study check nothing", "no results directory"),
        ("study merge nothing", "no results directory"),
        ("summarise nothing", "instances.parquet"),
        ("summarise out --by colour", "colour"),
        ("worst out --mechanism tuna", "did you mean"),
        ("worst out --unit 0000", "no unit"),
    ] {
        let run = place.synergy(arguments);
        assert_eq!(run.code, 3, "{arguments}: {run:?}");
        let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error")).collect();
        assert!(errors.len() == 1 && errors[0].contains(says), "{arguments}: {}", run.stderr);
    }
    assert_eq!(place.synergy("study run small.toml --jobs 0").code, 2);
    place.synergy("study check out").ok();
}

/// A tmpfs of its own; needs root and mount.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(path: std::path::PathBuf, kilobytes: u32) -> Option<Self> {
        std::fs::create_dir_all(&path).ok()?;
        let options = format!("size={kilobytes}k");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(&path)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then_some(SmallDisk(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(place.path("disk"), 256) else {
        eprintln!("skipped: mounting a tmpfs needs root");
        return;
    };
    place.write("small.toml", study(40));
    place.synergy("study run small.toml --out whole").ok();
    // Fill what a first, complete run of some units leaves.
    place.synergy("study run small.toml --out disk/out --set replicates=2").ok();
    let mut filler = Vec::new();
    for size in [65_536, 4_096] {
        for n in 0.. {
            let path = disk.0.join(format!("filler-{size}-{n}"));
            if std::fs::write(&path, vec![1u8; size]).is_err() {
                let _ = std::fs::remove_file(&path);
                break;
            }
            filler.push(path);
        }
    }
    let run = place.synergy("study run small.toml --out disk/out");
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("disk/out") && run.stderr.to_lowercase().contains("space"), "{}", run.stderr);
    for path in filler {
        std::fs::remove_file(path).unwrap();
    }
    let kept = place.synergy("study run small.toml --out disk/out --set replicates=2").ok();
    assert!(kept.stderr.contains("4 done before"), "{}", kept.stderr);
    // With room again (a table and its successor are both there for a moment), the study completes.
    let _ = Command::new("mount").args(["-o", "remount,size=8m"]).arg(&disk.0).status();
    place.synergy("study run small.toml --out disk/out").ok();
    assert!(science(&disk.0.join("out")) == science(&place.path("whole")));
}

#[test]
fn the_summary_names_the_worst_and_its_command_reproduces_it() {
    let place = Place::new();
    place.write("small.toml", study(6));
    place.synergy("study run small.toml --out out").ok();
    let summary = place.synergy("summarise out --by cpus_per_gpu --format json").ok().json();
    let groups = summary["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    let gaps = groups[0]["gaps"].as_array().unwrap();
    let gap = gaps.iter().find(|gap| gap["mechanism"] == "tune" && gap["bound"] == "lp").unwrap();
    let mean = &gap["mean"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!(number(&mean["low"]) <= number(&mean["mean"]) && number(&mean["mean"]) <= number(&mean["high"]));
    assert!(number(&gap["p50"]) <= number(&gap["worst"]));
    let command = gap["reproduce"].as_str().unwrap().strip_prefix("synergy ").unwrap().to_string();
    place.synergy(&command).ok();
    let file = format!("{}.json", gap["worst_unit"].as_str().unwrap());
    let again = place.synergy(&format!("compare {file} --only lp,tune --format json")).ok().json();
    let again = number(&again["mechanisms"]["tune"]["gap"]["lp"]);
    assert!((again - number(&gap["worst"])).abs() < 1e-9, "{again} against {gap}");
    let text = place.synergy("summarise out").ok().stdout;
    for heading in
        ["Gaps", "server walls", "p (Wilcoxon)", "Performance profile", "value of a CPU", "geometric mean"]
    {
        assert!(text.contains(heading), "{heading}: {text}");
    }
    // A greedy that skips jobs has no gap to lp, only to lp-skip.
    let worst = place.synergy("worst out --mechanism tune --bound lp --top 3 --export hard").ok();
    assert_eq!(worst.stdout.lines().count(), 4, "{}", worst.stdout);
    assert_eq!(std::fs::read_dir(place.path("hard")).unwrap().count(), 3);
}

#[test]
fn a_search_finds_worse_instances_and_repeats() {
    let place = Place::new();
    let search = "search-worst --set gpus=8 --set demand=multi --restarts 2 --evaluations 40 --seed 3";
    let run = place.synergy(&format!("{search} --out worst.json")).ok();
    assert!(run.stderr.contains("largest gap"), "{}", run.stderr);
    place.synergy(&format!("{search} --out again.json")).ok();
    assert_eq!(place.read("worst.json"), place.read("again.json"));
    let compared = place.synergy("compare worst.json --only lp,tune --format json").ok().json();
    assert!(compared["mechanisms"]["tune"]["gap"]["lp"].as_f64().unwrap() > 0.0);
}

#[test]
fn python_reads_the_tables() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/readers.sh");
    let place = Place::new();
    place.write("small.toml", study(2));
    place.synergy("study run small.toml --out out").ok();
    let run = Command::new(script).arg(place.path("out")).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    if let Some(reason) = text.lines().find(|line| line.starts_with("readers test skipped")) {
        eprintln!("{reason}");
        return;
    }
    assert!(
        run.status.success() && text.contains("readers agree"),
        "{text}{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[test]
fn summaries_are_tables_with_a_schema() {
    let place = Place::new();
    place.write("small.toml", study(4));
    place.synergy("study run small.toml --out out").ok();
    place.synergy("summarise out --by cpus_per_gpu --out summary.csv").ok();
    place.synergy("summarise out --by cpus_per_gpu --out tables/").ok();
    let csv = place.read("summary.csv");
    assert!(csv.starts_with("group,section,method,against,measure,n,value,low,high,unit\n"), "{csv}");
    let frame = Frame::read(&place.path("tables/summary.parquet"), &schema::SUMMARY, &[]).unwrap();
    assert_eq!(frame.rows(), csv.lines().count() - 1);
    let json = place.synergy("summarise out --by cpus_per_gpu --format json").ok().json();
    let gaps = json["groups"][1]["gaps"].as_array().unwrap();
    let gap = gaps.iter().find(|gap| gap["mechanism"] == "tune" && gap["bound"] == "lp").unwrap();
    let text = |name: &str| frame.text(name).unwrap();
    let key = (Some("cpus_per_gpu=6"), Some("gap"), Some("tune"), Some("lp"), Some("mean"));
    let keys = [text("group"), text("section"), text("method"), text("against"), text("measure")];
    let row = (0..frame.rows())
        .find(|&r| (keys[0][r], keys[1][r], keys[2][r], keys[3][r], keys[4][r]) == key)
        .unwrap();
    assert_eq!(frame.real("value").unwrap()[row], gap["mean"]["mean"].as_f64());
    assert_eq!(frame.real("high").unwrap()[row], gap["mean"]["high"].as_f64());
    assert_eq!(place.synergy("summarise out --out no/such/x.csv").code, 3);
}

#[test]
fn a_changed_study_says_what_leaves_the_tables_and_can_be_brought_back() {
    let place = Place::new();
    place.write("small.toml", study(3));
    place.synergy("study run small.toml --out out").ok();
    let before = science(&place.path("out"));
    // More of everything is no change that loses anything.
    let grown = place.synergy("study run small.toml --out out --set replicates=4").ok();
    assert!(!grown.stderr.contains("has changed"), "{}", grown.stderr);
    let run = place.synergy("study run small.toml --out out --set mechanisms=tune --set cpus_per_gpu=3").ok();
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.contains("has changed")).collect();
    assert_eq!(warnings.len(), 1, "{}", run.stderr);
    for part in ["5 of its 8 units", "mechanism proportional", "mechanism greedy", "nothing is lost"] {
        assert!(warnings[0].contains(part), "{part}: {}", warnings[0]);
    }
    let earlier = warnings[0].split('`').nth(1).unwrap().strip_prefix("synergy ").unwrap();
    let back = place.synergy(&format!("{earlier} --out out --set replicates=3")).ok();
    assert!(back.stderr.contains("0 computed"), "{}", back.stderr);
    assert!(science(&place.path("out")) == before);
}
