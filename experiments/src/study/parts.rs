//! Finished units on disk: `parts/*.jsonl.zst`, each complete or absent.
//!
//! A part is a zstd frame with a checksum; its first line lists the units and methods inside, every
//! further line is one unit with its rows. What is done is what the parts say: there is no other
//! state, so a run can be killed at any moment and started again, and parts of several machines are
//! merged by being in one directory.

use super::StudyError;
use super::method::Method;
use super::plan::UnitId;
use crate::files::write_file;
use crate::tables::schema::{BOUNDS, INSTANCES, JOBS, MECHANISMS, PLACEMENTS, RUNS, TIMINGS};
use crate::tables::{self, Cell, Row, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const PART_SCHEMA: &str = "synergy-part/1";
const EXTENSION: &str = "jsonl.zst";

/// A finished unit, or some of its methods.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The unit.
    pub unit: UnitId,
    /// Keys of what was computed.
    pub methods: Vec<String>,
    /// Whether any of it failed.
    pub failed: bool,
    /// Rows of all tables, as the line that is kept: small beside the rows, and made where the unit was
    /// computed, not by the one thread that writes.
    line: String,
}

impl Record {
    /// The record of these rows.
    pub fn new(unit: UnitId, methods: &[Method], failed: bool, rows: &[Row]) -> Self {
        let mut by_table: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for row in rows {
            by_table.entry(row.table().name).or_default().push(row.to_json());
        }
        let methods = methods.iter().map(|method| method.key.clone()).collect();
        Record { unit, methods, failed, line: json!(by_table).to_string() }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.line.len()
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    schema: String,
    tables: String,
    commit: Option<String>,
    units: Vec<HeaderUnit>,
}

#[derive(Debug, Serialize, Deserialize)]
struct HeaderUnit {
    unit: String,
    methods: Vec<String>,
    failed: bool,
}

/// Writes records as one part.
///
/// # Errors
/// From the disk; then no part appears.
pub fn write(directory: &Path, records: &[Record]) -> Result<(), StudyError> {
    let header = Header {
        schema: PART_SCHEMA.into(),
        tables: tables::SCHEMA_VERSION.into(),
        commit: tables::git_commit().map(str::to_string),
        units: records
            .iter()
            .map(|r| HeaderUnit { unit: r.unit.to_string(), methods: r.methods.clone(), failed: r.failed })
            .collect(),
    };
    let mut text = json!(header).to_string();
    for record in records {
        text.push('\n');
        text.push_str(&record.line);
    }
    text.push('\n');
    let name = blake3::hash(text.as_bytes()).to_hex();
    let path = directory.join(format!("{}.{EXTENSION}", &name[..20]));
    let bytes = compress(text.as_bytes()).map_err(StudyError::io(&path))?;
    Ok(write_file(&path, &bytes)?)
}

fn compress(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3)?;
    encoder.include_checksum(true)?;
    encoder.write_all(text)?;
    encoder.finish()
}

/// Where every finished unit and method is found.
#[derive(Debug, Default)]
pub struct Index {
    parts: Vec<PathBuf>,
    commits: Vec<Option<String>>,
    units: HashMap<UnitId, Vec<Place>>,
    /// Parts that could not be read and were set aside, with the reason.
    pub damaged: Vec<(PathBuf, String)>,
}

#[derive(Debug)]
struct Place {
    part: u32,
    line: u32,
    failed: bool,
    methods: Rc<[String]>,
}

