//! Reads a table file back.

use super::TableError;
use super::guard::guarded;
use super::metadata::{Metadata, SCHEMA_VERSION, VERSION_KEY};
use super::schema::Table;
use polars::prelude::*;
use std::fs::File;
use std::path::Path;

/// A table in memory.
#[derive(Debug, Clone)]
pub struct Frame {
    table: &'static Table,
    data: DataFrame,
    metadata: Metadata,
    total_rows: usize,
}

impl Frame {
    /// Reads `columns` of a Parquet file of `table`; all of them when `columns` is empty.
    ///
    /// # Errors
    /// A missing or damaged file, another schema version, columns that are not the table's.
    pub fn read(path: &Path, table: &'static Table, columns: &[&str]) -> Result<Self, TableError> {
        Self::read_some(path, table, columns, None)
    }

    /// Reads all columns of the first `rows` rows.
    ///
    /// # Errors
    /// As [`Frame::read`].
    pub fn read_first(path: &Path, table: &'static Table, rows: usize) -> Result<Self, TableError> {
        Self::read_some(path, table, &[], Some((0, rows)))
    }

    fn read_some(
        path: &Path,
        table: &'static Table,
        columns: &[&str],
        slice: Option<(usize, usize)>,
    ) -> Result<Self, TableError> {
        let damaged = || TableError::Unreadable {
            path: path.to_path_buf(),
            reason: "is a damaged Parquet file; write it anew".into(),
        };
        guarded(|| Self::read_file(path, table, columns, slice)).unwrap_or_else(|| Err(damaged()))
    }

    fn read_file(
        path: &Path,
        table: &'static Table,
        columns: &[&str],
        slice: Option<(usize, usize)>,
    ) -> Result<Self, TableError> {
        let unreadable = |reason: String| TableError::Unreadable { path: path.to_path_buf(), reason };
        let file =
            File::open(path).map_err(|source| TableError::Read { path: path.to_path_buf(), source })?;
        let mut reader = ParquetReader::new(file);
        let footer = reader.get_metadata().map_err(|e| unreadable(format!("is no Parquet file: {e}")))?;
        let entries = footer
            .key_value_metadata()
            .iter()
            .flatten()
            .filter(|pair| pair.key.starts_with("synergy."))
            .map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()))
            .collect();
        let total_rows = footer.num_rows;
        let metadata = Metadata { entries };
        match metadata.get(VERSION_KEY) {
            Some(SCHEMA_VERSION) => {}
            Some(found) => {
                return Err(TableError::Version { path: path.to_path_buf(), found: found.to_string() });
            }
            None => {
                return Err(unreadable(
                    "was not written by synergy (no schema version in its footer)".into(),
                ));
            }
        }
        let wanted: Vec<String> = if columns.is_empty() {
            table.columns.iter().map(|c| c.name.to_string()).collect()
        } else {
            columns.iter().map(ToString::to_string).collect()
        };
        let data = reader
            .with_columns(Some(wanted))
            .with_slice(slice)
            .finish()
            .map_err(|e| unreadable(format!("cannot be read as table {}: {e}", table.name)))?;
        Ok(Frame { table, data, metadata, total_rows })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.height()
    }

    /// Number of rows of the file.
    pub fn total_rows(&self) -> usize {
        self.total_rows
    }

    /// What the footer says.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    fn column(&self, name: &str) -> Result<&Series, TableError> {
        self.data.column(name).map(Column::as_materialized_series).map_err(|_| self.fault(name, "a column"))
    }

    fn fault(&self, name: &str, expected: &str) -> TableError {
        TableError::Row {
            table: self.table.name,
            expected: format!("{expected} {name}"),
            found: "none".into(),
        }
    }

    /// A column of text.
    ///
    /// # Errors
    /// When the frame has no such column, or one of another type.
    pub fn text(&self, name: &str) -> Result<Vec<Option<&str>>, TableError> {
        let column = self.column(name)?.str().map_err(|_| self.fault(name, "text in column"))?;
        Ok(column.iter().collect())
    }

    /// A column of whole numbers.
    ///
    /// # Errors
    /// As [`Frame::text`].
    pub fn int(&self, name: &str) -> Result<Vec<Option<i64>>, TableError> {
        let column = self.column(name)?.i64().map_err(|_| self.fault(name, "whole numbers in column"))?;
        Ok(column.iter().collect())
    }

    /// A column of real numbers.
    ///
    /// # Errors
    /// As [`Frame::text`].
    pub fn real(&self, name: &str) -> Result<Vec<Option<f64>>, TableError> {
        let column = self.column(name)?.f64().map_err(|_| self.fault(name, "real numbers in column"))?;
        Ok(column.iter().collect())
    }

    /// A column of flags.
    ///
    /// # Errors
    /// As [`Frame::text`].
    pub fn flag(&self, name: &str) -> Result<Vec<Option<bool>>, TableError> {
        let column = self.column(name)?.bool().map_err(|_| self.fault(name, "flags in column"))?;
        Ok(column.iter().collect())
    }

    /// A column of any type as text, as group-by axes are shown.
    ///
    /// # Errors
    /// When the frame has no such column.
    pub fn labels(&self, name: &str) -> Result<Vec<String>, TableError> {
        let label = |value: AnyValue| match value {
            AnyValue::Null => "null".to_string(),
            AnyValue::String(text) => text.to_string(),
            AnyValue::Float64(number) => format!("{number}"),
            other => other.to_string(),
        };
        Ok(self.column(name)?.rechunk().iter().map(label).collect())
    }
}
