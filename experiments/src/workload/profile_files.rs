//! Profiles in and out: `model,task,cpus_per_gpu,memory_gb_per_gpu,relative_throughput`, one row per
//! grid point, as CSV or as a JSON list of objects with these keys. So people bring their own
//! measurements.

use super::models::{Model, ModelSet};
use super::spec::WorkloadError;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use synergy_solver::model::{ModelError, Profile};

/// One grid point of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    model: String,
    task: String,
    cpus_per_gpu: f64,
    memory_gb_per_gpu: f64,
    relative_throughput: f64,
}

/// A matrix that decreased along an axis and was raised to its running maximum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Name of the model.
    pub model: String,
    /// Cells that were raised.
    pub cells: usize,
}

impl Repair {
    /// The warning that goes with it.
    pub fn warning(&self) -> String {
        let Repair { model, cells } = self;
        format!("profile {model:?}: {cells} cell(s) raised to the running maximum along CPUs and memory")
    }
}

/// Reads profiles from a CSV or, by its first character, JSON file. With `repair`, a matrix that
/// decreases along an axis is raised to its running maximum, which [`ModelSet::repairs`] then tells.
///
/// # Errors
/// A file that cannot be read or is neither; a grid point that is missing or there twice; a matrix
/// that is none (the message names the cell).
pub fn read_profiles(path: &Path, repair: bool) -> Result<ModelSet, WorkloadError> {
    let file = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| WorkloadError::File(format!("{file}: cannot be read: {e}")))?;
    parse_profiles(&text, repair).map_err(|e| WorkloadError::File(format!("{file}: {e}")))
}

/// [`read_profiles`] for text at hand.
///
/// # Errors
/// As [`read_profiles`].
pub fn parse_profiles(text: &str, repair: bool) -> Result<ModelSet, WorkloadError> {
    let text = text.trim_start_matches('\u{feff}');
    let rows = if text.trim_start().starts_with('[') { from_json(text) } else { from_csv(text) }?;
    let mut models = Vec::new();
    let mut repaired = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for row in &rows {
        if !names.contains(&row.model.as_str()) {
            names.push(&row.model);
        }
    }
    for name in names {
        let own: Vec<&Row> = rows.iter().filter(|row| row.model == name).collect();
        let (profile, cells) = profile(name, &own, repair)?;
        if cells > 0 {
            repaired.push(Repair { model: name.to_string(), cells });
        }
        models.push(Model { profile: Arc::new(profile), task: own[0].task.clone() });
    }
    Ok(ModelSet::new(models)?.repaired(repaired))
}

fn from_json(text: &str) -> Result<Vec<Row>, WorkloadError> {
    serde_json::from_str(text).map_err(|e| WorkloadError::File(e.to_string()))
}

fn from_csv(text: &str) -> Result<Vec<Row>, WorkloadError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    reader
        .deserialize()
        .map(|row| row.map_err(|e| WorkloadError::File(e.to_string())))
        .collect::<Result<Vec<Row>, _>>()
}

/// The matrix of one model from its grid points in any order.
fn profile(name: &str, rows: &[&Row], repair: bool) -> Result<(Profile, usize), WorkloadError> {
    let axis = |of: fn(&Row) -> f64| {
        let mut points: Vec<f64> = rows.iter().map(|row| of(row)).collect();
        points.sort_by(f64::total_cmp);
        points.dedup();
        points
    };
    let (cpus, memory_gb) = (axis(|row| row.cpus_per_gpu), axis(|row| row.memory_gb_per_gpu));
    let mut cells: Array2<Option<f64>> = Array2::from_elem((cpus.len(), memory_gb.len()), None);
    for row in rows {
        let place =
            |axis: &[f64], point: f64| axis.iter().position(|p| p.total_cmp(&point).is_eq()).unwrap_or(0);
        let cell = &mut cells[(place(&cpus, row.cpus_per_gpu), place(&memory_gb, row.memory_gb_per_gpu))];
        if cell.replace(row.relative_throughput).is_some() {
            return Err(WorkloadError::File(format!(
                "model {name:?}: the point {} CPUs, {} GB per GPU is there twice",
                row.cpus_per_gpu, row.memory_gb_per_gpu
            )));
        }
    }
    if let Some(((c, m), _)) = cells.indexed_iter().find(|(_, cell)| cell.is_none()) {
        return Err(WorkloadError::File(format!(
            "model {name:?}: the point {} CPUs, {} GB per GPU is missing; give every point of the grid",
            cpus[c], memory_gb[m]
        )));
    }
    let mut throughput = cells.mapv(Option::unwrap_or_default);
    let raised = if repair { running_maximum(&mut throughput) } else { 0 };
    match Profile::new(name, cpus, memory_gb, throughput) {
        Ok(profile) => Ok((profile, raised)),
        Err(error @ ModelError::Decreasing { .. }) => Err(WorkloadError::File(format!(
            "{error} (--repair-profiles, or profiles.repair = true, raises it to the running maximum)"
        ))),
        Err(error) => Err(error.into()),
    }
}

