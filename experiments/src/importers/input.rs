//! Bytes to lines: decompression, byte-order mark, any line ends, and a limit on how long a line may
//! be, so that memory is bounded whatever the file holds.

use crate::error::InputError;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Longest line (or JSON element) that is read; a longer one is a counted reject.
pub const LONGEST_LINE: usize = 1 << 20;

/// Opens a file as plain text: gzip and zstd are recognised by their first bytes, a byte-order mark
/// is left out.
///
/// # Errors
/// A file that cannot be opened or read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, InputError> {
    let file = File::open(path).map_err(|e| InputError::read(path.display(), e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(InputError::whole(path.display(), "is a directory; give a file"));
    }
    decompressed(BufReader::with_capacity(1 << 16, file)).map_err(|e| InputError::read(path.display(), e))
}

/// [`open`] for bytes from anywhere.
///
/// # Errors
/// The reader's.
pub fn decompressed(mut source: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    let start = source.fill_buf()?;
    let mut text: Box<dyn BufRead> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(1 << 16, flate2::bufread::MultiGzDecoder::new(source)))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(BufReader::with_capacity(1 << 16, zstd::stream::read::Decoder::with_buffer(source)?))
    } else {
        Box::new(source)
    };
    // A decompressor may hand out fewer than three bytes at first: then the mark is taken from a chain.
    let mut mark = Vec::with_capacity(3);
    text.by_ref().take(3).read_to_end(&mut mark)?;
    if mark == [0xef, 0xbb, 0xbf] {
        mark.clear();
    }
    Ok(Box::new(io::Cursor::new(mark).chain(text)))
}

/// What stands on a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Text without its line end.
    Text(&'a str),
    /// Longer than [`LONGEST_LINE`]; read over.
    TooLong,
    /// Not UTF-8.
    NotText,
}

/// Lines that end in LF, CR LF or CR, in any mixture.
pub struct Lines {
    source: Box<dyn BufRead>,
    buffer: Vec<u8>,
    number: u64,
    /// The line before ended in CR: a LF that follows belongs to it.
    after_cr: bool,
}

impl Lines {
    /// Lines of `source`.
    pub fn new(source: Box<dyn BufRead>) -> Self {
        Lines { source, buffer: Vec::new(), number: 0, after_cr: false }
    }

    /// Number of the line read last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// The reader's, such as a truncated gzip stream.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut too_long = false;
        let mut any = false;
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                if !any {
                    return Ok(None);
                }
                break;
            }
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                self.source.consume(1);
                continue;
            }
            any = true;
            let end = chunk.iter().position(|&b| b == b'\n' || b == b'\r');
            let content = &chunk[..end.unwrap_or(chunk.len())];
            if self.buffer.len() + content.len() > LONGEST_LINE {
                too_long = true;
            } else if !too_long {
                self.buffer.extend_from_slice(content);
            }
            let used = match end {
                Some(end) => {
                    self.after_cr = chunk[end] == b'\r';
                    end + 1
                }
                None => content.len(),
            };
            self.source.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if too_long {
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(std::str::from_utf8(&self.buffer).map_or(Line::NotText, Line::Text)))
    }
}

/// The elements of one top-level JSON array, one at a time: a file of any length is read in the memory
/// of its largest element.
pub struct Elements {
    source: Box<dyn BufRead>,
    buffer: Vec<u8>,
    line: u64,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Inside,
    After,
}

/// One element of an array.
#[derive(Debug, PartialEq, Eq)]
pub enum Element<'a> {
    /// Its bytes; not yet parsed.
    Json(&'a [u8]),
    /// Longer than [`LONGEST_LINE`]; read over.
    TooLong,
}

/// Why the elements end before the array does.
#[derive(Debug)]
pub enum ElementsError {
    /// The reader's error, such as a truncated gzip stream.
    Io(io::Error),
    /// Not an array, or not ended.
    Shape(&'static str),
}

impl Elements {
    /// Elements of the array in `source`.
    pub fn new(source: Box<dyn BufRead>) -> Self {
        Elements { source, buffer: Vec::new(), line: 1, place: Place::Before }
    }

