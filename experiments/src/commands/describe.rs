//! `synergy describe`: what a trace looks like.

use super::Context;
use crate::describe::Description;
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use crate::trace;
use clap::ValueEnum;
use std::path::PathBuf;

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
    out.finish_with(text.as_bytes())?;
    if let Some(warning) = description.load.and_then(|load| load.warning()) {
        context.warn(warning);
    }
    Ok(ExitCode::Fine)
}
