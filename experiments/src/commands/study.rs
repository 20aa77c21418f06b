//! `synergy study`: plan, run, merge and check grids of instances or simulations.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::figures;
use crate::files::print;
use crate::statistics::simulations::{Runs, summarise_runs};
use crate::statistics::summary::{Results, summarise};
use crate::study::{self, Directory, Method, Plan, RunOptions, RunReport, Shard, StudyError, StudyFile};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Run a study: a grid of instances with bounds and mechanisms on each, or of simulations
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the axes, the number of units, an estimate of time, and where results go
    Plan(PlanArgs),
    /// Run what is missing, then write tables and figure (`synergy study STUDY.toml` is short for it)
    Run(RunArgs),
    /// Verify a results directory: units, ids, tables, the chain of bounds, and a sample computed again
    Check(CheckArgs),
    /// Gather parts of shards and write the tables
    Merge(MergeArgs),
}

/// Which study, and where its results go.
#[derive(Debug, clap::Args)]
struct StudyArgs {
    /// Study file
    // Required, but not where a subcommand stands in the place of the short form.
    #[arg(value_name = "STUDY.toml", required = true)]
    study: Option<PathBuf>,
    /// Override: a parameter's values (NAME=A,B), seed, replicates, bounds, placements or mechanisms; may be given again
    #[arg(long, value_name = "NAME=VALUES")]
    set: Vec<String>,
    /// Results directory [default: results/<name of the study>]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct PlanArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// Worker threads that the estimate assumes [default: all cores]
    #[arg(long, visible_alias = "threads", value_name = "N")]
    jobs: Option<usize>,
    /// Do not run the few units that the estimate of time rests on
    #[arg(long)]
    no_pilot: bool,
    /// Also list every unit: id, replicate, specification
    #[arg(long)]
    units: bool,
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// Worker threads [default: all cores]
    #[arg(long, visible_alias = "threads", value_name = "N")]
    jobs: Option<usize>,
    /// Run only shard I of N, I from 0; `study merge` writes the tables afterwards
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Run units that failed again
    #[arg(long)]
    retry_failed: bool,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Results directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Units to compute again
    #[arg(long, default_value_t = 8, value_name = "N")]
    sample: usize,
}

#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// Results directories of shards; those that shared one directory name it once
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Where parts and tables are gathered [default: the first directory]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write tables although units are missing
    #[arg(long)]
    partial: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    match &args.command {
        Some(Command::Plan(args)) => plan(args),
        Some(Command::Run(args)) => run_study(args, context),
        Some(Command::Check(args)) => check(args),
        Some(Command::Merge(args)) => merge(args, context),
        None => run_study(&args.run, context),
    }
}

/// The plan of a study file, and where its results go.
fn plan_of(args: &StudyArgs) -> Result<(Plan, PathBuf), CliError> {
    let Some(file) = &args.study else { return Err(CliError::Usage("name a study file".into())) };
    let study = StudyFile::read(file, &args.set)?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(&study.name));
    Ok((Plan::new(study, file)?, out))
}

fn names(methods: &[Method]) -> String {
    methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// At least one thread.
fn positive_jobs(jobs: Option<usize>) -> Result<Option<usize>, CliError> {
    match jobs {
        Some(0) => Err(CliError::Usage("--jobs is 0; give at least 1".into())),
        jobs => Ok(jobs),
    }
}

fn plan(args: &PlanArgs) -> Result<ExitCode, CliError> {
    let (plan, out) = plan_of(&args.study)?;
    let jobs = positive_jobs(args.jobs)?
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let study = plan.study();
    let mut text = format!("study       {}\n", study.name);
    for (names, points) in plan.axes() {
        text += &format!("axis        {names}: {points}\n");
    }
    text += &format!("replicates  {}\n", study.replicates);
    text += &format!("methods     {}\n", names(plan.methods()));
    text += &format!("units       {}\n", plan.units().len());
    if plan.duplicates() > 0 {
        text += &format!("duplicates  {} units of equal specification are run once\n", plan.duplicates());
    }
    text += &format!("results     {}\n", out.display());
    if !args.no_pilot {
        let pilot = study::pilot(&plan, crate::interrupt::flag())?;
        let total = pilot.seconds_per_unit * plan.units().len() as f64 / jobs as f64;
        text += &format!(
            "estimate    {} on {jobs} threads ({:.3} s per unit, mean of {} units)\n",
            study::duration(total),
            pilot.seconds_per_unit,
            pilot.units
        );
    }
    if args.units {
        for &unit in plan.units() {
            text += &format!("{}  {:>4}  {}\n", unit.id, unit.replicate, plan.spec(unit)?.to_json());
        }
    }
    print(&text)?;
    Ok(ExitCode::Fine)
}

/// The shard to run: as given, or as a Slurm array says, when the array is numbered as shards are. One
/// that is not (a single task that is redone, say) would silently compute something else.
fn shard(given: Option<Shard>, context: &Context) -> Result<Option<Shard>, CliError> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let Some(index) = number("SLURM_ARRAY_TASK_ID").filter(|_| given.is_none()) else { return Ok(given) };
    match (number("SLURM_ARRAY_TASK_MIN"), number("SLURM_ARRAY_TASK_COUNT")) {
        (Some(0), Some(count)) if index < count => {
            context.info(format_args!("shard {index}/{count}, as the Slurm array says"));
            Ok(Some(Shard { index, count }))
        }
        _ => Err(CliError::Usage(format!(
            "task {index} of a Slurm array that is not numbered from 0 without gaps: give --shard I/N"
        ))),
    }
}

