//! `synergy claims`: what the paper claims of simulations, measured anew.

use super::Context;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::OutputPath;
use crate::interrupt;
use crate::simulator::claims::{MULTI_LOADS, Protocol, SINGLE_LOADS, markdown};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Measure the paper's claims C1 to C5 and C8 on 128 GPUs for several seeds, whether they agree or not
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seeds
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_values_t = [1, 2, 3, 4, 5])]
    seed: Vec<u64>,
    /// Jobs before the measured ones
    #[arg(long, value_name = "N", default_value_t = 4000)]
    warm_up: u64,
    /// Measured jobs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    measured: u64,
    /// paper, or reference-2022
    #[arg(long, value_name = "NAME", default_value = "paper")]
    semantics: String,
    /// Markdown file to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
}

/// Measures and writes the table.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let out = OutputPath::from(args.out.as_str()).open()?;
    let protocol = Protocol {
        seeds: args.seed.clone(),
        warm_up: args.warm_up,
        measured: args.measured,
        semantics: args.semantics.clone(),
        single_loads: SINGLE_LOADS.to_vec(),
        multi_loads: MULTI_LOADS.to_vec(),
    };
    let interrupted = interrupt::flag();
    let progress = || match interrupted.load(Ordering::SeqCst) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let said = |line: &str| context.info(line);
    let findings =
        protocol.measure(&progress, &said).map_err(|error| InputError::whole("command line", error))?;
    if interrupted.load(Ordering::SeqCst) {
        return Err(CliError::Interrupted);
    }
    out.finish_with(markdown(&findings).as_bytes())?;
    Ok(ExitCode::Fine)
}
