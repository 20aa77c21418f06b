//! `synergy export`: the programs, for any other solver.

use super::{Context, rules::RuleArgs};
use crate::error::{CliError, ExitCode, InputError};
use crate::export::{to_lp, to_mps};
use crate::files::OutputPath;
use clap::ValueEnum;
use std::collections::HashMap;
use synergy_solver::bounds::{BoundOptions, lp, lp_groups, lp_skip};
use synergy_solver::lp::{Kind, NamedProgram};
use synergy_solver::model::Instance;
use synergy_solver::placement::program;
use synergy_solver::two_stage;

/// Write the programs of the two stages as MPS or LP files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Instance file, JSON or TOML; - is standard input
    instance: String,
    /// Program
    #[arg(long, value_enum)]
    stage: Stage,
    /// File to write; .mps or .lp says the format
    #[arg(short, long, value_name = "FILE")]
    out: String,
    /// Server group whose stage two is written, from 0; needed where there are several
    #[arg(long, value_name = "N")]
    group: Option<usize>,
    /// Stage one offers only what the fewest servers for a job provide
    #[arg(long)]
    per_server_cap: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Stage one as LP; its optimum is the bound `lp` (`lp-groups` where groups differ: see `1-groups`)
    #[value(name = "1")]
    One,
    /// Stage one with whole choices; its optimum is the bound `ilp`
    #[value(name = "1-ilp")]
    OneIlp,
    /// Stage one by server group; its optimum is the bound `lp-groups`
    #[value(name = "1-groups")]
    OneGroups,
    /// Stage one over the whole queue, jobs may be skipped; its optimum is the bound `lp-skip`
    #[value(name = "1-skip")]
    OneSkip,
    /// Stage two: place what stage one chose; any solution will do
    #[value(name = "2")]
    Two,
    /// Stage two with least pieces; its optimum less the number of jobs is `pieces`
    #[value(name = "2-exact")]
    TwoExact,
}

/// Writes the program.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let write = match args.out.rsplit_once('.') {
        Some((_, "mps")) => to_mps,
        Some((_, "lp")) => to_lp,
        _ => return Err(CliError::Usage(format!("--out {}: end the name in .mps or .lp", args.out))),
    };
    let out = OutputPath::File((&args.out).into()).open()?;
    let instance = args.rules.read(&args.instance, context)?;
    let mut named = program_of(args, &instance)?;
    make_unique(&mut named.column_names);
    make_unique(&mut named.row_names);
    let comments = [
        format!(
            "{} of instance {:?}, written by synergy {}",
            named.name,
            instance.name,
            env!("CARGO_PKG_VERSION")
        ),
        format!("{} columns, {} rows", named.program.columns(), named.program.rows()),
        "j: job from 0 in the order of the instance; c, m: its CPUs and GB; s: server from 0".to_string(),
    ];
    out.finish_with(write(&named, &comments.each_ref().map(String::as_str)).as_bytes())?;
    context.info(format_args!("{} -> {}", comments[1], args.out));
    Ok(ExitCode::Fine)
}

/// Names give amounts to two decimals; where two are the same, the later ones get a number.
fn make_unique(names: &mut [String]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names {
        let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
        if *times > 1 {
            *name = format!("{name}.{times}");
        }
    }
}

fn program_of(args: &Args, instance: &Instance) -> Result<NamedProgram, CliError> {
    let queue = instance.queue();
    let options = BoundOptions { per_server_cap: args.per_server_cap, ..BoundOptions::default() };
    Ok(match args.stage {
        Stage::One => lp::named_program(instance, &queue, &options, Kind::Continuous),
        Stage::OneIlp => lp::named_program(instance, &queue, &options, Kind::Integer),
        Stage::OneGroups => lp_groups::named_program(instance, &queue, &options),
        Stage::OneSkip => lp_skip::named_program(instance, &queue, &options),
        Stage::Two | Stage::TwoExact => {
            let groups = instance.cluster().groups().len();
            let group = match args.group {
                Some(group) if group < groups => group,
                None if groups == 1 => 0,
                _ => {
                    let message = format!(
                        "has {groups} server groups, each with its own stage two; give --group 0 to {}",
                        groups - 1
                    );
                    return Err(InputError::whole(&args.instance, message).into());
                }
            };
            let stage_one = two_stage::stage_one(instance, &queue, &options);
            if stage_one.jobs.is_empty() && !queue.is_empty() {
                let status = stage_one.bound.status;
                return Err(CliError::Uncertified(format!(
                    "stage one ended as {status}; there is nothing to place"
                )));
            }
            let stages = two_stage::stage_two(instance, &stage_one);
            program::named(&stages[group].problem, args.stage == Stage::TwoExact)
        }
    })
}