fn run_study(args: &RunArgs, context: &Context) -> Result<ExitCode, CliError> {
    let shard = shard(args.shard, context)?;
    let (plan, out) = plan_of(&args.study)?;
    let options = RunOptions {
        jobs: positive_jobs(args.jobs)?,
        shard,
        retry_failed: args.retry_failed,
        progress: context.verbosity >= 0,
    };
    let directory = Directory::open(&out, &plan, shard)?;
    if let Some(left_out) = directory.left_out() {
        context.warn(left_out);
    }
    let report = study::run(&plan, &directory, options, crate::interrupt::flag())?;
    context.info(summary(&plan, &report));
    if report.interrupted {
        context.info(format_args!("interrupted; run the same command again to go on ({})", out.display()));
        return Err(CliError::Interrupted);
    }
    if let Some(shard) = shard {
        context.info(format_args!(
            "shard {}/{} is complete; when all are: synergy study merge {}",
            shard.index,
            shard.count,
            out.display()
        ));
        return Ok(if report.failed > 0 { ExitCode::SomeFailed } else { ExitCode::Fine });
    }
    let code = finish(&plan, &directory, context)?;
    Ok(if report.failed > 0 { code.worse(ExitCode::SomeFailed) } else { code })
}

fn summary(plan: &Plan, report: &RunReport) -> String {
    let mut text = format!("{}: {} units", plan.study().name, report.units);
    if report.done_before > 0 {
        text += &format!(", {} done before", report.done_before);
    }
    text += &format!(", {} computed", report.computed);
    if report.failed > 0 {
        text += &format!(
            ", {} with failures (status and message in the tables; --retry-failed runs them again)",
            report.failed
        );
    }
    text
}

/// Tables, figure, and the overview on standard output. The code says whether every bound is certified.
fn finish(plan: &Plan, directory: &Directory, context: &Context) -> Result<ExitCode, CliError> {
    let start = Instant::now();
    let path = directory.path();
    study::write_tables(plan, directory, path)?;
    context.detail(format_args!("tables: {:.2} s", start.elapsed().as_secs_f64()));
    let internal = |reason: String| CliError::Internal(anyhow::anyhow!(reason));
    if plan.simulates() {
        let runs = Runs::read(path)?;
        let summary = summarise_runs(&runs, path, &[], &usual_reference(&runs)).map_err(internal)?;
        context.info(format_args!("tables: {}/*.parquet", path.display()));
        print(&super::summarise::simulations_text(&summary, context.colour))?;
        return Ok(ExitCode::Fine);
    }
    // The figure reads the tables for itself: the results are gone before it does.
    let (overview, has_gaps, uncertified) = {
        let results = Results::read(path)?;
        let whole = summarise(&results, path, &[], "tune").map_err(internal)?;
        let overview = super::summarise::overview(&whole, context.colour);
        (overview, results.has_gaps(), results.uncertified)
    };
    if has_gaps {
        let options = figures::Options { by: figure_axes(plan), ..figures::Options::default() };
        let figure = figures::plot("gaps", &[path.to_path_buf()], &options)?;
        context.info(format_args!("figure: {}.{{pdf,svg,png,csv}}", figure.stem.display()));
    }
    context.info(format_args!("tables: {}/*.parquet", path.display()));
    print(&overview)?;
    if uncertified > 0 {
        context
            .warn(format_args!("{uncertified} bounds could not be certified (status in the table bounds)"));
        return Ok(ExitCode::Uncertified);
    }
    Ok(ExitCode::Fine)
}

