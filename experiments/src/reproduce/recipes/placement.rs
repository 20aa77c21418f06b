//! Jobs that a vertex of the placement program fragments: claim C14.

use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};

pub(super) const RECIPE: Recipe = Recipe {
    name: "placement",
    title: "jobs that stage two fragments, against 3s",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("scaling", &["fragments"])],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    Work::default().study(
        "fragments",
        &format!(
            r#"schema = "synergy-study/1"
name = "fragments"
description = "Fragmented jobs of a vertex and of recursive bisection."
seed = 2022
replicates = {}
[methods]
bounds = ["lp"]
placements = ["vertex", "bisection"]
[axes]
"cluster.gpus" = [32, 64, 128, 256]
demand = ["single", "multi"]
"#,
            request.scale.replicates
        ),
    )
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let parts = |placement: &str| -> Vec<f64> {
        let part = |unit: &crate::reproduce::studies::Unit| {
            let (fragmented, _) = unit.fragmented.get(placement)?;
            Some(*fragmented as f64 / (3.0 * unit.servers as f64))
        };
        outcome.units("fragments").iter().filter_map(part).collect()
    };
    let most = |placement: &str| {
        let parts = parts(placement);
        let most = parts.iter().copied().reduce(f64::max)?;
        Some(Estimate::exact("most / 3s", "", most, parts.len()))
    };
    let mean = Estimate::of("mean / 3s", "", &parts("vertex"));
    let c14 = Finding::judged(
        "C14",
        "jobs fragmented by a vertex, on s servers",
        "at most 3s",
        vec![(Claimed::AtMost(1.0), most("vertex"))],
    );
    let ours = [most("bisection"), Estimate::of("mean / 3s", "", &parts("bisection"))];
    Ok(vec![
        c14.beside(mean),
        Finding::ours("jobs fragmented by recursive bisection", ours.into_iter().flatten().collect(), ""),
    ])
}
