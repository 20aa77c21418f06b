//! `synergy profile`: the optimistic profiler against a hidden truth.

use super::Context;
use crate::error::{CliError, ExitCode, InputError, suggestion};
use crate::files::{OutputPath, read_text};
use crate::profiler::cache::CacheModel;
use crate::profiler::{ErrorSummary, Estimate, Method, Setup, profile};
use crate::profiles;
use crate::text_table::{TextTable, short};
use crate::workload::{Model, WorkloadSpec, profiles_to_text, read_profiles};
use clap::ValueEnum;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Profile models against a hidden truth: points, minutes and error of each method
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Models to profile [default: all]
    models: Vec<String>,
    /// True profiles: a CSV or JSON table model,task,cpus_per_gpu,memory_gb_per_gpu,relative_throughput
    #[arg(long, value_name = "FILE", conflicts_with = "spec")]
    from: Option<PathBuf>,
    /// True profiles: those of a workload spec, such as a synthetic family
    #[arg(long, value_name = "FILE")]
    spec: Option<String>,
    /// Methods
    #[arg(long, value_enum, value_delimiter = ',', default_value = "full-grid,cpu-axis,binary-search")]
    method: Vec<Method>,
    /// Standard deviation of a measurement, relative to the true value
    #[arg(long, default_value_t = 0.0)]
    noise: f64,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Measure on each profile's own grid, instead of 24 CPUs x 10 memory sizes
    #[arg(long)]
    own_grid: bool,
    #[command(flatten)]
    cache: CacheArgs,
    /// How results are written
    #[arg(long, value_enum, default_value = "table")]
    format: ProfileFormat,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Write the estimated profiles of the last method, as CSV or (by its ending) JSON
    #[arg(long, value_name = "FILE")]
    estimates: Option<PathBuf>,
}

/// Constants of the cache model. Without them they are calibrated per model.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Cache model (all or none)")]
struct CacheArgs {
    /// Size of the data set in GB
    #[arg(long, value_name = "GB", requires_all = ["storage_gb_per_s", "batch_gb", "batches_per_s"])]
    data_set_gb: Option<f64>,
    /// Memory of the process itself in GB
    #[arg(long, value_name = "GB", requires = "data_set_gb", default_value_t = 0.0)]
    process_gb: f64,
    /// Storage bandwidth in GB/s
    #[arg(long, value_name = "GB/S", requires = "data_set_gb")]
    storage_gb_per_s: Option<f64>,
    /// Size of a batch in GB
    #[arg(long, value_name = "GB", requires = "data_set_gb")]
    batch_gb: Option<f64>,
    /// Batches per second at relative throughput 1
    #[arg(long, value_name = "N", requires = "data_set_gb")]
    batches_per_s: Option<f64>,
}

