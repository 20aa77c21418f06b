//! Tetris as an order: least remaining time x demand first.

use super::{KeyMotion, Policy, View};

/// Tetris as an order: least remaining time x demand first.
#[derive(Debug, Clone, Copy)]
pub struct Tetris;

impl Policy for Tetris {
    fn name(&self) -> &'static str {
        "tetris"
    }

    fn description(&self) -> &'static str {
        "least remaining time x best-case demand first"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::WhileRunning
    }

    /// The products are summed in the order of the published simulator, so that ties fall alike.
    fn key(&self, job: &View) -> f64 {
        let [gpus, cpus, memory] = job.shares;
        job.remaining_s * gpus + job.remaining_s * cpus + job.remaining_s * memory
    }
}
