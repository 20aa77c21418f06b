//! `synergy summarise`: how large the gaps of a study are, where they come from, and where they are worst.

use super::Context;
use crate::error::{CliError, ExitCode, InputError, OutputError};
use crate::files::OutputPath;
use crate::statistics::simulations::{Runs, SimulationSummary, are_simulations, summarise_runs};
use crate::statistics::summary::{Group, Results, Summary, summarise};
use crate::statistics::{Curve, Interval, tidy};
use crate::tables;
use crate::text_table::TextTable;
use clap::ValueEnum;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Summarise a results directory: gaps or completion times with intervals, paired tests, profiles, times
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Results directory of a study, of instances or of simulations
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Group by these parameters: columns of the table instances, or paths such as demand.exponent
    #[arg(long, value_name = "AXIS", value_delimiter = ',')]
    by: Vec<String>,
    /// Mechanism that the others are compared with [default: tune; of simulations proportional, where it ran]
    #[arg(long, value_name = "MECHANISM")]
    reference: Option<String>,
    /// Output format [default: by the ending of --out, parquet for a directory, else table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Where to write it: a file, a directory (summary.parquet, .csv, ... in it), or - for standard output
    #[arg(short, long, default_value = "-", value_name = "PATH")]
    out: String,
}

/// How a summary is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// The whole summary, nested
    Json,
    /// The table summary: one row per number
    Csv,
    /// The table summary
    Parquet,
}

impl Format {
    /// The one that is asked for, and the file that is written.
    fn of(args: &Args) -> (Format, String) {
        let path = Path::new(&args.out);
        let into_directory = args.out.ends_with('/') || path.is_dir();
        let by_ending = match path.extension().and_then(|ending| ending.to_str()) {
            _ if into_directory => Format::Parquet,
            Some("json") => Format::Json,
            Some("csv") => Format::Csv,
            Some("parquet") => Format::Parquet,
            _ => Format::Table,
        };
        let format = args.format.unwrap_or(by_ending);
        let ending = match format {
            Format::Table => "txt",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Parquet => "parquet",
        };
        let file = path.join(format!("summary.{ending}"));
        (format, if into_directory { file.to_string_lossy().into_owned() } else { args.out.clone() })
    }
}

/// Prints the summary.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let (format, out) = Format::of(args);
    if args.out.ends_with('/') {
        std::fs::create_dir_all(&args.out).map_err(|e| OutputError::write(Path::new(&args.out), e))?;
    }
    // A path that cannot be written is said before the work.
    let output = OutputPath::from(out.as_str()).open()?;
    let input = |message: String| CliError::Input(InputError::whole(args.directory.display(), message));
    let colour = context.colour && out == "-";
    let directory = &args.directory;
    super::study::is_results(directory)?;
    let (text, lines) = if are_simulations(directory) {
        let runs = Runs::read(directory)?;
        let reference = args.reference.clone().unwrap_or_else(|| super::study::usual_reference(&runs));
        let summary = summarise_runs(&runs, directory, &args.by, &reference).map_err(input)?;
        match format {
            Format::Json => (json(&summary)?, Vec::new()),
            Format::Table => (simulations_text(&summary, colour), Vec::new()),
            Format::Csv | Format::Parquet => (String::new(), tidy::of_simulations(&summary)),
        }
    } else {
        let results = Results::read(directory)?;
        let reference = args.reference.as_deref().unwrap_or("tune");
        let summary = summarise(&results, directory, &args.by, reference).map_err(input)?;
        match format {
            Format::Json => (json(&summary)?, Vec::new()),
            Format::Table => (to_text(&summary, colour), Vec::new()),
            Format::Csv | Format::Parquet => (String::new(), tidy::of_instances(&summary)),
        }
    };
    let table_format = match format {
        Format::Csv => tables::Format::Csv,
        Format::Parquet => tables::Format::Parquet,
        Format::Json | Format::Table => {
            output.finish_with(text.as_bytes())?;
            return Ok(ExitCode::Fine);
        }
    };
    drop(output);
    let config = format!("summary of {} by {}", directory.display(), args.by.join(","));
    tidy::write(&lines, Path::new(&out), table_format, &config)?;
    Ok(ExitCode::Fine)
}

fn json<T: serde::Serialize>(summary: &T) -> Result<String, CliError> {
    Ok(serde_json::to_string_pretty(summary).map_err(|e| CliError::Internal(e.into()))? + "\n")
}

