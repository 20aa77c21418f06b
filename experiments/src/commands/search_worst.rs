//! `synergy search-worst`: looks for instances on which a mechanism does badly.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::files::{Format, OutputPath, instance};
use crate::search::{SearchOptions, search_worst};
use crate::study::StudyFile;
use crate::text_table::TextTable;

/// Search for instances with the largest gap, by random restarts with local moves, and keep the best
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Parameter of the workloads to start from, as in study files
    #[arg(long, value_name = "NAME=VALUE", default_values = ["gpus=16", "demand=multi"])]
    set: Vec<String>,
    /// Mechanism whose gap is to be large
    #[arg(long, default_value = "tune")]
    mechanism: String,
    /// Bound that the gap is measured against
    #[arg(long, default_value = "lp")]
    bound: String,
    /// Starts, each from a workload of its own
    #[arg(long, default_value_t = 8, value_name = "N")]
    restarts: u32,
    /// Instances compared per start
    #[arg(long, default_value_t = 500, value_name = "N")]
    evaluations: u32,
    /// Master seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Branch-and-bound nodes per solve
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    node_limit: u64,
    /// Where the worst instance goes, in JSON; `-` is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    out: String,
}

/// Searches, prints what every start found, writes the worst.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let spec = StudyFile::single(&args.set)?;
    crate::study::check_method("bounds", &args.bound).map_err(CliError::Usage)?;
    crate::study::check_method("mechanisms", &args.mechanism).map_err(CliError::Usage)?;
    let out = OutputPath::from(args.out.as_str()).open()?;
    let options = SearchOptions {
        mechanism: args.mechanism.clone(),
        bound: args.bound.clone(),
        restarts: args.restarts,
        evaluations: args.evaluations,
        seed: args.seed,
        node_limit: args.node_limit,
    };
    let stop = crate::interrupt::flag();
    let found = search_worst(&spec, &options, stop).map_err(CliError::Failed)?;
    let mut table = TextTable::new(["start", "gap at start %", "largest gap %", "jobs"]);
    for found in &found {
        let percent = |gap: f64| format!("{:.3}", 100.0 * gap);
        table.row(vec![
            found.restart.to_string().into(),
            found.start_gap.map_or("-".into(), percent).into(),
            percent(found.gap).into(),
            found.instance.jobs().len().to_string().into(),
        ]);
    }
    context.info(table.render(false).trim_end());
    let Some(worst) = found.first() else {
        return Err(CliError::Failed(format!(
            "no instance was found on which {} holds for {}; try another --bound or other parameters",
            args.bound, args.mechanism
        )));
    };
    out.finish_with(instance::to_text(&worst.instance, Format::Json)?.as_bytes())?;
    Ok(if stop.load(std::sync::atomic::Ordering::Relaxed) { ExitCode::Interrupted } else { ExitCode::Fine })
}
