//! The claims table: one per recipe as Parquet, and of all recipes `claims.csv` and `claims.md`.

use super::finding::{Estimate, Finding, Verdict};
use super::recipes::{RECIPES, SEMANTICS};
use super::{ReproduceError, Scale};
use crate::files::write_file;
use crate::tables::schema::CLAIMS;
use crate::tables::{Cell, Format, Frame, Metadata, TableWriter};
use crate::text_table::short;
use std::path::Path;

/// A line of the claims table: a finding, by whom and how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Recipe.
    pub recipe: String,
    /// `quick` or `full`.
    pub scale: String,
    /// Claim of the paper; empty for ours.
    pub claim: String,
    /// What is measured.
    pub title: String,
    /// The paper's value.
    pub paper: String,
    /// Our values, in words: a quantity, its value, its interval.
    pub ours: Vec<String>,
    /// Verdict.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

impl Claim {
    /// The command that makes it again.
    pub fn command(&self) -> String {
        command(&self.recipe, &self.scale)
    }
}

fn command(recipe: &str, scale: &str) -> String {
    format!("synergy reproduce {recipe}{}", if scale == "quick" { " --quick" } else { "" })
}

/// Writes what a recipe found to `claims.parquet` in its directory.
pub(super) fn write(
    recipe: &str,
    scale: &Scale,
    findings: &[Finding],
    directory: &Path,
) -> Result<(), ReproduceError> {
    let config = format!("recipe = \"{recipe}\"\nscale = \"{}\"\n", scale.name);
    let path = directory.join("claims.parquet");
    let mut table = TableWriter::create(&path, &CLAIMS, &Metadata::new(&config, None), Format::Parquet)?;
    let command = command(recipe, scale.name);
    for finding in findings {
        // A finding without a number is a row too.
        let none = [None];
        let some: Vec<Option<&Estimate>> = finding.ours.iter().map(Some).collect();
        for estimate in if some.is_empty() { &none[..] } else { &some } {
            table.push(&[
                ("claim", Some(finding.claim).filter(|claim| !claim.is_empty()).into()),
                ("recipe", recipe.into()),
                ("scale", scale.name.into()),
                ("title", (&finding.title).into()),
                ("quantity", estimate.map(|e| e.quantity.as_str()).filter(|text| !text.is_empty()).into()),
                ("value", estimate.map(|e| e.value).into()),
                ("low", estimate.and_then(|e| e.interval).map(|(low, _)| low).into()),
                ("high", estimate.and_then(|e| e.interval).map(|(_, high)| high).into()),
                ("unit", estimate.map(|e| e.unit.trim()).filter(|unit| !unit.is_empty()).into()),
                ("n", estimate.map(|e| e.n).into()),
                ("paper", Some(finding.paper).filter(|paper| !paper.is_empty()).into()),
                ("verdict", finding.verdict.name().into()),
                ("why", Some(finding.why.as_str()).filter(|why| !why.is_empty()).into()),
                ("command", (&command).into()),
            ])?;
        }
    }
    Ok(table.finish()?)
}

/// Gathers the claims of all recipes that `out` holds, and writes `claims.csv` and `claims.md` of them.
pub(super) fn gather(out: &Path) -> Result<Vec<Claim>, ReproduceError> {
    let mut csv =
        TableWriter::create(&out.join("claims.csv"), &CLAIMS, &Metadata::new("", None), Format::Csv)?;
    let mut claims: Vec<Claim> = Vec::new();
    for recipe in RECIPES {
        let path = out.join(recipe.name).join("claims.parquet");
        if !path.exists() {
            continue;
        }
        let frame = Frame::read(&path, &CLAIMS, &[])?;
        let text = |name: &str| frame.text(name);
        let (claim, scale, title, quantity) =
            (text("claim")?, text("scale")?, text("title")?, text("quantity")?);
        let (unit, paper, verdict, why, command) =
            (text("unit")?, text("paper")?, text("verdict")?, text("why")?, text("command")?);
        let (value, low, high) = (frame.real("value")?, frame.real("low")?, frame.real("high")?);
        let n = frame.int("n")?;
        let own = |text: Option<&str>| text.unwrap_or_default().to_string();
        for row in 0..frame.rows() {
            csv.push(&[
                ("claim", Cell::from(claim[row])),
                ("recipe", recipe.name.into()),
                ("scale", scale[row].into()),
                ("title", title[row].into()),
                ("quantity", quantity[row].into()),
                ("value", value[row].into()),
                ("low", low[row].into()),
                ("high", high[row].into()),
                ("unit", unit[row].into()),
                ("n", n[row].into()),
                ("paper", paper[row].into()),
                ("verdict", verdict[row].into()),
                ("why", why[row].into()),
                ("command", command[row].into()),
            ])?;
            let same = |last: &Claim| last.recipe == recipe.name && Some(last.title.as_str()) == title[row];
            if !claims.last().is_some_and(same) {
                claims.push(Claim {
                    recipe: recipe.name.into(),
                    scale: own(scale[row]),
                    claim: own(claim[row]),
                    title: own(title[row]),
                    paper: own(paper[row]),
                    ours: Vec::new(),
                    verdict: verdict[row].and_then(Verdict::named).unwrap_or(Verdict::NotRun),
                    why: own(why[row]),
                });
            }
            if let (Some(value), Some(last)) = (value[row], claims.last_mut()) {
                last.ours.push(words(quantity[row], value, low[row].zip(high[row]), unit[row]));
            }
        }
    }
    csv.finish()?;
    write_file(&out.join("claims.md"), markdown(&claims).as_bytes())?;
    Ok(claims)
}

