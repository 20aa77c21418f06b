//! What each scheduled job holds on each server.

use super::Amounts;
use smallvec::SmallVec;

/// What a job holds on one server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Server, numbered from 0 through the groups in order.
    pub server: usize,
    /// GPUs; whole in every allocation but the placement LP's.
    pub gpus: f64,
    /// CPUs and memory.
    pub amounts: Amounts,
}

/// The parts of one job, by server ascending.
pub type Parts = SmallVec<[Part; 1]>;

/// One scheduled job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobAllocation {
    /// Index of the job in its instance.
    pub job: usize,
    /// What it holds, one part per server.
    pub parts: Parts,
}

impl JobAllocation {
    /// CPUs and memory over all parts.
    pub fn total(&self) -> Amounts {
        self.parts.iter().fold(Amounts::ZERO, |sum, part| sum + part.amounts)
    }
}

/// An allocation: a job that is not listed is not scheduled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allocation {
    /// Whether GPUs may be reals: true for the placement LP's only.
    pub fractional: bool,
    /// Scheduled jobs, by job index ascending.
    pub jobs: Vec<JobAllocation>,
}
