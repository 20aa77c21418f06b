//! Files that a study's workloads are made of: traces and profiles.
//!
//! A study names them relative to itself. When it is read, every name becomes `inputs/<hash of the
//! contents>`, which enters the units' ids, and a results directory keeps a copy under that name. So a
//! changed file makes other units, and a directory is complete wherever it is moved.

use crate::trace::Trace;
use crate::workload::{ProfileSpec, TraceSpec, Workload, WorkloadError, WorkloadSpec};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use toml::{Table, Value};

/// Folder of copies in a results directory.
const FOLDER: &str = "inputs";

/// Where the files of a study are.
#[derive(Debug, Default)]
pub struct Inputs {
    base: PathBuf,
    /// The file behind a name of this run.
    origins: BTreeMap<String, PathBuf>,
    /// Traces at hand, by file and first job.
    traces: Mutex<BTreeMap<(PathBuf, usize), Arc<Trace>>>,
}

impl Inputs {
    /// Files with these origins; others are relative to `base`.
    pub fn new(base: &Path, origins: BTreeMap<String, PathBuf>) -> Self {
        Inputs { base: base.to_path_buf(), origins, traces: Mutex::default() }
    }

    fn locate(&self, path: &mut PathBuf) {
        let origin = path.to_str().and_then(|name| self.origins.get(name));
        *path = origin.cloned().unwrap_or_else(|| self.base.join(&*path));
    }

    /// The trace, read once however many units need it.
    ///
    /// # Errors
    /// A file that is no trace, or has no such first job.
    pub fn trace(&self, source: &TraceSpec) -> Result<Arc<Trace>, WorkloadError> {
        let mut source = source.clone();
        self.locate(&mut source.path);
        let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (source.path.clone(), source.first_job);
        if let Some(trace) = traces.get(&key) {
            return Ok(Arc::clone(trace));
        }
        let trace = Arc::new(source.read()?);
        traces.insert(key, Arc::clone(&trace));
        Ok(trace)
    }

    /// The specification with its files where they are.
    pub fn located(&self, spec: &WorkloadSpec) -> WorkloadSpec {
        let mut spec = spec.clone();
        if let Some(trace) = &mut spec.trace {
            self.locate(&mut trace.path);
        }
        if let ProfileSpec::File { path, .. } = &mut spec.profiles {
            self.locate(path);
        }
        spec
    }

    /// The workload of a specification.
    ///
    /// # Errors
    /// As [`Workload::new`].
    pub fn workload(&self, spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
        let trace = spec.trace.as_ref().map(|source| self.trace(source)).transpose()?;
        Workload::with_trace(self.located(spec), trace)
    }
}

/// Rewrites every file name among the parameters of a study, wherever one stands.
pub(super) fn rewrite(
    study: &mut Table,
    change: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<(), String> {
    let mut sections: Vec<(&mut Table, bool)> = Vec::new();
    for (name, section) in study.iter_mut() {
        match (name.as_str(), section) {
            ("parameters", Value::Table(table)) => sections.push((table, false)),
            ("axes", Value::Table(table)) => sections.push((table, true)),
            (name @ ("zipped" | "exclude"), Value::Array(tables)) => {
                let tables = tables.iter_mut().filter_map(Value::as_table_mut);
                sections.extend(tables.map(|table| (table, name == "zipped")));
            }
            _ => {}
        }
    }
    for (table, of_lists) in sections {
        for (path, value) in table.iter_mut() {
            match value {
                Value::Array(values) if of_lists => {
                    values.iter_mut().try_for_each(|value| rewrite_value(path, value, change))?;
                }
                value => rewrite_value(path, value, change)?,
            }
        }
    }
    Ok(())
}

/// Rewrites the file name in the value of one parameter, if there is one.
pub(super) fn rewrite_value(
    path: &str,
    value: &mut Value,
    change: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<(), String> {
    match (path, value) {
        ("trace.path" | "profiles.path", Value::String(name)) => *name = change(name)?,
        ("profiles", Value::Table(fields)) => {
            if let Some(Value::String(name)) = fields.get_mut("path") {
                *name = change(name)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The name that a file has in a study that is resolved: its contents' hash, and its ending.
pub(super) fn name_of(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path)
        .map_err(|e| format!("{}: cannot be read: {}", path.display(), crate::error::plain(&e)))?;
    let hash = blake3::hash(&bytes).to_hex();
    let ending = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    Ok(format!("{FOLDER}/{}{ending}", &hash[..16]))
}
