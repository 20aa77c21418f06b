//! Finish-time fairness (Themis).

use super::{KeyMotion, Policy, View};

/// Finish-time fairness (Themis): the job that is furthest behind first. rho is the time from arrival
/// to the end that is in sight, over the time that the job's work takes at the baseline rate.
#[derive(Debug, Clone, Copy)]
pub struct Ftf {
    /// Smallest rho first, as the published simulator has it.
    pub smallest_first: bool,
}

impl Policy for Ftf {
    fn name(&self) -> &'static str {
        "ftf"
    }

    fn description(&self) -> &'static str {
        "finish-time fairness: largest rho first"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::Always
    }

    fn key(&self, job: &View) -> f64 {
        let rho = (job.now_s - job.arrival_s + job.remaining_s) / job.total_s;
        if self.smallest_first { rho } else { -rho }
    }
}
