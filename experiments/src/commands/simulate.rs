//! `synergy simulate`: policies with mechanisms over time.

use super::Context;
use super::cluster::ClusterArgs;
use crate::compare::split_names;
use crate::error::{CliError, ExitCode, InputError, OutputError};
use crate::files::{print, read_text};
use crate::plugins;
use crate::simulator::{
    CompletionRule, End, Finished, Plan, PlanError, Progress, Recorder, RemainingRate, RunSpec,
    SimulationSpec, Source, Throughput, Trace, write_tables,
};
use crate::tables::TableError;
use crate::text_table::{Cell, Style, TextTable, thousands};
use crate::workload::DemandSpec;
use crate::{interrupt, trace};
use clap::ValueEnum;
use rayon::prelude::*;
use std::io::{IsTerminal, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Simulate policies with mechanisms over time, and write tables of runs, jobs and rounds
#[derive(Debug, clap::Args)]
pub struct Args {
    /// TOML file of a set of simulations; flags go before what it says
    #[arg(value_name = "FILE")]
    spec: Option<String>,
    /// Directory for runs.parquet, jobs.parquet, rounds.parquet and timings.parquet; without it, the summary alone
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Policies: fifo, srtf, las, ftf, drf, tetris [default: fifo]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "What runs")]
    policy: Vec<String>,
    /// Mechanisms, plug-ins (exec:COMMAND), or lp and ilp, which bound them [default: proportional,tune]
    #[arg(long, value_name = "NAMES", help_heading = "What runs")]
    mechanism: Option<String>,
    /// paper, or reference-2022: exactly what the simulator published with the paper computes
    #[arg(long, value_name = "NAME", help_heading = "What runs")]
    semantics: Option<String>,
    /// One difference between the two, such as ftf-order=reference; may be given again
    #[arg(long, value_name = "SWITCH=VALUE", help_heading = "What runs")]
    with: Vec<String>,
    /// Arrival rates in jobs per hour
    #[arg(long, value_name = "RATES", value_delimiter = ',', help_heading = "Jobs")]
    load: Vec<f64>,
    /// Seeds of the workload
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', help_heading = "Jobs")]
    seed: Vec<u64>,
    /// Number of jobs [default: to the end of --measure, the trace's, or 1000]
    #[arg(long, value_name = "N", help_heading = "Jobs")]
    jobs: Option<u64>,
    /// Measured jobs, by place in arrival order from 0; others keep arriving until the last of these has ended
    #[arg(long, value_name = "A..B", help_heading = "Jobs")]
    measure: Option<String>,
    /// GPU demands: single (1 each), multi (70 % 1, 10 % 2, 15 % 4, 5 % 8), mixture:GPUS=WEIGHT,...,
    /// power-law:EXPONENT,MAX_GPUS [default: single]
    #[arg(long, value_name = "KIND", help_heading = "Jobs")]
    demand: Option<DemandSpec>,
    /// Weights of image, language and speech tasks [default: 20,70,10]
    #[arg(long, value_name = "I,L,S", value_delimiter = ',', help_heading = "Jobs")]
    split: Option<Vec<f64>>,
    /// Jobs of a trace instead of a generator
    #[arg(long, value_name = "FILE", help_heading = "Jobs")]
    trace: Option<String>,
    /// Its format [default: jobs for a Parquet file, else replay]
    #[arg(long, requires = "trace", help_heading = "Jobs")]
    trace_format: Option<TraceFormat>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Length of a round in seconds [default: 300]
    #[arg(long, value_name = "S", help_heading = "Rules")]
    round_s: Option<f64>,
    /// How throughput between the grid points of a profile is read [default: floor]
    #[arg(long, help_heading = "Rules")]
    throughput: Option<Throughput>,
    /// When a job that ends inside a round completes [default: round-end]
    #[arg(long, help_heading = "Rules")]
    completion: Option<CompletionRule>,
    /// Rate at which remaining time counts in srtf, ftf and tetris [default: baseline]
    #[arg(long, help_heading = "Rules")]
    remaining_rate: Option<RemainingRate>,
    /// Speed of a job on more servers than it needs, as a part of its speed [default: 1]
    #[arg(long, value_name = "PART", help_heading = "Rules")]
    placement_penalty: Option<f64>,
    /// Seconds that a job loses when it restarts or changes servers [default: 0]
    #[arg(long, value_name = "S", help_heading = "Rules")]
    lease_change_s: Option<f64>,
    /// Seconds after its arrival in which a job's matrix is measured and it cannot run [default: 0]
    #[arg(long, value_name = "S", help_heading = "Rules")]
    profiling_s: Option<f64>,
    /// Compute the bound of every K-th round and the gap to it
    #[arg(long, value_name = "K", help_heading = "Trust")]
    gap_every: Option<u64>,
    /// Which bound; lp-skip stands in where it does not hold [default: lp]
    #[arg(long, value_name = "NAME", help_heading = "Trust")]
    gap_bound: Option<String>,
    /// Check every K-th new allocation independently, 0 for none [default: 64]
    #[arg(long, value_name = "K", help_heading = "Trust")]
    check_every: Option<u64>,
    /// A measured job that waits this long in a row ends its run [default: 10000]
    #[arg(long, value_name = "H", help_heading = "Trust")]
    starvation_hours: Option<f64>,
    /// Leave out rounds.parquet
    #[arg(long)]
    no_rounds: bool,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Runs the simulations, writes the tables, prints the summary.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let origin = args.spec.as_deref().unwrap_or("command line");
    let spec = spec(args)?;
    let source = match &args.trace {
        None => Source::Generated,
        Some(file) => Source::Trace(Arc::new(read_trace(file, args.trace_format)?)),
    };
    // A plug-in that does not start is better known before the work; every run then starts its own.
    for name in spec.mechanisms.iter().filter(|name| name.starts_with(plugins::PREFIX)) {
        plugins::resolve(name)?;
    }
    let config = toml::to_string(&spec).map_err(anyhow::Error::from)?;
    let plan = Plan::new(spec, source).map_err(|error: PlanError| InputError::whole(origin, error))?;
    let spool = prepare(args.out.as_deref(), &config)?;
    report_loads(&plan, context)?;
    let finished = run_all(&plan, args, &spool, context)?;
    let summary = summary(&plan, &finished, context.colour);
    let code = judge(&plan, &finished, context);
    if let Some(directory) = &args.out {
        write_tables(directory, &plan, finished, &config).map_err(table_error)?;
        context.info(format_args!("tables -> {}", directory.display()));
    }
    print(&summary)?;
    if interrupt::flag().load(Ordering::SeqCst) { Err(CliError::Interrupted) } else { Ok(code) }
}