impl Index {
    /// Reads all parts of a directory once. A part that is damaged (half copied, say) is renamed to
    /// `*.damaged`, so that its units are run again and nothing is lost.
    ///
    /// # Errors
    /// From the disk; parts under another schema version.
    pub fn open(directory: &Path) -> Result<Self, StudyError> {
        let mut index = Index::default();
        let entries = match std::fs::read_dir(directory) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(index),
            entries => entries.map_err(StudyError::io(directory))?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(StudyError::io(directory))?.path();
            if path.to_string_lossy().ends_with(EXTENSION) {
                paths.push(path);
            }
        }
        paths.sort();
        // Most parts have the same methods: one list for all.
        let mut lists: HashMap<Vec<String>, Rc<[String]>> = HashMap::new();
        for path in paths {
            let header = match read_lines(&path).and_then(|text| {
                let first = text.lines().next().unwrap_or_default();
                let header: Header = serde_json::from_str(first).map_err(|e| format!("wrong header: {e}"))?;
                let lines = text.lines().count() - 1;
                if lines == header.units.len() {
                    Ok(header)
                } else {
                    Err(format!("{lines} units of {}", header.units.len()))
                }
            }) {
                Ok(header) => header,
                Err(reason) => {
                    let aside = path.with_extension("zst.damaged");
                    std::fs::rename(&path, &aside).map_err(StudyError::io(&path))?;
                    index.damaged.push((aside, reason));
                    continue;
                }
            };
            if header.schema != PART_SCHEMA || header.tables != tables::SCHEMA_VERSION {
                return Err(StudyError::Directory {
                    path,
                    reason: format!(
                        "has schema {} with tables {}, this program {PART_SCHEMA} with {}; use the version that wrote it, or a new --out",
                        header.schema,
                        header.tables,
                        tables::SCHEMA_VERSION
                    ),
                });
            }
            let part = index.parts.len() as u32;
            index.parts.push(path);
            index.commits.push(header.commit);
            for (line, unit) in header.units.into_iter().enumerate() {
                let Ok(id) = unit.unit.parse() else { continue };
                let methods =
                    Rc::clone(lists.entry(unit.methods).or_insert_with_key(|list| list.clone().into()));
                let place = Place { part, line: line as u32 + 1, failed: unit.failed, methods };
                let places = index.units.entry(id).or_default();
                // A good result stands before a failed one of the same method.
                let at = if place.failed { places.len() } else { 0 };
                places.insert(at, place);
            }
        }
        Ok(index)
    }

    /// Which of `methods` a unit still lacks. With `retry_failed`, failed records do not count.
    pub fn missing<'a>(&self, unit: UnitId, methods: &'a [Method], retry_failed: bool) -> Vec<&'a Method> {
        let places = self.units.get(&unit).map_or(&[][..], Vec::as_slice);
        let done = |method: &Method| {
            places.iter().any(|p| !(retry_failed && p.failed) && p.methods.contains(&method.key))
        };
        methods.iter().filter(|method| !done(method)).collect()
    }

    /// Whether a unit has any record.
    pub fn contains(&self, unit: UnitId) -> bool {
        self.units.contains_key(&unit)
    }

    /// Whether any method of the unit failed and no later record mends it.
    pub fn failed(&self, unit: UnitId) -> bool {
        self.units.get(&unit).is_some_and(|places| places.iter().all(|p| p.failed))
    }

    /// Commits of the programs that wrote the parts, without repetition.
    pub fn commits(&self) -> Vec<&str> {
        let mut commits: Vec<&str> = self.commits.iter().flatten().map(String::as_str).collect();
        commits.sort_unstable();
        commits.dedup();
        commits
    }
}

/// Reads units back, keeping a few decompressed parts: neighbours in a plan are mostly neighbours
/// in a part.
#[derive(Debug)]
pub struct Reader<'a> {
    index: &'a Index,
    kept: VecDeque<(u32, Vec<String>)>,
    kept_bytes: usize,
}

/// Bytes of parts kept in memory: enough for the shards of a usual array to be read in turn.
const MOST_KEPT: usize = 1 << 23;

impl<'a> Reader<'a> {
    /// A reader over an index.
    pub fn new(index: &'a Index) -> Self {
        Reader { index, kept: VecDeque::new(), kept_bytes: 0 }
    }

    /// Rows of a unit for these methods, in the order of `methods`, by table. The instance's row
    /// comes from the first record.
    ///
    /// # Errors
    /// A part that vanished or changed since the index was made.
    pub fn rows(&mut self, unit: UnitId, methods: &[Method]) -> Result<UnitRows, StudyError> {
        let mut rows = UnitRows::default();
        let index = self.index;
        let places = index.units.get(&unit).map_or(&[][..], Vec::as_slice);
        let mut records = Vec::with_capacity(places.len());
        for place in places {
            records.push((place, self.line(place)?));
        }
        if let Some((_, first)) = records.first() {
            rows.add(&INSTANCES, rows_of(first, &INSTANCES, None));
            rows.add(&TIMINGS, rows_of(first, &TIMINGS, Some(("kind", "generate"))));
        }
        for method in methods {
            let Some((_, record)) = records.iter().find(|(place, _)| place.methods.contains(&method.key))
            else {
                continue;
            };
            for table in [&BOUNDS, &PLACEMENTS, &MECHANISMS, &RUNS, &JOBS] {
                if table.column(method.kind).is_some() {
                    rows.add(table, rows_of(record, table, Some((method.kind, &method.name))));
                }
            }
            let mut timings = rows_of(record, &TIMINGS, Some(("method", &method.name)));
            timings.retain(|row| [method.kind, "simulation"].map(Cell::Text).contains(&row.get("kind")));
            rows.add(&TIMINGS, timings);
        }
        Ok(rows)
    }

