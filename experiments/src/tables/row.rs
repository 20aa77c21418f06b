//! A row that outlives the data it was made of: what finished units of a study are kept as.

use super::schema::{ColumnType, Table};
use super::writer::{check_names, check_type};
use super::{Cell, TableError};
use serde_json::Value;

/// A cell as it is held.
fn kept(cell: Cell) -> Option<String> {
    match cell {
        Cell::Null => None,
        Cell::Text(text) => Some(text.to_string()),
        Cell::Int(number) => Some(number.to_string()),
        Cell::Real(number) => number.is_finite().then(|| number.to_string()),
        Cell::Flag(flag) => Some(flag.to_string()),
    }
}

/// One row of a table. Values are held as text, reals in the shortest form that reads back exactly,
/// so that a row is the same after any number of trips through a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    table: &'static Table,
    cells: Vec<Option<String>>,
}

impl Row {
    /// A row: every column of the schema by name, in order.
    ///
    /// # Errors
    /// When names, order or types are not the schema's.
    pub fn new(table: &'static Table, row: &[(&str, Cell)]) -> Result<Self, TableError> {
        check_names(table, row)?;
        let mut cells = Vec::with_capacity(row.len());
        for (i, (_, cell)) in row.iter().enumerate() {
            check_type(table, i, *cell)?;
            cells.push(kept(*cell));
        }
        Ok(Row { table, cells })
    }

    /// Replaces the value in the column of this name; nothing when there is none.
    pub fn set(&mut self, name: &str, cell: Cell) {
        if let Some(index) = self.table.columns.iter().position(|c| c.name == name) {
            self.cells[index] = kept(cell);
        }
    }

    /// The table that it belongs to.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The value in column `index`.
    pub fn cell(&self, index: usize) -> Cell<'_> {
        let Some(text) = &self.cells[index] else { return Cell::Null };
        match self.table.columns[index].column_type {
            ColumnType::Text => Cell::Text(text),
            ColumnType::Int => text.parse().map_or(Cell::Null, Cell::Int),
            ColumnType::Real => text.parse().map_or(Cell::Null, Cell::Real),
            ColumnType::Flag => text.parse().map_or(Cell::Null, Cell::Flag),
        }
    }

    /// The value in the column of this name; null when there is none.
    pub fn get(&self, name: &str) -> Cell<'_> {
        self.table.columns.iter().position(|c| c.name == name).map_or(Cell::Null, |i| self.cell(i))
    }

    /// As JSON: a list of texts and nulls.
    pub fn to_json(&self) -> Value {
        self.cells.iter().cloned().map(|cell| cell.map_or(Value::Null, Value::String)).collect()
    }

    /// Back from [`Row::to_json`]; `None` when it is no row of the table.
    pub fn from_json(table: &'static Table, value: &Value) -> Option<Self> {
        let list = value.as_array().filter(|list| list.len() == table.columns.len())?;
        let cells = list.iter().map(|cell| cell.as_str().map(str::to_string)).collect();
        Some(Row { table, cells })
    }
}
