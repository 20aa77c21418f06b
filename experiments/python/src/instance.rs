//! Instances: generated, read, written, looked at.

use crate::errors::{invalid, raise};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use synergy_experiments::files::{Format, instance as files};
use synergy_experiments::study::{Inputs, RuleSpec, full_path, resolve};
use synergy_solver::model::{self, Rules};

/// A cluster and its jobs in policy order.
#[pyclass(frozen, module = "synergy_lab")]
pub struct Instance {
    /// The solver's own.
    pub inner: Arc<model::Instance>,
}

impl Instance {
    fn of(inner: model::Instance) -> Self {
        Instance { inner: Arc::new(inner) }
    }
}

/// CPUs and GB per GPU, and a row of throughput per CPU point.
type Matrix = (Vec<f64>, Vec<f64>, Vec<Vec<f64>>);

/// Rules from JSON such as `{"objective": "gpus"}`; what is absent has its default.
fn rules(text: &str) -> PyResult<Rules> {
    let spec: RuleSpec = serde_json::from_str(text).map_err(|error| invalid(format!("rules: {error}")))?;
    spec.rules().map_err(invalid)
}

/// The instance of parameters as in study files: a JSON object of values by name.
#[pyfunction]
pub fn generate(py: Python<'_>, parameters: &str) -> PyResult<Instance> {
    let parameters: Map<String, Value> = serde_json::from_str(parameters).map_err(invalid)?;
    let value = |(name, value): (String, Value)| {
        let value = toml::Value::try_from(value).map_err(|error| invalid(format!("{name}: {error}")))?;
        Ok((full_path(&name).to_owned(), value))
    };
    let point = parameters.into_iter().map(value).collect::<PyResult<toml::Table>>()?;
    py.detach(|| resolve(&point)?.instance(&Inputs::default())).map(Instance::of).map_err(invalid)
}

/// An instance file, JSON or TOML.
#[pyfunction]
pub fn read_instance(py: Python<'_>, path: &str, rules: &str) -> PyResult<Instance> {
    let rules = self::rules(rules)?;
    py.detach(|| files::read(path, rules)).map(Instance::of).map_err(raise)
}

/// The text of an instance file; `name` stands in messages.
#[pyfunction]
pub fn parse_instance(py: Python<'_>, name: &str, text: &str, rules: &str) -> PyResult<Instance> {
    let rules = self::rules(rules)?;
    py.detach(|| files::from_text(name, text, rules)).map(Instance::of).map_err(raise)
}

#[pymethods]
impl Instance {
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// As the text of an instance file.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| files::to_text(&self.inner, Format::Json)).map_err(raise)
    }

    /// Server groups, jobs and classes as JSON.
    fn describe(&self, py: Python<'_>) -> String {
        py.detach(|| describe(&self.inner).to_string())
    }

    /// Axes in CPUs and GB per GPU and the rows of the sensitivity matrix of job `index`.
    fn matrix(&self, index: usize) -> PyResult<Matrix> {
        if index >= self.inner.jobs().len() {
            return Err(invalid(format!("job {index}: there are {}", self.inner.jobs().len())));
        }
        let profile = &self.inner.class_of(index).profile;
        let rows = profile.throughput().rows().into_iter().map(|row| row.to_vec()).collect();
        Ok((profile.cpus_per_gpu().to_vec(), profile.memory_gb_per_gpu().to_vec(), rows))
    }

    fn __len__(&self) -> usize {
        self.inner.jobs().len()
    }

    fn __repr__(&self) -> String {
        let cluster = self.inner.cluster();
        format!(
            "<Instance {:?}: {} jobs, {} GPUs on {} servers>",
            self.inner.name,
            self.inner.jobs().len(),
            cluster.gpus(),
            cluster.servers()
        )
    }
}

fn describe(instance: &model::Instance) -> Value {
    let point = |amounts: &model::Amounts| json!([amounts.cpus(), amounts.memory_gb()]);
    let groups = instance.cluster().groups().iter().map(|group| {
        json!({
            "gpu_type": group.gpu_type,
            "count": group.count,
            "gpus": group.gpus,
            "cpus": group.capacity.cpus(),
            "memory_gb": group.capacity.memory_gb(),
        })
    });
    let jobs = instance.jobs().iter().enumerate().map(|(index, job)| {
        json!({
            "id": job.id,
            "class": job.class,
            "gpus": instance.gpus(index),
            "weight": instance.objective_weight(index),
        })
    });
    let classes = instance.classes().iter().map(|class| {
        let configurations = class.configurations.iter();
        let configurations: Vec<_> =
            configurations.map(|k| json!([k.amounts.cpus(), k.amounts.memory_gb(), k.throughput])).collect();
        json!({
            "profile": class.profile.name(),
            "gpus": class.gpus,
            "shares": class.shares.iter().map(point).collect::<Vec<_>>(),
            "demand": point(&class.demand),
            "configurations": configurations,
        })
    });
    json!({
        "groups": groups.collect::<Vec<_>>(),
        "jobs": jobs.collect::<Vec<_>>(),
        "classes": classes.collect::<Vec<_>>(),
        "runnable": instance.runnable(&instance.queue()),
    })
}
