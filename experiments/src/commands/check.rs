//! `synergy check`: the independent checker on anyone's allocation.

use super::{Context, rules::RuleArgs};
use crate::error::{CliError, ExitCode};
use crate::files::{OutputPath, allocation};
use crate::text_table::short;
use clap::ValueEnum;
use serde_json::{Value, json};
use synergy_solver::check::{Report, Verdict, check};
use synergy_solver::model::Instance;

/// Check an allocation against its instance; exit code 5 when something is violated
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Instance file, JSON or TOML; - is standard input
    instance: String,
    /// Allocation file, JSON or TOML; - is standard input
    allocation: String,
    /// Verdicts that make the exit code 5 when they are "no"
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        default_value = "valid,consolidated,fair,complete"
    )]
    require: Vec<Require>,
    /// How the report is written
    #[arg(long, value_enum, default_value = "text")]
    format: ReportFormat,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Verdicts, then one line per violation
    Text,
    /// JSON, schema synergy-check/1
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Require {
    /// Within capacity, exact GPU demands, amounts in proportion to GPUs
    Valid,
    /// Every job on the fewest servers
    Consolidated,
    /// Every scheduled job at no less than its baseline
    Fair,
    /// Every runnable job scheduled
    Complete,
}

impl From<Require> for Verdict {
    fn from(require: Require) -> Self {
        match require {
            Require::Valid => Verdict::Valid,
            Require::Consolidated => Verdict::Consolidated,
            Require::Fair => Verdict::Fair,
            Require::Complete => Verdict::Complete,
        }
    }
}

/// Prints verdicts and violations.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if args.instance == "-" && args.allocation == "-" {
        return Err(CliError::Usage("only one of the two files can be standard input".into()));
    }
    let out = OutputPath::from(args.out.as_str()).open()?;
    let instance = args.rules.read(&args.instance, context)?;
    let allocation = allocation::read(&args.allocation, &instance)?;
    let report = check(&instance, &instance.queue(), &allocation);
    let text = match args.format {
        ReportFormat::Text => text(&instance, &report),
        ReportFormat::Json => format!("{:#}\n", json(&instance, &report)),
    };
    out.finish_with(text.as_bytes())?;
    let required: Vec<Verdict> = args.require.iter().map(|&require| require.into()).collect();
    let violated = report.violations.iter().any(|violation| required.contains(&violation.breach.verdict()));
    Ok(if violated { ExitCode::Uncertified } else { ExitCode::Fine })
}

fn verdicts(report: &Report) -> [(Verdict, bool); 4] {
    let v = &report.verdicts;
    [
        (Verdict::Valid, v.valid),
        (Verdict::Consolidated, v.consolidated),
        (Verdict::Fair, v.fair),
        (Verdict::Complete, v.complete),
    ]
}

fn text(instance: &Instance, report: &Report) -> String {
    let mut text = String::new();
    for (verdict, holds) in verdicts(report) {
        text += &format!("{:<13} {}\n", verdict.name(), if holds { "yes" } else { "no" });
    }
    text += &format!(
        "value         {:.6}\nplaced        {} of {} jobs\nidle GPUs     {}\n",
        report.value,
        report.jobs.len(),
        instance.jobs().len(),
        short(report.gpus_idle, 6)
    );
    if !report.violations.is_empty() {
        text += &format!("violations    {}\n", report.violations.len());
    }
    for violation in &report.violations {
        text += &format!("  not {}: {}\n", violation.breach.verdict().name(), violation.describe(instance));
    }
    text
}

fn json(instance: &Instance, report: &Report) -> Value {
    let violations: Vec<Value> = report
        .violations
        .iter()
        .map(|violation| {
            json!({
                "verdict": violation.breach.verdict().name(),
                "breach": violation.breach.name(),
                "job": violation.job.and_then(|job| instance.jobs().get(job)).map(|job| &job.id),
                "server": violation.server,
                "resource": violation.resource.map(|resource| resource.name()),
                "amount": violation.amount,
                "limit": violation.limit,
                "message": violation.describe(instance),
            })
        })
        .collect();
    let mut value = json!({ "schema": "synergy-check/1" });
    for (verdict, holds) in verdicts(report) {
        value[verdict.name()] = json!(holds);
    }
    value["value"] = json!(report.value);
    value["value_per_job"] = json!(report.value_per_job);
    value["placed"] = json!(report.jobs.len());
    value["skipped"] = json!(report.skipped);
    value["gpus_idle"] = json!(report.gpus_idle);
    value["fragmented"] = json!(report.fragmented);
    value["violations"] = json!(violations);
    value
}
