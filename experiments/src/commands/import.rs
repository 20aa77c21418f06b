//! `synergy import`: files of the field to jobs tables, with an account of every row.

use super::Context;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::OutputPath;
use crate::importers::{self, Attempts, Durations, Format, Options, ProfileRule, Report};
use crate::tables;
use crate::trace;
use crate::workload::{ClusterSpec, WorkloadSpec};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::{Path, PathBuf};

/// Name of the format that imports as a cluster.
const NODES: &str = "alibaba-nodes";

/// Import a trace of the field as a jobs table
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Format of the file
    #[arg(value_parser = formats())]
    format: String,
    /// The file; gzip and zstd are read directly
    file: PathBuf,
    /// Jobs table to write (Parquet, or CSV by its ending); a cluster is TOML. Without it, only the report
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_enum, default_value = "text")]
    report: ReportFormat,
    /// Any rejected row is an error, and nothing is written
    #[arg(long)]
    strict: bool,
    /// Attempts to run one job, where the format lists them
    #[arg(long, value_enum, default_value = "sum")]
    attempts: Attempts,
    /// Durations: the source's own, or drawn from the published mixture
    #[arg(long, value_enum, default_value = "own", conflicts_with = "seconds_per_step")]
    durations: DurationRule,
    /// CSV of application,seconds_per_step: durations are steps times these
    #[arg(long, value_name = "FILE")]
    seconds_per_step: Option<PathBuf>,
    /// How jobs get sensitivity profiles
    #[arg(long, value_enum, default_value = "auto")]
    profiles: ProfileRule,
    /// Weights of image, language and speech tasks where profiles are drawn [default: 20,70,10]
    #[arg(long, value_name = "I,L,S", value_delimiter = ',')]
    split: Option<Vec<f64>>,
    /// Seed of what is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// GPUs of the cluster that the load is stated for
    #[arg(long, value_name = "GPUS", value_parser = clap::value_parser!(u64).range(1..))]
    gpus: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Lines for people
    Text,
    /// JSON
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DurationRule {
    /// From the source, where it has them
    Own,
    /// Drawn from the published mixture, labelled semi-synthetic
    Published,
}

fn formats() -> PossibleValuesParser {
    let jobs = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let nodes = PossibleValue::new(NODES).help("Alibaba 2023 node list, imported as a cluster");
    PossibleValuesParser::new(jobs.chain([nodes]))
}

/// Imports the file and prints the report.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if args.format == NODES {
        return import_cluster(args);
    }
    let format = Format::from_str(&args.format, true).map_err(CliError::Usage)?;
    let durations = match (&args.seconds_per_step, args.durations) {
        (Some(path), _) => Durations::SecondsPerStep(importers::seconds_per_step(path)?),
        (None, DurationRule::Own) => Durations::Own,
        (None, DurationRule::Published) => Durations::Published,
    };
    let options = Options {
        attempts: args.attempts,
        durations,
        profiles: args.profiles,
        split: args.split.clone(),
        seed: args.seed,
    };
    let mut import = importers::import(format, &args.file, &options)?;
    refuse_rejects(args, &import.report)?;
    let load = args.gpus.map(|gpus| import.trace.load(gpus));
    import.trace.about.load = load;
    if let Some(out) = &args.out {
        trace::write(&import.trace, out, table_format(out))?;
    }
    let text = match args.report {
        ReportFormat::Text => import.report.text(&import.trace, load.as_ref()),
        ReportFormat::Json => json(&import.trace.about)?,
    };
    OutputPath::Stdout.open()?.finish_with(text.as_bytes())?;
    if let Some(warning) = load.and_then(|load| load.warning()) {
        context.warn(warning);
    }
    Ok(ExitCode::Fine)
}

/// CSV by its ending, else Parquet.
pub(super) fn table_format(path: &Path) -> tables::Format {
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if is_csv { tables::Format::Csv } else { tables::Format::Parquet }
}

fn json(value: &impl serde::Serialize) -> Result<String, CliError> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
    Ok(text + "\n")
}

fn refuse_rejects(args: &Args, report: &Report) -> Result<(), CliError> {
    match report.rejected.iter().next() {
        Some((reason, tally)) if args.strict => {
            let message = format!(
                "{} of {} rows are rejected and --strict is given; the first: {reason} (line {})",
                report.rows_rejected(),
                report.rows_read,
                tally.first_lines.first().copied().unwrap_or_default()
            );
            Err(InputError::whole(args.file.display(), message).into())
        }
        _ => Ok(()),
    }
}

/// Writes a workload spec whose cluster are the nodes.
fn import_cluster(args: &Args) -> Result<ExitCode, CliError> {
    let (groups, report) = importers::import_nodes(&args.file)?;
    refuse_rejects(args, &report)?;
    let gpus: u64 = groups.iter().map(|g| g.count as u64 * u64::from(g.gpus)).sum();
    let types = groups.len();
    let spec =
        WorkloadSpec { cluster: ClusterSpec { groups, ..ClusterSpec::default() }, ..WorkloadSpec::default() };
    if let Some(out) = &args.out {
        let text = spec.to_toml().map_err(anyhow::Error::from)?;
        OutputPath::File(out.clone()).open()?.finish_with(text.as_bytes())?;
    }
    let text = match args.report {
        ReportFormat::Text => format!("{}{gpus} GPUs in {types} server groups\n", report.account("servers")),
        ReportFormat::Json => json(&report)?,
    };
    OutputPath::Stdout.open()?.finish_with(text.as_bytes())?;
    Ok(ExitCode::Fine)
}
