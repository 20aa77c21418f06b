//! Tidy tables: one schema, typed cells, Parquet and CSV. The only module that knows polars.
//!
//! [`schema`] says which tables there are and what their columns mean; `results/SCHEMA.md` is
//! generated from it. [`TableWriter`] streams rows to a file in row groups of fixed size and renames
//! it into place when it is complete, so memory does not grow with the table, the bytes depend on the
//! rows alone, and nothing half-written is ever seen. [`Frame`] reads a file back.
//!
//! Frames are built by one thread, after the parallel work: polars has thread pools of its own.

mod frame;
mod guard;
mod metadata;
mod row;
pub mod schema;
mod writer;

pub use frame::Frame;
pub use metadata::{Metadata, SCHEMA_VERSION, git_commit, highs_version};
pub use row::Row;
pub use schema::{Column, ColumnType, Table};
pub use writer::{Format, TableWriter, write_table};

use crate::error::OutputError;
use std::path::PathBuf;
use thiserror::Error;

/// One value of a row. `None` of anything becomes a null of the column's type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Unknown or not applicable.
    Null,
    /// Text.
    Text(&'a str),
    /// Whole number.
    Int(i64),
    /// Real number; one that is not finite becomes a null.
    Real(f64),
    /// True or false.
    Flag(bool),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        Cell::Text(text)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Real(number)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

macro_rules! cell_from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Cell<'_> {
            fn from(number: $integer) -> Self {
                i64::try_from(number).map_or(Cell::Null, Cell::Int)
            }
        }
    )*};
}
cell_from_integer!(i64, u32, u64, usize);

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}

/// What can go wrong with a table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The file cannot be read.
    #[error("{}: cannot be read: {}", path.display(), crate::error::plain(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Not a table file, or a damaged one.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Written under another schema version.
    #[error(
        "{}: has schema version {found}, this program reads {SCHEMA_VERSION}; use the version that wrote it, or run the study again into a new directory",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// A row that does not follow the schema: a fault of the program.
    #[error("table {table}: expected {expected}, found {found}")]
    Row {
        /// Name of the table.
        table: &'static str,
        /// What the schema asks for.
        expected: String,
        /// What the row has.
        found: String,
    },
}

#[cfg(test)]
mod tests;