/// `at 9 jobs/h 2.22x [0.79, 3.65]`.
fn words(quantity: Option<&str>, value: f64, interval: Option<(f64, f64)>, unit: Option<&str>) -> String {
    let unit = match unit {
        Some("x") => "x".to_string(),
        Some(unit) => format!(" {unit}"),
        None => String::new(),
    };
    // Three digits tell numbers of any size apart.
    let decimals = |value: f64| match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 4,
    };
    let decimals = decimals(value);
    let mut text = quantity.map_or(String::new(), |quantity| format!("{quantity}: "));
    text += &format!("{}{unit}", short(value, decimals));
    if let Some((low, high)) = interval {
        text += &format!(" [{}, {}]", short(low, decimals), short(high, decimals));
    }
    text
}

/// The claims as Markdown: those of the paper, those of the switches that explain a difference, ours.
pub fn markdown(claims: &[Claim]) -> String {
    let mut text = String::from(
        "# Claims of the paper, measured\n\n\
         Made by `synergy reproduce`. Brackets are 95 % intervals (Student's t over seeds or instances). A value agrees when it is \
         within 10 % of the paper's or its interval holds the paper's; an interval wider than the value itself settles nothing. \
         A limit agrees when the whole interval keeps it. \"200x faster\" (C9) agrees from 100x on.\n",
    );
    let section = |claim: &Claim| match claim {
        claim if claim.recipe == SEMANTICS => 1,
        claim if claim.claim.is_empty() => 2,
        _ => 0,
    };
    let switches = Switches::of(claims);
    let headings = ["The paper's claims", "One switch of `reference-2022` at a time", "Beyond the paper"];
    for (number, heading) in headings.into_iter().enumerate() {
        let mut rows: Vec<&Claim> =
            claims.iter().filter(|claim| section(claim) == number && !switches.silent(claim)).collect();
        // C2 before C10.
        rows.sort_by_key(|claim| claim.claim.trim_start_matches('C').parse::<u32>().unwrap_or(0));
        if rows.is_empty() {
            continue;
        }
        text += &format!(
            "\n## {heading}\n\n| claim | ours | paper | verdict | `synergy reproduce` |\n| --- | --- | --- | --- | --- |\n"
        );
        for claim in rows {
            let mut why = claim.why.clone();
            if let Some(switch) = explanation(claim, claims) {
                why += &format!("{}{switch}", if why.is_empty() { "" } else { "; " });
            }
            let name = if claim.claim.is_empty() { String::new() } else { format!("{} ", claim.claim) };
            text += &format!(
                "| {name}{} | {} | {} | {}{} | `{}{}` |\n",
                claim.title,
                claim.ours.join("; "),
                claim.paper,
                claim.verdict.name(),
                if why.is_empty() { String::new() } else { format!(": {why}") },
                claim.recipe,
                if claim.scale == "quick" { " --quick" } else { "" },
            );
        }
        if number == 1 && !switches.idle.is_empty() {
            text += &format!("\nChange none of these numbers: {}.\n", switches.idle.join("; "));
        }
    }
    text
}

/// What the switches of the published simulator change.
struct Switches<'a> {
    claims: &'a [Claim],
    /// Those that change no number.
    idle: Vec<&'a str>,
}

