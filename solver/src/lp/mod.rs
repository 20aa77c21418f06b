//! Linear and integer programs: the data, the solver, and what its answers prove.
//!
//! - [`LinearProgram`]: a program as plain data, built in one pass.
//! - [`highs`]: the solver, and the only `unsafe` code of the project.
//! - [`Certificate`]: a bound from dual values by weak duality, and primal feasibility, in our own arithmetic.
//! - [`solve_certified`]: solve, certify, and try again another way when the certificate fails.
//! - [`solve_lexicographic`]: among optimal solutions, the one that is least in further objectives.

mod certificate;
mod certified;
pub mod highs;
mod program;

pub use certificate::{Certificate, FEASIBILITY_TOLERANCE, GAP_TOLERANCE, Sum, dual_bound};
pub use certified::{Attempt, Certified, resolve_certified, solve_certified, solve_lexicographic};
pub use highs::{Algorithm, Basis, Limits, Options, Outcome, Session, Solution};
pub use program::{Kind, LinearProgram, NamedProgram, Sense};
