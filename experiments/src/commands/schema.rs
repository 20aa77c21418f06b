//! `synergy schema`: the documentation of the tables.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use crate::tables::schema;

/// Print what every column of every table means (results/SCHEMA.md)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where to write it; `-` is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    out: String,
}

/// Writes the documentation.
pub fn run(args: &Args, _context: &Context) -> Result<ExitCode, CliError> {
    OutputPath::from(args.out.as_str()).open()?.finish_with(schema::markdown().as_bytes())?;
    Ok(ExitCode::Fine)
}