/// What mechanisms of simulations are compared with unasked: what clusters do today, where it ran.
pub(super) fn usual_reference(runs: &Runs) -> String {
    let usual = runs.mechanisms.iter().find(|name| *name == "proportional");
    usual.or(runs.mechanisms.first()).cloned().unwrap_or_default()
}

/// Whether a directory holds results of a study.
///
/// # Errors
/// One line that says what it is instead.
pub(super) fn is_results(directory: &Path) -> Result<(), StudyError> {
    let fault = |reason: &str| StudyError::Directory { path: directory.to_path_buf(), reason: reason.into() };
    if !directory.exists() {
        return Err(fault("does not exist; give a results directory of `synergy study`"));
    }
    if !directory.is_dir() {
        return Err(fault("is a file; give a results directory of `synergy study`"));
    }
    match (directory.join("instances.parquet").exists(), directory.join("parts").exists()) {
        (true, _) => Ok(()),
        (false, true) => {
            Err(fault("has no tables yet; run the study to its end, or `synergy study merge --partial` it"))
        }
        (false, false) if directory.join("runs.parquet").exists() => Err(fault(
            "holds tables of `synergy simulate`, not of a study: `synergy report` summarises them, `synergy plot` \
             draws them; simulations as a study: docs/studies.md",
        )),
        (false, false) => {
            Err(fault("has no instances.parquet, so it is no results directory of `synergy study`"))
        }
    }
}

/// Axes that the figure groups by: in the order of the study, as long as the groups fit on a page.
fn figure_axes(plan: &Plan) -> Vec<String> {
    const MOST_GROUPS: usize = 12;
    let mut groups = 1;
    let mut axes = Vec::new();
    for (path, points) in plan.parameter_axes() {
        if points > 1 && groups * points <= MOST_GROUPS {
            groups *= points;
            axes.push(study::short_name(path).to_string());
        }
    }
    axes
}

fn check(args: &CheckArgs) -> Result<ExitCode, CliError> {
    let (directory, study) = Directory::existing(&args.directory)?;
    let plan = Plan::new(study, &directory.study_path())?;
    let report = study::check(&plan, &directory, args.sample)?;
    let notes = report.notes.iter().map(|note| format!("note: {note}\n"));
    let violations = report.violations.iter().map(|violation| format!("{violation}\n"));
    let mut text: String = notes.chain(violations).collect();
    text += &format!(
        "{} units, {} relations of bounds and values, {} units computed again: {}\n",
        report.units,
        report.relations,
        report.recomputed,
        if report.violations.is_empty() { "all hold" } else { "violations above" }
    );
    print(&text)?;
    Ok(if report.violations.is_empty() { ExitCode::Fine } else { ExitCode::Uncertified })
}

fn merge(args: &MergeArgs, context: &Context) -> Result<ExitCode, CliError> {
    let out = args.out.as_ref().unwrap_or(&args.directories[0]);
    let mut first: Option<StudyFile> = None;
    for path in &args.directories {
        let (_, study) = Directory::existing(path)?;
        match &first {
            None => first = Some(study),
            Some(first) if first.resolved() == study.resolved() => {}
            Some(first) => {
                return Err(StudyError::Directory {
                    path: path.clone(),
                    reason: format!(
                        "holds another study, or another state of it, than {} ({})",
                        args.directories[0].display(),
                        first.name
                    ),
                }
                .into());
            }
        }
    }
    let Some(study) = first else { return Err(CliError::Usage("name a results directory".into())) };
    let plan = Plan::new(study, &args.directories[0].join("study.toml"))?;
    let directory = Directory::open(out, &plan, None)?;
    for path in &args.directories {
        study::gather(path, &directory)?;
    }
    let progress = study::progress_of(&plan, &directory)?;
    if progress.missing > 0 && !args.partial {
        return Err(StudyError::Directory {
            path: out.clone(),
            reason: format!(
                "{} of {} units are missing; run their shards, or give --partial",
                progress.missing,
                plan.units().len()
            ),
        }
        .into());
    }
    finish(&plan, &directory, context)?;
    if progress.failed > 0 {
        context
            .info(format_args!("{} units have failures (status and message in the tables)", progress.failed));
        return Ok(ExitCode::SomeFailed);
    }
    Ok(ExitCode::Fine)
}
