//! A table of the page: its rows as JSON for the script, its columns explained.

use super::html::{Html, escaped, json_in_script};
use crate::error::InputError;
use crate::tables::{ColumnType, Frame, Metadata, Table, TableError};
use crate::text_table::thousands;
use serde_json::{Value, json};
use std::path::Path;

/// A table file as the page shows it.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// Which table it is.
    pub table: &'static Table,
    /// Rows of the file.
    pub total: usize,
    /// What its footer says.
    pub metadata: Metadata,
    /// BLAKE3 of the file.
    pub blake3: String,
    /// Indices of the columns that hold anything.
    columns: Vec<usize>,
    /// The first rows, over those columns.
    rows: Vec<Vec<Value>>,
}

impl Embedded {
    /// Reads the first `most` rows of a file.
    ///
    /// # Errors
    /// A file that is no such table, or cannot be read.
    pub fn read(path: &Path, table: &'static Table, most: usize) -> Result<Self, TableError> {
        let frame = Frame::read_first(path, table, most)?;
        let mut cells: Vec<Vec<Value>> = Vec::with_capacity(table.columns.len());
        for column in table.columns {
            cells.push(match column.column_type {
                ColumnType::Text => frame.text(column.name)?.into_iter().map(|cell| json!(cell)).collect(),
                ColumnType::Int => frame.int(column.name)?.into_iter().map(|cell| json!(cell)).collect(),
                ColumnType::Real => frame.real(column.name)?.into_iter().map(|cell| json!(cell)).collect(),
                ColumnType::Flag => frame.flag(column.name)?.into_iter().map(|cell| json!(cell)).collect(),
            });
        }
        let holds = |column: &usize| cells[*column].iter().any(|cell| !cell.is_null());
        let columns: Vec<usize> = (0..table.columns.len()).filter(holds).collect();
        let row = |row: usize| columns.iter().map(|&column| cells[column][row].clone()).collect();
        let rows = (0..frame.rows()).map(row).collect();
        let mut hasher = blake3::Hasher::new();
        let unreadable = |source| TableError::Read { path: path.to_path_buf(), source };
        hasher.update_reader(std::fs::File::open(path).map_err(unreadable)?).map_err(unreadable)?;
        Ok(Embedded {
            table,
            total: frame.total_rows(),
            metadata: frame.metadata().clone(),
            blake3: hasher.finalize().to_hex().to_string(),
            columns,
            rows,
        })
    }

    /// What the page does not carry, if anything.
    pub fn left_out(&self) -> Option<String> {
        (self.rows.len() < self.total).then(|| {
            format!(
                "This page carries the first {} of {} rows; all are in {}.parquet.",
                thousands(self.rows.len() as u64),
                thousands(self.total as u64),
                self.table.name
            )
        })
    }

    /// Writes it under a heading.
    pub(super) fn write(&self, page: &mut Html, id: &str) {
        page.element("h4", &format!("id=\"{id}\""), self.table.name);
        page.element("p", "class=\"hint\"", &format!("One row per {}.", self.table.grain));
        if let Some(left_out) = self.left_out() {
            page.element("p", "class=\"note\"", &left_out);
        }
        if self.total == 0 {
            page.element("p", "", "It has no rows.");
            return;
        }
        page.raw(&format!(
            "<div data-table=\"{id}-data\" data-name=\"{}\"></div>\n",
            escaped(self.table.name)
        ));
        let columns: Vec<Value> = (self.columns.iter().map(|&index| &self.table.columns[index]))
            .map(|column| {
                let number = matches!(column.column_type, ColumnType::Int | ColumnType::Real);
                json!({ "name": column.name, "unit": column.unit, "number": number })
            })
            .collect();
        let data = json!({ "columns": columns, "rows": self.rows, "total": self.total });
        page.raw(&format!(
            "<script type=\"application/json\" id=\"{id}-data\">{}</script>\n",
            json_in_script(&data.to_string())
        ));
        page.raw("<details><summary>What the columns mean</summary>\n<dl>\n");
        for &index in &self.columns {
            let column = &self.table.columns[index];
            let unit = if column.unit.is_empty() { String::new() } else { format!(" ({})", column.unit) };
            page.element("dt", "", &format!("{}{unit}", column.name));
            page.element("dd", "", column.doc);
        }
        page.raw("</dl>\n");
        let empty: Vec<&str> = (0..self.table.columns.len())
            .filter(|index| !self.columns.contains(index))
            .map(|index| self.table.columns[index].name)
            .collect();
        if !empty.is_empty() {
            let what = if self.rows.len() < self.total { "in these rows" } else { "here" };
            page.element(
                "p",
                "class=\"hint\"",
                &format!("Without a value {what}, and left out: {}.", empty.join(", ")),
            );
        }
        page.raw("</details>\n");
    }
}

/// The table that a file of this name holds.
///
/// # Errors
/// A name that is none of the schema's.
pub(super) fn of_file(path: &Path) -> Result<&'static Table, InputError> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let known = crate::tables::schema::TABLES.iter().find(|table| table.name == stem);
    known.copied().ok_or_else(|| {
        InputError::whole(path.display(), "is none of the tables that results/SCHEMA.md describes")
    })
}
