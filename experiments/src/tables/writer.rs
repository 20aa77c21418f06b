//! Streams rows into a Parquet or CSV file and renames it into place.

use super::metadata::Metadata;
use super::schema::{ColumnType, Table};
use super::{Cell, Row, TableError};
use crate::error::OutputError;
use crate::files::{OutputFile, OutputPath};
use polars::io::parquet::write::{BatchedWriter, KeyValueMetadata};
use polars::prelude::*;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Rows per row group. Fixed, so that the bytes of a file depend on its rows alone; small, because a row
/// group waits in memory until it is full, and the tables of a study are written side by side.
const ROW_GROUP: usize = 1 << 12;

/// File format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Parquet with zstd compression.
    Parquet,
    /// Comma-separated, with a header line; nulls are empty.
    Csv,
}

/// Writes one table, row by row.
pub struct TableWriter {
    table: &'static Table,
    path: PathBuf,
    columns: Vec<Builder>,
    rows: usize,
    sink: Sink,
}

enum Sink {
    Parquet { writer: Box<BatchedWriter<Shared>>, file: Shared },
    Csv(Box<csv::Writer<OutputFile>>),
}

/// A second handle of the output: polars keeps its writer to itself.
#[derive(Clone)]
struct Shared(Arc<Mutex<OutputFile>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("output lost"))?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().map_err(|_| io::Error::other("output lost"))?.flush()
    }
}

impl TableWriter {
    /// Opens the output: a temporary file beside `path`, or standard output for `-`. Fails at once
    /// when `path` is a directory or its own directory is missing or cannot be written.
    ///
    /// # Errors
    /// [`TableError::Output`].
    pub fn create(
        path: &Path,
        table: &'static Table,
        metadata: &Metadata,
        format: Format,
    ) -> Result<Self, TableError> {
        let output = match path.to_str() {
            Some("-") => OutputPath::Stdout,
            _ => OutputPath::File(path.to_path_buf()),
        };
        let file = output.open()?;
        let sink = match format {
            Format::Parquet => {
                let file = Shared(Arc::new(Mutex::new(file)));
                let schema: Schema = table
                    .columns
                    .iter()
                    .map(|c| Field::new(c.name.into(), data_type(c.column_type)))
                    .collect();
                let writer = ParquetWriter::new(file.clone())
                    .with_compression(ParquetCompression::Zstd(None))
                    .set_parallel(false)
                    .with_key_value_metadata(Some(KeyValueMetadata::from_static(metadata.entries.clone())))
                    .batched(&schema)
                    .map_err(|e| polars_error(path, e))?;
                Sink::Parquet { writer: Box::new(writer), file }
            }
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(file);
                writer.write_record(table.columns.iter().map(|c| c.name)).map_err(|e| csv_error(path, e))?;
                Sink::Csv(Box::new(writer))
            }
        };
        Ok(TableWriter { table, path: path.to_path_buf(), columns: builders(table), rows: 0, sink })
    }

    /// Appends a row: every column of the schema by name, in order.
    ///
    /// # Errors
    /// [`TableError::Row`] when names, order or types are not the schema's; [`TableError::Output`].
    pub fn push(&mut self, row: &[(&str, Cell)]) -> Result<(), TableError> {
        check_names(self.table, row)?;
        self.push_cells(row.iter().map(|(_, cell)| *cell))
    }

    /// Appends a row that was kept.
    ///
    /// # Errors
    /// As [`TableWriter::push`].
    pub fn push_row(&mut self, row: &Row) -> Result<(), TableError> {
        debug_assert_eq!(row.table().name, self.table.name);
        self.push_cells((0..self.columns.len()).map(|i| row.cell(i)))
    }

    fn push_cells<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) -> Result<(), TableError> {
        for (i, cell) in cells.enumerate() {
            check_type(self.table, i, cell)?;
            self.columns[i].push(cell);
        }
        self.rows += 1;
        if self.rows == ROW_GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TableError> {
        let columns = std::mem::replace(&mut self.columns, builders(self.table));
        let rows = std::mem::take(&mut self.rows);
        match &mut self.sink {
            Sink::Parquet { writer, .. } => {
                let series = columns.into_iter().map(|c| c.finish().into_column()).collect();
                let frame = DataFrame::new(rows, series).map_err(|e| polars_error(&self.path, e))?;
                writer.write_batch(&frame).map_err(|e| polars_error(&self.path, e))
            }
            Sink::Csv(writer) => {
                let columns: Vec<Series> = columns.into_iter().map(Builder::finish).collect();
                let mut record = Vec::with_capacity(columns.len());
                for row in 0..rows {
                    record.clear();
                    for column in &columns {
                        let value = column.get(row).map_err(|e| polars_error(&self.path, e))?;
                        record.push(match value {
                            AnyValue::Null => String::new(),
                            AnyValue::String(text) => text.to_string(),
                            AnyValue::Float64(number) => format!("{number}"),
                            other => other.to_string(),
                        });
                    }
                    writer.write_record(&record).map_err(|e| csv_error(&self.path, e))?;
                }
                Ok(())
            }
        }
    }

    /// Writes what is left, and renames the file into place.
    ///
    /// # Errors
    /// [`TableError::Output`]; the file that was there before is then untouched.
    pub fn finish(mut self) -> Result<(), TableError> {
        if self.rows > 0 {
            self.flush()?;
        }
        let path = self.path;
        let lost = || OutputError::write(&path, io::Error::other("output lost"));
        let file = match self.sink {
            Sink::Parquet { writer, file } => {
                writer.finish().map_err(|e| polars_error(&path, e))?;
                drop(writer);
                Arc::into_inner(file.0).and_then(|mutex| mutex.into_inner().ok()).ok_or_else(lost)?
            }
            Sink::Csv(writer) => {
                writer.into_inner().map_err(|e| OutputError::write(&path, e.into_error()))?
            }
        };
        Ok(file.finish()?)
    }
}

