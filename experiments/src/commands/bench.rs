//! `synergy bench`: the score of mechanisms on the benchmark set.

use super::Context;
use crate::benchmark::{self, Prepared, Score, Set, Timing};
use crate::error::{CliError, ExitCode, suggestion};
use crate::files::{Format, OutputPath, instance, write_file};
use crate::plugins::resolve;
use clap::ValueEnum;
use std::path::PathBuf;
use synergy_solver::mechanisms::{self, Mechanism};

/// GPUs of the instances on which time is measured.
const TIMED_GPUS: u64 = 128;

/// Left out of `--all`: branch and bound ends on small clusters only.
const NOT_IN_ALL: [&str; 1] = ["optimum"];

/// Score mechanisms on the benchmark set; exit code 5 when one beats a bound or breaks a promise
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Mechanisms, as for --mechanism; exec:COMMAND is a program
    #[arg(value_name = "MECHANISM", required_unless_present_any = ["all", "export"])]
    mechanisms: Vec<String>,
    /// All mechanisms but optimum, which is for small clusters
    #[arg(long, conflicts_with = "mechanisms")]
    all: bool,
    /// Directory of a set [default: v1, which comes with the program]
    #[arg(long, value_name = "DIRECTORY")]
    set: Option<PathBuf>,
    /// Only instances whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Write what beats the best known values, and what the set lacks, into its directory
    #[arg(long, requires = "set", conflicts_with = "only")]
    update: bool,
    /// Write this instance instead of running anything
    #[arg(long, value_name = "INSTANCE", conflicts_with_all = ["mechanisms", "all", "update", "only"])]
    export: Option<String>,
    /// No seconds: the report is the same every time
    #[arg(long)]
    no_times: bool,
    /// Threads [default: one per core]
    #[arg(long, visible_alias = "threads", value_name = "N")]
    jobs: Option<usize>,
    /// How scores are written
    #[arg(long, value_enum, default_value = "text")]
    format: ScoreFormat,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScoreFormat {
    /// For reading
    Text,
    /// JSON, schema synergy-benchmark/1, with every instance
    Json,
    /// A table for documentation
    Markdown,
}

/// Runs, prints the scores, updates the set where asked.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if args.jobs == Some(0) {
        return Err(CliError::Usage("--jobs is 0; give at least 1".into()));
    }
    let mut set = match &args.set {
        Some(directory) => Set::read(directory)?,
        None => Set::builtin()?,
    };
    let out = OutputPath::from(args.out.as_str()).open()?;
    if let Some(name) = &args.export {
        let Some(entry) = set.entries.iter().find(|entry| entry.name == *name) else {
            let hint = suggestion(name, set.entries.iter().map(|entry| entry.name.as_str()));
            return Err(CliError::Usage(format!(
                "--export: set {} has no instance {name:?}{hint}",
                set.name
            )));
        };
        let generated = entry.instance().map_err(CliError::Failed)?;
        out.finish_with(instance::to_text(&generated, Format::Json)?.as_bytes())?;
        return Ok(ExitCode::Fine);
    }
    if let Some(text) = &args.only {
        set.entries.retain(|entry| entry.name.contains(text));
        if set.entries.is_empty() {
            return Err(CliError::Usage(format!(
                "--only: no instance of set {} has {text:?} in its name",
                set.name
            )));
        }
    }
    let names: Vec<String> = match args.all {
        true => {
            let all = mechanisms::known().into_iter().map(|about| about.name);
            all.filter(|name| !NOT_IN_ALL.contains(name)).map(str::to_owned).collect()
        }
        false => args.mechanisms.clone(),
    };
    // Every mechanism is made before the work, so that a wrong last name costs nothing.
    let made = names.iter().map(|name| resolve(name)).collect::<Result<Vec<_>, _>>()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0))
        .build()
        .map_err(anyhow::Error::from)?;
    let instances = pool.install(|| benchmark::prepare(&set))?;
    // A mechanism that panics is a finding, not a crash: it is reported as such.
    std::panic::set_hook(Box::new(|_| ()));
    let (runs, timings) = pool.install(|| run_all(&names, &made, &instances, args, context));
    drop(std::panic::take_hook());
    let scores: Vec<Score> = runs.iter().map(|run| benchmark::score(run, &instances)).collect();
    let text = match args.format {
        ScoreFormat::Text => benchmark::to_text(&set, &scores, &timings, context.colour && args.out == "-"),
        ScoreFormat::Json => {
            format!("{:#}\n", benchmark::to_json(&set, &instances, &runs, &scores, &timings))
        }
        ScoreFormat::Markdown => benchmark::to_markdown(&set, &scores, &timings),
    };
    out.finish_with(text.as_bytes())?;
    if let (Some(directory), true) = (&args.set, args.update) {
        let (improved, improvements) = pool.install(|| benchmark::improve(&set, &instances, &runs));
        write_file(&Set::file(directory), improved.to_text().as_bytes())?;
        context.info(format_args!(
            "{} best known values raised -> {}",
            improvements.len(),
            directory.display()
        ));
    }
    let code = |score: &Score| match (score.bugs.is_empty(), score.failed.is_empty()) {
        (false, _) => ExitCode::Uncertified,
        (true, false) => ExitCode::SomeFailed,
        (true, true) => ExitCode::Fine,
    };
    Ok(scores.iter().map(code).fold(ExitCode::Fine, ExitCode::worse))
}

fn run_all(
    names: &[String],
    made: &[Box<dyn Mechanism>],
    instances: &[Prepared],
    args: &Args,
    context: &Context,
) -> (Vec<benchmark::Run>, Vec<Option<Timing>>) {
    let one = |(name, mechanism): (&String, &dyn Mechanism)| {
        context.detail(format_args!("{name} on {} instances", instances.len()));
        let run = benchmark::run(name, mechanism, instances);
        let timing = (!args.no_times).then(|| benchmark::time(mechanism, instances, TIMED_GPUS)).flatten();
        (run, timing)
    };
    names.iter().zip(made.iter().map(|made| &**made)).map(one).unzip()
}
