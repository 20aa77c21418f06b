//! What profiling takes: claim C13.

use crate::profiler::cache::CacheModel;
use crate::profiler::{ErrorSummary, Method, Setup, profile};
use crate::profiles;
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::store::Store;
use crate::reproduce::{Outcome, Recipe, ReproduceError, Scale, Work};
use crate::tables::schema::PROFILING;
use crate::tables::{Format, Frame, Metadata, TableWriter};
use std::path::Path;

pub(super) const RECIPE: Recipe = Recipe {
    name: "profiling",
    title: "minutes and error of the optimistic profiler",
    minutes: [0.1, 0.1],
    work: |_| Ok(Work { tables: Some(write), ..Work::default() }),
    settle,
    figures: &[Drawing::of("profiler", &["profiling.csv"])],
};

const FILE: &str = "profiling.parquet";
/// The same for the figure, which reads what `synergy profile` writes.
const CSV: &str = "profiling.csv";

/// Every built-in model by every method, without noise, on 24 CPUs x 10 memory sizes.
fn write(_: &Scale, _: &Store, directory: &Path) -> Result<(), ReproduceError> {
    let metadata = Metadata::new("noise = 0.0\n", Some(0));
    let open = |file, format| TableWriter::create(&directory.join(file), &PROFILING, &metadata, format);
    let mut tables = [open(FILE, Format::Parquet)?, open(CSV, Format::Csv)?];
    let setup = Setup::default();
    for model in profiles::builtin() {
        let cache = CacheModel::calibrated(&model.profile, &setup);
        for method in Method::ALL {
            let estimate = profile(method, &model.profile, Some(&cache), &setup, 0);
            let error = ErrorSummary::new(&model.profile, &estimate, &setup);
            let row = [
                ("model", model.name().into()),
                ("method", method.name().into()),
                ("points", estimate.points.into()),
                ("minutes", estimate.minutes.into()),
                ("mean_relative_error", error.mean_relative_error.into()),
                ("max_relative_error", error.max_relative_error.into()),
                ("throughput_kept", error.throughput_kept.into()),
            ];
            tables.iter_mut().try_for_each(|table| table.push(&row))?;
        }
    }
    Ok(tables.into_iter().try_for_each(TableWriter::finish)?)
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let frame = Frame::read(&outcome.directory.join(FILE), &PROFILING, &[])?;
    let method = frame.text("method")?;
    let column = |name: &str, of: Method| -> Result<Vec<f64>, ReproduceError> {
        let values = frame.real(name)?;
        Ok((0..frame.rows())
            .filter(|&row| method[row] == Some(of.name()))
            .filter_map(|row| values[row])
            .collect())
    };
    let most = |of: Method, quantity: &str| -> Result<Option<Estimate>, ReproduceError> {
        let minutes = column("minutes", of)?;
        let most = minutes.iter().copied().reduce(f64::max);
        Ok(most.map(|most| Estimate::exact(quantity, " min", most, minutes.len())))
    };
    let c13 = Finding::judged(
        "C13",
        "profiling a model, 24 CPUs, 500 GB",
        "240; 24; under 8 min",
        vec![
            (Claimed::Equals(240.0), most(Method::FullGrid, "full grid")?),
            (Claimed::Equals(24.0), most(Method::CpuAxis, "optimistic")?),
            (Claimed::AtMost(8.0), most(Method::BinarySearch, "binary search, most")?),
        ],
    );
    let mut errors = Vec::new();
    for (of, quantity) in [(Method::CpuAxis, "optimistic"), (Method::BinarySearch, "binary search")] {
        let per_cent: Vec<f64> = column("mean_relative_error", of)?.iter().map(|e| 100.0 * e).collect();
        errors.extend(Estimate::of(quantity, " %", &per_cent));
    }
    let why = "relative to the truth, over the grid, 12 models, no noise";
    Ok(vec![c13, Finding::ours("mean error of an estimated profile", errors, why)])
}
