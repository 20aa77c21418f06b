//! Reading what figures are made of: tables of simulations, and results of a study.

use super::{FigureError, Options};
use crate::error::suggestion;
use crate::statistics::Label;
use crate::statistics::simulations::are_simulations;
use crate::statistics::summary::Results;
use crate::tables::{ColumnType, Frame, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name of the column that says which input a row is from.
const INPUT: &str = "input";

/// Rows of a table of simulations from all inputs, as far as the options want them.
pub struct Rows {
    labels: BTreeMap<String, Vec<String>>,
    numbers: BTreeMap<&'static str, Vec<Option<f64>>>,
    rows: usize,
    /// Inputs, for messages.
    place: String,
    /// Resolved configuration of every input by its label.
    pub configurations: BTreeMap<String, String>,
}

/// Reads `labels` as text and `numbers` as numbers from the table in every input, which is a results
/// directory or the table's file. Columns of `--by` and `--only` are read too.
///
/// # Errors
/// A missing or damaged table, a column that it does not have, no row that is wanted.
pub fn simulations(
    inputs: &[PathBuf],
    table: &'static Table,
    labels: &[&str],
    numbers: &[&'static str],
    options: &Options,
) -> Result<Rows, FigureError> {
    let place = inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    if inputs.is_empty() {
        let message =
            format!("give a directory with {}.parquet (synergy simulate ... --out DIR)", table.name);
        return Err(FigureError::data("inputs", message));
    }
    let mut wanted: BTreeSet<&str> = labels.iter().copied().collect();
    for name in options.by.iter().chain(options.only.iter().map(|(name, _)| name)) {
        let known = table.columns.iter().map(|column| column.name).chain([INPUT]);
        if !known.clone().any(|column| column == name) {
            let message = format!("table {} has no column {name:?}{}", table.name, suggestion(name, known));
            return Err(FigureError::data(&place, message));
        }
        wanted.insert(name);
    }
    wanted.remove(INPUT);
    let columns: Vec<&str> = wanted.iter().copied().chain(numbers.iter().copied()).collect();
    let columns: Vec<&str> = columns.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let mut all = Rows {
        labels: wanted.iter().copied().chain([INPUT]).map(|name| (name.to_string(), Vec::new())).collect(),
        numbers: numbers.iter().map(|&name| (name, Vec::new())).collect(),
        rows: 0,
        place,
        configurations: BTreeMap::new(),
    };
    for (path, label) in inputs.iter().zip(input_labels(inputs, options)?) {
        let frame =
            Frame::read(&table_file(path, table, "synergy simulate ... --out DIR")?, table, &columns)?;
        all.rows += frame.rows();
        for (name, column) in &mut all.labels {
            if name == INPUT {
                column.extend(std::iter::repeat_n(label.clone(), frame.rows()));
            } else {
                column.extend(frame.labels(name)?);
            }
        }
        for (name, column) in &mut all.numbers {
            match table.column(name).map(|column| column.column_type) {
                Some(ColumnType::Int) => {
                    column.extend(frame.int(name)?.into_iter().map(|value| value.map(|v| v as f64)));
                }
                Some(ColumnType::Flag) => {
                    column.extend(frame.flag(name)?.into_iter().map(|value| value.map(f64::from)));
                }
                _ => column.extend(frame.real(name)?),
            }
        }
        all.configurations.insert(label, frame.metadata().get("synergy.config").unwrap_or_default().into());
    }
    all.keep(options)?;
    Ok(all)
}

/// The file of a table: the input itself, or in the directory that it is.
fn table_file(input: &Path, table: &Table, maker: &str) -> Result<PathBuf, FigureError> {
    if !input.is_dir() {
        return Ok(input.to_path_buf());
    }
    let file = input.join(format!("{}.parquet", table.name));
    if file.exists() {
        return Ok(file);
    }
    Err(FigureError::data(input.display(), format!("has no {}.parquet; {maker} writes it", table.name)))
}

/// What inputs are called: as the options say, or by their own names.
fn input_labels(inputs: &[PathBuf], options: &Options) -> Result<Vec<String>, FigureError> {
    if !options.labels.is_empty() {
        if options.labels.len() != inputs.len() {
            let message =
                format!("{} labels for {} inputs; give one each", options.labels.len(), inputs.len());
            return Err(FigureError::data("labels", message));
        }
        if let Some(twice) = (1..inputs.len()).find(|&i| options.labels[..i].contains(&options.labels[i])) {
            let message = format!("{:?} names two inputs; give each its own", options.labels[twice]);
            return Err(FigureError::data("labels", message));
        }
        return Ok(options.labels.clone());
    }
    let name = |path: &PathBuf| {
        path.file_stem().map_or(path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let names: Vec<String> = inputs.iter().map(name).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    if distinct.len() == names.len() {
        return Ok(names);
    }
    Ok(inputs.iter().map(|path| path.display().to_string()).collect())
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// A cell as text.
    pub fn label(&self, name: &str, row: usize) -> &str {
        self.labels.get(name).map_or("", |column| &column[row])
    }

    /// A cell as a number.
    pub fn number(&self, name: &str, row: usize) -> Option<f64> {
        self.numbers.get(name)?[row]
    }

    /// Leaves the rows that the options want.
    fn keep(&mut self, options: &Options) -> Result<(), FigureError> {
        for (name, values) in &options.only {
            let column = &self.labels[name];
            let known: BTreeSet<&str> = column.iter().map(String::as_str).collect();
            check_values(&self.place, name, values, &known)?;
        }
        if self.labels.contains_key("mechanism") {
            let known: BTreeSet<&str> = self.labels["mechanism"].iter().map(String::as_str).collect();
            check_values(&self.place, "mechanism", &options.mechanisms, &known)?;
        }
        let kept: Vec<usize> = (0..self.rows)
            .filter(|&row| {
                let mechanism = self.label("mechanism", row);
                (options.mechanisms.is_empty()
                    || mechanism.is_empty()
                    || options.mechanisms.iter().any(|name| name == mechanism))
                    && options
                        .only
                        .iter()
                        .all(|(name, values)| values.iter().any(|value| value == self.label(name, row)))
            })
            .collect();
        if kept.is_empty() {
            return Err(FigureError::data(&self.place, "no rows are left to draw; loosen --only"));
        }
        if kept.len() < self.rows {
            for column in self.labels.values_mut() {
                *column = kept.iter().map(|&row| std::mem::take(&mut column[row])).collect();
            }
            for column in self.numbers.values_mut() {
                *column = kept.iter().map(|&row| column[row]).collect();
            }
            self.rows = kept.len();
        }
        Ok(())
    }

    /// Distinct values of a label, numbers by size.
    pub fn distinct(&self, name: &str) -> Vec<String> {
        let Some(column) = self.labels.get(name) else { return Vec::new() };
        let distinct: BTreeSet<&str> = column.iter().map(String::as_str).collect();
        natural(distinct.into_iter().map(str::to_string).collect())
    }

    /// Mechanisms in the order of the options, or of the tables.
    pub fn mechanisms(&self, options: &Options) -> Vec<String> {
        if !options.mechanisms.is_empty() {
            return options.mechanisms.clone();
        }
        in_order(self.labels["mechanism"].iter().map(String::as_str))
    }

    /// Panel of every row, by the columns of `--by`, and the panels in order.
    ///
    /// # Errors
    /// Rows of one panel that differ in a column of `keys`: they would be thrown together.
    pub fn panels(
        &self,
        keys: &[&str],
        options: &Options,
    ) -> Result<(Vec<String>, Vec<String>), FigureError> {
        let of = |row: usize| {
            let part = |name: &String| with_unit(name, self.label(name, row));
            options.by.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        let panel: Vec<String> = (0..self.rows).map(of).collect();
        for &key in keys.iter().filter(|key| !options.by.iter().any(|by| by == **key)) {
            let mut value_of: BTreeMap<&str, &str> = BTreeMap::new();
            let mixed = (0..self.rows).any(|row| {
                let value = self.label(key, row);
                *value_of.entry(&panel[row]).or_insert(value) != value
            });
            if mixed {
                let values = self.distinct(key);
                let message = format!(
                    "the rows differ in {key} ({}); choose with --only {key}={}, or give each its own panel \
                     with --by {key}",
                    values.join(", "),
                    values[0]
                );
                return Err(FigureError::data(&self.place, message));
            }
        }
        let inputs = in_order((0..self.rows).map(|row| self.label(INPUT, row)));
        let mut order: BTreeMap<Vec<Label>, String> = BTreeMap::new();
        for (row, panel) in panel.iter().enumerate() {
            let part = |name: &String| match self.label(name, row) {
                // Inputs stand as they were given.
                label if name == INPUT => {
                    let place = inputs.iter().position(|input| input == label).unwrap_or_default();
                    Label::new(&place.to_string())
                }
                label => Label::new(label),
            };
            let key = options.by.iter().map(part).collect();
            order.entry(key).or_insert_with(|| panel.clone());
        }
        Ok((panel, order.into_values().collect()))
    }

    /// A fault of the inputs.
    pub fn fault(&self, message: impl std::fmt::Display) -> FigureError {
        FigureError::data(&self.place, message)
    }
}

fn check_values(
    place: &str,
    name: &str,
    values: &[String],
    known: &BTreeSet<&str>,
) -> Result<(), FigureError> {
    match values.iter().find(|value| !known.contains(value.as_str())) {
        Some(value) => {
            let hint = suggestion(value, known.iter().copied());
            Err(FigureError::data(place, format!("no row has {name} {value:?}{hint}")))
        }
        None => Ok(()),
    }
}

/// Texts in ascending order, numbers by size.
pub fn natural(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_by_key(|text| Label::new(text));
    texts
}

/// Distinct names in the order of their first place.
pub fn in_order<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut known = BTreeSet::new();
    names.into_iter().filter(|name| known.insert(*name)).map(str::to_string).collect()
}

/// A value of a column as a reader is told it.
pub fn with_unit(column: &str, value: &str) -> String {
    match column {
        "jobs_per_hour" => format!("{value} jobs/h"),
        "gpus" => format!("{value} GPUs"),
        "cpus_per_gpu" => format!("{value} CPUs/GPU"),
        "memory_gb_per_gpu" => format!("{value} GB/GPU"),
        "seed" | "replicate" => format!("{column} {value}"),
        "demand" if matches!(value, "single" | "multi") => format!("{value}-GPU"),
        _ => value.to_string(),
    }
}

/// Results of one study, as far as the options want them.
pub struct Study {
    /// The tables.
    pub results: Results,
    /// Where they are.
    pub directory: PathBuf,
    /// Panels in order, each with its units.
    pub panels: Vec<(String, Vec<usize>)>,
    /// Mechanisms, by index, in the order wanted.
    pub mechanisms: Vec<usize>,
}

impl Study {
    /// Reads the results directory of a study.
    ///
    /// # Errors
    /// Not one directory; missing or damaged tables; names that they do not have; no unit that is wanted.
    pub fn read(inputs: &[PathBuf], options: &Options) -> Result<Self, FigureError> {
        let [directory] = inputs else {
            let message = format!("{} inputs; give one results directory of a study", inputs.len());
            return Err(FigureError::data("inputs", message));
        };
        let fault = |message: String| FigureError::data(directory.display(), message);
        check_study(directory)?;
        let results = Results::read(directory)?;
        let axis = |name: &String| results.units().axis(name).map_err(fault);
        let by: Vec<Vec<String>> = options.by.iter().map(axis).collect::<Result<_, _>>()?;
        let mut units: Vec<usize> = (0..results.units().ids.len()).collect();
        for (name, values) in &options.only {
            let column = axis(name)?;
            let known: BTreeSet<&str> = column.iter().map(String::as_str).collect();
            check_values(&directory.display().to_string(), name, values, &known)?;
            units.retain(|&unit| values.contains(&column[unit]));
        }
        if units.is_empty() {
            return Err(fault("no instances are left to draw".into()));
        }
        let mut panels: BTreeMap<Vec<Label>, (String, Vec<usize>)> = BTreeMap::new();
        for unit in units {
            let key = by.iter().map(|column| Label::new(&column[unit])).collect();
            let (_, members) = panels.entry(key).or_insert_with(|| {
                let part = |(name, column): (&String, &Vec<String>)| with_unit(name, &column[unit]);
                (options.by.iter().zip(&by).map(part).collect::<Vec<_>>().join(", "), Vec::new())
            });
            members.push(unit);
        }
        let mechanisms = if options.mechanisms.is_empty() {
            (0..results.mechanisms.len()).collect()
        } else {
            let find = |name: &String| results.mechanism(name).map_err(fault);
            options.mechanisms.iter().map(find).collect::<Result<_, _>>()?
        };
        Ok(Study {
            directory: directory.clone(),
            panels: panels.into_values().collect(),
            mechanisms,
            results,
        })
    }

    /// Name of a mechanism.
    pub fn name(&self, mechanism: usize) -> &str {
        &self.results.mechanisms[mechanism]
    }

    /// A fault of the results.
    pub fn fault(&self, message: impl std::fmt::Display) -> FigureError {
        FigureError::data(self.directory.display(), message)
    }
}

/// What writes the tables of instances.
const STUDY_MAKER: &str = "synergy study run ... --out DIR";

/// Whether a directory holds tables of instances.
fn check_study(directory: &Path) -> Result<(), FigureError> {
    let fault = |message: &str| Err(FigureError::data(directory.display(), message));
    if !directory.is_dir() {
        return fault(if directory.exists() {
            "is no results directory of a study"
        } else {
            "does not exist; give a results directory of a study"
        });
    }
    if are_simulations(directory) {
        return fault("holds simulations and no instances with gaps; choose a figure of simulations");
    }
    table_file(directory, &crate::tables::schema::INSTANCES, STUDY_MAKER)?;
    Ok(())
}

/// Results directories of studies.
///
/// # Errors
/// None given, or one without tables of instances.
pub fn study_tables(inputs: &[PathBuf]) -> Result<&[PathBuf], FigureError> {
    if inputs.is_empty() {
        return Err(FigureError::data("inputs", format_args!("give a results directory ({STUDY_MAKER})")));
    }
    for directory in inputs {
        check_study(directory)?;
    }
    Ok(inputs)
}

/// Whether an input is a results directory of simulations.
pub fn is_simulation(input: &Path) -> bool {
    input.join("runs.parquet").exists()
}