    /// All rows of one table that the first record of a unit holds.
    ///
    /// # Errors
    /// As [`Reader::rows`].
    pub fn table_rows(&mut self, unit: UnitId, table: &'static Table) -> Result<Vec<Row>, StudyError> {
        let index = self.index;
        match index.units.get(&unit).and_then(|places| places.first()) {
            Some(place) => Ok(rows_of(&self.line(place)?, table, None)),
            None => Ok(Vec::new()),
        }
    }

    fn line(&mut self, place: &Place) -> Result<Value, StudyError> {
        if !self.kept.iter().any(|(part, _)| *part == place.part) {
            let path = &self.index.parts[place.part as usize];
            let text = read_lines(path).map_err(|reason| StudyError::Directory {
                path: path.clone(),
                reason: format!("{reason}; run the study again"),
            })?;
            self.kept_bytes += text.len();
            while self.kept_bytes > MOST_KEPT {
                let Some((_, lines)) = self.kept.pop_front() else { break };
                self.kept_bytes -= lines.iter().map(|line| line.len() + 1).sum::<usize>();
            }
            self.kept.push_back((place.part, text.lines().map(str::to_string).collect()));
        }
        let line = self
            .kept
            .iter()
            .find(|(part, _)| *part == place.part)
            .and_then(|(_, lines)| lines.get(place.line as usize));
        line.and_then(|line| serde_json::from_str(line).ok()).ok_or_else(|| StudyError::Directory {
            path: self.index.parts[place.part as usize].clone(),
            reason: "changed while it was read; run the study again".into(),
        })
    }
}

/// Rows of one unit by table.
#[derive(Debug, Default)]
pub struct UnitRows(BTreeMap<&'static str, Vec<Row>>);

impl UnitRows {
    /// Those of a table, in order.
    pub fn of(&self, table: &Table) -> &[Row] {
        self.0.get(table.name).map_or(&[][..], Vec::as_slice)
    }

    /// Numbers simulations from `first` on, in runs and jobs: their place in the plan, which a unit alone
    /// does not know. Returns how many there are.
    pub fn number_runs(&mut self, first: usize) -> usize {
        let name = |row: &Row| {
            if let Cell::Text(name) = row.get("mechanism") { name.to_string() } else { String::new() }
        };
        let names: Vec<String> = self.of(&RUNS).iter().map(name).collect();
        for table in [&RUNS, &JOBS] {
            for row in self.0.get_mut(table.name).into_iter().flatten() {
                let place = names.iter().position(|known| Cell::Text(known) == row.get("mechanism"));
                row.set("run", place.map(|place| first + place).into());
            }
        }
        names.len()
    }

    fn add(&mut self, table: &'static Table, rows: Vec<Row>) {
        self.0.entry(table.name).or_default().extend(rows);
    }
}

/// Rows of a table, all or those with this text in this column.
fn rows_of(record: &Value, table: &'static Table, with: Option<(&str, &str)>) -> Vec<Row> {
    let with = with.and_then(|(name, text)| Some((table.columns.iter().position(|c| c.name == name)?, text)));
    let rows = record.get(table.name).and_then(Value::as_array).into_iter().flatten();
    rows.filter(|row| with.is_none_or(|(column, text)| row.get(column).and_then(Value::as_str) == Some(text)))
        .filter_map(|row| Row::from_json(table, row))
        .collect()
}

fn read_lines(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    let text = zstd::decode_all(bytes.as_slice()).map_err(|e| format!("is damaged: {e}"))?;
    String::from_utf8(text).map_err(|e| format!("is damaged: {e}"))
}
