//! The units of a results directory: their ids and what they can be grouped by.

use crate::study::full_path;
use crate::tables::schema::INSTANCES;
use crate::tables::{Frame, TableError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values of some axes, and the units that have them, ascending.
pub type Members = (Vec<String>, Vec<usize>);

/// Units in the order of the plan, with their parameters.
#[derive(Debug)]
pub struct Units {
    /// Ids.
    pub ids: Vec<String>,
    directory: PathBuf,
}

impl Units {
    /// Reads the table `instances`.
    ///
    /// # Errors
    /// A table that is missing, damaged, or of another schema version.
    pub fn read(directory: &Path) -> Result<Self, TableError> {
        let mut units = Units { ids: Vec::new(), directory: directory.to_path_buf() };
        units.ids = units.texts("unit")?;
        Ok(units)
    }

    /// One column of `instances`: the table is wide, and few of its columns are ever asked for.
    fn column(&self, name: &str) -> Result<Frame, TableError> {
        Frame::read(&self.directory.join(format!("{}.parquet", INSTANCES.name)), &INSTANCES, &[name])
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, TableError> {
        let frame = self.column(name)?;
        Ok(frame.text(name)?.into_iter().map(|text| text.unwrap_or_default().to_string()).collect())
    }

    /// A parameter of every unit as text: a column of `instances`, or a path of the resolved
    /// specification such as `demand.exponent`.
    ///
    /// # Errors
    /// When no unit has it; the message lists the columns.
    pub fn axis(&self, name: &str) -> Result<Vec<String>, String> {
        let columns = INSTANCES.columns;
        if columns.iter().any(|column| column.name == name) && name != "spec" {
            return self.column(name).and_then(|frame| frame.labels(name)).map_err(|e| e.to_string());
        }
        let path = full_path(name).replace('.', "/");
        let pointer = |prefix: &str| format!("{prefix}/{path}");
        let mut found = false;
        let labels = self
            .specs()
            .map_err(|e| e.to_string())?
            .iter()
            .map(|spec| {
                let json: serde_json::Value = serde_json::from_str(spec).unwrap_or_default();
                let value = json.pointer(&pointer("/workload")).or_else(|| json.pointer(&pointer("")));
                found |= value.is_some();
                match value {
                    Some(serde_json::Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                    None => "null".into(),
                }
            })
            .collect();
        if found {
            return Ok(labels);
        }
        let known = columns.iter().map(|column| column.name).filter(|name| *name != "spec");
        Err(format!("no unit has the parameter {name:?}{}", crate::error::suggestion(name, known)))
    }

    /// Units by the values of these axes; a single group without axes.
    ///
    /// # Errors
    /// An axis that the units do not have.
    pub fn grouped(&self, by: &[String]) -> Result<Vec<Members>, String> {
        let mut columns = Vec::with_capacity(by.len());
        for axis in by {
            columns.push(self.axis(axis)?);
        }
        let mut members: BTreeMap<Vec<Label>, Vec<usize>> = BTreeMap::new();
        for i in 0..self.ids.len() {
            members.entry(columns.iter().map(|column| Label::new(&column[i])).collect()).or_default().push(i);
        }
        let texts = |labels: Vec<Label>| labels.into_iter().map(|label| label.0).collect();
        Ok(members.into_iter().map(|(labels, units)| (texts(labels), units)).collect())
    }

    /// Resolved specifications of all units as JSON, in their order.
    ///
    /// # Errors
    /// A table that vanished since it was read.
    pub fn specs(&self) -> Result<Vec<String>, TableError> {
        self.texts("spec")
    }
}

/// A label that sorts as a number where it is one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label(pub(crate) String);

impl Label {
    pub(crate) fn new(text: &str) -> Self {
        Label(text.to_string())
    }
}

impl Eq for Label {}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self.0.parse::<f64>(), other.0.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.total_cmp(&b).then_with(|| self.0.cmp(&other.0)),
            (Ok(_), Err(_)) => std::cmp::Ordering::Less,
            (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
            (Err(_), Err(_)) => self.0.cmp(&other.0),
        }
    }
}
