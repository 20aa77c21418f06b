//! `synergy reproduce`: the figures and tables of the paper, and what becomes of its claims.

use super::Context;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::print;
use crate::interrupt;
use crate::reproduce::{self, Claim, RECIPES, Request, Scale, Verdict};
use crate::study::duration;
use crate::text_table::TextTable;
use std::path::PathBuf;

/// Reproduce the figures, tables and claims of the paper, and some beyond it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Recipes [default: all; --list names them]
    #[arg(value_name = "RECIPE")]
    recipes: Vec<String>,
    /// Fewer seeds, loads and instances: all recipes within ten minutes on two cores
    #[arg(long)]
    quick: bool,
    /// Directory for tables, figures, claims.csv and claims.md; what is finished in it is not run again
    #[arg(short, long, value_name = "DIR", default_value = "results/reproduce")]
    out: PathBuf,
    /// Philly trace for fig-philly-512: cluster_job_log, or its table (timestamp,duration,num_gpus)
    #[arg(long, value_name = "FILE")]
    philly: Option<PathBuf>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// List the recipes, with the minutes that they take on two cores
    #[arg(long)]
    list: bool,
}

/// Runs the recipes and prints the claims.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let recipes = reproduce::find(&args.recipes)?;
    if args.list {
        print(&list(context.colour))?;
        return Ok(ExitCode::Fine);
    }
    if let Some(file) = args.philly.as_ref().filter(|file| !file.exists()) {
        return Err(InputError::whole(file.display(), "does not exist; check the path").into());
    }
    let request = Request {
        scale: if args.quick { Scale::quick() } else { Scale::full() },
        out: args.out.clone(),
        philly: args.philly.clone(),
        threads: args.threads.map(usize::from),
        progress: context.verbosity >= 0,
    };
    let minutes: f64 = recipes.iter().map(|recipe| recipe.minutes[usize::from(!args.quick)]).sum();
    context.info(format_args!(
        "{} recipes, about {} on two quiet cores when nothing is done yet -> {}",
        recipes.len(),
        duration(60.0 * minutes),
        args.out.display()
    ));
    let say = |line: String| context.info(line);
    let claims = reproduce::run(&recipes, &request, interrupt::flag(), &say)?;
    context.info(format_args!("claims -> {0}/claims.md, {0}/claims.csv", args.out.display()));
    let asked = |claim: &&Claim| recipes.iter().any(|recipe| recipe.name == claim.recipe);
    print(&table(claims.iter().filter(asked), context.colour))?;
    Ok(ExitCode::Fine)
}

fn list(colour: bool) -> String {
    let mut table = TextTable::new(["<recipe", "quick min", "full min", "<shows"]);
    for recipe in RECIPES {
        let [quick, full] = recipe.minutes.map(|minutes| crate::text_table::short(minutes, 1));
        table.row(vec![recipe.name.into(), quick.into(), full.into(), recipe.title.into()]);
    }
    table.render(colour)
}

/// The claims of the paper and ours, for a terminal.
fn table<'a>(claims: impl Iterator<Item = &'a Claim>, colour: bool) -> String {
    use crate::text_table::{Cell, Style};
    let mut table = TextTable::new(["<claim", "<what", "<ours", "<paper", "<verdict"]);
    for claim in claims {
        let style = match claim.verdict {
            Verdict::Differs => Style::Yellow,
            _ => Style::Plain,
        };
        table.row(vec![
            claim.claim.as_str().into(),
            claim.title.as_str().into(),
            claim.ours.join("; ").into(),
            claim.paper.as_str().into(),
            Cell::new(claim.verdict.name(), style),
        ]);
    }
    table.render(colour)
}
