//! Plug-ins in studies and simulations: the same numbers as the built-in they copy, rows for what goes
//! wrong, one process where one is enough.

use std::path::{Path, PathBuf};
use synergy_experiments::tables::{Frame, schema};
use synergy_tests::{Place, instance};

/// A place with the shipped plug-in in it.
fn place() -> Place {
    let place = Place::new();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/plugins/proportional.py");
    std::fs::copy(shipped, place.path("heuristic.py")).unwrap();
    place
}

fn study(mechanisms: &str) -> String {
    format!(
        "schema = \"synergy-study/1\"\nname = \"small\"\nreplicates = 4\n[methods]\nbounds = [\"lp\"]\n\
         mechanisms = [{mechanisms}]\n[parameters]\ngpus = 32\ndemand = \"multi\"\n[axes]\ncpus_per_gpu = [3, 6]\n"
    )
}

/// Value by mechanism and row, and messages of failures.
fn values(directory: PathBuf) -> Vec<(String, Option<f64>, Option<String>)> {
    let columns = ["mechanism", "value", "message"];
    let frame = Frame::read(&directory.join("mechanisms.parquet"), &schema::MECHANISMS, &columns).unwrap();
    let (name, value) = (frame.text("mechanism").unwrap(), frame.real("value").unwrap());
    let message = frame.text("message").unwrap();
    (0..frame.rows())
        .map(|row| (name[row].unwrap().to_string(), value[row], message[row].map(str::to_string)))
        .collect()
}

#[test]
fn a_study_runs_a_plug_in_beside_the_rest() {
    let place = place();
    place.write("small.toml", study("\"proportional\", \"exec:./heuristic.py\""));
    place.synergy("study run small.toml --out out --jobs 3").ok();
    let found = values(place.path("out"));
    assert_eq!(found.len(), 16);
    for pair in found.chunks(2) {
        assert_eq!((pair[0].0.as_str(), pair[1].0.as_str()), ("proportional", "exec:./heuristic.py"));
        assert!(pair[0].1.is_some() && pair[0].1 == pair[1].1, "{pair:?}");
    }
    let again = place.synergy("study run small.toml --out out").ok();
    assert!(again.stderr.contains("8 done before, 0 computed"), "{}", again.stderr);
    let check = place.synergy("study check out").ok();
    assert!(check.stdout.contains("8 units computed again"), "{}", check.stdout);

    // A changed program is another method: it alone is computed, and the old numbers stay.
    let changed = place.read("heuristic.py").replace("\"cpus\": cpus", "\"cpus\": cpus * 0.5");
    place.write("heuristic.py", changed);
    let check = place.synergy("study check out").ok();
    assert!(check.stdout.contains("has changed since"), "{}", check.stdout);
    let run = place.synergy("study run small.toml --out out").ok();
    assert!(run.stderr.contains("8 computed"), "{}", run.stderr);
    assert!(run.stderr.contains("the study has changed: mechanism exec:./heuristic.py"), "{}", run.stderr);
    assert_ne!(values(place.path("out")), found);
}

#[test]
fn what_goes_wrong_in_a_plug_in_is_a_row_and_exit_4() {
    let place = place();
    let broken = place.read("heuristic.py").replace(
        "        free = ",
        "        if len(request[\"jobs\"]) > 14: raise ValueError(\"too many\")\n        free = ",
    );
    place.write("broken.py", broken);
    place.write("small.toml", study("\"tune\", \"exec:python3 broken.py\""));
    let run = place.synergy("study run small.toml --out out");
    assert_eq!(run.code, 4, "{run:?}");
    let found = values(place.path("out"));
    let (well, ill): (Vec<_>, Vec<_>) =
        found.iter().filter(|(name, ..)| name != "tune").partition(|(_, value, _)| value.is_some());
    assert!(!well.is_empty() && !ill.is_empty(), "{found:?}");
    for (_, _, message) in ill {
        assert!(message.as_ref().unwrap().contains("ValueError: too many"), "{message:?}");
    }
    assert!(found.iter().filter(|(name, ..)| name == "tune").all(|(_, value, _)| value.is_some()));

    // One that does not start at all is said before the work.
    place.write("none.toml", study("\"exec:./absent.py\"").replace("small", "none"));
    let run = place.synergy("study run none.toml --out none");
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("./absent.py: no such program"), "{}", run.stderr);
}

