//! `opt-rounded`: OPT made deployable. The two-stage optimum is a fractional placement; this rounds it to
//! whole jobs on single servers, valid, fair and complete, and keeps as much of its value as it can.
//! The steps are in [`crate::placement::rounding`].

use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Parameter, Takes, Tune};
use crate::bounds::BoundOptions;
use crate::model::Instance;
use crate::placement::{self, MethodLimits, rounding};
use crate::status::Status;
use crate::two_stage;

/// The mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct OptRounded {
    /// Name of the placement method that stage two uses.
    pub placement: String,
}

/// Name of the placement method unless another one is asked for.
pub const DEFAULT_PLACEMENT: &str = "bisection";

impl Default for OptRounded {
    fn default() -> Self {
        OptRounded { placement: DEFAULT_PLACEMENT.into() }
    }
}

impl OptRounded {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "opt-rounded",
        description: "two-stage LP optimum, rounded to whole jobs and their best fair configurations",
        source: "Synergy, OSDI '22, section 4.1, with our rounding",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[Parameter {
            name: "placement",
            default: DEFAULT_PLACEMENT,
            description: "method of stage two: vertex, bisection, bisection-fast, reweighted, exact-placement, or one of them with +merge",
        }],
    };
}

impl Mechanism for OptRounded {
    fn about(&self) -> About {
        OptRounded::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let failed = |reason: &str| MechanismError::Failed {
            mechanism: format!("opt-rounded[placement={}]", self.placement),
            reason: reason.into(),
        };
        let method = placement::by_name(&self.placement, &MethodLimits::default())
            .ok_or_else(|| failed("no such placement method"))?;
        let stage_one = two_stage::stage_one(instance, queue, &BoundOptions::default());
        let placed = two_stage::place(instance, &stage_one, &*method);
        let jobs = instance.runnable(queue);
        // Without a placement the GPUs are packed all the same, only without a preference.
        let preferred = match stage_one.jobs.len() == jobs.len() {
            true => placed.main_servers(jobs.len()),
            false => vec![None; jobs.len()],
        };
        match rounding::round(instance, &jobs, &preferred, 1.0) {
            Some(allocation) => Ok(Outcome {
                status: Status::Ok,
                allocation,
                reverted: Vec::new(),
                bound: None,
                effort: None,
            }),
            None => Ok(Outcome { status: Status::NotFound, ..Tune.allocate(instance, queue)? }),
        }
    }
}