/// The summary of a study of simulations as tables for people.
pub(super) fn simulations_text(summary: &SimulationSummary, colour: bool) -> String {
    let mut text = format!("{}: {} units. Intervals: bootstrap, 95 %.\n", summary.directory, summary.units);
    let hours =
        |of: &Interval| format!("{:.2} [{:.2}, {:.2}]", of.mean / 3600.0, of.low / 3600.0, of.high / 3600.0);
    let load = |load: Option<f64>| or_dash(load, |load| load.to_string());
    for group in &summary.groups {
        heading(&mut text, &summary.by, &group.labels, group.units);
        let mut table = TextTable::new([
            "<policy",
            "jobs/h",
            "<mechanism",
            "n",
            "without",
            "mean JCT h [95 %]",
            "p99 h",
            "delay h",
            "gap %",
            "load",
        ]);
        for row in &group.completion {
            let mean_hours = |of: &Interval| format!("{:.2}", of.mean / 3600.0);
            table.row(vec![
                row.policy.as_str().into(),
                load(row.jobs_per_hour).into(),
                row.mechanism.as_str().into(),
                row.n.to_string().into(),
                row.without.to_string().into(),
                or_dash(row.jct_mean_s.as_ref(), hours).into(),
                or_dash(row.jct_p99_s.as_ref(), mean_hours).into(),
                or_dash(row.queueing_delay_mean_s.as_ref(), mean_hours).into(),
                or_dash(row.gap_mean.as_ref(), |gap| percent(gap.mean)).into(),
                or_dash(row.load_measured, |load| format!("{load:.3}")).into(),
            ]);
        }
        let title = "Completion times over runs (load: the largest at the throughput reached; at 1 and above, means depend on the window)";
        section(&mut text, title, &table, colour);
        if group.speedups.is_empty() {
            continue;
        }
        let mut table = TextTable::new([
            "<policy",
            "jobs/h",
            "<mechanism",
            "n",
            "speedup [95 %]",
            "p50",
            "least",
            "win",
            "tie",
            "loss",
            "p (Wilcoxon)",
        ]);
        for row in &group.speedups {
            let (s, p) = (&row.speedup, &row.paired);
            table.row(vec![
                row.policy.as_str().into(),
                load(row.jobs_per_hour).into(),
                row.mechanism.as_str().into(),
                p.n.to_string().into(),
                format!("{:.3} [{:.3}, {:.3}]", s.mean, s.low, s.high).into(),
                format!("{:.3}", row.p50).into(),
                format!("{:.3}", row.least).into(),
                p.wins.to_string().into(),
                p.ties.to_string().into(),
                p.losses.to_string().into(),
                or_dash(p.p, |p| format!("{p:.2e}")).into(),
            ]);
        }
        let title = format!("Speedups: mean JCT of {} / mean JCT, paired by workload", summary.reference);
        section(&mut text, &title, &table, colour);
    }
    text
}

fn heading(text: &mut String, by: &[String], labels: &[String], units: usize) {
    if !by.is_empty() {
        let labels: Vec<String> =
            by.iter().zip(labels).map(|(axis, label)| format!("{axis} = {label}")).collect();
        let _ = write!(text, "\n== {} ({units} units)\n", labels.join(", "));
    }
}

fn percent(share: f64) -> String {
    // Certified bounds are above the optimum by rounding: no "-0.00".
    format!("{:.2}", 100.0 * share + 0.0).replace("-0.00", "0.00")
}

fn with_interval(interval: &Interval) -> String {
    format!("{} [{}, {}]", percent(interval.mean), percent(interval.low), percent(interval.high))
}

fn or_dash<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".into(), show)
}

/// The summary as tables for people.
fn to_text(summary: &Summary, colour: bool) -> String {
    let mut text = format!("{}: {} units. Intervals: bootstrap, 95 %.\n", summary.directory, summary.units);
    for group in &summary.groups {
        heading(&mut text, &summary.by, &group.labels, group.units);
        group_text(&mut text, group, colour);
    }
    let mut table =
        TextTable::new(["<computation", "<method", "n", "geometric mean s", "p50 s", "p95 s", "most s"]);
    for time in &summary.times {
        table.row(vec![
            time.kind.as_str().into(),
            time.method.as_str().into(),
            time.n.to_string().into(),
            format!("{:.4}", time.shifted_geometric_mean_s).into(),
            format!("{:.4}", time.p50_s).into(),
            format!("{:.4}", time.p95_s).into(),
            format!("{:.4}", time.most_s).into(),
        ]);
    }
    let _ = write!(text, "\nTimes on one thread (geometric mean shifted by 1 s)\n{}", table.render(colour));
    text
}

/// Values and gaps alone: what a study prints when it is done.
pub(super) fn overview(summary: &Summary, colour: bool) -> String {
    let mut text = String::new();
    for group in &summary.groups {
        values_and_gaps(&mut text, group, colour);
    }
    text
}

fn section(text: &mut String, title: &str, table: &TextTable, colour: bool) {
    let _ = write!(text, "\n{title}\n{}", table.render(colour));
}

