//! `synergy compare`: bounds, placements and mechanisms side by side.

use super::{Context, rules::RuleArgs};
use crate::compare::{
    CompareOptions, Comparison, ErrorCost, compare, costs_to_json, costs_to_table, error_costs, legend,
    split_names, to_json, to_table, write_rows,
};
use crate::error::{CliError, ExitCode, InputError};
use crate::files::{OutputFile, OutputPath};
use crate::profiler::{Method, estimated_instance};
use crate::tables::schema::COMPARISON;
use crate::tables::{Format, Metadata, TableWriter};
use clap::ValueEnum;
use serde_json::Value;
use std::path::Path;
use synergy_solver::bounds::LpMethod;
use synergy_solver::{bounds, mechanisms, placement};

/// Compare bounds, placements and mechanisms on instances
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Instance files, JSON or TOML; - is standard input
    #[arg(required = true)]
    instances: Vec<String>,
    /// How results are written
    #[arg(long, value_enum, default_value = "table")]
    format: CompareFormat,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Run these methods only
    #[arg(long, value_name = "LIST", help = method_names())]
    only: Option<String>,
    /// Stage one offers only what the fewest servers for a job provide; bounds consolidated allocations
    #[arg(long)]
    per_server_cap: bool,
    /// Share of its baseline that bounds and optimal allocations leave every job, 0 to 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, default_value_t = 1.0)]
    fairness_floor: f64,
    /// How stage one is formulated and solved: direct, aggregated or dual [default: by size and structure]
    #[arg(long, value_name = "METHOD")]
    lp_method: Option<LpMethod>,
    /// Seconds per solve
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, default_value_t = 60.0)]
    time_limit: f64,
    /// Branch-and-bound nodes per solve [default: few for exact-placement and optimum unless --only names them]
    #[arg(long, value_name = "NODES")]
    node_limit: Option<u64>,
    /// Let mechanisms decide on profiles that this method estimated, and score on the true ones
    #[arg(long, value_enum, value_name = "METHOD")]
    profile_error: Option<Method>,
    /// Standard deviation of a measurement under --profile-error, relative to the true value
    #[arg(long, value_name = "SHARE", requires = "profile_error", default_value_t = 0.02)]
    profile_noise: f64,
    /// Seed of that noise
    #[arg(long, value_name = "SEED", requires = "profile_error", default_value_t = 0)]
    profile_seed: u64,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// Tables for people
    Table,
    /// JSON, schema synergy-comparison/1; an array for several instances
    Json,
    /// One row per instance and method
    Csv,
    /// The same as Parquet; `synergy schema` describes the columns
    Parquet,
}

fn method_names() -> String {
    let mechanisms: Vec<&str> = mechanisms::known().into_iter().map(|about| about.name).collect();
    format!(
        "Run these methods only, however large the instance: bounds ({}), placements ({}), mechanisms ({}, or \
         exec:COMMAND for a program)",
        bounds::NAMES.join(", "),
        placement::NAMES.join(", "),
        mechanisms.join(", ")
    )
}

/// Prints the comparison of every instance.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if !(args.time_limit.is_finite() && args.time_limit > 0.0) {
        return Err(CliError::Usage(format!(
            "--time-limit {}: give a number of seconds above 0",
            args.time_limit
        )));
    }
    if !(0.0..=1.0).contains(&args.fairness_floor) {
        let message = format!("--fairness-floor {}: give a number from 0 to 1", args.fairness_floor);
        return Err(CliError::Usage(message));
    }
    if !(args.profile_noise.is_finite() && args.profile_noise >= 0.0) {
        let message = format!("--profile-noise {}: give a finite number, 0 or above", args.profile_noise);
        return Err(CliError::Usage(message));
    }
    if args.profile_error.is_some() && !matches!(args.format, CompareFormat::Table | CompareFormat::Json) {
        return Err(CliError::Usage("--profile-error: goes with --format table and json alone".into()));
    }
    let options = CompareOptions {
        only: args.only.as_deref().map(split_names),
        per_server_cap: args.per_server_cap,
        time_limit_s: Some(args.time_limit),
        node_limit: args.node_limit,
        fairness_floor: args.fairness_floor,
        lp_method: args.lp_method,
    };
    options.check()?;
    let out = Output::open(args)?;
    // All inputs are read before the work, so that a bad last one costs nothing.
    let instances =
        args.instances.iter().map(|file| args.rules.read(file, context)).collect::<Result<Vec<_>, _>>()?;
    let mut comparisons = Vec::with_capacity(instances.len());
    let mut costs = Vec::new();
    for instance in &instances {
        context.detail(format_args!("comparing on {}", instance.name));
        comparisons.push(compare(instance, &options)?);
        if let (Some(method), Some(comparison)) = (args.profile_error, comparisons.last()) {
            let estimate = estimated_instance(instance, method, args.profile_noise, args.profile_seed)
                .map_err(|e| InputError::whole(&instance.name, e))?;
            costs.push(error_costs(instance, &estimate, &options, comparison)?);
        }
    }
    match out {
        Output::Rows(mut writer) => {
            for comparison in &comparisons {
                write_rows(comparison, &mut writer)?;
            }
            writer.finish()?;
        }
        Output::Text(file) => file.finish_with(text(args, context, &comparisons, &costs).as_bytes())?,
    }
    Ok(comparisons.iter().map(Comparison::exit_code).fold(ExitCode::Fine, ExitCode::worse))
}

/// Where results go, opened before the work.
enum Output {
    Text(OutputFile),
    Rows(Box<TableWriter>),
}

impl Output {
    fn open(args: &Args) -> Result<Self, CliError> {
        let format = match args.format {
            CompareFormat::Csv => Format::Csv,
            CompareFormat::Parquet if args.out == "-" => {
                return Err(CliError::Usage("--format parquet: name a file with --out".into()));
            }
            CompareFormat::Parquet => Format::Parquet,
            _ => return Ok(Output::Text(OutputPath::from(args.out.as_str()).open()?)),
        };
        let command_line: Vec<String> = std::env::args().skip(1).collect();
        let metadata = Metadata::new(&command_line.join(" "), None);
        Ok(Output::Rows(Box::new(TableWriter::create(Path::new(&args.out), &COMPARISON, &metadata, format)?)))
    }
}

fn text(args: &Args, context: &Context, comparisons: &[Comparison], costs: &[Vec<ErrorCost>]) -> String {
    if args.format == CompareFormat::Json {
        let mut values: Vec<Value> = comparisons.iter().map(to_json).collect();
        for (value, costs) in values.iter_mut().zip(costs) {
            value["profile_error"] = costs_to_json(costs);
        }
        let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
        return format!("{value:#}\n");
    }
    let colour = context.colour && args.out == "-";
    let mut tables: Vec<String> = comparisons.iter().map(|c| to_table(c, colour)).collect();
    if let Some(method) = args.profile_error {
        let how = format!("{}, noise {} %", method.name(), 100.0 * args.profile_noise);
        for (table, costs) in tables.iter_mut().zip(costs) {
            *table += &costs_to_table(costs, &how, colour);
        }
    }
    format!("{}\n{}", tables.join("\n"), legend(colour))
}
