//! `synergy new-mechanism`: the beginnings of a mechanism of one's own.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::scaffold::{self, Language, Source};
use std::path::PathBuf;

/// Write a small crate, or a Python plug-in, with a mechanism that runs and waits to be changed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its name: lower-case letters, digits and '-'
    name: String,
    /// What to write it in
    #[arg(long, value_enum, default_value = "rust")]
    language: Language,
    /// New directory [default: NAME]
    #[arg(short, long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Clone of the workbench that the crate builds on [default: where this program was built, else the repository]
    #[arg(long, value_name = "DIRECTORY")]
    workbench: Option<PathBuf>,
}

/// Writes the files and says what to do next.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    scaffold::check_name(&args.name).map_err(CliError::Usage)?;
    let source = match &args.workbench {
        Some(path) => Source::clone_at(path)?,
        None => Source::of_this_program(),
    };
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    scaffold::write(&args.name, args.language, &source, &directory)?;
    let next = match args.language {
        Language::Rust => "cargo run --release -- conformance",
        Language::Python => "synergy conformance exec:",
    };
    let mechanism = match args.language {
        Language::Rust => format!(" {}", args.name),
        Language::Python => format!("./{}.py", args.name.replace('-', "_")),
    };
    let place = directory.display();
    context.info(format_args!(
        "{} -> {place}; next: cd {place} && {next}{mechanism}; README.md says more",
        args.name
    ));
    Ok(ExitCode::Fine)
}
