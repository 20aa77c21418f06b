//! Standard streams that are closed or full: one line where there is somebody to read it, and never a panic.
#![cfg(target_os = "linux")]

use std::fs::{File, OpenOptions};
use std::process::{Command, Output, Stdio};
use synergy_tests::{Place, command};

const STUDY: &str = r#"
schema = "synergy-study/1"
name = "small"
[methods]
bounds = ["lp"]
mechanisms = ["tune"]
[parameters]
gpus = 8
"#;

fn run(place: &Place, arguments: &str, stdout: impl Into<Stdio>, stderr: impl Into<Stdio>) -> Output {
    Command::new(command())
        .args(arguments.split_whitespace())
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .output()
        .unwrap()
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

/// The writing end of a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn a_stream_that_is_closed_or_full_is_no_panic() {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.synergy("study run study.toml --out results").ok();
    for arguments in [
        "mechanisms",
        "plot --list",
        "reproduce --list",
        "study run study.toml --out results",
        "study plan study.toml --no-pilot --units",
        "study check results",
        "summarise results",
        "worst results --mechanism tune",
        "simulate --gpus 8 --load 0.1 --jobs 2",
    ] {
        // Who reads a pipe may stop early, as `| head` does.
        assert_eq!(run(&place, arguments, closed(), Stdio::null()).status.code(), Some(0), "{arguments}");
        let refused = run(&place, arguments, full(), Stdio::piped());
        let said = String::from_utf8_lossy(&refused.stderr);
        let last = said.lines().last().unwrap_or_default();
        assert_eq!(refused.status.code(), Some(3), "{arguments}: {said}");
        assert!(last.starts_with("error: standard output: cannot be written: "), "{arguments}: {said}");
        // What cannot be said changes nothing.
        assert_eq!(run(&place, arguments, Stdio::null(), full()).status.code(), Some(0), "{arguments}");
    }
    assert_eq!(run(&place, "plot nothing", Stdio::null(), full()).status.code(), Some(2));
}
