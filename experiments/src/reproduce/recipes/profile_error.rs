//! What profiling error does to each mechanism: decide on the estimate, score on the truth (ours).

use crate::profiler::{Method, estimated_instance};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Estimate, Finding};
use crate::reproduce::store::Store;
use crate::reproduce::{Outcome, Recipe, ReproduceError, Scale, Work};
use crate::tables::schema::PROFILE_ERROR;
use crate::tables::{Cell, Format, Frame, Metadata, Row, TableWriter};
use crate::workload::{DemandSpec, Workload, WorkloadError, WorkloadSpec};
use std::path::Path;
use synergy_solver::check::check;
use synergy_solver::mechanisms;
use synergy_solver::model::{Instance, Rules};

pub(super) const RECIPE: Recipe = Recipe {
    name: "profile-error",
    title: "value that mechanisms lose when they decide on estimated profiles",
    minutes: [0.1, 0.2],
    work: |_| Ok(Work { tables: Some(write), ..Work::default() }),
    settle,
    figures: &[Drawing::of("profile-error", &["profile_error.parquet"])],
};

const FILE: &str = "profile_error.parquet";
const MECHANISMS: [&str; 3] = ["tune", "price-greedy", "opt-deployable"];
const NOISES: [f64; 3] = [0.0, 0.05, 0.1];

fn write(scale: &Scale, store: &Store, directory: &Path) -> Result<(), ReproduceError> {
    let seeds = 0..u64::from(scale.replicates);
    let cases: Vec<(u64, bool)> = seeds.flat_map(|seed| [(seed, false), (seed, true)]).collect();
    let key = |(seed, multi): &(u64, bool)| {
        format!("profile-error {MECHANISMS:?} {:?} {NOISES:?} seed {seed}, multi {multi}", Method::ALL)
    };
    let rows = store.rows(&PROFILE_ERROR, &cases, key, |(seed, multi)| score(*seed, *multi))?;
    let metadata = Metadata::new(&format!("replicates = {}\ngpus = 128\n", scale.replicates), Some(0));
    let mut table = TableWriter::create(&directory.join(FILE), &PROFILE_ERROR, &metadata, Format::Parquet)?;
    rows.iter().try_for_each(|row| table.push_row(row))?;
    Ok(table.finish()?)
}

/// All methods, noises and mechanisms on one instance.
fn score(seed: u64, multi: bool) -> Result<Vec<Row>, ReproduceError> {
    let fault = |error: WorkloadError| ReproduceError::Internal(error.to_string());
    let (label, demand) =
        if multi { ("multi", DemandSpec::Multi {}) } else { ("single", DemandSpec::Single {}) };
    let spec = WorkloadSpec { seed, demand, ..WorkloadSpec::default() };
    let truth =
        Workload::new(spec).and_then(|workload| workload.instance(Rules::default())).map_err(fault)?;
    let mut rows = Vec::new();
    for name in MECHANISMS {
        let exact = decide(name, &truth, &truth)?;
        for method in Method::ALL {
            for noise in NOISES {
                let estimate = estimated_instance(&truth, method, noise, seed).map_err(fault)?;
                let found = decide(name, &estimate, &truth)?;
                rows.push(Row::new(
                    &PROFILE_ERROR,
                    &[
                        ("seed", Cell::from(seed)),
                        ("demand", label.into()),
                        ("mechanism", name.into()),
                        ("method", method.name().into()),
                        ("noise", noise.into()),
                        ("value", found.value.into()),
                        ("value_exact", exact.value.into()),
                        ("kept", (found.value / exact.value).into()),
                        ("unfair", found.unfair.into()),
                    ],
                )?);
            }
        }
    }
    Ok(rows)
}

/// Tolerance of fairness.
const FAIR: f64 = 1e-6;

/// An allocation scored on the truth.
struct Score {
    value: f64,
    /// Scheduled jobs below their true baseline.
    unfair: usize,
}

/// Lets a mechanism decide on `seen` and scores its allocation on `truth`, job index by job index.
fn decide(name: &str, seen: &Instance, truth: &Instance) -> Result<Score, ReproduceError> {
    let fault = |error: &dyn std::fmt::Display| ReproduceError::Internal(format!("{name}: {error}"));
    let mechanism = mechanisms::by_name(name).map_err(|error| fault(&error))?;
    let queue = seen.queue();
    let outcome = mechanism.allocate(seen, &queue).map_err(|error| fault(&error))?;
    let report = check(truth, &queue, &outcome.allocation);
    let unfair = report.jobs.iter().filter(|job| job.throughput < 1.0 - FAIR).count();
    Ok(Score { value: report.value, unfair })
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let frame = Frame::read(&outcome.directory.join(FILE), &PROFILE_ERROR, &[])?;
    let (mechanism, method) = (frame.text("mechanism")?, frame.text("method")?);
    let (noise, kept, unfair) = (frame.real("noise")?, frame.real("kept")?, frame.int("unfair")?);
    let rows = |name: &str, of: Method, level: f64| -> Vec<usize> {
        let is = |row: &usize| {
            mechanism[*row] == Some(name) && method[*row] == Some(of.name()) && noise[*row] == Some(level)
        };
        (0..frame.rows()).filter(is).collect()
    };
    let finding = |name: &str| {
        let mut numbers = Vec::new();
        for (of, level) in [(Method::BinarySearch, 0.0), (Method::BinarySearch, 0.1), (Method::FullGrid, 0.1)]
        {
            let lost: Vec<f64> =
                rows(name, of, level).iter().filter_map(|&row| Some(100.0 * (1.0 - kept[row]?))).collect();
            let quantity = format!("{}, noise {:.0} %", of.name(), 100.0 * level);
            numbers.extend(Estimate::of(quantity, " %", &lost));
        }
        let below: i64 = rows(name, Method::BinarySearch, 0.1).iter().filter_map(|&row| unfair[row]).sum();
        let why = format!("{below} jobs in all end below their share with binary search at noise 10 %");
        Finding::ours(format!("value that {name} loses to estimated profiles"), numbers, why)
    };
    Ok(MECHANISMS.into_iter().map(finding).collect())
}
