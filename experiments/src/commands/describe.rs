//! `synergy describe`: what a trace looks like.

use super::Context;
use crate::describe::Description;
use crate::error::{CliError, ExitCode, OutputError};
use crate::figures::{self, FigureError, Options};
use crate::files::OutputPath;
use crate::trace;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Describe a jobs table: demands, durations, queueing, locality, failures, load over time
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Jobs table that `synergy import` wrote (Parquet)
    jobs: PathBuf,
    /// GPUs of the cluster that the load is stated for [default: those that the table was made for, if any]
    #[arg(long, value_name = "GPUS", value_parser = clap::value_parser!(u64).range(1..))]
    gpus: Option<u64>,
    /// How it is written
    #[arg(long, value_enum, default_value = "table")]
    format: DescribeFormat,
    /// Directory for figures, as PDF, SVG, PNG and CSV: those that the trace holds the numbers of
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DescribeFormat {
    /// Tables for people
    Table,
    /// JSON
    Json,
}

/// The figures of a trace (`synergy plot` makes them one by one).
const FIGURES: [&str; 5] = ["trace-demand", "trace-duration", "trace-queueing", "trace-sizes", "trace-load"];

/// Writes the figures that the trace holds the numbers of, and says which it does not.
fn write_figures(jobs: &Path, directory: &Path, context: &Context) -> Result<(), CliError> {
    std::fs::create_dir_all(directory).map_err(|e| OutputError::write(directory, e))?;
    for name in FIGURES {
        let options = Options { out: Some(directory.join(name)), ..Options::default() };
        match figures::plot(name, &[jobs.to_path_buf()], &options) {
            Ok(written) => {
                for note in &written.notes {
                    context.info(format_args!("note on {name}: {note}"));
                }
                context.info(format_args!("figure: {}.{{pdf,svg,png,csv}}", written.stem.display()));
            }
            // What the trace does not hold is no fault.
            Err(FigureError::Data { message, .. }) => context.info(format_args!("no {name}: {message}")),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Prints the description.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let out = OutputPath::from(args.out.as_str()).open()?;
    let description = Description::new(&trace::read(&args.jobs)?, args.gpus);
    let text = match args.format {
        DescribeFormat::Table => description.text(context.colour && args.out == "-"),
        DescribeFormat::Json => {
            serde_json::to_string_pretty(&description).map_err(anyhow::Error::from)? + "\n"
        }
    };
    if let Some(directory) = &args.figures {
        write_figures(&args.jobs, directory, context)?;
    }
    out.finish_with(text.as_bytes())?;
    if let Some(warning) = description.load.and_then(|load| load.warning()) {
        context.warn(warning);
    }
    Ok(ExitCode::Fine)
}