fn spec(args: &Args) -> Result<SimulationSpec, CliError> {
    let mut spec = match &args.spec {
        None => SimulationSpec::default(),
        Some(file) => toml::from_str(&read_text(file)?).map_err(|error: toml::de::Error| {
            InputError::whole(file, error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
        })?,
    };
    fn set<T>(target: &mut T, flag: &Option<T>)
    where
        T: Clone,
    {
        if let Some(value) = flag {
            target.clone_from(value);
        }
    }
    fn set_list<T: Clone>(target: &mut Vec<T>, flag: &[T]) {
        if !flag.is_empty() {
            *target = flag.to_vec();
        }
    }
    set_list(&mut spec.policies, &args.policy);
    if let Some(mechanisms) = &args.mechanism {
        spec.mechanisms = split_names(mechanisms);
    }
    set(&mut spec.semantics, &args.semantics);
    set_list(&mut spec.with, &args.with);
    set_list(&mut spec.loads, &args.load);
    set_list(&mut spec.seeds, &args.seed);
    spec.measure = args.measure.clone().or(spec.measure);
    set(&mut spec.round_s, &args.round_s);
    set(&mut spec.throughput, &args.throughput);
    set(&mut spec.completion, &args.completion);
    set(&mut spec.remaining_rate, &args.remaining_rate);
    set(&mut spec.placement_penalty, &args.placement_penalty);
    set(&mut spec.lease_change_s, &args.lease_change_s);
    set(&mut spec.profiling_s, &args.profiling_s);
    set(&mut spec.gap_every, &args.gap_every);
    set(&mut spec.gap_bound, &args.gap_bound);
    set(&mut spec.check_every, &args.check_every);
    set(&mut spec.starvation_hours, &args.starvation_hours);
    let workload = &mut spec.workload;
    workload.jobs = args.jobs.or(workload.jobs);
    workload.mix.split = args.split.clone().or(workload.mix.split.take());
    set(&mut workload.demand, &args.demand);
    args.cluster.apply(&mut workload.cluster)?;
    Ok(spec)
}

/// Trace formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// The published simulator's replay files: id, model, arrival in seconds, iterations, GPUs
    Replay,
    /// Jobs tables that `synergy import` or `synergy generate` wrote (Parquet)
    Jobs,
}