impl CacheArgs {
    fn model(&self) -> Result<Option<CacheModel>, CliError> {
        let (Some(data_set), Some(storage), Some(batch), Some(rate)) =
            (self.data_set_gb, self.storage_gb_per_s, self.batch_gb, self.batches_per_s)
        else {
            return Ok(None);
        };
        for (flag, value) in [
            ("--data-set-gb", data_set),
            ("--storage-gb-per-s", storage),
            ("--batch-gb", batch),
            ("--batches-per-s", rate),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(CliError::Usage(format!("{flag} {value}: give a finite number above 0")));
            }
        }
        Ok(Some(CacheModel::of_storage(data_set, self.process_gb, storage, batch, rate)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProfileFormat {
    /// A table for people
    Table,
    /// JSON
    Json,
    /// CSV
    Csv,
}

/// One line of results.
#[derive(Debug, Serialize)]
struct Row {
    model: String,
    method: &'static str,
    points: usize,
    minutes: f64,
    #[serde(flatten)]
    error: ErrorSummary,
}

/// Profiles the models and prints what it took and how far off it was.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if !(args.noise.is_finite() && args.noise >= 0.0) {
        return Err(CliError::Usage(format!("--noise {}: give a finite number, 0 or above", args.noise)));
    }
    let cache = args.cache.model()?;
    let out = OutputPath::from(args.out.as_str()).open()?;
    let truths = truths(args)?;
    let mut rows = Vec::new();
    let mut estimates = Vec::new();
    for (index, truth) in truths.iter().enumerate() {
        let base = if args.own_grid { Setup::on_grid_of(&truth.profile) } else { Setup::default() };
        let setup = Setup { noise: args.noise, ..base };
        let cache = cache.unwrap_or_else(|| CacheModel::calibrated(&truth.profile, &setup));
        let mut last: Option<Estimate> = None;
        for &method in &args.method {
            let seed = args.seed.wrapping_add(index as u64);
            let estimate = profile(method, &truth.profile, Some(&cache), &setup, seed);
            rows.push(Row {
                model: truth.profile.name().to_string(),
                method: method.name(),
                points: estimate.points,
                minutes: estimate.minutes,
                error: ErrorSummary::new(&truth.profile, &estimate, &setup),
            });
            last = Some(estimate);
        }
        if let (Some(estimate), true) = (last, args.estimates.is_some()) {
            let estimated = estimate.profile(truth.profile.name(), &setup).map_err(anyhow::Error::from)?;
            estimates.push(Model { profile: Arc::new(estimated), task: truth.task.clone() });
        }
    }
    let text = match args.format {
        ProfileFormat::Table => table(&rows, context.colour && args.out == "-"),
        ProfileFormat::Json => serde_json::to_string_pretty(&rows).map_err(anyhow::Error::from)? + "\n",
        ProfileFormat::Csv => csv(&rows)?,
    };
    out.finish_with(text.as_bytes())?;
    if let Some(path) = &args.estimates {
        let json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let text = profiles_to_text(&estimates, json).map_err(anyhow::Error::from)?;
        OutputPath::File(path.clone()).open()?.finish_with(text.as_bytes())?;
    }
    Ok(ExitCode::Fine)
}

/// The true profiles that were asked for.
fn truths(args: &Args) -> Result<Vec<Model>, CliError> {
    let models: Vec<Model> = if let Some(path) = &args.from {
        read_profiles(path, false)
            .map_err(|e| CliError::from(InputError::whole(path.display(), e)))?
            .models()
            .to_vec()
    } else if let Some(file) = &args.spec {
        let invalid = |e| CliError::from(InputError::whole(file, e));
        let spec = WorkloadSpec::from_toml(&read_text(file)?).map_err(invalid)?;
        spec.profiles.models(spec.seed).map_err(invalid)?.models().to_vec()
    } else {
        let model = |m: &profiles::BuiltIn| Model { profile: Arc::clone(&m.profile), task: m.task.into() };
        profiles::builtin().iter().map(model).collect()
    };
    if args.models.is_empty() {
        return Ok(models);
    }
    let named = |name: &String| {
        models.iter().find(|model| model.profile.name() == name).cloned().ok_or_else(|| {
            let known = models.iter().map(|model| model.profile.name());
            CliError::Usage(format!("no model {name:?}{}", suggestion(name, known)))
        })
    };
    args.models.iter().map(named).collect()
}

fn table(rows: &[Row], colour: bool) -> String {
    let mut table = TextTable::new([
        "<model",
        "<method",
        "points",
        "minutes",
        "mean error",
        "max error",
        "best case",
        "true best",
        "kept",
    ]);
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    for row in rows {
        let error = &row.error;
        let point = |cpus, memory_gb| format!("{} CPUs, {} GB", short(cpus, 2), short(memory_gb, 2));
        table.row(vec![
            row.model.clone().into(),
            row.method.into(),
            row.points.to_string().into(),
            short(row.minutes, 2).into(),
            percent(error.mean_relative_error).into(),
            percent(error.max_relative_error).into(),
            point(error.estimated_cpus, error.estimated_memory_gb).into(),
            point(error.true_cpus, error.true_memory_gb).into(),
            percent(error.throughput_kept).into(),
        ]);
    }
    table.render(colour)
        + "\nError: |estimate - truth| / truth over the grid. Kept: true throughput at the estimated best case / at the true one.\n"
}

fn csv(rows: &[Row]) -> Result<String, CliError> {
    let mut text = String::from(
        "model,method,points,minutes,mean_relative_error,max_relative_error,estimated_cpus,estimated_memory_gb,\
         true_cpus,true_memory_gb,throughput_kept\n",
    );
    for Row { model, method, points, minutes, error } in rows {
        let name = if model.contains([',', '"', '\n']) {
            format!("\"{}\"", model.replace('"', "\"\""))
        } else {
            model.clone()
        };
        text += &format!(
            "{name},{method},{points},{minutes},{},{},{},{},{},{},{}\n",
            error.mean_relative_error,
            error.max_relative_error,
            error.estimated_cpus,
            error.estimated_memory_gb,
            error.true_cpus,
            error.true_memory_gb,
            error.throughput_kept
        );
    }
    Ok(text)
}