fn values_and_gaps(text: &mut String, group: &Group, colour: bool) {
    let mut table = TextTable::new(["<mechanism", "n", "value per job [95 %]"]);
    for value in &group.values {
        let shown = |i: &Interval| format!("{:.4} [{:.4}, {:.4}]", i.mean, i.low, i.high);
        table.row(vec![
            value.mechanism.as_str().into(),
            value.n.to_string().into(),
            or_dash(value.value_per_job.as_ref(), shown).into(),
        ]);
    }
    section(text, "Values", &table, colour);

    let mut table = TextTable::new([
        "<mechanism",
        "<bound",
        "n",
        "without",
        "gap % [95 %]",
        "p50",
        "p95",
        "worst",
        "<worst unit",
    ]);
    for gap in &group.gaps {
        table.row(vec![
            gap.mechanism.as_str().into(),
            gap.bound.as_str().into(),
            gap.n.to_string().into(),
            gap.without.to_string().into(),
            with_interval(&gap.mean).into(),
            percent(gap.p50).into(),
            percent(gap.p95).into(),
            percent(gap.worst).into(),
            gap.worst_unit.as_str().into(),
        ]);
    }
    let title = "Gaps: (bound - value) / bound in %, where the bound holds for the allocation; best = least such bound";
    section(text, title, &table, colour);
}

fn group_text(text: &mut String, group: &Group, colour: bool) {
    values_and_gaps(text, group, colour);
    let mut section = |title: &str, table: &TextTable| section(text, title, table, colour);

    if !group.decomposition.is_empty() {
        let mut table = TextTable::new([
            "<mechanism",
            "n",
            "server walls",
            "unproved",
            "heuristic",
            "integrality (apart)",
        ]);
        for part in &group.decomposition {
            table.row(vec![
                part.mechanism.as_str().into(),
                part.n.to_string().into(),
                with_interval(&part.walls).into(),
                or_dash(part.unproved.as_ref(), with_interval).into(),
                with_interval(&part.heuristic).into(),
                or_dash(part.integrality.as_ref(), with_interval).into(),
            ]);
        }
        section(
            "Where the gap to lp comes from, % of lp: lp -> best bound -> opt-deployable (where run) -> mechanism",
            &table,
        );
    }

    if !group.paired.is_empty() {
        let mut table = TextTable::new([
            "<mechanism",
            "<against",
            "n",
            "win",
            "tie",
            "loss",
            "mean difference %",
            "median %",
            "p (Wilcoxon)",
            "effect",
        ]);
        for pair in &group.paired {
            let p = &pair.paired;
            table.row(vec![
                pair.mechanism.as_str().into(),
                pair.reference.as_str().into(),
                p.n.to_string().into(),
                p.wins.to_string().into(),
                p.ties.to_string().into(),
                p.losses.to_string().into(),
                or_dash(p.mean_difference, percent).into(),
                or_dash(p.median_difference, percent).into(),
                or_dash(p.p, |p| format!("{p:.2e}")).into(),
                or_dash(p.effect, |effect| format!("{effect:.3}")).into(),
            ]);
        }
        section("Values paired by instance (effect: matched-pairs rank-biserial correlation)", &table);
    }

    section(
        "Share of instances with a gap to the best bound of at most",
        &curves(&group.gap_profile, &group.gap_profile_at, |x| format!("{} %", 100.0 * x)),
    );
    section(
        "Performance profile: share of instances with best value / value of at most",
        &curves(&group.performance_profile, &group.performance_profile_at, |x| format!("{x}")),
    );

    if !group.placements.is_empty() {
        let mut table = TextTable::new(["<placement", "n", "fragmented jobs, mean [95 %]", "most"]);
        for placement in &group.placements {
            let shown = |i: &Interval| format!("{:.2} [{:.2}, {:.2}]", i.mean, i.low, i.high);
            table.row(vec![
                placement.placement.as_str().into(),
                placement.n.to_string().into(),
                or_dash(placement.fragmented.as_ref(), shown).into(),
                placement.most.to_string().into(),
            ]);
        }
        section("Placements of stage two", &table);
    }

    if group.prices.iter().any(|price| price.cpu.is_some()) {
        let mut table = TextTable::new(["<bound", "bound per job", "value of a CPU", "value of a GB"]);
        for price in &group.prices {
            let shown = |digits: usize| move |i: &Interval| format!("{:.digits$}", i.mean);
            table.row(vec![
                price.bound.as_str().into(),
                or_dash(price.value_per_job.as_ref(), shown(4)).into(),
                or_dash(price.cpu.as_ref(), shown(4)).into(),
                or_dash(price.memory_gb.as_ref(), shown(6)).into(),
            ]);
        }
        section("Shadow prices (means; --by cpus_per_gpu shows them over the CPU:GPU ratio)", &table);
    }
}

fn curves(curves: &[Curve], at: &[f64], label: impl Fn(f64) -> String) -> TextTable {
    let mut table =
        TextTable::new(std::iter::once("<mechanism".to_string()).chain(at.iter().map(|x| label(*x))));
    for curve in curves {
        let shares = curve.share.iter().map(|share| format!("{share:.3}").into());
        table.row(std::iter::once(curve.method.as_str().into()).chain(shares).collect());
    }
    table
}