#[test]
fn a_simulation_asks_one_process_and_sends_every_class_once() {
    let place = place();
    let log = place.read("heuristic.py").replace(
        "    request = json.loads(line)\n",
        "    request = json.loads(line)\n    open(\"log\", \"a\").write(request[\"type\"] + \" \" + \
         \" \".join(c[\"profile\"] + str(c[\"gpus\"]) for c in request.get(\"classes\", [])) + \"\\n\")\n",
    );
    place.write("logged.py", log);
    let run = |mechanism: &str, out: &str| {
        place
            .synergy(&format!(
                "simulate --gpus 16 --load 2 --jobs 60 --demand multi --mechanism {mechanism} --out {out} --threads 1"
            ))
            .ok();
        let frame =
            Frame::read(&place.path(out).join("jobs.parquet"), &schema::JOBS, &["completion_s"]).unwrap();
        frame.real("completion_s").unwrap()
    };
    let ours = run("proportional", "ours");
    assert_eq!(run("exec:./heuristic.py", "theirs"), ours);
    place.write("log", "");
    std::process::Command::new("chmod").arg("+x").arg(place.path("logged.py")).status().unwrap();
    run("exec:./logged.py", "logged");
    let log = place.read("log");
    let lines = |kind: &str| log.lines().filter(|line| line.starts_with(kind)).count();
    // One greeting of the check that it starts, one of the run.
    assert_eq!((lines("hello"), lines("cluster")), (2, 1), "{log}");
    assert!(lines("allocate") > 60);
    let mut classes: Vec<&str> =
        log.lines().filter(|l| l.starts_with("classes")).flat_map(|l| l.split(' ').skip(1)).collect();
    let sent = classes.len();
    classes.sort_unstable();
    classes.dedup();
    assert!(sent > 5 && classes.len() == sent, "{log}");
}

#[test]
fn a_simulation_whose_plug_in_breaks_down_is_a_row_and_exit_4() {
    let place = place();
    let broken = place.read("heuristic.py").replace(
        "        free = ",
        "        if request[\"round\"] == 5: sys.exit(\"enough\")\n        free = ",
    );
    place.write("broken.py", broken);
    let run = place.synergy_with_words(&[
        "simulate",
        "--gpus",
        "16",
        "--load",
        "2",
        "--jobs",
        "40",
        "--mechanism",
        "tune,exec:python3 broken.py",
        "--out",
        "sim",
    ]);
    assert_eq!(run.code, 4, "{run:?}");
    let columns = ["mechanism", "status", "message", "jct_mean_s"];
    let frame = Frame::read(&place.path("sim/runs.parquet"), &schema::RUNS, &columns).unwrap();
    assert_eq!(frame.text("status").unwrap(), [Some("ok"), Some("failed")]);
    assert!(frame.text("message").unwrap()[1].unwrap().contains("enough"));
    let run = place.synergy("simulate --mechanism exec:./absent.py --out absent");
    assert_eq!((run.code, place.path("absent").exists()), (4, false), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_program_that_cannot_start_is_told_from_one_that_is_not_there() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("i.json", instance(|_| {})).write("script.py", "#!/no/such/python\n").write("plain.py", "");
    std::fs::set_permissions(place.path("script.py"), std::fs::Permissions::from_mode(0o755)).unwrap();
    for (command, says) in [
        ("./absent.py", "./absent.py: no such program; check the path"),
        ("./script.py", "./script.py: the interpreter in its first line does not exist"),
        ("./plain.py", "./plain.py: cannot be executed; chmod +x it"),
        ("no-such-program-anywhere", "give its path, such as ./no-such-program-anywhere"),
    ] {
        let run = place.synergy(&format!("compare i.json --only exec:{command}"));
        assert_eq!(run.code, 4, "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(run.stderr.contains(says), "{run:?}");
    }
}
