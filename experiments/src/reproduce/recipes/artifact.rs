//! The artifact's own numbers, with the semantics of the published simulator: claim C15.

use super::load_fifo_single::EXAMPLE;
use super::{TUNE, hours};
use crate::reproduce::drawings::Drawing;
use crate::reproduce::finding::{Claimed, Estimate, Finding};
use crate::reproduce::{Outcome, Recipe, ReproduceError, Request, Work};
use crate::workload::DemandSpec;

pub(super) const RECIPE: Recipe = Recipe {
    name: "artifact",
    title: "FIFO + TUNE at 9 jobs/h with the semantics of the published simulator",
    minutes: [0.1, 0.1],
    work,
    settle,
    figures: &[Drawing::of("jct-cdf", &["published"])],
};

fn work(request: &Request) -> Result<Work, ReproduceError> {
    let mut spec = request.scale.simulations(&["fifo"], &[TUNE], &[EXAMPLE], DemandSpec::Single {});
    spec.semantics = "reference-2022".into();
    // The artifact's own measure: jobs 4,000 to 4,999, whatever the scale; a second each.
    spec.workload.jobs = Some(5000);
    spec.measure = Some("4000..5000".into());
    Work::default().simulate("published", spec)
}

fn settle(outcome: &Outcome) -> Result<Vec<Finding>, ReproduceError> {
    let runs = outcome.runs("published");
    let of = |quantity: &str, column: &'static str| {
        let values = runs.values("fifo", TUNE, Some(EXAMPLE), &|run| run.real(column));
        Estimate::of(quantity, " h", &hours(values))
    };
    let parts = vec![
        (Claimed::Equals(21.88), of("mean", "jct_mean_s")),
        (Claimed::Equals(156.93), of("99th", "jct_p99_s")),
        (Claimed::Equals(170.61), of("99.9th", "jct_p999_s")),
    ];
    let c15 = Finding::judged(
        "C15",
        "FIFO + TUNE, 9 jobs/h, `reference-2022`: JCT of jobs 4,000 to 4,999",
        "21.88; 156.93; 170.61 h",
        parts,
    );
    Ok(vec![c15.remark("the stream is ours: same distributions, other draws than the artifact's one seed")])
}
