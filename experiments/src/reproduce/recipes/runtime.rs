//! Time per round of TUNE and of OPT as the paper writes it: claim C9.

use super::TUNE;
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::studies::Unit;
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};

pub(super) const RECIPE: Recipe = Recipe {
    name: "tab-runtime",
    title: "seconds per round of TUNE and of OPT's two programs",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("scaling", &["timings"])],
};

/// "200 times faster" agrees from here on. Seconds differ between machines, solvers and moments, by a
/// factor of two and more: the claim is the order of magnitude, and its verdict must not hang on noise.
const FASTER: f64 = 100.0;

/// OPT as the paper writes it: an integer program, then a linear one with a variable per job and server.
const PROGRAMS: [&str; 2] = ["ilp", "vertex"];

fn work(request: &Request) -> Result<Work, ReproduceError> {
    Work::default().study(
        "timings",
        &format!(
            r#"schema = "synergy-study/1"
name = "timings"
description = "Seconds of TUNE, of OPT's integer program and of its placement program."
seed = 2022
replicates = {}
[methods]
bounds = ["lp", "ilp"]
placements = ["vertex"]
mechanisms = ["tune"]
[axes]
"cluster.gpus" = [32, 128, 512]
demand = ["single", "multi"]
"#,
            request.scale.replicates
        ),
    )
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let of = |gpus: i64, quantity: String, unit: &'static str, value: &dyn Fn(&Unit) -> Option<f64>| {
        let values: Vec<f64> =
            outcome.units("timings").iter().filter(|u| u.gpus == gpus).filter_map(value).collect();
        Estimate::of(quantity, unit, &values)
    };
    let opt_s =
        |unit: &Unit| PROGRAMS.iter().map(|name| unit.seconds.get(*name).copied()).sum::<Option<f64>>();
    let tune_s = |unit: &Unit| unit.seconds.get(TUNE).copied();
    let ratio = of(128, "OPT / TUNE".into(), "x", &|unit| Some(opt_s(unit)? / tune_s(unit)?));
    let tune = of(128, "TUNE".into(), " ms", &|unit| Some(1e3 * tune_s(unit)?));
    let c9 = Finding::judged(
        "C9",
        "128 GPUs: time per round",
        "TUNE 200x faster, under 1 s",
        vec![(Claimed::AtLeast(FASTER), ratio), (Claimed::AtMost(1000.0), tune)],
    );
    let sizes = [32, 128, 512].into_iter().flat_map(|gpus| {
        [
            of(gpus, format!("TUNE, {gpus} GPUs"), " ms", &|unit| Some(1e3 * tune_s(unit)?)),
            of(gpus, format!("OPT, {gpus} GPUs"), " ms", &|unit| Some(1e3 * opt_s(unit)?)),
        ]
    });
    Ok(vec![
        c9.remark(
            "200x stands for 100x and more, as seconds differ between runs; OPT by HiGHS instead of GLPK",
        ),
        Finding::ours("time per round", sizes.flatten().collect(), "seconds differ between runs"),
    ])
}
