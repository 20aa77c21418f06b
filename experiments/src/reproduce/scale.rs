//! How much is run: as in the paper, or in the time of an evaluator's first look.

use crate::simulator::SimulationSpec;
use crate::workload::{DemandSpec, WorkloadSpec};

/// Seeds, windows and loads of the simulations, and replicates of the studies.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// `full`, `quick`, or that of a test.
    pub name: &'static str,
    /// Seeds of simulated workloads.
    pub seeds: Vec<u64>,
    /// Jobs before the measured ones.
    pub warm_up: u64,
    /// Measured jobs.
    pub measured: u64,
    /// Loads of single-GPU jobs in jobs per hour; 9 among them. Saturation at the baseline rate is 7.63.
    pub single_loads: Vec<f64>,
    /// Loads of the multi-GPU mix. Saturation is 4.02.
    pub multi_loads: Vec<f64>,
    /// Loads at which the LP takes a mechanism's place, which costs a program per round: single-GPU jobs.
    pub single_lp_loads: Vec<f64>,
    /// The same for the multi-GPU mix.
    pub multi_lp_loads: Vec<f64>,
    /// Loads of single-GPU jobs at which the switches of the published simulator are compared.
    pub switch_loads: Vec<f64>,
    /// Jobs of the Philly trace.
    pub philly_jobs: usize,
    /// Generated instances per combination of a study's axes.
    pub replicates: u32,
}

impl Scale {
    /// As in the paper: 1,000 jobs measured after 4,000 others.
    pub fn full() -> Self {
        Scale {
            name: "full",
            seeds: vec![1, 2, 3, 4, 5],
            warm_up: 4000,
            measured: 1000,
            single_loads: vec![5.0, 6.0, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5],
            multi_loads: vec![2.5, 3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0],
            single_lp_loads: vec![5.0, 6.0, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5],
            multi_lp_loads: vec![2.5, 3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0],
            switch_loads: vec![8.0, 9.0],
            philly_jobs: 8000,
            replicates: 20,
        }
    }

    /// Fewer seeds, loads and replicates.
    pub fn quick() -> Self {
        Scale {
            name: "quick",
            seeds: vec![1, 2, 3],
            warm_up: 4000,
            measured: 1000,
            single_loads: vec![6.0, 7.5, 8.5, 9.0],
            multi_loads: vec![3.0, 4.0, 4.5],
            single_lp_loads: vec![7.5, 9.0],
            multi_lp_loads: vec![3.0, 4.0],
            switch_loads: vec![9.0],
            philly_jobs: 8000,
            replicates: 10,
        }
    }

    /// A set of simulations of the paper's 128 GPUs, split 20-70-10: every mechanism at every load for
    /// every seed, with the load kept on until the last measured job ends.
    pub fn simulations(
        &self,
        policies: &[&str],
        mechanisms: &[&str],
        loads: &[f64],
        demand: DemandSpec,
    ) -> SimulationSpec {
        let end = self.warm_up + self.measured;
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        SimulationSpec {
            policies: names(policies),
            mechanisms: names(mechanisms),
            loads: loads.to_vec(),
            seeds: self.seeds.clone(),
            measure: Some(format!("{}..{end}", self.warm_up)),
            // Under overload las and srtf starve long jobs: such runs end, and have no statistics.
            starvation_hours: 2000.0,
            workload: WorkloadSpec { jobs: Some(end), demand, ..WorkloadSpec::default() },
            ..SimulationSpec::default()
        }
    }
}
