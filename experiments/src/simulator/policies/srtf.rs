//! Shortest remaining time first.

use super::{KeyMotion, Policy, View};

/// Shortest remaining time first.
#[derive(Debug, Clone, Copy)]
pub struct Srtf;

impl Policy for Srtf {
    fn name(&self) -> &'static str {
        "srtf"
    }

    fn description(&self) -> &'static str {
        "shortest remaining time first"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::WhileRunning
    }

    fn key(&self, job: &View) -> f64 {
        job.remaining_s
    }
}
