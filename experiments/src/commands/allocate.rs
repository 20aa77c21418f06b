//! `synergy allocate`: the allocation of one mechanism.

use super::{Context, rules::RuleArgs};
use crate::compare::broken_promises;
use crate::error::{CliError, ExitCode};
use crate::files::{OutputPath, allocation};
use crate::plugins::resolve;
use synergy_solver::check::check;

/// Write the allocation of one mechanism
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Instance file, JSON or TOML; - is standard input
    instance: String,
    /// Mechanism, with parameters in brackets; `synergy mechanisms` lists them; exec:COMMAND is a program
    #[arg(short, long, value_name = "NAME")]
    mechanism: String,
    /// Allocation file to write, JSON; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    #[command(flatten)]
    rules: RuleArgs,
}

/// Writes the allocation, after the checker has seen it.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let mechanism = resolve(&args.mechanism)?;
    let path = OutputPath::from(args.out.as_str());
    let out = path.open()?;
    let instance = args.rules.read(&args.instance, context)?;
    let queue = instance.queue();
    let outcome = mechanism.allocate(&instance, &queue)?;
    let report = check(&instance, &queue, &outcome.allocation);
    out.finish_with(allocation::to_json(&instance, &outcome.allocation)?.as_bytes())?;
    context.info(format_args!(
        "{}: {}; value {:.4}, {} of {} jobs placed, {} GPUs idle -> {path}",
        args.mechanism,
        outcome.status,
        report.value,
        report.jobs.len(),
        queue.len(),
        report.gpus_idle
    ));
    match broken_promises(&mechanism.about(), &instance, &report) {
        Some(broken) => Err(CliError::Uncertified(format!("mechanism {}: {broken}", args.mechanism))),
        None => Ok(ExitCode::Fine),
    }
}
