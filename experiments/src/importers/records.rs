//! Lines to records: a quoted field may hold line breaks.

use super::input::{LONGEST_LINE, Line, Lines};
use super::record::split;
use super::report::Reason;
use std::collections::VecDeque;
use std::io::{self, BufRead};

/// Most lines of one record. With [`LONGEST_LINE`] it bounds what is read ahead for the end of a quote.
pub const MOST_LINES: usize = 1000;

/// A line that was read, or why it is none.
type Read = Result<String, Reason>;

/// The line that a record begins on, and its fields or why it has none.
pub type Found<'a> = (u64, Result<&'a [String], Reason>);

/// Records of a file of delimited text. Blank lines and comments are left out.
///
/// A line that ends inside a quoted field goes on with the next one; the breaks inside become LF. Where
/// the quote does not end, or text follows its end, or the record would pass [`MOST_LINES`] or
/// [`LONGEST_LINE`], the first line alone is a reject and reading goes on with the line below it: a stray
/// quote costs one row, not the rest of the file.
pub struct Records {
    lines: Lines,
    /// `None`: blanks, no quotes, with `;` before comments.
    delimiter: Option<char>,
    /// Lines read ahead in search of the end of a quote, with their numbers.
    ahead: VecDeque<(u64, Read)>,
    fields: Vec<String>,
}

impl Records {
    /// Records of `source`.
    pub fn new(source: Box<dyn BufRead>, delimiter: Option<char>) -> Self {
        Records { lines: Lines::new(source), delimiter, ahead: VecDeque::new(), fields: Vec::new() }
    }

    /// Number of the line that is read next, from 1: where an error of the reader stands.
    pub fn line(&self) -> u64 {
        self.lines.number() + 1
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// The reader's, such as a truncated gzip stream.
    pub fn next_record(&mut self) -> io::Result<Option<Found<'_>>> {
        loop {
            let ahead;
            let (number, text) = match self.ahead.pop_front() {
                Some((number, Ok(text))) => {
                    ahead = text;
                    (number, ahead.as_str())
                }
                Some((number, Err(reason))) => return Ok(Some((number, Err(reason)))),
                None => {
                    let number = self.line();
                    match self.lines.next_line()?.map(usable) {
                        None => return Ok(None),
                        Some(Ok(text)) => (number, text),
                        Some(Err(reason)) => return Ok(Some((number, Err(reason)))),
                    }
                }
            };
            if text.trim().is_empty() || (self.delimiter.is_none() && text.trim_start().starts_with(';')) {
                continue;
            }
            let count = match self.delimiter {
                None => {
                    self.fields.clear();
                    self.fields.extend(text.split_ascii_whitespace().map(str::to_string));
                    Ok(self.fields.len())
                }
                Some(delimiter) => match split(text, delimiter, &mut self.fields) {
                    Ok(count) => Ok(count),
                    Err(reason) => {
                        let first = text.to_string();
                        match self.joined(first, delimiter)? {
                            Some(record) => split(&record, delimiter, &mut self.fields),
                            None => Err(reason),
                        }
                    }
                },
            };
            return Ok(Some((number, count.map(|count| &self.fields[..count]))));
        }
    }

