//! Bounds, mechanisms and what is made of them. Results are JSON, in the schemas of the command line.

use crate::errors::{invalid, raise};
use crate::instance::Instance;
use crate::table::Table;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use synergy_experiments::benchmark::{self, Set};
use synergy_experiments::compare::{self as comparison, CompareOptions};
use synergy_experiments::conformance::{self as kit, Effort};
use synergy_experiments::files::allocation as files;
use synergy_experiments::plugins::resolve;
use synergy_experiments::tables::schema::COMPARISON;
use synergy_experiments::tables::{Format, Metadata, TableWriter};
use synergy_solver::bounds::{self, BoundOptions};
use synergy_solver::check::{Report, Verdicts};
use synergy_solver::lp::Limits;
use synergy_solver::mechanisms::{About, Takes, known};
use synergy_solver::model;

/// Names, promises and parameters of all mechanisms.
#[pyfunction]
pub fn mechanisms() -> String {
    let entry = |about: About| {
        let parameters = about.parameters.iter();
        let parameters: Vec<Value> = parameters
            .map(|p| json!({ "name": p.name, "default": p.default, "description": p.description }))
            .collect();
        json!({
            "name": about.name,
            "description": about.description,
            "source": about.source,
            "takes": match about.takes {
                Takes::RunnableSet => "runnable-set",
                Takes::WholeQueue => "whole-queue",
            },
            "fair": about.guarantees.fair,
            "complete": about.guarantees.complete,
            "consolidated": about.guarantees.consolidated,
            "parameters": parameters,
        })
    };
    Value::Array(known().into_iter().map(entry).collect()).to_string()
}

/// A bound on the whole queue.
#[pyfunction]
#[pyo3(signature = (instance, name, per_server_cap=false, fairness_floor=1.0, node_limit=None))]
pub fn bound(
    py: Python<'_>,
    instance: &Instance,
    name: &str,
    per_server_cap: bool,
    fairness_floor: f64,
    node_limit: Option<u64>,
) -> PyResult<String> {
    if !(0.0..=1.0).contains(&fairness_floor) {
        return Err(invalid(format!("fairness_floor is {fairness_floor}; give a number from 0 to 1")));
    }
    let limits = Limits { node_limit, ..Limits::default() };
    let options = BoundOptions { per_server_cap, fairness_floor, limits, ..BoundOptions::default() };
    let bound = bounds::by_name(name, options).map_err(invalid)?;
    let result = py.detach(|| bound.evaluate(&instance.inner, &instance.inner.queue()));
    let prices = result.shadow_prices;
    Ok(json!({
        "name": name,
        "status": result.status.name(),
        "value": result.value,
        "certified": result.certified,
        "trusted": result.trusted,
        "scope": result.scope.name(),
        "shadow_price_cpu": prices.map(|p| p.cpus()),
        "shadow_price_memory_gb": prices.map(|p| p.memory_gb()),
    })
    .to_string())
}

/// What a mechanism gives, and what the checker says of it.
#[pyfunction]
pub fn allocate(py: Python<'_>, instance: &Instance, mechanism: &str) -> PyResult<String> {
    let instance = &*instance.inner;
    py.detach(|| {
        let mechanism = resolve(mechanism).map_err(raise)?;
        let queue = instance.queue();
        let outcome = mechanism.allocate(instance, &queue).map_err(raise)?;
        let report = synergy_solver::check::check(instance, &queue, &outcome.allocation);
        let text = files::to_json(instance, &outcome.allocation).map_err(raise)?;
        let allocation: Value = serde_json::from_str(&text).map_err(invalid)?;
        let mut value = report_json(instance, &report);
        value["status"] = outcome.status.name().into();
        value["bound"] = outcome.bound.into();
        value["allocation"] = allocation;
        Ok(value.to_string())
    })
}

/// The checker's report on an allocation file's text.
#[pyfunction]
pub fn check(py: Python<'_>, instance: &Instance, allocation: &str) -> PyResult<String> {
    let instance = &*instance.inner;
    py.detach(|| {
        let allocation = files::from_text("allocation", allocation, instance).map_err(raise)?;
        let report = synergy_solver::check::check(instance, &instance.queue(), &allocation);
        Ok(report_json(instance, &report).to_string())
    })
}

