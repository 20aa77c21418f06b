//! Why a reproduction stopped.

use crate::error::{CliError, InputError, OutputError, suggestion};
use crate::figures::FigureError;
use crate::simulator::PlanError;
use crate::study::StudyError;
use crate::tables::TableError;
use std::path::PathBuf;
use thiserror::Error;

/// What ends a reproduction before its result.
#[derive(Debug, Error)]
pub enum ReproduceError {
    /// No such recipe.
    #[error("unknown recipe {0:?}{mend}", mend = suggestion(.0, super::names()))]
    Recipe(String),
    /// Ctrl-C; what was finished is kept.
    #[error("interrupted; run the same command again to go on")]
    Interrupted,
    /// A file that the user gave.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A set of simulations that cannot be; for the program's own recipes a fault of the program.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A study.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A figure.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The disk or the file system.
    #[error("{}: {source}", path.display())]
    Io {
        /// File or directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A fault of the program.
    #[error("{0}")]
    Internal(String),
}

impl ReproduceError {
    /// For `map_err` on I/O at `path`.
    pub(super) fn io(path: impl Into<PathBuf>) -> impl Fn(std::io::Error) -> ReproduceError {
        let path = path.into();
        move |source| ReproduceError::Io { path: path.clone(), source }
    }
}

impl From<ReproduceError> for CliError {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Recipe(_) => CliError::Usage(error.to_string()),
            ReproduceError::Interrupted => CliError::Interrupted,
            ReproduceError::Input(error) => error.into(),
            ReproduceError::Study(error) => error.into(),
            ReproduceError::Table(error) => error.into(),
            ReproduceError::Figure(error) => error.into(),
            ReproduceError::Output(error) => error.into(),
            ReproduceError::Io { path, source } => OutputError::write(&path, source).into(),
            ReproduceError::Plan(_) | ReproduceError::Internal(_) => {
                CliError::Internal(anyhow::anyhow!(error.to_string()))
            }
        }
    }
}
