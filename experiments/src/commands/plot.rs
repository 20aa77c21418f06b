//! `synergy plot`: figures for papers, from what other commands wrote.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::figures::style::Style;
use crate::figures::{self, FIGURES, Options, Width};
use crate::files::print;
use std::ops::Range;
use std::path::PathBuf;

/// Make a figure for a paper: PDF, SVG, PNG, and its data as CSV
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which figure; --list says what there is
    #[arg(required_unless_present = "list", value_name = "FIGURE")]
    figure: Option<String>,
    /// Results directories, or files as the figure needs; its own CSV sets it anew
    inputs: Vec<PathBuf>,
    /// List the figures, what each shows and what it is made from
    #[arg(long)]
    list: bool,
    /// Path of the files without ending [default: figures/FIGURE in the first directory]
    #[arg(short, long, value_name = "STEM")]
    out: Option<PathBuf>,
    /// Width [default: one column, or the page where the figure needs it]
    #[arg(long, value_enum)]
    width: Option<Width>,
    /// Style file: sizes, and colours, cues and names of series
    #[arg(long, value_name = "FILE")]
    style: Option<String>,
    /// A panel or group for each value of these columns or parameters
    #[arg(long, value_delimiter = ',', value_name = "COLUMN")]
    by: Vec<String>,
    /// Draw only what has these values; again for other columns
    #[arg(long, value_name = "COLUMN=VALUE[;VALUE]", value_parser = only)]
    only: Vec<(String, Vec<String>)>,
    /// Mechanisms to draw, in this order (methods of scaling and profiler, models of sensitivity)
    #[arg(long, visible_alias = "model", value_delimiter = ',', value_name = "NAME")]
    mechanism: Vec<String>,
    /// What gaps are measured to: a bound, or best, the least that holds [default: best]
    #[arg(long, value_name = "NAME")]
    bound: Option<String>,
    /// What others are compared with [default: proportional; of scatter: tune]
    #[arg(long, value_name = "NAME")]
    reference: Option<String>,
    /// Names of the inputs, where there are several [default: their own]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    label: Vec<String>,
    /// Servers of a cluster map [default: all]
    #[arg(long, value_name = "A..B", value_parser = range)]
    servers: Option<Range<usize>>,
}

fn only(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, values) = text.split_once('=').ok_or("write it as COLUMN=VALUE, such as demand=multi")?;
    // Values such as the split 20,70,10 have commas.
    Ok((name.to_string(), values.split(';').map(str::to_string).collect()))
}

fn range(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match ends {
        Some((a, b)) if a < b => Ok(a..b),
        _ => Err("write it as A..B with A below B, such as 0..16".into()),
    }
}

/// Makes the figure, or lists what there is.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let figure = match &args.figure {
        Some(figure) if !args.list => figure,
        _ => {
            print(&list())?;
            return Ok(ExitCode::Fine);
        }
    };
    figures::find(figure)?;
    let options = Options {
        out: args.out.clone(),
        width: args.width,
        style: args.style.as_deref().map(Style::read).transpose()?.unwrap_or_default(),
        by: args.by.clone(),
        only: args.only.clone(),
        mechanisms: args.mechanism.clone(),
        bound: args.bound.clone(),
        reference: args.reference.clone(),
        labels: args.label.clone(),
        servers: args.servers.clone(),
    };
    let written = figures::plot(figure, &args.inputs, &options)?;
    for note in &written.notes {
        context.info(format_args!("note: {note}"));
    }
    context.info(format_args!("figure: {}.{{pdf,svg,png,csv}}", written.stem.display()));
    Ok(ExitCode::Fine)
}

fn list() -> String {
    let widest = FIGURES.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
    let line = |figure: &&figures::Figure| {
        format!("{:widest$}  {}\n{:widest$}  from {}\n", figure.name, figure.shows, "", figure.from)
    };
    FIGURES.iter().map(line).collect()
}
