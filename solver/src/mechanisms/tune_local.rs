//! `tune-local`: local search over TUNE's allocation.

use super::packing::{EVALUATIONS, Market, Packing};
use super::tune::pack;
use super::{About, Guarantees, Mechanism, MechanismError, Outcome, Takes};
use crate::model::Instance;

/// TUNE's packing, improved by exchanging jobs between servers, with the best plan for every server
/// (which shifts CPUs and memory between its jobs). Never below TUNE.
#[derive(Debug, Clone, Copy)]
pub struct TuneLocal {
    /// Server plans that the search may evaluate, per server of the cluster.
    pub evaluations: usize,
}

impl TuneLocal {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "tune-local",
        description: "local search over tune's allocation: exchanges jobs between servers, best plan per server",
        source: "this workbench",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[EVALUATIONS],
    };
}

impl Mechanism for TuneLocal {
    fn about(&self) -> About {
        Self::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let market = Market::new(instance, &instance.runnable(queue));
        let servers = pack(instance, queue);
        let mut packing = Packing::new(&market, &servers);
        packing.exchange(self.evaluations.saturating_mul(instance.cluster().servers()));
        Ok(packing.into_outcome(servers))
    }
}
