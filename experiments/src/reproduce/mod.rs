//! The paper reproduced: one recipe per figure and table of its evaluation, and some of ours.
//!
//! A [`Recipe`] says what is computed (`Work`: simulations, studies, tables), and settles the claims
//! that follow from it ([`Finding`]). [`run`] computes what is missing, writes every recipe's tables to
//! its own directory, draws its figures from these tables, and makes one table of all claims.
//!
//! Finished simulations are kept in `DIR/store` by the hash of their resolved specification, so that
//! recipes share them and a run that was killed goes on; studies keep their units themselves.

mod claims;
mod drawings;
mod error;
mod finding;
mod progress;
mod recipes;
mod scale;
mod simulations;
mod store;
mod studies;
#[cfg(test)]
mod tests;

pub use claims::{Claim, markdown};
pub use drawings::drawn_in;
pub use error::ReproduceError;
pub use finding::{Claimed, Estimate, Finding, Verdict, judge};
pub use recipes::RECIPES;
pub use scale::Scale;
pub use simulations::{Batch, Completed, FinishedRun, Runs};

use crate::error::InputError;
use crate::files::{lock_file, remove_temporaries};
use crate::simulator::{Plan, SimulationSpec, Source};
use crate::study::parts::Index;
use crate::study::{StudyFile, duration};
use progress::Progress;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use store::Store;

/// A figure or table of the paper, or one of ours.
pub struct Recipe {
    /// Name on the command line, and of its directory.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Minutes that it took on two cores, quick and full.
    pub minutes: [f64; 2],
    /// What it computes.
    work: fn(&Request) -> Result<Work, ReproduceError>,
    /// What follows.
    settle: fn(&Outcome) -> Result<Vec<Finding>, ReproduceError>,
    /// Its figures.
    figures: &'static [drawings::Drawing],
}

/// Writes tables of its own into a directory; rows that take time are kept in the store.
type TableMaker = fn(&Scale, &Store, &Path) -> Result<(), ReproduceError>;

/// What a recipe computes.
#[derive(Default)]
struct Work {
    batches: Vec<Batch>,
    studies: Vec<(&'static str, StudyFile)>,
    tables: Option<TableMaker>,
    /// What was not given, and what to do.
    missing: Option<String>,
}

impl Work {
    /// Simulations of generated jobs under a name.
    fn simulate(mut self, name: impl Into<String>, spec: SimulationSpec) -> Result<Self, ReproduceError> {
        let plan = Plan::new(spec, Source::Generated)?;
        self.batches.push(Batch { name: name.into(), plan, source: String::new() });
        Ok(self)
    }

    /// A study under a name.
    fn study(mut self, name: &'static str, text: &str) -> Result<Self, ReproduceError> {
        self.studies.push((name, studies::parse(text)?));
        Ok(self)
    }
}

/// What a recipe's work gave.
struct Outcome {
    scale: Scale,
    directory: PathBuf,
    runs: BTreeMap<String, Runs>,
    studies: BTreeMap<&'static str, Vec<studies::Unit>>,
    missing: Option<String>,
}

impl Outcome {
    /// Runs of a batch; none when it has no such batch.
    fn runs(&self, batch: &str) -> Runs {
        self.runs.get(batch).cloned().unwrap_or_default()
    }

    /// Units of a study.
    fn units(&self, study: &str) -> &[studies::Unit] {
        self.studies.get(study).map_or(&[], Vec::as_slice)
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// How much is run.
    pub scale: Scale,
    /// Where results go.
    pub out: PathBuf,
    /// Philly trace: its job log (JSON) or its table.
    pub philly: Option<PathBuf>,
    /// Threads; all cores when absent.
    pub threads: Option<usize>,
    /// Progress on stderr.
    pub progress: bool,
}

/// Names of all recipes, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|recipe| recipe.name)
}

/// The recipes of these names, in their own order, each once; all for no names.
///
/// # Errors
/// A name that is none, with the nearest.
pub fn find(asked: &[String]) -> Result<Vec<&'static Recipe>, ReproduceError> {
    if let Some(unknown) = asked.iter().find(|name| !names().any(|known| known == name.as_str())) {
        return Err(ReproduceError::Recipe(unknown.clone()));
    }
    let wanted = |recipe: &&Recipe| asked.is_empty() || asked.iter().any(|name| name == recipe.name);
    Ok(RECIPES.iter().filter(wanted).collect())
}

/// Runs recipes one after the other; returns the claims of all recipes that DIR holds. `say` hears what
/// is done.
///
/// # Errors
/// Another process at work in DIR; from the disk; files that cannot be used;
/// [`ReproduceError::Interrupted`], with everything finished kept.
pub fn run(
    recipes: &[&Recipe],
    request: &Request,
    stop: &AtomicBool,
    say: &dyn Fn(String),
) -> Result<Vec<Claim>, ReproduceError> {
    let store = request.out.join("store");
    std::fs::create_dir_all(&store).map_err(ReproduceError::io(&store))?;
    let lock = request.out.join(".lock");
    let Some(_lock) = lock_file(&lock, false).map_err(ReproduceError::io(&lock))? else {
        let message = "another synergy process reproduces into it; wait for it, or give another --out";
        return Err(InputError::whole(request.out.display(), message).into());
    };
    for directory in [&request.out, &store] {
        remove_temporaries(directory).map_err(ReproduceError::io(directory))?;
    }
    let store = Store { path: &store, stop };
    for recipe in recipes {
        let start = Instant::now();
        say(format!("{}: {}", recipe.name, recipe.title));
        let outcome = compute(recipe, request, &store)?;
        let findings = (recipe.settle)(&outcome)?;
        claims::write(recipe.name, &request.scale, &findings, &outcome.directory)?;
        drawings::draw(recipe.figures, &outcome.directory, say)?;
        say(format!("{}: done in {}", recipe.name, duration(start.elapsed().as_secs_f64())));
    }
    claims::gather(&request.out)
}

/// Computes what a recipe lacks and writes its tables.
fn compute(recipe: &Recipe, request: &Request, store: &Store) -> Result<Outcome, ReproduceError> {
    let work = (recipe.work)(request)?;
    let directory = request.out.join(recipe.name);
    std::fs::create_dir_all(&directory).map_err(ReproduceError::io(&directory))?;
    remove_temporaries(&directory).map_err(ReproduceError::io(&directory))?;
    let mut outcome = Outcome {
        scale: request.scale.clone(),
        directory,
        runs: BTreeMap::new(),
        studies: BTreeMap::new(),
        missing: work.missing,
    };
    let batches: Vec<&Batch> = work.batches.iter().collect();
    let progress = Progress::new(recipe.name, request.progress);
    let threads = request.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| ReproduceError::Internal(format!("threads: {error}")))?;
    pool.install(|| simulations::run(&batches, store, &progress))?;
    drop(progress);
    if !batches.is_empty() {
        let index = Index::open(store.path)?;
        for batch in batches {
            let runs = Runs::read(batch, &index)?;
            simulations::write_tables(batch, &runs, &outcome.directory.join(&batch.name))?;
            outcome.runs.insert(batch.name.clone(), runs);
        }
    }
    for (name, study) in &work.studies {
        let directory = outcome.directory.join(name);
        studies::run(study, &directory, request.threads, request.progress, store.stop)?;
        outcome.studies.insert(name, studies::read(&directory)?);
    }
    if let Some(tables) = work.tables {
        pool.install(|| tables(&request.scale, store, &outcome.directory))?;
    }
    Ok(outcome)
}
