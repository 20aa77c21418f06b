//! What can be wrong with a study.

use crate::error::OutputError;
use crate::tables::TableError;
use std::path::PathBuf;
use synergy_solver::mechanisms::MechanismError;
use thiserror::Error;

/// A fault of a study file, a results directory or the disk. One line each.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The study file, with its place and the mend.
    #[error("{}: {reason}", path.display())]
    File {
        /// The study file, or one that it includes.
        path: PathBuf,
        /// Place, fault and mend.
        reason: String,
    },
    /// A `--set` that cannot be followed.
    #[error("--set {setting}: {reason}")]
    Setting {
        /// As given.
        setting: String,
        /// Fault and mend.
        reason: String,
    },
    /// The results directory holds something else, or something damaged.
    #[error("{}: {reason}", path.display())]
    Directory {
        /// The directory, or a file in it.
        path: PathBuf,
        /// Fault and mend.
        reason: String,
    },
    /// Another process works on the directory.
    #[error("{}: another synergy process is at work here; wait for it, or give each its own --shard I/N", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A plug-in that does not start.
    #[error(transparent)]
    Plugin(#[from] MechanismError),
    /// The disk or the file system.
    #[error("{}: {}", path.display(), crate::error::plain(source))]
    Io {
        /// File or directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// An output that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A table.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl StudyError {
    /// For `map_err` on I/O at `path`.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> StudyError {
        let path = path.into();
        move |source| StudyError::Io { path, source }
    }
}