fn report_json(instance: &model::Instance, report: &Report) -> Value {
    let Verdicts { valid, consolidated, fair, complete } = report.verdicts;
    let throughput = report.jobs.iter().map(|checked| json!([checked.job, checked.throughput]));
    json!({
        "value": report.value,
        "value_per_job": report.value_per_job,
        "valid": valid,
        "consolidated": consolidated,
        "fair": fair,
        "complete": complete,
        "gpus_idle": report.gpus_idle,
        "throughput": throughput.collect::<Vec<_>>(),
        "violations": report.violations.iter().map(|v| v.describe(instance)).collect::<Vec<_>>(),
    })
}

/// Bounds, placements and mechanisms side by side: the JSON and the table of `synergy compare`.
#[pyfunction]
#[pyo3(signature = (instances, only=None, node_limit=None, time_limit_s=None))]
pub fn compare(
    py: Python<'_>,
    instances: Vec<PyRef<'_, Instance>>,
    only: Option<Vec<String>>,
    node_limit: Option<u64>,
    time_limit_s: Option<f64>,
) -> PyResult<(String, Table)> {
    let options = CompareOptions { only, node_limit, time_limit_s, ..CompareOptions::default() };
    let instances: Vec<_> = instances.iter().map(|instance| std::sync::Arc::clone(&instance.inner)).collect();
    py.detach(|| {
        options.check().map_err(raise)?;
        let compared = instances.iter().map(|instance| comparison::compare(instance, &options));
        let compared = compared.collect::<Result<Vec<_>, _>>().map_err(raise)?;
        let place = tempfile::tempdir()
            .map_err(|error| raise(synergy_experiments::error::CliError::Internal(error.into())))?;
        let path = place.path().join("comparison.parquet");
        let metadata = Metadata::new("synergy_lab.compare", None);
        let mut writer =
            TableWriter::create(&path, &COMPARISON, &metadata, Format::Parquet).map_err(raise)?;
        for one in &compared {
            comparison::write_rows(one, &mut writer).map_err(raise)?;
        }
        writer.finish().map_err(raise)?;
        let json = Value::Array(compared.iter().map(comparison::to_json).collect());
        Ok((json.to_string(), Table::read(&path)?))
    })
}

/// Does a mechanism keep its promises?
#[pyfunction]
pub fn conformance(
    py: Python<'_>,
    mechanism: &str,
    random: u64,
    seed: u64,
    measure: bool,
) -> PyResult<String> {
    let effort = Effort { random, seed, measure };
    let found = py.detach(|| kit::run(mechanism, &|| resolve(mechanism), &effort)).map_err(raise)?;
    Ok(kit::to_json(&found).to_string())
}

/// Scores on the benchmark set that comes with the package, or on the one in a directory.
#[pyfunction]
#[pyo3(signature = (mechanisms, only=None, set=None))]
pub fn bench(
    py: Python<'_>,
    mechanisms: Vec<String>,
    only: Option<String>,
    set: Option<String>,
) -> PyResult<String> {
    py.detach(|| {
        let mut set = match set {
            Some(directory) => Set::read(Path::new(&directory)).map_err(raise)?,
            None => Set::builtin().map_err(raise)?,
        };
        if let Some(text) = only {
            set.entries.retain(|entry| entry.name.contains(&text));
        }
        let made =
            mechanisms.iter().map(|name| resolve(name)).collect::<Result<Vec<_>, _>>().map_err(raise)?;
        let instances = benchmark::prepare(&set).map_err(raise)?;
        let runs: Vec<_> = mechanisms
            .iter()
            .zip(&made)
            .map(|(name, made)| benchmark::run(name, &**made, &instances))
            .collect();
        let scores: Vec<_> = runs.iter().map(|run| benchmark::score(run, &instances)).collect();
        let timings: Vec<_> = made.iter().map(|made| benchmark::time(&**made, &instances, 128)).collect();
        Ok(benchmark::to_json(&set, &instances, &runs, &scores, &timings).to_string())
    })
}
