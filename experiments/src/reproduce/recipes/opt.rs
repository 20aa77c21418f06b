//! TUNE against OPT, per round and over time: claims C8 and C12.

use super::{LP, TUNE, jct_mean, keeps_up};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "fig-opt",
    title: "TUNE against OPT: per round at 32 and 128 GPUs, and over time at all loads",
    minutes: [0.8, 2.0],
    work,
    settle,
    figures: &[
        Drawing::of("jct-load", &["single-tune", "single-bound"]).named("jct-load-single"),
        Drawing::of("jct-load", &["multi-tune", "multi-bound"]).named("jct-load-multi"),
        Drawing::of("gap-cdf", &["rounds"]).by(&["gpus", "demand"]),
        Drawing::of("gap-decomposition", &["rounds"]).by(&["gpus", "demand"]),
    ],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let scale = &request.scale;
    let batches = [
        ("single", DemandSpec::Single {}, &scale.single_lp_loads),
        ("multi", DemandSpec::Multi {}, &scale.multi_lp_loads),
    ];
    let work = batches.into_iter().try_fold(Work::default(), |work, (name, demand, loads)| {
        let mut tune = scale.simulations(&["fifo"], &[TUNE], loads, demand.clone());
        // The bound of every 100th round gives a run's mean gap to a fraction of a per cent.
        tune.gap_every = 100;
        let bound = scale.simulations(&["fifo"], &[LP], loads, demand);
        work.simulate(format!("{name}-tune"), tune)?.simulate(format!("{name}-bound"), bound)
    })?;
    work.study(
        "rounds",
        &format!(
            r#"schema = "synergy-study/1"
name = "rounds"
description = "TUNE against both programs of OPT's first stage, on filled clusters."
seed = 2022
replicates = {}
[methods]
bounds = ["lp", "ilp", "config"]
mechanisms = ["proportional", "tune"]
[axes]
"cluster.gpus" = [32, 128]
demand = ["single", "multi"]
"#,
            scale.replicates
        ),
    )
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    // How far TUNE's mean JCT lies above the bound's, where that is largest: of all loads, or of those at
    // which TUNE keeps up.
    let above = |name: &str, stable: bool| {
        let (tune, bound) = (outcome.runs(&format!("{name}-tune")), outcome.runs(&format!("{name}-bound")));
        let at = |load: f64| {
            let tuned = tune.values("fifo", TUNE, Some(load), &jct_mean);
            let bounds = bound.values("fifo", LP, Some(load), &jct_mean);
            let complete = tuned.len() == outcome.scale.seeds.len() && bounds.len() == tuned.len();
            if !complete || (stable && !keeps_up(&tune, "fifo", TUNE, load)) {
                return None;
            }
            let per_cent = tuned.iter().zip(&bounds).map(|(tune, bound)| 100.0 * (tune / bound - 1.0));
            let which = if stable { "where TUNE keeps up, at" } else { "at" };
            Estimate::of(format!("{name}, {which} {load} jobs/h"), " %", &per_cent.collect::<Vec<f64>>())
        };
        tune.loads().into_iter().filter_map(at).max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let c8 = Finding::judged(
        "C8",
        "FIFO, 128 GPUs: mean JCT of TUNE above the LP's, worst load",
        "within 10 %",
        ["single", "multi"].map(|name| (Claimed::AtMost(10.0), above(name, false))).into(),
    );
    let c8 = c8.beside(["single", "multi"].into_iter().filter_map(|name| above(name, true)));
    let per_round = ["single", "multi"].into_iter().filter_map(|name| {
        let runs = outcome.runs(&format!("{name}-tune")).runs;
        let gaps: Vec<f64> = runs.iter().filter_map(|run| Some(100.0 * run.real("gap_mean")?)).collect();
        Estimate::of(name, " %", &gaps)
    });
    let per_round =
        Finding::ours("FIFO, 128 GPUs: gap of TUNE to `lp` per simulated round", per_round.collect(), "");
    let gap = |gpus: i64, demand: &str, bound: &str, quantity: String| {
        let units = outcome.units("rounds").iter().filter(|u| u.gpus == gpus && u.demand == demand);
        let key = (TUNE.to_string(), bound.to_string());
        let gaps: Vec<f64> = units.filter_map(|unit| Some(100.0 * unit.gaps.get(&key)?)).collect();
        Estimate::of(quantity, " %", &gaps)
    };
    let c12 = Finding::judged(
        "C12",
        "32 GPUs, filled: gap of TUNE to OPT (`ilp`)",
        "within 4 % (of a real cluster's throughput)",
        ["single", "multi"]
            .map(|demand| (Claimed::AtMost(4.0), gap(32, demand, "ilp", demand.into())))
            .into(),
    );
    let static_gaps = [(32, "config"), (128, "lp"), (128, "config")].into_iter().flat_map(|(gpus, bound)| {
        ["single", "multi"]
            .map(|demand| gap(gpus, demand, bound, format!("{gpus} GPUs, {demand}, to `{bound}`")))
    });
    Ok(vec![
        c8.remark("a bound's JCT is no mechanism's"),
        per_round,
        c12.remark("the paper's are deployed jobs, ours generated ones; simulator against cluster: there is no cluster"),
        Finding::ours("filled clusters: gap of TUNE", static_gaps.flatten().collect(), ""),
    ])
}
