//! Reads the text of a PDF the way a viewer selects it: through the fonts' maps to Unicode.

use std::collections::BTreeMap;
use std::io::Read;

/// What of a PDF the tests ask for.
pub struct Pdf {
    /// All text in drawing order, without white space.
    pub text: String,
    /// Whether a font program is in the file.
    pub embedded_font: bool,
}

impl Pdf {
    pub fn read(bytes: &[u8]) -> Self {
        let streams: Vec<String> = streams(bytes);
        let mut letters = BTreeMap::new();
        for map in streams.iter().filter(|stream| stream.contains("begincmap")) {
            read_map(map, &mut letters);
        }
        let page = streams.iter().find(|stream| stream.contains("BT") && stream.contains("Tj")).unwrap();
        let mut text = String::new();
        for code in codes(page) {
            text.extend(letters.get(&code).into_iter().flat_map(|s: &String| s.chars()));
        }
        text.retain(|c| !c.is_whitespace());
        let file = String::from_utf8_lossy(bytes);
        Pdf { text, embedded_font: file.contains("/FontFile2") || file.contains("/FontFile3") }
    }
}

/// Decompressed streams, one char per byte.
fn streams(bytes: &[u8]) -> Vec<String> {
    let find = |from: usize, what: &[u8]| {
        bytes[from..].windows(what.len()).position(|window| window == what).map(|at| from + at)
    };
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(start) = find(from, b"\nstream\n").or_else(|| find(from, b">>stream\n")) {
        let start = start + 8;
        let Some(end) = find(start, b"endstream") else { break };
        let mut text = Vec::new();
        if flate2::read::ZlibDecoder::new(&bytes[start..end]).read_to_end(&mut text).is_ok() {
            all.push(text.into_iter().map(char::from).collect());
        }
        from = end + 9;
    }
    all
}

/// `<0001> <0041>` of bfchar, `<0001> <0003> <0041>` of bfrange.
fn read_map(map: &str, letters: &mut BTreeMap<u16, String>) {
    let hex = |text: &str| -> Vec<u16> {
        let digits = text.trim_matches(['<', '>']);
        (0..digits.len() / 4).map(|i| u16::from_str_radix(&digits[4 * i..4 * i + 4], 16).unwrap()).collect()
    };
    for (start, end, range) in [("beginbfchar", "endbfchar", false), ("beginbfrange", "endbfrange", true)] {
        for block in map.split(start).skip(1) {
            for line in block.split(end).next().unwrap().lines() {
                let cells: Vec<Vec<u16>> =
                    line.split_whitespace().filter(|cell| cell.starts_with('<')).map(hex).collect();
                match (&cells[..], range) {
                    ([code, letter], false) => {
                        letters.insert(code[0], String::from_utf16(letter).unwrap());
                    }
                    ([first, last, letter], true) => {
                        for code in first[0]..=last[0] {
                            let unit = [letter[0] + code - first[0]];
                            letters.insert(code, String::from_utf16(&unit).unwrap());
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Two-byte codes of all strings `(...)` within BT and ET.
fn codes(page: &str) -> Vec<u16> {
    let mut bytes = Vec::new();
    for block in page.split("BT").skip(1) {
        let block = block.split("\nET").next().unwrap();
        let mut chars = block.chars().peekable();
        let mut inside = false;
        while let Some(c) = chars.next() {
            match c {
                '(' if !inside => inside = true,
                ')' if inside => inside = false,
                '\\' if inside => {
                    let mut octal = String::new();
                    while octal.len() < 3 && chars.peek().is_some_and(|c| c.is_digit(8)) {
                        octal.extend(chars.next());
                    }
                    bytes.push(match u8::from_str_radix(&octal, 8) {
                        Ok(byte) => byte,
                        Err(_) => match chars.next() {
                            Some('n') => b'\n',
                            Some('r') => b'\r',
                            Some('t') => b'\t',
                            Some('b') => 8,
                            Some('f') => 12,
                            Some(other) => other as u8,
                            None => break,
                        },
                    });
                }
                c if inside => bytes.push(c as u8),
                _ => {}
            }
        }
    }
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}