/// Writes a small table whole.
///
/// # Errors
/// As [`TableWriter`].
pub fn write_table<'a, R: AsRef<[(&'a str, Cell<'a>)]>>(
    path: &Path,
    table: &'static Table,
    metadata: &Metadata,
    format: Format,
    rows: impl IntoIterator<Item = R>,
) -> Result<(), TableError> {
    let mut writer = TableWriter::create(path, table, metadata, format)?;
    for row in rows {
        writer.push(row.as_ref())?;
    }
    writer.finish()
}

/// Whether a row names the schema's columns in order.
pub(super) fn check_names(table: &'static Table, row: &[(&str, Cell)]) -> Result<(), TableError> {
    if row.len() != table.columns.len() {
        return Err(TableError::Row {
            table: table.name,
            expected: format!("{} columns", table.columns.len()),
            found: row.len().to_string(),
        });
    }
    match table.columns.iter().zip(row).find(|(column, (name, _))| column.name != *name) {
        Some((column, (name, _))) => Err(TableError::Row {
            table: table.name,
            expected: format!("column {}", column.name),
            found: (*name).to_string(),
        }),
        None => Ok(()),
    }
}

/// Whether a cell has its column's type.
pub(super) fn check_type(table: &'static Table, column: usize, cell: Cell) -> Result<(), TableError> {
    let column = &table.columns[column];
    match (column.column_type, cell) {
        (_, Cell::Null)
        | (ColumnType::Text, Cell::Text(_))
        | (ColumnType::Int, Cell::Int(_))
        | (ColumnType::Real, Cell::Real(_))
        | (ColumnType::Flag, Cell::Flag(_)) => Ok(()),
        _ => Err(TableError::Row {
            table: table.name,
            expected: format!("{} in column {}", column.column_type.name(), column.name),
            found: format!("{cell:?}"),
        }),
    }
}

fn polars_error(path: &Path, error: PolarsError) -> TableError {
    match error {
        PolarsError::IO { error, .. } => OutputError::write(path, io::Error::new(error.kind(), error)).into(),
        other => TableError::Unreadable { path: path.to_path_buf(), reason: other.to_string() },
    }
}

fn csv_error(path: &Path, error: csv::Error) -> TableError {
    let text = error.to_string();
    let source = match error.into_kind() {
        csv::ErrorKind::Io(source) => source,
        _ => io::Error::other(text),
    };
    OutputError::write(path, source).into()
}

fn data_type(column_type: ColumnType) -> DataType {
    match column_type {
        ColumnType::Text => DataType::String,
        ColumnType::Int => DataType::Int64,
        ColumnType::Real => DataType::Float64,
        ColumnType::Flag => DataType::Boolean,
    }
}

/// Column under construction.
enum Builder {
    Text(StringChunkedBuilder),
    Int(PrimitiveChunkedBuilder<Int64Type>),
    Real(PrimitiveChunkedBuilder<Float64Type>),
    Flag(BooleanChunkedBuilder),
}

fn builders(table: &Table) -> Vec<Builder> {
    let builder = |column: &super::Column| {
        let name: PlSmallStr = column.name.into();
        match column.column_type {
            ColumnType::Text => Builder::Text(StringChunkedBuilder::new(name, 0)),
            ColumnType::Int => Builder::Int(PrimitiveChunkedBuilder::new(name, 0)),
            ColumnType::Real => Builder::Real(PrimitiveChunkedBuilder::new(name, 0)),
            ColumnType::Flag => Builder::Flag(BooleanChunkedBuilder::new(name, 0)),
        }
    };
    table.columns.iter().map(builder).collect()
}

impl Builder {
    /// Appends a cell that [`check_type`] let pass.
    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Builder::Text(b), Cell::Text(text)) => b.append_value(text),
            (Builder::Text(b), _) => b.append_null(),
            (Builder::Int(b), Cell::Int(number)) => b.append_value(number),
            (Builder::Int(b), _) => b.append_null(),
            (Builder::Real(b), Cell::Real(number)) => b.append_option(number.is_finite().then_some(number)),
            (Builder::Real(b), _) => b.append_null(),
            (Builder::Flag(b), Cell::Flag(flag)) => b.append_value(flag),
            (Builder::Flag(b), _) => b.append_null(),
        }
    }

    fn finish(self) -> Series {
        match self {
            Builder::Text(b) => b.finish().into_series(),
            Builder::Int(b) => b.finish().into_series(),
            Builder::Real(b) => b.finish().into_series(),
            Builder::Flag(b) => b.finish().into_series(),
        }
    }
}