    /// The record that begins with the line `first`, whose last quote is open, and takes the lines that
    /// belong to it; `None`, with every line still ahead, when there is no such record.
    fn joined(&mut self, first: String, delimiter: char) -> io::Result<Option<String>> {
        let mut quotes = Quotes::default();
        quotes.read(&first, delimiter);
        let mut record = first;
        for taken in 0..MOST_LINES - 1 {
            if taken == self.ahead.len() {
                let number = self.line();
                match self.lines.next_line()?.map(usable) {
                    None => return Ok(None),
                    Some(line) => self.ahead.push_back((number, line.map(str::to_string))),
                }
            }
            let Some((_, Ok(line))) = self.ahead.get(taken) else { return Ok(None) };
            if record.len() + 1 + line.len() > LONGEST_LINE {
                return Ok(None);
            }
            quotes.read(line, delimiter);
            if quotes.text_behind_end {
                return Ok(None);
            }
            record.push('\n');
            record.push_str(line);
            if quotes.place != Place::Quoted {
                self.ahead.drain(..=taken);
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}

/// A line as text, or what is wrong with it.
fn usable(line: Line<'_>) -> Result<&str, Reason> {
    match line {
        Line::Text(text) => Ok(text),
        Line::TooLong => Err(Reason::new("line", "is longer than 1 MiB")),
        Line::NotText => Err(Reason::new("line", "is not UTF-8 text")),
    }
}

/// Where in a record the reading stands, character by character.
#[derive(Default)]
struct Quotes {
    place: Place,
    /// A quote ended and something other than a delimiter followed.
    text_behind_end: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    FieldBegin,
    Plain,
    Quoted,
    /// Behind a quote inside quotes: the end of the field, or the first of a doubled one.
    QuoteSeen,
}

impl Quotes {
    fn read(&mut self, line: &str, delimiter: char) {
        for character in line.chars() {
            self.place = match (self.place, character) {
                (Place::FieldBegin, '"') | (Place::QuoteSeen, '"') => Place::Quoted,
                (Place::Quoted, '"') => Place::QuoteSeen,
                (Place::Quoted, _) => Place::Quoted,
                (_, c) if c == delimiter => Place::FieldBegin,
                (Place::QuoteSeen, _) => {
                    self.text_behind_end = true;
                    Place::Plain
                }
                _ => Place::Plain,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::decompressed;
    use super::*;
    use proptest::prelude::*;

    /// Records with the lines that they begin on; a reject as its reason.
    fn records(bytes: impl Into<Vec<u8>>) -> Vec<(u64, Result<Vec<String>, String>)> {
        let source = decompressed(io::Cursor::new(bytes.into())).unwrap();
        let mut records = Records::new(source, Some(','));
        let mut all = Vec::new();
        while let Some((line, fields)) = records.next_record().unwrap() {
            all.push((line, fields.map(<[String]>::to_vec).map_err(|reason| reason.to_string())));
        }
        all
    }

    fn row(line: u64, fields: &[&str]) -> (u64, Result<Vec<String>, String>) {
        (line, Ok(fields.iter().map(ToString::to_string).collect()))
    }

    fn no_end(line: u64) -> (u64, Result<Vec<String>, String>) {
        (line, Err("line has a quote without end".into()))
    }

    #[test]
    fn a_quoted_field_may_hold_line_breaks() {
        assert_eq!(
            records("a,\"b\nc\",d\n\n\"e\r\n\r\n\"\"f\"\"\",\"g\"\nh\n"),
            [row(1, &["a", "b\nc", "d"]), row(4, &["e\n\n\"f\"", "g"]), row(7, &["h"])]
        );
    }

    #[test]
    fn a_stray_quote_costs_its_own_line() {
        assert_eq!(records("a,\"b\nc,d\n\ne,f"), [no_end(1), row(2, &["c", "d"]), row(4, &["e", "f"])]);
        // Text behind the end: no record over two lines, and the second line has a stray quote of its own.
        assert_eq!(records("\"a,b\n\"c,d\ne\n"), [no_end(1), no_end(2), row(3, &["e"])]);
        let mut bytes = b"\"a\nb\n".to_vec();
        bytes.extend_from_slice(b"\xff\"\nc\n");
        let not_text = (3, Err("line is not UTF-8 text".into()));
        assert_eq!(records(bytes), [no_end(1), row(2, &["b"]), not_text, row(4, &["c"])]);
    }

    #[test]
    fn the_search_for_an_end_is_bounded() {
        let over = |lines: usize| format!("\"a\n{}z\"\nlast", "b\n".repeat(lines - 2));
        assert_eq!(records(over(MOST_LINES)).len(), 2);
        let beyond = records(over(MOST_LINES + 1));
        assert_eq!((beyond.len(), &beyond[0]), (MOST_LINES + 2, &no_end(1)));
        let long = format!("\"{0}\n{0}\"\nlast", "x".repeat(LONGEST_LINE / 2));
        assert_eq!(records(long).len(), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// What another writer of CSV writes is read back.
        #[test]
        fn records_of_the_csv_crate_are_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a\", \n]{0,6}", 2..4), 1..6),
            blank in "[xy]",
        ) {
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
            let mut expected = Vec::new();
            for mut fields in rows {
                // A line of blanks alone is no record here.
                fields.push(blank.clone());
                writer.write_record(&fields).unwrap();
                expected.push(Ok(fields));
            }
            let found: Vec<_> =
                records(writer.into_inner().unwrap()).into_iter().map(|(_, fields)| fields).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
