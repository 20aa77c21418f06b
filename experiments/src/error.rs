//! Exit codes, and the errors that lead to them.

use crate::compare::UnknownMethod;
use crate::figures::FigureError;
use crate::plugins::ResolveError;
use crate::study::StudyError;
use crate::tables::TableError;
use std::fmt;
use std::path::{Path, PathBuf};
use synergy_solver::mechanisms::MechanismError;
use synergy_solver::model::ModelError;
use thiserror::Error;

/// What the process tells its caller. The one table of exit codes; `synergy --help` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// All asked for was done. A solve that reached its limit is no failure.
    Fine = 0,
    /// A fault of the program.
    Internal = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// An input cannot be used, or an output cannot be written.
    InvalidInput = 3,
    /// A mechanism, plug-in or unit of a study failed; the rest was done.
    SomeFailed = 4,
    /// A bound or allocation could not be certified, `check` found a violation, or a claim of
    /// conformance failed.
    Uncertified = 5,
    /// Ended by Ctrl-C; what was complete is kept.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code, ascending.
    pub const ALL: [ExitCode; 7] = [
        ExitCode::Fine,
        ExitCode::Internal,
        ExitCode::Usage,
        ExitCode::InvalidInput,
        ExitCode::SomeFailed,
        ExitCode::Uncertified,
        ExitCode::Interrupted,
    ];

    /// When it happens, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            ExitCode::Fine => "fine; a solve that reached its limit is no failure",
            ExitCode::Internal => "internal error",
            ExitCode::Usage => "wrong command line",
            ExitCode::InvalidInput => "an input cannot be used, or an output cannot be written",
            ExitCode::SomeFailed => "a mechanism, plug-in or unit failed; the rest was done",
            ExitCode::Uncertified => {
                "a bound or allocation could not be certified, or a check found a violation"
            }
            ExitCode::Interrupted => "interrupted; what was complete is kept",
        }
    }

    /// The worse of two outcomes of one command: an uncertified number outweighs a failed run.
    pub fn worse(self, other: ExitCode) -> ExitCode {
        self.max(other)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code as u8)
    }
}

/// Why a command ended without its result. Every message is one line that says where, what, and
/// what to do.
#[derive(Debug, Error)]
pub enum CliError {
    /// Flags that contradict each other, or a value that clap cannot judge.
    #[error("{0}")]
    Usage(String),
    /// A bound, placement or mechanism that is not known.
    #[error(transparent)]
    Name(#[from] UnknownMethod),
    /// An input that cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An output that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Mechanisms, plug-ins or units that failed.
    #[error("{0}")]
    Failed(String),
    /// A mechanism without an allocation.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A bound, allocation or claim that does not stand.
    #[error("{0}")]
    Uncertified(String),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// A study file, or a results directory.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A figure.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// A fault of the program.
    #[error("internal error: {0:#}")]
    Internal(#[from] anyhow::Error),
}

impl From<ResolveError> for CliError {
    fn from(error: ResolveError) -> Self {
        CliError::Name(error.into())
    }
}

impl CliError {
    /// The exit code of this error.
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            CliError::Name(UnknownMethod::Plugin(_)) | CliError::Study(StudyError::Plugin(_)) => {
                ExitCode::SomeFailed
            }
            CliError::Usage(_) | CliError::Name(_) | CliError::Figure(FigureError::Unknown { .. }) => {
                ExitCode::Usage
            }
            // A row that does not follow the schema is no fault of the user's.
            CliError::Table(TableError::Row { .. })
            | CliError::Study(StudyError::Table(TableError::Row { .. }))
            | CliError::Figure(FigureError::Drawing { .. }) => ExitCode::Internal,
            CliError::Input(_)
            | CliError::Output(_)
            | CliError::Study(_)
            | CliError::Table(_)
            | CliError::Figure(_) => ExitCode::InvalidInput,
            CliError::Failed(_) | CliError::Mechanism(_) => ExitCode::SomeFailed,
            CliError::Uncertified(_) => ExitCode::Uncertified,
            CliError::Interrupted => ExitCode::Interrupted,
            CliError::Internal(_) => ExitCode::Internal,
        }
    }
}

