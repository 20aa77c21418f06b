//! Studies of a recipe: generated instances, each by itself, without time.

use super::ReproduceError;
use crate::study::{self, Directory, Plan, RunOptions, StudyFile};
use crate::tables::{Frame, Table, schema};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A study from its TOML, whose parameters and axes stand under full paths (`"cluster.gpus"`).
///
/// # Errors
/// Text that is no study: a fault of the recipe.
pub fn parse(text: &str) -> Result<StudyFile, ReproduceError> {
    toml::from_str(text).map_err(|error| ReproduceError::Internal(format!("a recipe's study: {error}")))
}

/// Runs what `directory` lacks of a study, and writes its tables.
///
/// # Errors
/// From the disk; [`ReproduceError::Interrupted`], with finished units kept.
pub fn run(
    study: &StudyFile,
    directory: &Path,
    threads: Option<usize>,
    shown: bool,
    stop: &AtomicBool,
) -> Result<(), ReproduceError> {
    let plan = Plan::new(study.clone(), &directory.join("study.toml"))?;
    let directory = Directory::open(directory, &plan, None)?;
    let options = RunOptions { jobs: threads, progress: shown, ..RunOptions::default() };
    let report = study::run(&plan, &directory, options, stop)?;
    if report.interrupted {
        return Err(ReproduceError::Interrupted);
    }
    study::write_tables(&plan, &directory, directory.path())?;
    Ok(())
}

/// One generated instance and what was computed on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unit {
    /// GPUs of the cluster.
    pub gpus: i64,
    /// Servers.
    pub servers: i64,
    /// Distribution of GPU demands.
    pub demand: String,
    /// CPU:GPU ratio.
    pub cpus_per_gpu: f64,
    /// Value by mechanism.
    pub values: BTreeMap<String, f64>,
    /// Published bound by name.
    pub bounds: BTreeMap<String, f64>,
    /// Gap by mechanism and bound, where the bound holds for the allocation.
    pub gaps: BTreeMap<(String, String), f64>,
    /// Fragmented jobs and the theorem's limit, by placement.
    pub fragmented: BTreeMap<String, (i64, Option<i64>)>,
    /// Seconds by method, whatever its kind.
    pub seconds: BTreeMap<String, f64>,
}

/// Reads a study's tables back, in the order of its plan.
///
/// # Errors
/// A table that cannot be read.
pub fn read(directory: &Path) -> Result<Vec<Unit>, ReproduceError> {
    let frame = |table: &'static Table, columns: &[&str]| {
        Frame::read(&directory.join(format!("{}.parquet", table.name)), table, columns)
    };
    let own = |text: Option<&str>| text.unwrap_or_default().to_string();
    let instances =
        frame(&schema::INSTANCES, &["unit", "gpus", "servers", "demand", "cpus_per_gpu", "status"])?;
    let mut places = BTreeMap::new();
    let mut units = Vec::with_capacity(instances.rows());
    let (id, demand) = (instances.text("unit")?, instances.text("demand")?);
    let (gpus, servers) = (instances.int("gpus")?, instances.int("servers")?);
    let ratio = instances.real("cpus_per_gpu")?;
    for row in 0..instances.rows() {
        places.insert(own(id[row]), row);
        units.push(Unit {
            gpus: gpus[row].unwrap_or_default(),
            servers: servers[row].unwrap_or_default(),
            demand: own(demand[row]),
            cpus_per_gpu: ratio[row].unwrap_or(f64::NAN),
            ..Unit::default()
        });
    }
    // Rows of the other tables, by unit.
    let at = |id: Option<&str>| id.and_then(|id| places.get(id).copied());

    let table = frame(&schema::MECHANISMS, &["unit", "mechanism", "value"])?;
    let (id, name, value) = (table.text("unit")?, table.text("mechanism")?, table.real("value")?);
    for row in 0..table.rows() {
        if let (Some(unit), Some(value)) = (at(id[row]), value[row]) {
            units[unit].values.insert(own(name[row]), value);
        }
    }
    let table = frame(&schema::BOUNDS, &["unit", "bound", "published"])?;
    let (id, name, value) = (table.text("unit")?, table.text("bound")?, table.real("published")?);
    for row in 0..table.rows() {
        if let (Some(unit), Some(value)) = (at(id[row]), value[row]) {
            units[unit].bounds.insert(own(name[row]), value);
        }
    }
    let table = frame(&schema::GAPS, &["unit", "mechanism", "bound", "gap"])?;
    let (id, name) = (table.text("unit")?, table.text("mechanism")?);
    let (bound, gap) = (table.text("bound")?, table.real("gap")?);
    for row in 0..table.rows() {
        if let (Some(unit), Some(gap)) = (at(id[row]), gap[row]) {
            units[unit].gaps.insert((own(name[row]), own(bound[row])), gap);
        }
    }
    let table = frame(&schema::PLACEMENTS, &["unit", "placement", "fragmented", "limit"])?;
    let (id, name) = (table.text("unit")?, table.text("placement")?);
    let (fragmented, limit) = (table.int("fragmented")?, table.int("limit")?);
    for row in 0..table.rows() {
        if let (Some(unit), Some(fragmented)) = (at(id[row]), fragmented[row]) {
            units[unit].fragmented.insert(own(name[row]), (fragmented, limit[row]));
        }
    }
    let table = frame(&schema::TIMINGS, &["unit", "method", "seconds"])?;
    let (id, name, seconds) = (table.text("unit")?, table.text("method")?, table.real("seconds")?);
    for row in 0..table.rows() {
        if let (Some(unit), Some(seconds)) = (at(id[row]), seconds[row]) {
            units[unit].seconds.insert(own(name[row]), seconds);
        }
    }
    Ok(units)
}
