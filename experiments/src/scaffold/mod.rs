//! A mechanism of one's own, outside the workspace: the files that `synergy new-mechanism` writes.
//!
//! In Rust: a crate whose binary is the whole `synergy` with one mechanism more. In Python: a plug-in. The
//! templates' mechanisms are complete and tested here; only their names are filled in.

#[cfg(test)]
mod tests;

use crate::error::{InputError, OutputError};
use crate::files::without_temporary_path;
use crate::tables::git_commit;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use synergy_solver::bounds;
use synergy_solver::mechanisms::known;
use synergy_solver::placement;

/// What it is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// A crate that builds `synergy` with the mechanism in it
    Rust,
    /// A plug-in for exec:, no dependencies
    Python,
}

/// Where the crate finds the workbench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A clone.
    Path(PathBuf),
    /// The repository, at the commit of this program where that is known.
    Git,
}

impl Source {
    /// The clone that this program was built in, if it is still there, else the repository.
    pub fn of_this_program() -> Self {
        let clone = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        match clone.canonicalize() {
            Ok(clone) if clone.join("solver/Cargo.toml").exists() => Source::Path(clone),
            _ => Source::Git,
        }
    }

    /// A clone that the user names.
    ///
    /// # Errors
    /// No clone there.
    pub fn clone_at(path: &Path) -> Result<Self, InputError> {
        match path.canonicalize() {
            Ok(clone) if clone.join("solver/Cargo.toml").exists() => Ok(Source::Path(clone)),
            _ => Err(InputError::whole(
                path.display(),
                "is no clone of the workbench; it has no solver/Cargo.toml",
            )),
        }
    }

    /// The dependency on one of its crates, as a value in Cargo.toml.
    fn dependency(&self, directory: &str) -> String {
        match self {
            Source::Path(clone) => format!("{{ path = {:?} }}", clone.join(directory)),
            Source::Git => {
                let commit = git_commit().and_then(|commit| commit.strip_suffix("-dirty").or(Some(commit)));
                let revision = commit.map_or_else(String::new, |commit| format!(", rev = {commit:?}"));
                format!("{{ git = {:?}{revision} }}", env!("CARGO_PKG_REPOSITORY"))
            }
        }
    }
}

/// A file to write: path below the new directory, text, and whether it is a program.
struct File {
    path: String,
    text: String,
    is_program: bool,
}

/// Whether `name` can name a mechanism, a crate and a directory.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn check_name(name: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !starts || !plain || name.ends_with('-') {
        return Err(format!("{name:?}: give lower-case letters, digits and '-', such as my-heuristic"));
    }
    if known().iter().any(|about| about.name == name) {
        return Err(format!("{name:?} is a built-in mechanism; give yours another name"));
    }
    if bounds::NAMES.iter().copied().chain(placement::NAMES).any(|other| other == name) {
        return Err(format!("{name:?} is a bound or a placement; give yours another name"));
    }
    // Directories of cargo's own beside its programs, and the crates that the new one is built on.
    if ["build", "deps", "examples", "incremental"].contains(&name) || name.starts_with("synergy-") {
        return Err(format!("{name:?} is a name that cargo cannot build here; give yours another name"));
    }
    Ok(())
}

/// Writes the mechanism `name` to the new directory `directory`: all of it or nothing.
///
/// # Errors
/// The directory exists, or cannot be written.
pub fn write(name: &str, language: Language, source: &Source, directory: &Path) -> Result<(), OutputError> {
    if directory.exists() {
        let exists =
            std::io::Error::new(std::io::ErrorKind::AlreadyExists, "it exists; name another with --out");
        return Err(OutputError::write(directory, exists));
    }
    let files = match language {
        Language::Rust => rust(name, source),
        Language::Python => python(name),
    };
    let refused = |error| OutputError::write(directory, without_temporary_path(error));
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = tempfile::Builder::new().prefix(".synergy-").tempdir_in(parent).map_err(refused)?;
    for file in files {
        let path = made.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap_or(made.path())).map_err(refused)?;
        std::fs::write(&path, file.text).map_err(refused)?;
        if file.is_program {
            make_executable(&path).map_err(refused)?;
        }
    }
    if let (Language::Rust, Source::Path(clone)) = (language, source) {
        // The same versions of everything, so that nothing is downloaded or compiled again.
        std::fs::copy(clone.join("Cargo.lock"), made.path().join("Cargo.lock")).map_err(refused)?;
    }
    open_to_others(made.path()).map_err(refused)?;
    std::fs::rename(made.path(), directory).map_err(refused)?;
    // The temporary directory is the new one now: there is nothing to remove.
    let _ = made.keep();
    Ok(())
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// Temporary directories are for their owner alone; this one is to stay.
fn open_to_others(directory: &Path) -> std::io::Result<()> {
    make_executable(directory)
}

fn rust(name: &str, source: &Source) -> Vec<File> {
    let target = target_directory().map_or_else(String::new, |directory| {
        format!(
            "# Where this workbench was built: HiGHS and polars are there already.\n[build]\ntarget-dir = {directory:?}\n"
        )
    });
    let file = |path: &str, template: &str| File {
        path: path.into(),
        text: template
            .replace("{{name}}", name)
            .replace("{{solver}}", &source.dependency("solver"))
            .replace("{{experiments}}", &source.dependency("experiments"))
            .replace("{{edition}}", "2024")
            .replace("{{rust_version}}", env!("CARGO_PKG_RUST_VERSION")),
        is_program: false,
    };
    let mut files = vec![
        file("Cargo.toml", include_str!("templates/rust/Cargo.toml.in")),
        file("src/main.rs", include_str!("templates/rust/main.rs")),
        file("src/mechanism.rs", include_str!("templates/rust/mechanism.rs")),
        file("README.md", include_str!("templates/rust/README.md")),
        file(".gitignore", "/target\n"),
    ];
    if !target.is_empty() {
        files.push(file(".cargo/config.toml", &target));
    }
    files
}

fn python(name: &str) -> Vec<File> {
    let program = format!("{}.py", name.replace('-', "_"));
    let fill = |template: &str| template.replace("{{name}}", name).replace("{{program}}", &program);
    let readme = File {
        path: "README.md".into(),
        text: fill(include_str!("templates/python/README.md")),
        is_program: false,
    };
    let text = fill(include_str!("templates/python/mechanism.py"));
    vec![File { path: program, text, is_program: true }, readme]
}

/// Where this program was built, when it lies in a cargo target directory.
fn target_directory() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let profile = program.parent()?;
    let target = profile.parent()?;
    (profile.file_name()? == "release" && target.join(".rustc_info.json").exists())
        .then(|| target.to_path_buf())
}