/// Raises every cell to the largest at no more CPUs and memory; returns how many were below it.
pub fn running_maximum(throughput: &mut Array2<f64>) -> usize {
    let mut raised = 0;
    let (rows, columns) = throughput.dim();
    for c in 0..rows {
        for m in 0..columns {
            let below = if c > 0 { throughput[(c - 1, m)] } else { f64::NEG_INFINITY };
            let left = if m > 0 { throughput[(c, m - 1)] } else { f64::NEG_INFINITY };
            let floor = below.max(left);
            if throughput[(c, m)] < floor {
                throughput[(c, m)] = floor;
                raised += 1;
            }
        }
    }
    raised
}

/// The profiles as CSV or JSON text; [`parse_profiles`] reads them back to the same bits.
///
/// # Errors
/// Never for a profile; the writers' own.
pub fn profiles_to_text(models: &[Model], json: bool) -> Result<String, WorkloadError> {
    let failed = |e: &dyn std::fmt::Display| WorkloadError::File(e.to_string());
    let rows = models.iter().flat_map(|model| {
        let profile = &model.profile;
        profile.throughput().indexed_iter().map(move |((c, m), value)| Row {
            model: profile.name().to_string(),
            task: model.task.clone(),
            cpus_per_gpu: profile.cpus_per_gpu()[c],
            memory_gb_per_gpu: profile.memory_gb_per_gpu()[m],
            relative_throughput: *value,
        })
    });
    if json {
        let rows: Vec<Row> = rows.collect();
        return serde_json::to_string_pretty(&rows).map(|text| text + "\n").map_err(|e| failed(&e));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_survive_the_trip_through_both_forms() {
        let set = ModelSet::published();
        for json in [false, true] {
            let text = profiles_to_text(set.models(), json).unwrap();
            let read = parse_profiles(&text, false).unwrap();
            assert!(read.repairs().is_empty());
            assert_eq!(read.classes(), set.classes());
            for (a, b) in read.models().iter().zip(set.models()) {
                assert_eq!((a.profile.as_ref(), &a.task), (b.profile.as_ref(), &b.task));
            }
        }
    }

    #[test]
    fn a_bad_table_is_explained() {
        let head = "model,task,cpus_per_gpu,memory_gb_per_gpu,relative_throughput\n";
        let error = |rows: &str| parse_profiles(&format!("{head}{rows}"), false).unwrap_err().to_string();
        assert!(error("a,t,1,10,1\na,t,2,20,1\n").contains("1 CPUs, 20 GB per GPU is missing"));
        assert!(error("a,t,1,10,1\na,t,1,10,2\n").contains("there twice"));
        assert!(error("a,t,1,10,x\n").contains("line: 2"));
        assert!(error("a,t,-1,10,1\n").contains("cpus_per_gpu"));
        assert!(error("a,t,1,NaN,1\n").contains("memory_gb_per_gpu"));
        assert!(error("").contains("no model"));
        assert!(error("a,t,1,10,2\na,t,2,10,1\n").contains("profiles.repair"));
        assert!(parse_profiles("[{\"model\": 3}]", false).is_err());
        let set = parse_profiles(&format!("{head}a,t,1,10,2\na,t,2,10,1\n"), true).unwrap();
        assert_eq!(set.models()[0].profile.throughput()[(1, 0)], 2.0);
        assert_eq!(set.repairs(), [Repair { model: "a".to_string(), cells: 1 }]);
    }
}
