//! Policies: in which order jobs are considered. One file per policy.

mod drf;
mod fifo;
mod ftf;
mod las;
mod srtf;
mod tetris;

use super::switches::{Switch, Switches};

/// When the key of a job changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMotion {
    /// Never.
    Fixed,
    /// Only while the job runs.
    WhileRunning,
    /// With time, also while it waits.
    Always,
}

/// What a policy may look at.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Start of the round.
    pub now_s: f64,
    /// Arrival.
    pub arrival_s: f64,
    /// Time to the end, at the rate that the options name (the baseline rate by default).
    pub remaining_s: f64,
    /// Time for all of the job's work at the baseline rate.
    pub total_s: f64,
    /// GPU-seconds had so far.
    pub attained_gpu_s: f64,
    /// Best-case demand over the cluster's total: GPUs, CPUs, memory.
    pub shares: [f64; 3],
}

/// An order of jobs: by key ascending, then arrival, then id.
pub trait Policy: Send + Sync {
    /// Name, as in tables and on the command line.
    fn name(&self) -> &'static str;

    /// One line.
    fn description(&self) -> &'static str;

    /// When a key changes: what changes less often costs less.
    fn motion(&self) -> KeyMotion;

    /// The key; smaller goes first.
    fn key(&self, job: &View) -> f64;
}

/// Names of all policies.
pub const NAMES: [&str; 6] = ["fifo", "srtf", "las", "ftf", "drf", "tetris"];

/// The policy `name`; switches choose between the orders that a policy offers.
pub fn find(name: &str, switches: &Switches) -> Option<Box<dyn Policy>> {
    Some(match name {
        "fifo" => Box::new(fifo::Fifo),
        "srtf" => Box::new(srtf::Srtf),
        "las" => Box::new(las::Las),
        "ftf" => Box::new(ftf::Ftf { smallest_first: switches.published(Switch::FtfOrder) }),
        "drf" => Box::new(drf::Drf),
        "tetris" => Box::new(tetris::Tetris),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_published_formulas() {
        let view = View {
            now_s: 900.0,
            arrival_s: 300.0,
            remaining_s: 1000.0,
            total_s: 2000.0,
            attained_gpu_s: 600.0,
            shares: [0.25, 0.5, 0.125],
        };
        let key = |name: &str, switches| find(name, switches).unwrap().key(&view);
        let paper = &Switches::PAPER;
        assert_eq!(key("fifo", paper), 300.0);
        assert_eq!(key("srtf", paper), 1000.0);
        assert_eq!(key("las", paper), 600.0);
        assert_eq!(key("ftf", paper), -0.8);
        assert_eq!(key("ftf", &Switches::REFERENCE_2022), 0.8);
        assert_eq!(key("drf", paper), 0.5);
        assert_eq!(key("tetris", paper), 875.0);
        assert!(find("lifo", paper).is_none());
        for name in NAMES {
            assert_eq!(find(name, paper).unwrap().name(), name);
        }
    }
}