fn read_trace(file: &str, format: Option<TraceFormat>) -> Result<Trace, CliError> {
    let by_content = || if is_parquet(file) { TraceFormat::Jobs } else { TraceFormat::Replay };
    match format.unwrap_or_else(by_content) {
        TraceFormat::Replay => Ok(Trace::replay(file, &read_text(file)?)?),
        TraceFormat::Jobs => {
            let table = trace::read(Path::new(file))?;
            Ok(Trace::of_table(file, table).map_err(|error| InputError::whole(file, error))?)
        }
    }
}

/// Whether a file begins as Parquet files do. One that cannot be read is left to its reader's message.
fn is_parquet(file: &str) -> bool {
    let mut start = [0; 4];
    std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"PAR1"
}

/// Makes the output directory before the work, and says where rows wait.
fn prepare(out: Option<&Path>, config: &str) -> Result<PathBuf, CliError> {
    let Some(directory) = out else {
        return Ok(std::env::temp_dir());
    };
    std::fs::create_dir_all(directory).map_err(|error| OutputError::write(directory, error))?;
    let path = directory.join("simulation.toml");
    crate::files::write_file(&path, config.as_bytes())?;
    Ok(directory.to_path_buf())
}

/// Says how loaded the cluster is, before the first round.
fn report_loads(plan: &Plan, context: &Context) -> Result<(), CliError> {
    let mut said = Vec::new();
    for run in &plan.runs {
        let load = plan.load(run).map_err(|error| InputError::whole("workload", error))?;
        let line = load.summary();
        if !said.contains(&line) {
            context.info(&line);
            if let Some(warning) = load.warning() {
                context.warn(warning);
            }
            said.push(line);
        }
    }
    Ok(())
}

fn run_all(plan: &Plan, args: &Args, spool: &Path, context: &Context) -> Result<Vec<Finished>, CliError> {
    let threads = args.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(anyhow::Error::from)?;
    let ticker = Ticker::new(plan, context);
    let interrupted = interrupt::flag();
    let one = |run: &RunSpec| {
        let progress = |progress: Progress| ticker.tick(run, progress, interrupted);
        let keep_rounds = args.out.is_some() && !args.no_rounds;
        let recorder = Recorder::new(spool, keep_rounds, &progress)?;
        recorder.record(plan, run)
    };
    let finished: Result<Vec<Finished>, std::io::Error> =
        pool.install(|| plan.runs.par_iter().map(one).collect());
    ticker.clear();
    Ok(finished.map_err(|error| OutputError::write(spool, error))?)
}

/// The live line: where the run that spoke last stands.
struct Ticker<'a> {
    runs: usize,
    bar: Option<indicatif::ProgressBar>,
    every: Duration,
    said: Mutex<Instant>,
    start: Instant,
    context: &'a Context,
}

impl<'a> Ticker<'a> {
    fn new(plan: &Plan, context: &'a Context) -> Self {
        let terminal = std::io::stderr().is_terminal() && context.verbosity >= 0;
        Ticker {
            runs: plan.runs.len(),
            bar: terminal.then(indicatif::ProgressBar::new_spinner),
            every: Duration::from_millis(if terminal { 200 } else { 5000 }),
            said: Mutex::new(Instant::now()),
            start: Instant::now(),
            context,
        }
    }

