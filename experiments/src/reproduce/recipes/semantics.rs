//! One switch of the published simulator at a time, and what it does to C1, C2 and C4.

use super::load_fifo_single::EXAMPLE;
use super::{PROPORTIONAL, TUNE, hours, jct_mean, largest_ratio};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::simulator::{SimulationSpec, Switch, Switches};
use crate::workload::DemandSpec;

pub(in crate::reproduce) const NAME: &str = "semantics";

pub(super) const RECIPE: Recipe = Recipe {
    name: NAME,
    title: "one switch of reference-2022 at a time, and what it does to C1, C2 and C4",
    minutes: [1.0, 3.0],
    work,
    settle,
    // The switches that move a mean by more than a hundredth at the example's load.
    figures: &[Drawing::of(
        "bars",
        &[
            "fifo-paper",
            "fifo-runnable-set=in-turn",
            "fifo-tune-order=policy",
            "fifo-peer-selection=shortfall",
            "fifo-reference-2022",
        ],
    )
    .only("jobs_per_hour", "9")
    .labels(&[
        "none",
        "runnable set, in turn",
        "TUNE order, by policy",
        "peers, by shortfall",
        "all, reference-2022",
    ])],
};

/// Name, semantics and switches of every set. A switch that says nothing under FIFO or for single-GPU
/// jobs is run all the same: that it changes nothing is a result.
fn variants() -> Vec<(String, &'static str, Vec<String>)> {
    let mut variants = vec![("paper".to_string(), "paper", Vec::new())];
    for switch in Switch::ALL {
        let mut switches = Switches::PAPER;
        let setting = format!("{}=reference", switch.name());
        // The word of the switch, as tables say it.
        let word = match switches.set(&setting) {
            Ok(()) => switches.describe().trim_start_matches("paper with ").to_string(),
            Err(_) => setting.clone(),
        };
        variants.push((word, "paper", vec![setting]));
    }
    // Demands in the published constants need its two speeds: 20 GB lie below the matrix's first point.
    let pair = ["speed-model=two-speed", "demand=clamped"];
    variants.push((pair.join(", "), "paper", pair.map(String::from).into()));
    variants.push(("reference-2022".into(), "reference-2022", Vec::new()));
    variants
}

/// Switches that orders by finish-time fairness see.
const FTF: [&str; 3] = ["paper", "ftf-order=smallest", "reference-2022"];

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let both = [PROPORTIONAL, TUNE];
    let set = |policy: &str, semantics: &str, with: &[String]| SimulationSpec {
        semantics: semantics.into(),
        with: with.to_vec(),
        ..scale.simulations(&[policy], &both, &scale.switch_loads, DemandSpec::Single {})
    };
    variants().into_iter().try_fold(Work::default(), |work, (name, semantics, with)| {
        let work = work.simulate(format!("fifo-{name}"), set("fifo", semantics, &with))?;
        if !FTF.contains(&name.as_str()) {
            return Ok(work);
        }
        work.simulate(format!("ftf-{name}"), set("ftf", semantics, &with))
    })
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let mut findings = Vec::new();
    let pair = [PROPORTIONAL, TUNE];
    for (name, ..) in variants() {
        let runs = outcome.runs(&format!("fifo-{name}"));
        let mean = |mechanism: &str| {
            let values = runs.values("fifo", mechanism, Some(EXAMPLE), &jct_mean);
            Estimate::of(mechanism, " h", &hours(values))
        };
        findings.push(Finding::judged(
            "C1",
            format!("FIFO, 9 jobs/h: mean JCT with {name}"),
            "81 -> 22 h",
            vec![(Claimed::Equals(81.0), mean(PROPORTIONAL)), (Claimed::Equals(22.0), mean(TUNE))],
        ));
        let (largest, _) = largest_ratio(&runs, "fifo", pair, &jct_mean);
        let c2 = Finding::judged(
            "C2",
            format!("FIFO: largest speedup with {name}"),
            "3.4x",
            vec![(Claimed::Equals(3.4), largest)],
        );
        findings.push(match runs.fault("fifo", TUNE) {
            Some(fault) if c2.ours.is_empty() => c2.remark(&fault),
            _ => c2,
        });
    }
    for name in FTF {
        let (largest, _) = largest_ratio(&outcome.runs(&format!("ftf-{name}")), "ftf", pair, &jct_mean);
        findings.push(Finding::judged(
            "C4",
            format!("FTF, single-GPU: largest speedup with {name}"),
            "2.3x",
            vec![(Claimed::Equals(2.3), largest)],
        ));
    }
    Ok(findings)
}
