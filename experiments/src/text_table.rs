//! Plain tables for terminals: columns as wide as they need to be, numbers to the right.

use std::fmt::Write;

/// How a cell is shown where colour is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As it is.
    #[default]
    Plain,
    /// Headings.
    Bold,
    /// Of little interest.
    Dim,
    /// Worth a look.
    Yellow,
    /// Wrong.
    Red,
}

impl Style {
    /// `text` in this style, or as it is when `colour` is off.
    pub fn paint(self, text: &str, colour: bool) -> String {
        let code = match self {
            Style::Plain => return text.to_string(),
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Yellow => "33",
            Style::Red => "31",
        };
        if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A cell: its text and style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell(String, Style);

impl Cell {
    /// A cell in a style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Cell(text.into(), style)
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell(text.into(), Style::Plain)
    }
}

/// A table in the making. A heading that begins with `<` makes a column of text, to the left.
#[derive(Debug, Clone)]
pub struct TextTable {
    headings: Vec<String>,
    left: Vec<bool>,
    rows: Vec<Vec<Cell>>,
}

impl TextTable {
    /// A table with these columns.
    pub fn new<S: AsRef<str>>(headings: impl IntoIterator<Item = S>) -> Self {
        let headings: Vec<String> =
            headings.into_iter().map(|heading| heading.as_ref().to_string()).collect();
        TextTable {
            left: headings.iter().map(|heading| heading.starts_with('<')).collect(),
            headings: headings.iter().map(|heading| heading.trim_start_matches('<').to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table, two spaces from the margin and between columns.
    pub fn render(&self, colour: bool) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.0.chars().count());
            cells.chain([self.headings[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        let mut text = String::new();
        let heading: Vec<Cell> = self.headings.iter().map(|h| Cell::new(h, Style::Bold)).collect();
        for row in [&heading].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, Cell(cell, style)) in row.iter().enumerate() {
                let padding = " ".repeat(widths[column] - cell.chars().count());
                let painted = style.paint(cell, colour);
                line += &if self.left[column] {
                    format!("  {painted}{padding}")
                } else {
                    format!("  {padding}{painted}")
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// A whole number with thousands apart: 1,024.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

/// A number with at most `decimals` decimals, without trailing zeros.
pub fn short(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_trailing_space() {
        let mut table = TextTable::new(["<name", "value", "<status"]);
        table.row(vec!["a".into(), "1.5".into(), "ok".into()]);
        table.row(vec!["longer".into(), "10".into(), "".into()]);
        assert_eq!(table.render(false), "  name    value  status\n  a         1.5  ok\n  longer     10\n");
        assert!(table.render(true).contains("\x1b[1mname\x1b[0m"));
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            (thousands(7), thousands(1024), thousands(1_234_567)),
            ("7".into(), "1,024".into(), "1,234,567".into())
        );
        assert_eq!(duration(0.000_412), "412 us");
        assert_eq!(duration(0.0124), "12.4 ms");
        assert_eq!(duration(2.5), "2.50 s");
        assert_eq!(
            (short(24.0, 3), short(62.5, 3), short(100.0, 0)),
            ("24".into(), "62.5".into(), "100".into())
        );
    }
}
