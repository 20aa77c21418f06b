//! The command line: one file per subcommand, each with its `Args` and `run`.

mod allocate;
mod bench;
mod check;
mod cluster;
mod compare;
mod completions;
mod conformance;
mod describe;
mod export;
mod generate;
mod import;
mod instance;
mod mechanisms;
mod new_mechanism;
mod plot;
mod profile;
mod report;
mod reproduce;
mod rules;
mod schema;
mod search_worst;
mod simulate;
mod study;
mod summarise;
mod worst;

use crate::error::{CliError, ExitCode};
use crate::files::say;
use clap::{ArgAction, Parser, Subcommand};
use std::io::IsTerminal;

/// `synergy` and its subcommands.
#[derive(Debug, Parser)]
#[command(
    name = "synergy",
    version,
    about = "CPU and memory for deep-learning jobs on GPU clusters: bounds, heuristics, and the gap between them",
    after_help = exit_code_table(),
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say more on stderr
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

// In the order of `synergy --help`.
#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Args),
    Compare(compare::Args),
    Import(import::Args),
    Instance(instance::Args),
    Describe(describe::Args),
    Profile(profile::Args),
    Allocate(allocate::Args),
    Check(check::Args),
    Export(export::Args),
    Simulate(simulate::Args),
    Reproduce(reproduce::Args),
    Mechanisms(mechanisms::Args),
    Conformance(conformance::Args),
    Bench(bench::Args),
    NewMechanism(new_mechanism::Args),
    Completions(completions::Args),
    Study(study::Args),
    Summarise(summarise::Args),
    Report(report::Args),
    Worst(worst::Args),
    Plot(plot::Args),
    SearchWorst(search_worst::Args),
    Schema(schema::Args),
}

impl Command {
    fn run(&self, context: &Context) -> Result<ExitCode, CliError> {
        match self {
            Command::Generate(args) => generate::run(args, context),
            Command::Compare(args) => compare::run(args, context),
            Command::Import(args) => import::run(args, context),
            Command::Instance(args) => instance::run(args, context),
            Command::Describe(args) => describe::run(args, context),
            Command::Profile(args) => profile::run(args, context),
            Command::Allocate(args) => allocate::run(args, context),
            Command::Check(args) => check::run(args, context),
            Command::Export(args) => export::run(args, context),
            Command::Simulate(args) => simulate::run(args, context),
            Command::Reproduce(args) => reproduce::run(args, context),
            Command::Mechanisms(args) => mechanisms::run(args, context),
            Command::Conformance(args) => conformance::run(args, context),
            Command::Bench(args) => bench::run(args, context),
            Command::NewMechanism(args) => new_mechanism::run(args, context),
            Command::Completions(args) => completions::run(args, context),
            Command::Study(args) => study::run(args, context),
            Command::Summarise(args) => summarise::run(args, context),
            Command::Report(args) => report::run(args, context),
            Command::Worst(args) => worst::run(args, context),
            Command::Plot(args) => plot::run(args, context),
            Command::SearchWorst(args) => search_worst::run(args, context),
            Command::Schema(args) => schema::run(args, context),
        }
    }
}

/// What every command knows of its surroundings.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// -1 with `--quiet`, else the number of `-v`.
    pub verbosity: i8,
    /// Whether tables on standard output may have colour: a terminal, and no `NO_COLOR`.
    pub colour: bool,
}

impl Context {
    /// A line of progress or a result's whereabouts, for stderr.
    pub fn info(&self, message: impl std::fmt::Display) {
        if self.verbosity >= 0 {
            say(message);
        }
    }

    /// A line for who asked for more.
    pub fn detail(&self, message: impl std::fmt::Display) {
        if self.verbosity >= 1 {
            say(message);
        }
    }

    /// A line that begins with `warning:`.
    pub fn warn(&self, message: impl std::fmt::Display) {
        if self.verbosity >= 0 {
            say(format_args!("warning: {}", one_line(&message.to_string())));
        }
    }
}

/// Parses the command line, runs the command, and prints its error as one line.
pub fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    crate::interrupt::listen();
    let context = Context {
        verbosity: if cli.quiet { -1 } else { cli.verbose.min(3) as i8 },
        colour: std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    match cli.command.run(&context) {
        Ok(code) => code.into(),
        Err(error) => {
            say(format_args!("error: {}", one_line(&error.to_string())));
            error.exit_code().into()
        }
    }
}

/// Errors are one line, whatever a library, a file or a plug-in put into them; a terminal obeys none of it.
fn one_line(message: &str) -> String {
    let line =
        message.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let shown = |c: char| match c {
        '\t' | '\r' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    line.chars().map(shown).collect()
}

fn exit_code_table() -> String {
    let lines = ExitCode::ALL.map(|code| format!("  {:>3}  {}\n", code as u8, code.meaning()));
    format!("Exit codes:\n{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn messages_are_one_line_without_control_characters() {
        assert_eq!(one_line("a\n  b\r\n\n\u{1b}[31mred\tü\u{9b}2J"), "a; b; \u{fffd}[31mred ü\u{fffd}2J");
    }
}
