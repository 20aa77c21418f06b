//! Helpers of the end-to-end tests: run the command in a directory of its own and look at what it leaves.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// How a command ended.
#[derive(Debug)]
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Standard output as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// This run, which must have ended well.
    ///
    /// # Panics
    /// When it did not.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

fn words(arguments: &str) -> Vec<&str> {
    arguments.split_whitespace().collect()
}

/// A directory in which commands run, gone when dropped.
pub struct Place {
    directory: TempDir,
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    /// An empty directory.
    ///
    /// # Panics
    /// When the system has none.
    pub fn new() -> Self {
        Place { directory: tempfile::tempdir().expect("temporary directory") }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    ///
    /// # Panics
    /// When that fails.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).expect("write a file");
        self
    }

    /// Reads a file.
    ///
    /// # Panics
    /// When that fails.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Names of all files, sorted.
    ///
    /// # Panics
    /// When the directory cannot be read.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).expect("read the directory");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `synergy` here with arguments separated by spaces.
    pub fn synergy(&self, arguments: &str) -> Run {
        self.run(&words(arguments), None)
    }

    /// Runs `synergy` here with these arguments.
    pub fn synergy_with_words(&self, arguments: &[&str]) -> Run {
        self.run(arguments, None)
    }

    /// As [`synergy`](Place::synergy), with standard input.
    pub fn synergy_with(&self, arguments: &str, stdin: &str) -> Run {
        self.run(&words(arguments), Some(stdin))
    }

    /// Starts `synergy` here, silent and unattended: for tests that kill it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(&self, arguments: &str) -> Child {
        Command::new(command())
            .args(words(arguments))
            .current_dir(self.directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("start synergy")
    }

    fn run(&self, arguments: &[&str], stdin: Option<&str>) -> Run {
        use std::io::Write;
        let mut child = Command::new(command())
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("NO_COLOR")
            .stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start synergy");
        if let (Some(mut pipe), Some(text)) = (child.stdin.take(), stdin) {
            pipe.write_all(text.as_bytes()).expect("write to synergy");
        }
        let output = child.wait_with_output().expect("wait for synergy");
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The command that this package builds, beside the directory of the running test.
pub fn command() -> PathBuf {
    let test = std::env::current_exe().expect("path of the running test");
    let directory = test.parent().and_then(Path::parent).expect("target directory");
    directory.join(format!("synergy-under-test{}", std::env::consts::EXE_SUFFIX))
}

/// A small instance file: one server of 4 GPUs, 12 CPUs, 200 GB and three jobs that want different
/// things of it. `edit` changes its JSON.
pub fn instance(edit: impl FnOnce(&mut Value)) -> String {
    let mut value = serde_json::json!({
        "schema": "synergy-instance/1",
        "cluster": [{ "gpu_type": "v100", "count": 1, "gpus": 4, "cpus": 12.0, "memory_gb": 200.0 }],
        "profiles": { "net": {
            "cpus_per_gpu": [1.0, 3.0, 6.0],
            "memory_gb_per_gpu": [25.0, 50.0],
            "throughput": [[0.5, 0.5], [0.5, 1.0], [0.5, 2.0]],
        } },
        "jobs": [
            { "id": "a", "profile": "net", "gpus": 1 },
            { "id": "b", "profile": "net", "gpus": 2, "weight": 2.0 },
            { "id": "c", "profile": "resnet18", "gpus": 1 },
        ],
    });
    edit(&mut value);
    value.to_string()
}
