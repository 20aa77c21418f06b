//! How much of TUNE's gap is the bound's looseness (ours).

use super::TUNE;
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Estimate, Finding};
use crate::reproduce::studies::Unit;
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};

pub(super) const RECIPE: Recipe = Recipe {
    name: "tight-bound",
    title: "TUNE's gap to the super-machine bound and to the configuration LP",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[
        Drawing::of("gap-decomposition", &["gaps"]).by(&["demand", "cpus_per_gpu"]),
        Drawing::of("gap-profile", &["gaps"]),
    ],
};

const OPT: &str = "opt-deployable";

fn work(request: &Request) -> Result<Work, ReproduceError> {
    Work::default().study(
        "gaps",
        &format!(
            r#"schema = "synergy-study/1"
name = "gaps"
description = "128 GPUs: the super-machine LP, the configuration LP, and what TUNE and a deployable OPT reach."
seed = 2022
replicates = {}
[methods]
bounds = ["lp", "config"]
mechanisms = ["proportional", "tune", "opt-deployable"]
[axes]
"cluster.gpus" = [128]
demand = ["single", "multi"]
"mix.split" = [[20, 70, 10], [33, 33, 33], [50, 0, 50]]
"cluster.cpus_per_gpu" = [3, 6]
"#,
            request.scale.replicates
        ),
    )
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let units = outcome.units("gaps");
    let mean = |quantity: &str, of: &dyn Fn(&Unit) -> Option<f64>| {
        let values: Vec<f64> = units.iter().filter_map(|unit| Some(100.0 * of(unit)?)).collect();
        Estimate::of(quantity, " %", &values)
    };
    let gap = |mechanism: &'static str, bound: &'static str| {
        move |unit: &Unit| unit.gaps.get(&(mechanism.to_string(), bound.to_string())).copied()
    };
    let walls = |unit: &Unit| {
        let (lp, config) = (unit.bounds.get("lp")?, unit.bounds.get("config")?);
        Some((lp - config) / lp)
    };
    let numbers = [
        mean("TUNE to `lp`", &gap(TUNE, "lp")),
        mean("of it server walls (`lp` to `config`)", &walls),
        mean("TUNE to `config`", &gap(TUNE, "config")),
        mean("opt-deployable to `config`", &gap(OPT, "config")),
    ];
    Ok(vec![Finding::ours("128 GPUs: mean gap", numbers.into_iter().flatten().collect(), "")])
}
