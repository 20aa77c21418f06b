//! Dominant resource fairness as an order: smallest dominant share first.

use super::{KeyMotion, Policy, View};

/// Dominant resource fairness as an order: smallest dominant share first.
#[derive(Debug, Clone, Copy)]
pub struct Drf;

impl Policy for Drf {
    fn name(&self) -> &'static str {
        "drf"
    }

    fn description(&self) -> &'static str {
        "smallest dominant share of the best-case demand first"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::Fixed
    }

    fn key(&self, job: &View) -> f64 {
        job.shares.into_iter().fold(0.0, f64::max)
    }
}
