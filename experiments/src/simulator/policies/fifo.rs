//! First in, first out.

use super::{KeyMotion, Policy, View};

/// First in, first out.
#[derive(Debug, Clone, Copy)]
pub struct Fifo;

impl Policy for Fifo {
    fn name(&self) -> &'static str {
        "fifo"
    }

    fn description(&self) -> &'static str {
        "first in, first out"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::Fixed
    }

    fn key(&self, job: &View) -> f64 {
        job.arrival_s
    }
}
