//! Least attained service first, in GPU-seconds (Tiresias).

use super::{KeyMotion, Policy, View};

/// Least attained service first, in GPU-seconds (Tiresias).
#[derive(Debug, Clone, Copy)]
pub struct Las;

impl Policy for Las {
    fn name(&self) -> &'static str {
        "las"
    }

    fn description(&self) -> &'static str {
        "least attained service first, in GPU-seconds"
    }

    fn motion(&self) -> KeyMotion {
        KeyMotion::WhileRunning
    }

    fn key(&self, job: &View) -> f64 {
        job.attained_gpu_s
    }
}