    fn tick(&self, run: &RunSpec, progress: Progress, interrupted: &AtomicBool) -> ControlFlow<()> {
        if interrupted.load(Ordering::SeqCst) {
            return ControlFlow::Break(());
        }
        let Ok(mut said) = self.said.try_lock() else { return ControlFlow::Continue(()) };
        if said.elapsed() >= self.every {
            *said = Instant::now();
            let line = format!(
                "run {} of {}, {} + {}: {:.0} h simulated, {} jobs in the queue, {} done, {} measured left; {:.0} jobs/s",
                run.index + 1,
                self.runs,
                run.policy,
                run.mechanism,
                progress.time_s / 3600.0,
                thousands(progress.queue as u64),
                thousands(progress.ended as u64),
                thousands(progress.measured_left as u64),
                progress.ended as f64 / self.start.elapsed().as_secs_f64(),
            );
            match &self.bar {
                Some(bar) => bar.set_message(line),
                None => self.context.info(line),
            }
        }
        ControlFlow::Continue(())
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Warns of overload, starvation and failures; the exit code that they lead to.
fn judge(plan: &Plan, finished: &[Finished], context: &Context) -> ExitCode {
    let mut code = ExitCode::Fine;
    for (run, end) in plan.runs.iter().zip(finished) {
        let name = label(run);
        if let Some(load) = end.load_measured.filter(|load| *load >= 1.0) {
            context.warn(format_args!(
                "{name}: offered load {load:.2} at the throughput it reached; its queue grows without end, and its mean \
                 JCT depends on the window"
            ));
        }
        if let Some(message) = &end.message {
            context.warn(format_args!("{name}: {}: {message}", end.status()));
        }
        let broken = matches!(end.end.summary, Err(crate::simulator::SimulationError::Promise { .. }));
        code = match end.status() {
            _ if broken => code.worse(ExitCode::Uncertified),
            status if status == End::Failed.name() || status == End::Starved.name() => {
                code.worse(ExitCode::SomeFailed)
            }
            _ => code,
        };
    }
    code
}

fn label(run: &RunSpec) -> String {
    let load = run.jobs_per_hour.map_or(String::new(), |load| format!(" at {load} jobs/h"));
    format!("{} + {}{load}, seed {}", run.policy, run.mechanism, run.seed)
}

fn summary(plan: &Plan, finished: &[Finished], colour: bool) -> String {
    let mut table = TextTable::new([
        "<policy",
        "<mechanism",
        "jobs/h",
        "seed",
        "load",
        "at its rate",
        "at lp's",
        "JCT h",
        "ratio",
        "p95",
        "p99",
        "p99.9",
        "wait h",
        "rho",
        "gap mean",
        "gap max",
        "rounds",
        "seconds",
        "<status",
    ]);
    let hours = |seconds: Option<f64>| seconds.map_or("-".into(), |s| format!("{:.2}", s / 3600.0));
    let number = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.3}"));
    let percent = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{:.1} %", 100.0 * v));
    let group = |run: &RunSpec| (run.policy.clone(), run.jobs_per_hour.map(f64::to_bits), run.seed);
    for (run, end) in plan.runs.iter().zip(finished) {
        let s = &end.statistics;
        // Against the first mechanism of the same policy, load and seed: a ratio of means, no gap.
        let first = plan.runs.iter().position(|other| group(other) == group(run)).unwrap_or(run.index);
        let ratio = match (s.jct_mean_s, finished[first].statistics.jct_mean_s) {
            (Some(ours), Some(first)) if ours > 0.0 => Some(first / ours),
            _ => None,
        };
        let style = if end.status() == End::Done.name() { Style::Plain } else { Style::Yellow };
        let mechanism =
            if plan.is_bound(run) { format!("{} (bound)", run.mechanism) } else { run.mechanism.clone() };
        table.row(vec![
            run.policy.as_str().into(),
            mechanism.into(),
            run.jobs_per_hour.map_or("-".to_string(), |load| load.to_string()).into(),
            run.seed.to_string().into(),
            number(end.load_baseline).into(),
            number(end.load_measured).into(),
            number(end.load_lp).into(),
            hours(s.jct_mean_s).into(),
            ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}x")).into(),
            hours(s.jct_p95_s).into(),
            hours(s.jct_p99_s).into(),
            hours(s.jct_p999_s).into(),
            hours(s.longest_wait_s).into(),
            number(s.rho_mean).into(),
            percent(s.gap_mean).into(),
            percent(s.gap_max).into(),
            end.end.summary.as_ref().map_or("-".to_string(), |summary| thousands(summary.rounds)).into(),
            format!("{:.2}", end.end.seconds.as_secs_f64()).into(),
            Cell::new(end.status(), style),
        ]);
    }
    let loads = "load: arrival rate x mean GPU-seconds / GPUs at the baseline rate, at the mechanism's, and at the LP's; \
                 ratio: mean JCT of the first mechanism / mean JCT";
    let times = "JCT h: mean completion time in hours, then its percentiles; wait h: longest time in a row without GPUs; \
                 rho: mean of JCT / work; gap: to --gap-bound, with --gap-every";
    format!("Semantics {}\n{}{loads};\n{times}\n", plan.semantics(), table.render(colour))
}

fn table_error(error: TableError) -> CliError {
    match error {
        TableError::Output(error) => error.into(),
        other => anyhow::Error::from(other).into(),
    }
}
