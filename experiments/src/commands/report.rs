//! `synergy report`: a results directory as one HTML page.

use super::Context;
use crate::error::{CliError, ExitCode};
use crate::files::OutputPath;
use crate::report;
use std::path::PathBuf;

/// Write a results directory as one self-contained HTML page: summary, figures, tables, provenance
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory with the Parquet tables of a study, a simulation or a reproduction, and those below it
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Page to write; - is standard output [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Most rows of one table that the page carries [default: 2000, fewer where there are more than 10 tables]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,
}

/// Writes the page.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let path = args.out.clone().unwrap_or_else(|| args.directory.join("report.html").display().to_string());
    let sections = report::sections(&args.directory, args.rows.map(|rows| rows as usize))?;
    let out = OutputPath::from(path.as_str()).open()?;
    let page = report::page(&args.directory, &sections);
    out.finish_with(page.as_bytes())?;
    for section in &sections {
        section.skipped.iter().for_each(|skipped| context.warn(format_args!("not shown: {skipped}")));
        section.not_drawn.iter().for_each(|why| context.detail(format_args!("no figure {why}")));
        for left_out in section.tables.iter().filter_map(report::Embedded::left_out) {
            context.info(left_out);
        }
    }
    context.info(format_args!("{} bytes -> {path}", page.len()));
    Ok(ExitCode::Fine)
}
