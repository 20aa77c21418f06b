//! Errors of the workbench as exceptions with the same text.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use synergy_experiments::error::{CliError, ExitCode};

create_exception!(
    synergy_lab,
    SynergyError,
    PyException,
    "What went wrong, in the words of the command line."
);
create_exception!(
    synergy_lab,
    InvalidInput,
    SynergyError,
    "An input, a name or a parameter that cannot be used."
);
create_exception!(synergy_lab, MechanismFailed, SynergyError, "A mechanism without an allocation.");
create_exception!(synergy_lab, Uncertified, SynergyError, "A number that could not be certified.");

/// The exception of an error.
pub fn raise(error: impl Into<CliError>) -> PyErr {
    let error = error.into();
    let text = error.to_string();
    match error.exit_code() {
        ExitCode::Usage | ExitCode::InvalidInput => InvalidInput::new_err(text),
        ExitCode::SomeFailed => MechanismFailed::new_err(text),
        ExitCode::Uncertified => Uncertified::new_err(text),
        _ => SynergyError::new_err(text),
    }
}

/// An input that cannot be used, in one line.
pub fn invalid(reason: impl std::fmt::Display) -> PyErr {
    InvalidInput::new_err(reason.to_string())
}
