//! `synergy mechanisms`: what can be named in `--mechanism` and `--only`.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use clap::ValueEnum;
use serde_json::{Value, json};
use synergy_solver::mechanisms::{About, Takes, known};

/// List the mechanisms, what they promise, and where they were published
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How the list is written
    #[arg(long, value_enum, default_value = "text")]
    format: ListFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListFormat {
    /// For reading
    Text,
    /// JSON
    Json,
}

/// Prints the list.
pub fn run(args: &Args, _context: &Context) -> Result<ExitCode, CliError> {
    let text = match args.format {
        ListFormat::Text => known().iter().map(text).collect::<Vec<_>>().join("\n"),
        ListFormat::Json => {
            format!("{:#}\n", Value::Array(known().iter().map(json).collect()))
        }
    };
    OutputPath::Stdout.open()?.finish_with(text.as_bytes())?;
    Ok(ExitCode::Fine)
}

fn promises(about: &About) -> Vec<&'static str> {
    let guarantees = about.guarantees;
    [("fair", guarantees.fair), ("complete", guarantees.complete), ("consolidated", guarantees.consolidated)]
        .into_iter()
        .filter_map(|(name, promised)| promised.then_some(name))
        .collect()
}

fn takes(about: &About) -> &'static str {
    match about.takes {
        Takes::RunnableSet => "runnable-set",
        Takes::WholeQueue => "whole-queue",
    }
}

fn text(about: &About) -> String {
    let promises = promises(about);
    let promises = if promises.is_empty() { "nothing".into() } else { promises.join(", ") };
    let mut text = format!("{}\n    {}\n", about.name, about.description);
    text += &format!("    source: {}\n    takes: {}; promises: {promises}\n", about.source, takes(about));
    for parameter in about.parameters {
        text += &format!("    [{}={}] {}\n", parameter.name, parameter.default, parameter.description);
    }
    text
}

fn json(about: &About) -> Value {
    let parameters: Vec<Value> = about
        .parameters
        .iter()
        .map(|p| json!({ "name": p.name, "default": p.default, "description": p.description }))
        .collect();
    json!({
        "name": about.name,
        "description": about.description,
        "source": about.source,
        "takes": takes(about),
        "promises": promises(about),
        "parameters": parameters,
    })
}
