//! Scores as text, JSON (schema `synergy-benchmark/1`) and Markdown. What the clock measured stands apart.

use super::{Prepared, Run, Score, Set, Timing};
use crate::text_table::TextTable;
use serde_json::{Value, json};

/// Broken promises and failures that are listed by name.
const LISTED: usize = 5;

fn percent(x: f64) -> String {
    format!("{:.2} %", 100.0 * x)
}

const HEADINGS: [&str; 9] = [
    "<mechanism",
    "mean gap",
    "95 %",
    "worst gap",
    "of tune's closed",
    "unfair",
    "incomplete",
    "split",
    "without a gap",
];

/// The cells of a score, in the order of [`HEADINGS`].
fn cells(score: &Score) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    vec![
        score.mechanism.clone(),
        or_dash(score.gap.map(|gap| percent(gap.mean))),
        or_dash(score.gap.map(|gap| format!("{:.2} to {:.2}", 100.0 * gap.low, 100.0 * gap.high))),
        or_dash(score.worst.as_ref().map(|(gap, _)| percent(*gap))),
        or_dash(score.closed_of_tune.map(|closed| format!("{:.1} %", 100.0 * closed))),
        score.unfair.to_string(),
        score.incomplete.to_string(),
        score.not_consolidated.to_string(),
        (score.instances - score.with_gap).to_string(),
    ]
}

/// Scores by mean gap, the smallest first; those without one last.
fn ranked(scores: &[Score]) -> Vec<&Score> {
    let mean = |score: &Score| score.gap.map_or(f64::INFINITY, |gap| gap.mean);
    let mut ranked: Vec<&Score> = scores.iter().collect();
    ranked.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    ranked
}

/// For reading.
pub fn to_text(set: &Set, scores: &[Score], timings: &[Option<Timing>], colour: bool) -> String {
    let mut table = TextTable::new(HEADINGS);
    for score in ranked(scores) {
        table.row(cells(score).into_iter().map(Into::into).collect());
    }
    let mut text = table.render(colour);
    for (score, timing) in scores.iter().zip(timings) {
        let mechanism = &score.mechanism;
        if let Some(timing) = timing {
            text += &format!(
                "\n{mechanism}: {:.3} ms per round at {} GPUs (median of {} instances)",
                1e3 * timing.median_s,
                timing.gpus,
                timing.instances
            );
        }
        if let Some((gap, name)) = &score.worst {
            text += &format!("\n{mechanism}: worst on {name} ({})", percent(*gap));
            text += &format!("\n    synergy bench --export {name} --out {name}.json");
            let beside = if mechanism == "tune" { "" } else { "tune," };
            text +=
                &format!("\n    synergy compare {name}.json --only lp,config,lp-skip,{beside}{mechanism}");
        }
        for (what, list) in [("FAILED", &score.failed), ("BUG", &score.bugs)] {
            for (name, reason) in list.iter().take(LISTED) {
                text += &format!("\n{mechanism}: {what} on {name}: {reason}");
            }
            if list.len() > LISTED {
                text += &format!("\n{mechanism}: {what} on {} more", list.len() - LISTED);
            }
        }
        if !score.beaten.is_empty() {
            text += &format!(
                "\n{mechanism}: beats the best known value on {} of {} instances; --set DIRECTORY --update records it",
                score.beaten.len(),
                set.entries.len()
            );
        }
    }
    text + "\n"
}

/// A leaderboard for the documentation.
pub fn to_markdown(set: &Set, scores: &[Score], timings: &[Option<Timing>]) -> String {
    let mut text = format!("| {} |\n", HEADINGS.map(|h| h.trim_start_matches('<')).join(" | "));
    text += &format!("| --- |{}\n", " ---: |".repeat(HEADINGS.len() - 1));
    for score in ranked(scores) {
        let mut cells = cells(score);
        cells[0] = format!("`{}`", cells[0]);
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text += &format!(
        "\nSet {}, {} instances. Gap: (bound - value) / bound to the least certified bound that holds for the allocation; ",
        set.name,
        set.entries.len()
    );
    text += "\"without a gap\": none holds.\n";
    text +=
        "Counts are instances; \"split\" has a job on more servers than it needs.\n\nWorst instances:\n\n";
    text += "| mechanism | instance | gap |\n| --- | --- | ---: |\n";
    for score in ranked(scores) {
        if let Some((gap, name)) = &score.worst {
            text += &format!("| `{}` | `{name}` | {} |\n", score.mechanism, percent(*gap));
        }
    }
    let timed: Vec<_> = scores.iter().zip(timings).filter_map(|(s, t)| Some((s, (*t)?))).collect();
    if let Some((_, first)) = timed.first() {
        text += &format!(
            "\nTime per round at {} GPUs, median of {} instances, one at a time:\n\n| mechanism | ms |\n| --- | ---: |\n",
            first.gpus, first.instances
        );
        for (score, timing) in &timed {
            text += &format!("| `{}` | {:.3} |\n", score.mechanism, 1e3 * timing.median_s);
        }
    }
    text
}

/// Everything, instance by instance. `timings` is the only part that two runs may differ in.
pub fn to_json(
    set: &Set,
    instances: &[Prepared],
    runs: &[Run],
    scores: &[Score],
    timings: &[Option<Timing>],
) -> Value {
    let score = |(run, score): (&Run, &Score)| {
        let row = |(prepared, outcome): (&Prepared, &Result<super::Measured, String>)| match outcome {
            Ok(m) => json!({
                "instance": prepared.entry.name,
                "value": m.value,
                "gap": m.gap,
                "fair": m.verdicts.fair,
                "complete": m.verdicts.complete,
                "consolidated": m.verdicts.consolidated,
                "beats_best": m.beats_best,
                "bug": m.bug,
                "failure": null,
            }),
            Err(reason) => json!({ "instance": prepared.entry.name, "value": null, "failure": reason }),
        };
        json!({
            "mechanism": score.mechanism,
            "mean_gap": score.gap,
            "with_gap": score.with_gap,
            "worst_gap": score.worst.as_ref().map(|(gap, _)| gap),
            "worst_instance": score.worst.as_ref().map(|(_, name)| name),
            "closed_of_tune": score.closed_of_tune,
            "unfair": score.unfair,
            "incomplete": score.incomplete,
            "not_consolidated": score.not_consolidated,
            "failed": score.failed.len(),
            "bugs": score.bugs.len(),
            "beats_best": score.beaten.len(),
            "rows": instances.iter().zip(&run.outcomes).map(row).collect::<Vec<_>>(),
        })
    };
    let timing = |(score, timing): (&Score, &Option<Timing>)| {
        let timing = timing.as_ref()?;
        Some(json!({
            "mechanism": score.mechanism,
            "gpus": timing.gpus,
            "instances": timing.instances,
            "median_s": timing.median_s,
        }))
    };
    json!({
        "schema": "synergy-benchmark/1",
        "set": set.name,
        "instances": set.entries.len(),
        "scores": runs.iter().zip(scores).map(score).collect::<Vec<_>>(),
        "timings": scores.iter().zip(timings).filter_map(timing).collect::<Vec<_>>(),
    })
}
