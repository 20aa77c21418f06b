//! `synergy conformance`: does a mechanism keep what it promises?

use super::Context;
use crate::conformance::{self, Effort, Verdicted, to_json, to_junit, to_text};
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use crate::plugins::resolve;
use clap::ValueEnum;

/// Test a mechanism on hard, odd and random instances; exit code 5 when it breaks a promise
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Mechanism, as for --mechanism; exec:COMMAND is a program
    mechanism: String,
    /// Random instances beside the published odd ones
    #[arg(long, value_name = "N", default_value_t = 300)]
    random: u64,
    /// Seed of the random instances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only pass or fail: no gap, no times
    #[arg(long)]
    no_measures: bool,
    /// How the report is written
    #[arg(long, value_enum, default_value = "text")]
    format: ReportFormat,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ReportFormat {
    /// For reading
    Text,
    /// JSON, schema synergy-conformance/1
    Json,
    /// JUnit XML, for continuous integration
    Junit,
}

/// Runs the kit and prints what it found.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let out = OutputPath::from(args.out.as_str()).open()?;
    let effort = Effort { random: args.random, seed: args.seed, measure: !args.no_measures };
    // A mechanism that panics is a finding, not a crash: it is reported as such, once.
    std::panic::set_hook(Box::new(|_| ()));
    let found = conformance::run(&args.mechanism, &|| resolve(&args.mechanism), &effort);
    drop(std::panic::take_hook());
    let found = found?;
    let text = match args.format {
        ReportFormat::Text => to_text(&found),
        ReportFormat::Json => format!("{:#}\n", to_json(&found)),
        ReportFormat::Junit => to_junit(&found),
    };
    out.finish_with(text.as_bytes())?;
    let failed =
        found.properties.iter().filter(|(_, verdict)| matches!(verdict, Verdicted::Failed(_))).count();
    if args.out != "-" {
        context.info(format_args!("{}: {failed} properties broken -> {}", args.mechanism, args.out));
    }
    Ok(if found.passed() { ExitCode::Fine } else { ExitCode::Uncertified })
}
