//! The native half of `synergy_lab`. It hands over text, numbers and tables; the Python half gives them shape.
//!
//! Everything that takes time runs without Python's lock, so that functions of Python may be asked from any
//! thread and other threads of Python go on.

mod errors;
mod functions;
mod instance;
mod measure;
mod simulate;
mod table;

use pyo3::prelude::*;

/// Native parts of `synergy_lab`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::errors::{InvalidInput, MechanismFailed, SynergyError, Uncertified};
    #[pymodule_export]
    use super::functions::register;
    #[pymodule_export]
    use super::instance::{Instance, generate, parse_instance, read_instance};
    #[pymodule_export]
    use super::measure::{allocate, bench, bound, check, compare, conformance, mechanisms};
    #[pymodule_export]
    use super::simulate::simulate;
    #[pymodule_export]
    use super::table::{Table, read_table};
}
