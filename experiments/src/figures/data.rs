//! The numbers of a figure: a small table, kept as the CSV file that stands beside the figure. A figure
//! is drawn from this alone, so what the file says is what the figure shows.

use super::FigureError;

/// A table of text cells; empty ones are nulls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

/// A cell in the making.
pub struct Value(String);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value(text.to_string())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value(text)
    }
}

impl From<f64> for Value {
    /// In the shortest form that reads back exactly; null where it is not finite.
    fn from(number: f64) -> Self {
        Value(if number.is_finite() { number.to_string() } else { String::new() })
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value(number.to_string())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value(flag.to_string())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value(String::new()), Into::into)
    }
}

impl Data {
    /// A table without rows.
    pub fn new(columns: &'static [&'static str]) -> Self {
        Data { columns, rows: Vec::new() }
    }

    /// Appends a row, one cell per column.
    pub fn push<const N: usize>(&mut self, row: [Value; N]) {
        debug_assert_eq!(N, self.columns.len());
        self.rows.push(row.into_iter().map(|value| value.0).collect());
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// As a CSV file.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &str| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.to_string()
            }
        };
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            text += &row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }

    /// Back from a CSV file; `None` when its header is not that of this table.
    ///
    /// # Errors
    /// A file with this header that is damaged.
    pub fn from_csv(
        file: &str,
        text: &str,
        columns: &'static [&'static str],
    ) -> Result<Option<Self>, FigureError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let damaged =
            |e: csv::Error| FigureError::data(file, format_args!("{e}; make it anew from the tables"));
        if !reader.headers().map_err(damaged)?.iter().eq(columns.iter().copied()) {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.map_err(damaged)?.iter().map(str::to_string).collect());
        }
        Ok(Some(Data { columns, rows }))
    }

    fn column(&self, name: &str) -> usize {
        debug_assert!(self.columns.contains(&name), "{name}");
        self.columns.iter().position(|column| *column == name).unwrap_or_default()
    }

    /// The text of a cell.
    pub fn text(&self, row: usize, column: &str) -> &str {
        &self.rows[row][self.column(column)]
    }

    /// The number of a cell; `None` for nulls.
    pub fn number(&self, row: usize, column: &str) -> Option<f64> {
        self.text(row, column).parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The flag of a cell; nulls are false.
    pub fn flag(&self, row: usize, column: &str) -> bool {
        self.text(row, column) == "true"
    }

    /// All numbers of a column, without nulls.
    pub fn numbers(&self, column: &str) -> Vec<f64> {
        (0..self.rows()).filter_map(|row| self.number(row, column)).collect()
    }

    /// Distinct texts of a column in the order of their first rows.
    pub fn distinct(&self, column: &str) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for row in 0..self.rows() {
            let text = self.text(row, column);
            if known.insert(text) {
                seen.push(text.to_string());
            }
        }
        seen
    }

    /// Rows whose cells have these texts.
    pub fn matching(&self, cells: &[(&str, &str)]) -> Vec<usize> {
        let cells: Vec<(usize, &str)> = cells.iter().map(|(name, text)| (self.column(name), *text)).collect();
        (0..self.rows())
            .filter(|&row| cells.iter().all(|&(column, text)| self.rows[row][column] == text))
            .collect()
    }

    /// The pairs of two columns of these rows that are both known.
    pub fn pairs(&self, rows: &[usize], x: &str, y: &str) -> Vec<(f64, f64)> {
        rows.iter().filter_map(|&row| Some((self.number(row, x)?, self.number(row, y)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        const COLUMNS: &[&str] = &["name", "x", "y"];
        let mut data = Data::new(COLUMNS);
        data.push(["a, \"b\"".into(), (0.1 + 0.2).into(), f64::NAN.into()]);
        data.push(["c".into(), Option::<f64>::None.into(), (-1e-300).into()]);
        let back = Data::from_csv("f", &data.to_csv(), COLUMNS).unwrap().unwrap();
        assert_eq!(back, data);
        assert_eq!(back.number(0, "x"), Some(0.1 + 0.2));
        assert_eq!((back.number(0, "y"), back.number(1, "x")), (None, None));
        assert_eq!(back.text(0, "name"), "a, \"b\"");
        assert_eq!(Data::from_csv("f", "a,b\n1,2\n", COLUMNS).unwrap(), None);
        assert!(Data::from_csv("f", "name,x,y\n1,2\n", COLUMNS).is_err());
    }
}
