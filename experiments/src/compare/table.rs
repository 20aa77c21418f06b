//! A comparison for people: three tables within 100 columns.

use super::{Checked, Comparison};
use crate::text_table::{Cell, Style, TextTable, duration, short, thousands};
use synergy_solver::bounds::Scope;
use synergy_solver::status::Status;

/// Columns of a terminal that everything fits.
const WIDTH: usize = 100;

/// The text of a comparison; `colour` allows terminal colours.
pub fn to_table(comparison: &Comparison, colour: bool) -> String {
    let instance = &comparison.instance;
    let mut text = format!(
        "{}: {} jobs ask for {} GPUs; {} of them are runnable\ncluster: {} servers with {} GPUs, {} CPUs, {} GB of memory\n",
        Style::Bold.paint(&instance.name, colour),
        thousands(instance.jobs as u64),
        thousands(instance.requested_gpus),
        thousands(instance.runnable_jobs as u64),
        thousands(instance.servers as u64),
        thousands(instance.gpus),
        amount(instance.cpus),
        amount(instance.memory_gb),
    );
    let numbers = Numbers::of(comparison);
    if !comparison.bounds.is_empty() {
        text += "\nBounds on the value\n";
        text += &bounds(comparison, &numbers).render(colour);
        text += &methods(comparison);
    }
    if !comparison.placements.is_empty() {
        text += "\nPlacements of the LP's choice on servers (stage two)\n";
        text += &placements(comparison).render(colour);
    }
    if !comparison.mechanisms.is_empty() {
        text += "\nMechanisms: value, and gap to each bound in %\n";
        text += &values(comparison, &numbers).render(colour);
        text += "\n";
        text += &allocations(comparison).render(colour);
    }
    let bounds = comparison.bounds.iter().map(|b| (&b.name, &b.result.note));
    let placements = comparison.placements.iter().map(|p| (&p.name, &p.message));
    let mechanisms = comparison.mechanisms.iter().map(|m| (&m.name, &m.message));
    let notes: Vec<String> = bounds
        .chain(placements)
        .chain(mechanisms)
        .filter_map(|(name, note)| note.as_ref().map(|note| wrapped(&format!("{name}: {note}"))))
        .collect();
    if !notes.is_empty() {
        text += &format!("\nNotes\n{}", notes.concat());
    }
    text
}

