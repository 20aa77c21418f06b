//! Reading JSON and TOML, so that whatever is wrong becomes one line with file, place and mend.

use crate::error::{InputError, Place, suggestion};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// TOML.
    Toml,
}

impl Format {
    /// By the name's ending where there is one, else by the look of the text.
    pub fn of(file: &str, text: &str) -> Self {
        match Path::new(file).extension().and_then(|e| e.to_str()) {
            Some("toml") => Format::Toml,
            Some("json") => Format::Json,
            _ if text.trim_start().starts_with('{') => Format::Json,
            _ => Format::Toml,
        }
    }
}

/// The text of a file, or of standard input for `-`.
///
/// # Errors
/// The file cannot be read, or is no UTF-8 text.
pub fn read_text(file: &str) -> Result<String, InputError> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().read_to_end(&mut bytes).map(drop)
    } else {
        std::fs::read(file).map(|content| bytes = content)
    };
    read.map_err(|source| InputError::read(file, source))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        InputError::whole(
            file,
            format!("is no UTF-8 text (byte {}); save it as UTF-8", e.utf8_error().valid_up_to()),
        )
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    })
}

/// The root of a file, with its schema.
pub trait Document: DeserializeOwned {
    /// What the key `schema` must say.
    const SCHEMA: &'static str;
    /// What it says.
    fn schema(&self) -> &str;
}

/// Reads a document.
///
/// # Errors
/// Wrong syntax, another schema, unknown or missing keys, values of the wrong kind.
pub fn parse<T: Document>(file: &str, text: &str) -> Result<T, InputError> {
    if text.trim().is_empty() {
        return Err(InputError::whole(
            file,
            format!("is empty; a file of schema {:?} is needed here", T::SCHEMA),
        ));
    }
    let format = Format::of(file, text);
    let read: Option<T> = match format {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Toml => toml::from_str(text).ok(),
    };
    if let Some(document) = read {
        check_schema::<T>(file, document.schema())?;
        return Ok(document);
    }
    // A file of another kind should hear of its schema, not of its unknown keys.
    #[derive(Deserialize)]
    struct Header {
        schema: String,
    }
    let header: Option<Header> = match format {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Toml => toml::from_str(text).ok(),
    };
    if let Some(header) = header {
        check_schema::<T>(file, &header.schema)?;
    }
    // Once more, slowly, with the path to the fault.
    match format {
        Format::Json => {
            let mut source = serde_json::Deserializer::from_str(text);
            let value = serde_path_to_error::deserialize::<_, T>(&mut source)
                .map_err(|e| json_error(file, text, &e.path().to_string(), e.inner()))?;
            source.end().map_err(|e| json_error(file, text, "", &e))?;
            Ok(value)
        }
        Format::Toml => {
            let source = toml::Deserializer::parse(text).map_err(|e| toml_error(file, text, "", &e))?;
            serde_path_to_error::deserialize::<_, T>(source)
                .map_err(|e| toml_error(file, text, &e.path().to_string(), e.inner()))
        }
    }
}

fn check_schema<T: Document>(file: &str, found: &str) -> Result<(), InputError> {
    if found == T::SCHEMA {
        return Ok(());
    }
    Err(InputError::at(
        file,
        "schema",
        format!("is {found:?}, but a file of schema {:?} is needed here", T::SCHEMA),
    ))
}

fn json_error(file: &str, text: &str, path: &str, error: &serde_json::Error) -> InputError {
    let (line, column) = (error.line(), error.column());
    let suffix = format!(" at line {line} column {column}");
    let message = error.to_string();
    let message = message.strip_suffix(&suffix).unwrap_or(&message);
    let message = match error.classify() {
        serde_json::error::Category::Data => plain(message),
        _ => match word_at(text, line, column) {
            Some(word) if ["NaN", "Infinity", "nan", "inf"].contains(&word) => {
                format!("{word} is no number of JSON; give a finite number")
            }
            _ if error.is_eof() => format!("the file ends too early ({message}); it seems cut off"),
            _ => format!("not valid JSON ({message}); correct the text there"),
        },
    };
    InputError::at(file, Place { path: clean(path), line_column: Some((line, column)) }, message)
}

fn toml_error(file: &str, text: &str, path: &str, error: &toml::de::Error) -> InputError {
    let line_column = error.span().map(|span| {
        let before = &text[..text.floor_char_boundary(span.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    });
    let message = plain(error.message());
    InputError::at(file, Place { path: clean(path), line_column }, message)
}

/// A path without the marks that stand for "unknown" and "the root".
fn clean(path: &str) -> String {
    path.trim_end_matches(['?', '.']).to_string()
}

/// The letters at a place where a JSON value should begin.
fn word_at(text: &str, line: usize, column: usize) -> Option<&str> {
    let rest = text.lines().nth(line.checked_sub(1)?)?.get(column.checked_sub(1)?..)?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// serde's words in plain ones, with the mend.
fn plain(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let wrong = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("is {}; give {}", found.replace('`', ""), kind(expected));
    }
    match quoted.split_first() {
        Some((key, known)) if message.starts_with("unknown field") => {
            format!("unknown key {key:?}{}", suggestion(key, known.iter().copied()))
        }
        Some((value, known)) if message.starts_with("unknown variant") => {
            format!("unknown value {value:?}{}", suggestion(value, known.iter().copied()))
        }
        Some((key, _)) if message.starts_with("missing field") => {
            format!("the key {key:?} is missing; add it")
        }
        Some((key, _)) if message.starts_with("duplicate field") => {
            format!("the key {key:?} stands here twice; keep one")
        }
        _ => message.to_string(),
    }
}

fn kind(expected: &str) -> &str {
    match expected {
        "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or above",
        "i32" | "i64" => "a whole number",
        "f64" => "a number",
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        other => other,
    }
}