/// What is wrong with an input. Displays as `FILE: PLACE: what; mend`.
#[derive(Debug, Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// As the user named it.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something in the file.
    #[error("{file}: {place}: {message}")]
    At {
        /// As the user named it.
        file: String,
        /// Line and column, or a path such as `jobs[3].gpus`.
        place: Place,
        /// What is wrong, and the mend.
        message: String,
    },
    /// The file as a whole, or the model that it describes.
    #[error("{file}: {message}")]
    Whole {
        /// As the user named it.
        file: String,
        /// What is wrong, and the mend.
        message: String,
    },
    /// A model that does not come from a file, such as one made of flags.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl InputError {
    /// The file `file` cannot be read.
    pub fn read(file: impl fmt::Display, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => InputError::whole(file, "does not exist; check the path"),
            std::io::ErrorKind::IsADirectory => InputError::whole(file, "is a directory; give a file"),
            _ => InputError::Read { file: file.to_string(), source },
        }
    }

    /// Something at `place` of `file`.
    pub fn at(file: impl fmt::Display, place: impl Into<Place>, message: impl fmt::Display) -> Self {
        InputError::At { file: file.to_string(), place: place.into(), message: message.to_string() }
    }

    /// Something about all of `file`.
    pub fn whole(file: impl fmt::Display, message: impl fmt::Display) -> Self {
        InputError::Whole { file: file.to_string(), message: message.to_string() }
    }
}

/// Where in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// A path such as `jobs[3].gpus`; empty when unknown.
    pub path: String,
    /// Line and column from 1, for text that a parser read.
    pub line_column: Option<(usize, usize)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path.is_empty(), self.line_column) {
            (false, Some((line, column))) => write!(f, "{} (line {line}, column {column})", self.path),
            (true, Some((line, column))) => write!(f, "line {line}, column {column}"),
            (_, None) => f.write_str(&self.path),
        }
    }
}

impl From<String> for Place {
    fn from(path: String) -> Self {
        Place { path, line_column: None }
    }
}

impl From<&str> for Place {
    fn from(path: &str) -> Self {
        path.to_string().into()
    }
}

/// Why an output was not written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The path is a directory.
    #[error("{}: is a directory; give the path of a file", path.display())]
    Directory {
        /// Where it should have gone.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {}", path.display(), why_not(path, source))]
    Write {
        /// Where it should have gone.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl OutputError {
    /// The path `path` cannot be written.
    pub fn write(path: &Path, source: std::io::Error) -> Self {
        OutputError::Write { path: path.to_path_buf(), source }
    }
}

/// Why `path` cannot be written. The system's own words do not say what is missing.
fn why_not(path: &Path, source: &std::io::Error) -> String {
    let mut above = path.parent().filter(|above| !above.as_os_str().is_empty());
    match (source.kind(), above.take_if(|above| !above.exists())) {
        (std::io::ErrorKind::NotFound, Some(directory)) => {
            format!("the directory {} does not exist; make it first", directory.display())
        }
        _ => plain(source),
    }
}

/// What the system says, in words for people: the library's for a bare kind of error are for programmers.
pub fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        // It has words of its own.
        _ if error.get_ref().is_some() => error.to_string(),
        std::io::ErrorKind::NotFound => "it does not exist".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::NotADirectory => "a part of the path is a file and not a directory".into(),
        std::io::ErrorKind::StorageFull => "no space is left on the device".into(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        std::io::ErrorKind::AlreadyExists => "a file of that name is there".into(),
        _ => error.to_string(),
    }
}

/// `; did you mean "x"?` for the known name closest to `name`; when none is close, the list of
/// known names if that is short, else nothing.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut seen = std::collections::HashSet::new();
    let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
    let distance = |candidate: &str| {
        let continues = |long: &str, short: &str| short.len() >= 3 && long.starts_with(short);
        match strsim::damerau_levenshtein(name, candidate) {
            typing_error if typing_error <= 1.max(name.len() / 3) && typing_error < name.len() => {
                Some(typing_error)
            }
            _ if continues(candidate, name) || continues(name, candidate) => {
                Some(name.len().max(candidate.len()))
            }
            _ => None,
        }
    };
    let closest = known.iter().filter_map(|candidate| Some((distance(candidate)?, candidate))).min();
    match closest {
        Some((_, candidate)) => format!("; did you mean {candidate:?}?"),
        None if (1..=40).contains(&known.len()) => format!("; known: {}", known.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_is_a_slip_away_or_begins_alike() {
        let known = ["gpus", "memory_gb", "profile", "id"];
        assert_eq!(suggestion("gpu", known), "; did you mean \"gpus\"?");
        assert_eq!(suggestion("memory", known), "; did you mean \"memory_gb\"?");
        assert_eq!(suggestion("porfile", known), "; did you mean \"profile\"?");
        assert_eq!(suggestion("z", known), "; known: gpus, memory_gb, profile, id");
        assert_eq!(suggestion("z", ["a", "b", "a"]), "; known: a, b");
        assert_eq!(suggestion("z", []), "");
    }

    #[test]
    fn exit_codes_are_those_of_the_documentation() {
        let codes: Vec<u8> = ExitCode::ALL.iter().map(|&code| code as u8).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 130]);
        assert_eq!(ExitCode::SomeFailed.worse(ExitCode::Fine), ExitCode::SomeFailed);
        assert_eq!(ExitCode::SomeFailed.worse(ExitCode::Uncertified), ExitCode::Uncertified);
    }
}
