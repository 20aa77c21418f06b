//! Records the commit that the program is built from, for the footers of its tables.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(directory) = git(&["rev-parse", "--absolute-git-dir"]) {
        for file in ["logs/HEAD", "HEAD"] {
            if Path::new(&directory).join(file).exists() {
                println!("cargo::rerun-if-changed={directory}/{file}");
            }
        }
    }
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]).unwrap_or_default();
    println!("cargo::rustc-env=SYNERGY_GIT_COMMIT={commit}");
}
