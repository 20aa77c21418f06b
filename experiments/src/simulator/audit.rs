//! What a run checks of its rounds: promises on a sample of allocations, bounds where asked for.

use super::SimulationError;
use super::allocators::Decision;
use super::engine::Auditor;
use synergy_solver::bounds::{Bound, BoundOptions, BoundResult, lp_skip};
use synergy_solver::check::{Verdict, Verdicts, check};
use synergy_solver::mechanisms::Guarantees;
use synergy_solver::model::Instance;

/// The independent checker on every so many decisions, and the bound of rounds.
pub struct Audit<'a> {
    mechanism: &'a str,
    guarantees: Guarantees,
    check_every: u64,
    bound: Option<&'a dyn Bound>,
    decisions: u64,
    /// Decisions that went through the checker.
    pub checked: u64,
}

impl<'a> Audit<'a> {
    /// Holds `mechanism` to its `guarantees` on every `check_every`-th decision, the first included
    /// (never when 0), and bounds rounds by `bound`.
    pub fn new(
        mechanism: &'a str,
        guarantees: Guarantees,
        check_every: u64,
        bound: Option<&'a dyn Bound>,
    ) -> Self {
        Audit { mechanism, guarantees, check_every, bound, decisions: 0, checked: 0 }
    }
}

/// What a bound in a mechanism's place keeps by construction.
const OF_BOUNDS: Verdicts = Verdicts { valid: true, consolidated: false, fair: true, complete: true };

impl Auditor for Audit<'_> {
    fn bound(&mut self, instance: &Instance, queue: &[usize], decision: &Decision) -> Option<f64> {
        let bound = self.bound?;
        let verdicts = match &decision.allocation {
            Some(allocation) => check(instance, queue, allocation).verdicts,
            None => OF_BOUNDS,
        };
        let published = |result: BoundResult| if result.trusted { result.value } else { result.certified };
        let result = bound.evaluate(instance, queue);
        if result.scope.covers(&verdicts) {
            return published(result);
        }
        // Jobs skipped or below their share: only the bound that allows both holds.
        let skip = lp_skip::LpSkip { options: BoundOptions::default() }.evaluate(instance, queue);
        if skip.scope.covers(&verdicts) { published(skip) } else { None }
    }

    fn check(
        &mut self,
        instance: &Instance,
        queue: &[usize],
        decision: &Decision,
    ) -> Result<(), SimulationError> {
        let due = self.check_every > 0 && self.decisions.is_multiple_of(self.check_every);
        self.decisions += 1;
        let Some(allocation) = decision.allocation.as_ref().filter(|_| due) else {
            return Ok(());
        };
        self.checked += 1;
        let report = check(instance, queue, allocation);
        let promised = |verdict: Verdict| match verdict {
            Verdict::Valid => true,
            Verdict::Consolidated => false,
            Verdict::Fair => self.guarantees.fair,
            Verdict::Complete => self.guarantees.complete,
        };
        match report.violations.iter().find(|violation| promised(violation.breach.verdict())) {
            None => Ok(()),
            Some(violation) => Err(SimulationError::Promise {
                mechanism: self.mechanism.into(),
                verdict: violation.describe(instance),
            }),
        }
    }
}