impl<'a> Switches<'a> {
    fn of(claims: &'a [Claim]) -> Self {
        let mut switches = Switches { claims, idle: Vec::new() };
        let rows = |name: &str| {
            let of =
                |claim: &&Claim| claim.recipe == SEMANTICS && variant(claim).is_some_and(|v| v.1 == name);
            claims.iter().filter(of).collect::<Vec<_>>()
        };
        for (_, name) in claims.iter().filter(|claim| claim.recipe == SEMANTICS).filter_map(variant) {
            if !switches.idle.contains(&name) && rows(name).iter().all(|claim| switches.silent(claim)) {
                switches.idle.push(name);
            }
        }
        switches
    }

    /// Whether a row is that of a switch, and says the same as the row without it.
    fn silent(&self, claim: &Claim) -> bool {
        let Some((what, name)) = variant(claim).filter(|_| claim.recipe == SEMANTICS) else { return false };
        let without = |other: &&Claim| other.recipe == SEMANTICS && variant(other) == Some((what, "paper"));
        name != "paper" && self.claims.iter().find(without).is_some_and(|other| other.ours == claim.ours)
    }
}

/// What a row of [`SEMANTICS`] measures, and with which switch.
fn variant(claim: &Claim) -> Option<(&str, &str)> {
    claim.title.rsplit_once(" with ")
}

/// Switches of the published simulator under which a claim that does not hold does.
fn explanation(claim: &Claim, claims: &[Claim]) -> Option<String> {
    if claim.recipe == SEMANTICS || claim.verdict != Verdict::Differs {
        return None;
    }
    let agrees = |other: &&Claim| {
        other.recipe == SEMANTICS && other.claim == claim.claim && other.verdict == Verdict::Agrees
    };
    let switches: Vec<&str> =
        claims.iter().filter(agrees).filter_map(|other| Some(variant(other)?.1)).collect();
    (!switches.is_empty()).then(|| format!("agrees with {}", switches.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(recipe: &str, name: &str, title: &str, verdict: Verdict) -> Claim {
        Claim {
            recipe: recipe.into(),
            scale: "quick".into(),
            claim: name.into(),
            title: title.into(),
            paper: "2x".into(),
            ours: vec![words(Some("at 9 jobs/h"), 1.5, Some((1.25, 1.75)), Some("x"))],
            verdict,
            why: "smaller here".into(),
        }
    }

    #[test]
    fn a_difference_names_the_switch_that_explains_it() {
        let claims = [
            claim("fig-load-ftf", "C4", "FTF speedup", Verdict::Differs),
            claim(SEMANTICS, "C4", "FTF speedup with ftf-order=smallest", Verdict::Agrees),
            claim(SEMANTICS, "C4", "FTF speedup with demand=clamped", Verdict::Differs),
        ];
        let text = markdown(&claims);
        let row = text.lines().find(|line| line.starts_with("| C4 FTF speedup |")).unwrap();
        assert_eq!(
            row,
            "| C4 FTF speedup | at 9 jobs/h: 1.5x [1.25, 1.75] | 2x | differs: smaller here; agrees with ftf-order=smallest \
             | `fig-load-ftf --quick` |"
        );
        assert!(text.find("## The paper's claims") < text.find("## One switch"));
    }

    #[test]
    fn switches_that_change_nothing_are_one_sentence() {
        let switch = |title: &str, ours: &str| Claim {
            ours: vec![ours.into()],
            ..claim(SEMANTICS, "C2", title, Verdict::Differs)
        };
        let text = markdown(&[
            switch("speedup with paper", "2x"),
            switch("speedup with storage=on", "2x"),
            switch("speedup with tune-order=policy", "3x"),
            switch("FTF speedup with paper", "4x"),
            switch("FTF speedup with storage=on", "4x"),
            switch("FTF speedup with ftf-order=smallest", "5x"),
            switch("speedup with ftf-order=smallest", "2x"),
        ]);
        let rows: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("| C2 ")?.split(" |").next()).collect();
        assert_eq!(
            rows,
            [
                "speedup with paper",
                "speedup with tune-order=policy",
                "FTF speedup with paper",
                "FTF speedup with ftf-order=smallest"
            ]
        );
        assert!(text.contains("Change none of these numbers: storage=on.\n"), "{text}");
    }

    #[test]
    fn claims_are_in_the_order_of_their_numbers() {
        let claims = [
            claim("a", "C10", "ten", Verdict::Agrees),
            claim("b", "C2", "two", Verdict::Agrees),
            claim("c", "", "ours", Verdict::Ours),
        ];
        let text = markdown(&claims);
        assert!(text.find("C2 two") < text.find("C10 ten") && text.find("C10 ten") < text.find("## Beyond"));
    }
}
