//! How time grows with the cluster (ours).

use super::TUNE;
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::statistics::mean;
use std::collections::BTreeMap;

pub(super) const RECIPE: Recipe = Recipe {
    name: "scaling",
    title: "time of stage one, stage two and TUNE against cluster size",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("scaling", &["sizes"])],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let quick = request.scale.replicates < 10;
    let sizes =
        if quick { "128, 256, 512, 1024, 2048" } else { "128, 256, 512, 1024, 2048, 4096, 8192, 16384" };
    Work::default().study(
        "sizes",
        &format!(
            r#"schema = "synergy-study/1"
name = "sizes"
description = "Seconds of the super-machine LP, of recursive bisection and of TUNE on filled clusters."
seed = 2022
replicates = {}
[methods]
bounds = ["lp"]
placements = ["bisection-fast", "bisection"]
mechanisms = ["tune"]
[parameters]
demand = "multi"
[axes]
"cluster.gpus" = [{sizes}]
"#,
            request.scale.replicates.min(5)
        ),
    )
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let exponent = |method: &str| {
        let mut by_size: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for unit in outcome.units("sizes") {
            if let Some(seconds) = unit.seconds.get(method) {
                by_size.entry(unit.gpus).or_default().push(*seconds);
            }
        }
        let points: Vec<(f64, f64)> = by_size
            .iter()
            .filter_map(|(gpus, seconds)| Some(((*gpus as f64).ln(), mean(seconds)?.ln())))
            .collect();
        let slope = slope(&points)?;
        Some(Estimate::exact(method, "", slope, points.len()))
    };
    let numbers = ["lp", "bisection-fast", "bisection", TUNE].into_iter().filter_map(exponent).collect();
    Ok(vec![Finding::ours(
        "growth of time: exponent of GPUs, multi-GPU jobs",
        numbers,
        "seconds differ between runs",
    )])
}

/// Slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let mean_x = mean(&points.iter().map(|p| p.0).collect::<Vec<_>>())?;
    let mean_y = mean(&points.iter().map(|p| p.1).collect::<Vec<_>>())?;
    let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn slope_of_a_line() {
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), Some(2.0));
        assert_eq!(slope(&[(1.0, 1.0)]), None);
    }
}
