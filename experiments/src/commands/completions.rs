//! `synergy completions`: completion scripts for shells.

use super::{Cli, Context};
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell that will read the script
    shell: Shell,
}

/// Prints the script to standard output.
pub fn run(args: &Args, _context: &Context) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "synergy", &mut script);
    OutputPath::Stdout.open()?.finish_with(&script)?;
    Ok(ExitCode::Fine)
}