/// A note in lines of the table's width, two spaces from the margin and four from the second line on.
fn wrapped(note: &str) -> String {
    let mut text = String::new();
    let mut line = String::from(" ");
    for word in note.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && !line.trim().is_empty() {
            text += &format!("{line}\n");
            line = String::from("   ");
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}

/// What the columns mean; once below all comparisons.
pub fn legend(colour: bool) -> String {
    let text = "value = sum of weight x normalised throughput, where 1 is a job's GPU-proportional share;\n\
                per job = value / sum of weights of the runnable jobs; price = value of one more CPU or GB;\n\
                gap = (bound - value) / bound, or - where that bound does not hold for the allocation;\n\
                own = gap to the bound that the mechanism itself proved; reverted = jobs cut back to their share;\n\
                fragmented = jobs on several servers; pieces = parts of jobs less jobs; none exists = proven:\n\
                no allocation is fair, complete and consolidated (+ consolidated: bounds these only).\n";
    Style::Dim.paint(text.trim_end(), colour) + "\n"
}

/// How many decimals values get, so that a column lines up.
struct Numbers {
    decimals: usize,
    weight: f64,
}

impl Numbers {
    fn of(comparison: &Comparison) -> Self {
        let bounds = comparison.bounds.iter().filter_map(|b| b.published());
        let values = comparison.mechanisms.iter().filter_map(|m| m.checked.map(|c| c.value));
        let largest = bounds.chain(values).fold(1.0, f64::max);
        let digits = largest.log10().floor() as usize + 1;
        Numbers {
            decimals: 6usize.saturating_sub(digits).clamp(1, 4),
            weight: comparison.instance.runnable_weight,
        }
    }

    fn value(&self, value: Option<f64>) -> Cell {
        number(value, self.decimals)
    }

    fn per_job(&self, value: Option<f64>) -> Cell {
        number(value.filter(|_| self.weight > 0.0).map(|v| v / self.weight), 4)
    }
}

fn bounds(comparison: &Comparison, numbers: &Numbers) -> TextTable {
    let mut table = TextTable::new([
        "<bound",
        "value",
        "certified",
        "per job",
        "price/CPU",
        "price/GB",
        "<status",
        "time",
        "<holds for",
    ]);
    for bound in &comparison.bounds {
        let result = &bound.result;
        let scope = match result.scope {
            Scope::Valid => "valid",
            Scope::Consolidated => "consolidated",
            Scope::FairComplete => "fair, complete",
            Scope::FairCompleteConsolidated => "+ consolidated",
        };
        table.row(vec![
            bound.name.as_str().into(),
            numbers.value(result.value),
            numbers.value(result.certified),
            numbers.per_job(bound.published()),
            number(result.shadow_prices.map(|p| p.cpus()), 4),
            number(result.shadow_prices.map(|p| p.memory_gb()), 5),
            status(result.status),
            time(bound.seconds),
            scope.into(),
        ]);
    }
    table
}

/// How the LPs were formulated and solved, in a line of its own: the table has no room left.
fn methods(comparison: &Comparison) -> String {
    let of = |bound: &super::BoundRecord| Some(format!("{} {}", bound.name, bound.result.method?));
    let all: Vec<String> = comparison.bounds.iter().filter_map(of).collect();
    if all.is_empty() { String::new() } else { format!("  solved as: {}\n", all.join(", ")) }
}

fn placements(comparison: &Comparison) -> TextTable {
    let mut table = TextTable::new([
        "<placement",
        "fragmented",
        "limit",
        "pieces",
        "proven least",
        "gap in %",
        "<status",
        "time",
    ]);
    for placement in &comparison.placements {
        table.row(vec![
            placement.name.as_str().into(),
            count(placement.fragmented),
            count(placement.limit),
            count(placement.pieces),
            number(placement.bound, 0),
            percent(placement.gap),
            status(placement.status),
            time(placement.seconds),
        ]);
    }
    table
}

fn values(comparison: &Comparison, numbers: &Numbers) -> TextTable {
    // Bounds without a number would make columns of dashes.
    let bounds: Vec<&str> = comparison
        .bounds
        .iter()
        .filter(|bound| bound.published().is_some())
        .map(|bound| bound.name.as_str())
        .collect();
    // With several server groups there is no room for it; the JSON has it.
    let own = bounds.len() < 5 && comparison.mechanisms.iter().any(|mechanism| mechanism.bound.is_some());
    let mut headings = vec!["<mechanism".to_string(), "value".into(), "per job".into()];
    headings.extend(bounds.iter().map(|bound| bound.to_string()));
    headings.extend(own.then(|| "own".to_string()));
    headings.extend(["<status".to_string(), "time".into()]);
    let mut table = TextTable::new(headings);
    for mechanism in &comparison.mechanisms {
        let value = mechanism.checked.map(|c| c.value);
        let mut cells = vec![
            mechanism.name.as_str().into(),
            numbers.value(value),
            number(mechanism.checked.and_then(|c| c.value_per_job), 4),
        ];
        for bound in &bounds {
            let gap = mechanism.gaps.iter().find(|(name, _)| name == bound);
            cells.push(percent(gap.and_then(|(_, gap)| *gap)));
        }
        if own {
            cells.push(percent(mechanism.certified_gap));
        }
        cells.extend([status(mechanism.status), time(mechanism.seconds)]);
        table.row(cells);
    }
    table
}

fn allocations(comparison: &Comparison) -> TextTable {
    let mut table = TextTable::new([
        "<mechanism",
        "<valid",
        "<fair",
        "<complete",
        "<consol.",
        "placed",
        "skipped",
        "idle GPUs",
        "reverted",
        "fragmented",
    ]);
    for mechanism in &comparison.mechanisms {
        let checked = mechanism.checked;
        let verdict = |of: fn(&Checked) -> bool, wrong: Style| match checked.as_ref().map(of) {
            Some(true) => Cell::from("yes"),
            Some(false) => Cell::new("no", wrong),
            None => dash(),
        };
        table.row(vec![
            mechanism.name.as_str().into(),
            verdict(|c| c.verdicts.valid, Style::Red),
            verdict(|c| c.verdicts.fair, Style::Yellow),
            verdict(|c| c.verdicts.complete, Style::Yellow),
            verdict(|c| c.verdicts.consolidated, Style::Yellow),
            count(checked.map(|c| c.placed)),
            count(checked.map(|c| c.skipped)),
            checked.map_or_else(dash, |c| amount(c.gpus_idle).into()),
            count(checked.map(|c| c.reverted)),
            count(checked.map(|c| c.fragmented)),
        ]);
    }
    table
}

fn dash() -> Cell {
    Cell::new("-", Style::Dim)
}

fn number(value: Option<f64>, decimals: usize) -> Cell {
    // Adding 0 turns -0 into 0.
    value.map_or_else(dash, |value| format!("{:.decimals$}", value + 0.0).into())
}

fn percent(gap: Option<f64>) -> Cell {
    // A gap of -1e-12 is a rounding, not a contradiction.
    gap.map_or_else(dash, |gap| format!("{:.2}", if gap.abs() < 5e-7 { 0.0 } else { gap * 100.0 }).into())
}

fn count(count: Option<usize>) -> Cell {
    count.map_or_else(dash, |count| thousands(count as u64).into())
}

fn time(seconds: Option<f64>) -> Cell {
    seconds.map_or_else(dash, |seconds| duration(seconds).into())
}

fn status(status: Status) -> Cell {
    let style = match status {
        Status::Ok | Status::Optimal => Style::Plain,
        Status::Skipped => Style::Dim,
        Status::Uncertified | Status::Failed => Style::Red,
        _ => Style::Yellow,
    };
    let name = match status {
        // The full name would push the table over its width.
        Status::NoConsolidatedAllocation => "none exists",
        _ => status.name(),
    };
    Cell::new(name, style)
}

fn amount(amount: f64) -> String {
    if amount.fract() == 0.0 && amount >= 0.0 { thousands(amount as u64) } else { short(amount, 2) }
}