    /// Line that the reader has come to, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next element and the line that it starts on; `None` at the end of the array.
    ///
    /// # Errors
    /// No array, an array without end, text behind it, or the reader's error.
    pub fn next_element(&mut self) -> Result<Option<(u64, Element<'_>)>, ElementsError> {
        self.buffer.clear();
        let (mut depth, mut in_string, mut escaped, mut too_long) = (0u64, false, false, false);
        let mut start = None;
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(ElementsError::Io(e)),
            };
            if chunk.is_empty() {
                return match self.place {
                    Place::After => Ok(None),
                    Place::Before => Err(ElementsError::Shape("is no JSON list of jobs")),
                    Place::Inside => Err(ElementsError::Shape("ends in the middle of the list")),
                };
            }
            let mut used = 0;
            let mut ended = false;
            for &byte in chunk {
                used += 1;
                if byte == b'\n' {
                    self.line += 1;
                }
                if self.place != Place::Inside {
                    match byte {
                        b'[' if self.place == Place::Before => self.place = Place::Inside,
                        _ if byte.is_ascii_whitespace() => {}
                        _ if self.place == Place::After => {
                            return Err(ElementsError::Shape("has text behind the end of the list"));
                        }
                        _ => return Err(ElementsError::Shape("is no JSON list of jobs")),
                    }
                    continue;
                }
                if !in_string && depth == 0 && (byte == b',' || byte == b']') {
                    if byte == b']' {
                        self.place = Place::After;
                    }
                    if start.is_some() {
                        ended = true;
                        break;
                    }
                    continue;
                }
                if start.is_none() && byte.is_ascii_whitespace() {
                    continue;
                }
                start.get_or_insert(self.line);
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_string => escaped = true,
                    b'"' => in_string = !in_string,
                    b'{' | b'[' if !in_string => depth += 1,
                    b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if self.buffer.len() == LONGEST_LINE {
                    too_long = true;
                } else {
                    self.buffer.push(byte);
                }
            }
            self.source.consume(used);
            if let (true, Some(line)) = (ended, start) {
                let element = if too_long { Element::TooLong } else { Element::Json(&self.buffer) };
                return Ok(Some((line, element)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(decompressed(io::Cursor::new(bytes.to_vec())).unwrap());
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push(match line {
                Line::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            });
        }
        all
    }

    #[test]
    fn line_ends_of_every_kind_and_a_byte_order_mark() {
        assert_eq!(lines(b"\xef\xbb\xbfa\nb\r\nc\rd\n\ne"), ["a", "b", "c", "d", "", "e"]);
        assert_eq!(lines(b"a\r"), ["a"]);
        assert_eq!(lines(b"a"), ["a"]);
        assert!(lines(b"").is_empty());
        assert_eq!(lines(b"a\n\xff\nb"), ["a", "NotText", "b"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_read_over() {
        let mut bytes = vec![b'x'; 3 * LONGEST_LINE];
        bytes.extend_from_slice(b"\nnext");
        assert_eq!(lines(&bytes), ["TooLong", "next"]);
        assert_eq!(lines(&vec![b'x'; LONGEST_LINE])[0].len(), LONGEST_LINE);
    }

    #[test]
    fn gzip_and_zstd_are_read_and_a_truncated_gzip_is_an_error() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(b"one\ntwo\n").unwrap();
        let gzip = gzip.finish().unwrap();
        assert_eq!(lines(&gzip), ["one", "two"]);
        assert_eq!(lines(&[gzip.clone(), gzip.clone()].concat()), ["one", "two", "one", "two"]);
        assert_eq!(lines(&zstd::encode_all(&b"one\ntwo\n"[..], 3).unwrap()), ["one", "two"]);
        for length in 3..gzip.len() {
            let source = decompressed(io::Cursor::new(gzip[..length].to_vec()));
            let outcome = source.and_then(|s| {
                let mut lines = Lines::new(s);
                while lines.next_line()?.is_some() {}
                Ok(())
            });
            assert!(outcome.is_err(), "{length} of {} bytes", gzip.len());
        }
    }

    fn elements(text: &str) -> Result<Vec<(u64, String)>, &'static str> {
        let mut elements = Elements::new(Box::new(io::Cursor::new(text.as_bytes().to_vec())));
        let mut all = Vec::new();
        loop {
            match elements.next_element() {
                Ok(Some((line, Element::Json(json)))) => {
                    all.push((line, String::from_utf8_lossy(json).trim().to_string()));
                }
                Ok(Some((line, Element::TooLong))) => all.push((line, "too long".into())),
                Ok(None) => return Ok(all),
                Err(ElementsError::Shape(what)) => return Err(what),
                Err(ElementsError::Io(e)) => panic!("{e}"),
            }
        }
    }

    #[test]
    fn elements_of_a_list_with_their_lines() {
        let text = "[\n{\"a\": \"}],\\\"\"},\n {\"b\": [1, {}]}\n, 3]\n";
        let expected =
            [(2, "{\"a\": \"}],\\\"\"}".to_string()), (3, "{\"b\": [1, {}]}".into()), (4, "3".into())];
        assert_eq!(elements(text).unwrap(), expected);
        assert_eq!(elements("[]").unwrap(), []);
        assert!(elements("{}").is_err() && elements("").is_err() && elements("[1").is_err());
        assert!(elements("[1] 2").is_err());
        let long = format!("[\"{}\", 1]", "x".repeat(2 * LONGEST_LINE));
        assert_eq!(elements(&long).unwrap(), [(1, "too long".to_string()), (1, "1".into())]);
    }
}
