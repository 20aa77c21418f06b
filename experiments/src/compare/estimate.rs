//! What profiling error costs: every mechanism decides on estimated profiles, and what it decided is
//! scored on the true ones.

use super::methods::Methods;
use super::{CompareOptions, Comparison, UnknownMethod};
use crate::text_table::TextTable;
use serde_json::{Map, Value, json};
use synergy_solver::check::check;
use synergy_solver::model::Instance;

/// One mechanism under profiling error.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCost {
    /// Name of the mechanism.
    pub mechanism: String,
    /// Value when it decides on the true profiles.
    pub value_on_truth: Option<f64>,
    /// True value of what it decides on the estimates; unknown when it failed.
    pub value_on_estimate: Option<f64>,
    /// (first - second) / first. Below 0 where a wrong estimate happened to serve a heuristic better.
    pub cost: Option<f64>,
    /// Scheduled jobs below their baseline by the true profiles.
    pub jobs_below_share: Option<usize>,
}

/// Fairness is judged as the checker does: 1 within this.
const FAIR: f64 = 1.0 - 1e-6;

/// The cost for every mechanism of `comparison`, which was made on `truth` under the same options.
///
/// # Errors
/// A name that stands for no method.
pub fn error_costs(
    truth: &Instance,
    estimate: &Instance,
    options: &CompareOptions,
    comparison: &Comparison,
) -> Result<Vec<ErrorCost>, UnknownMethod> {
    let methods = Methods::new(truth, options, &|_| None)?;
    let queue = truth.queue();
    let mut costs = Vec::new();
    for named in methods.mechanisms.iter().filter(|named| !named.too_large) {
        let on_truth = comparison.mechanisms.iter().find(|record| record.name == named.name);
        let value_on_truth = on_truth.and_then(|record| record.checked).map(|checked| checked.value);
        let report =
            named.method.allocate(estimate, &queue).ok().map(|found| check(truth, &queue, &found.allocation));
        let value_on_estimate = report.as_ref().map(|report| report.value);
        let relative = |before: f64, after: f64| (before > 0.0).then(|| (before - after) / before);
        costs.push(ErrorCost {
            mechanism: named.name.clone(),
            value_on_truth,
            value_on_estimate,
            cost: value_on_truth.zip(value_on_estimate).and_then(|(before, after)| relative(before, after)),
            jobs_below_share: report.map(|r| r.jobs.iter().filter(|job| job.throughput < FAIR).count()),
        });
    }
    Ok(costs)
}

/// The costs as JSON, by mechanism.
pub fn costs_to_json(costs: &[ErrorCost]) -> Value {
    let entry = |cost: &ErrorCost| {
        let value = json!({
            "value_on_truth": cost.value_on_truth,
            "value_on_estimate": cost.value_on_estimate,
            "cost": cost.cost,
            "jobs_below_share": cost.jobs_below_share,
        });
        (cost.mechanism.clone(), value)
    };
    Value::Object(costs.iter().map(entry).collect::<Map<_, _>>())
}

/// The costs as a table for people; `how` says how profiles were estimated.
pub fn costs_to_table(costs: &[ErrorCost], how: &str, colour: bool) -> String {
    let mut table =
        TextTable::new(["<mechanism", "decided on truth", "on estimates", "cost", "jobs below share"]);
    let number = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.2}"));
    for cost in costs {
        table.row(vec![
            cost.mechanism.as_str().into(),
            number(cost.value_on_truth).into(),
            number(cost.value_on_estimate).into(),
            cost.cost.map_or("-".to_string(), |c| format!("{:.2} %", 100.0 * c)).into(),
            cost.jobs_below_share.map_or("-".to_string(), |jobs| jobs.to_string()).into(),
        ]);
    }
    format!("\nCost of profiling error ({how}): true value of what is decided\n{}", table.render(colour))
}
