//! Jobs during a simulation: progress, and the account of what happened to them.

use super::allocators::Grant;
use smallvec::SmallVec;
use std::sync::Arc;
use synergy_solver::model::Profile;

/// A job as it comes from a workload or a trace, in arrival order.
#[derive(Debug, Clone)]
pub struct SimJob {
    /// Id in the tables: its own in the trace where that is a number, else the place in arrival order.
    pub id: i64,
    /// Its own name in the trace, where it has one.
    pub trace_id: Option<Arc<str>>,
    /// Sensitivity matrix, per GPU.
    pub profile: Arc<Profile>,
    /// GPU demand.
    pub gpus: u32,
    /// Arrival.
    pub arrival_s: f64,
    /// Work, in seconds at the baseline rate.
    pub work_s: f64,
    /// Weight in values and bounds.
    pub weight: f64,
    /// Iterations, where the trace gives them.
    pub iterations: Option<u64>,
}

/// Rounds in a row with one grant. Progress within is a product, not a sum of rounds: stepping and
/// skipping compute the same number.
#[derive(Debug, Clone)]
pub(super) struct Stint {
    /// First round.
    pub start: u64,
    /// Work units per round, before losses.
    pub per_round: f64,
    /// Normalised throughput x placement penalty.
    pub speed: f64,
    /// Work units lost at its start to the change of lease.
    pub lease_loss: f64,
    /// Servers.
    pub servers: SmallVec<[u32; 2]>,
    /// Whether it holds less than it asked for.
    pub reverted: bool,
    /// Round at the start of which the work is done, if it runs on.
    pub end: Option<u64>,
}

/// A job that has arrived.
#[derive(Debug, Clone)]
pub(super) struct JobState {
    pub arrival_s: f64,
    pub gpus: u32,
    pub class: usize,
    /// Work in units.
    pub work: f64,
    /// Seconds of a unit at the baseline rate: 1, or those of an iteration.
    pub unit_s: f64,
    /// Best-case demand over the cluster's totals.
    pub shares: [f64; 3],
    /// Best-case speed, as keys see a job that did not run.
    pub full_speed: f64,
    /// Units done before the current stint.
    pub done: f64,
    pub stint: Option<Stint>,
    /// Rounds run before the current stint.
    pub rounds_run: u64,
    /// First round that it waits in since it last ran.
    pub waits_since: u64,
    /// Whether the starvation flag is up.
    pub starved: bool,
    /// Decision that scheduled it last.
    pub scheduled_by: u64,
    pub account: Account,
}

/// What happened to a job. Rounds of the current stint are added when it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Account {
    pub first_round: Option<u64>,
    pub completion_s: Option<f64>,
    pub preemptions: u64,
    pub moves: u64,
    pub rounds_reverted: u64,
    pub rounds_skipped: u64,
    pub skipped_since: Option<u64>,
    pub rounds_waited: u64,
    pub longest_wait_rounds: u64,
    pub most_servers: u32,
    /// Sum over rounds of seconds x speed, in seconds at the baseline rate.
    pub gross_s: f64,
    /// Part of it that was no progress: leases changed, fractions of iterations.
    pub lost_s: f64,
    /// Part of it beyond the end of the work.
    pub overshoot_s: f64,
}

/// A job counts as done within this part of its work, against the rounding of sums.
const DONE: f64 = 1e-9;

impl JobState {
    /// Units done at the start of `round`.
    pub fn done_at(&self, round: u64) -> f64 {
        match &self.stint {
            Some(stint) => self.done + stint.units(round - stint.start),
            None => self.done,
        }
    }

    /// Seconds to the end at the baseline rate.
    pub fn remaining_s(&self, round: u64) -> f64 {
        self.unit_s * (self.work - self.done_at(round)).max(0.0)
    }

    /// Rounds run before `round`.
    pub fn rounds_run_at(&self, round: u64) -> u64 {
        self.rounds_run + self.stint.as_ref().map_or(0, |stint| round - stint.start)
    }

    /// Starts a stint at `round`.
    pub fn start(&mut self, round: u64, grant: &Grant, per_round: f64, lease_loss: f64) {
        if self.account.first_round.is_none() {
            self.account.first_round = Some(round);
        }
        let mut stint = Stint {
            start: round,
            per_round,
            speed: grant.speed,
            lease_loss,
            servers: grant.servers.clone(),
            reverted: grant.reverted,
            end: None,
        };
        stint.end = self.end_of(&stint);
        self.account.most_servers = self.account.most_servers.max(grant.servers.len() as u32);
        self.stint = Some(stint);
    }

    /// Ends the wait that lasts up to `round`.
    pub fn end_wait(&mut self, round: u64) {
        let waited = round - self.waits_since;
        self.account.rounds_waited += waited;
        self.account.longest_wait_rounds = self.account.longest_wait_rounds.max(waited);
    }

    /// Ends the stint before `round`, with rounds of `round_s` seconds.
    pub fn stop(&mut self, round: u64, round_s: f64) {
        let Some(stint) = self.stint.take() else { return };
        let rounds = round - stint.start;
        let units = stint.units(rounds);
        let gross_s = rounds as f64 * (round_s * stint.speed);
        self.account.gross_s += gross_s;
        self.account.lost_s += gross_s - units * self.unit_s;
        self.account.rounds_reverted += if stint.reverted { rounds } else { 0 };
        self.done += units;
        self.rounds_run += rounds;
        self.waits_since = round;
        if self.done > self.work {
            self.account.overshoot_s += (self.done - self.work) * self.unit_s;
            self.done = self.work;
        }
    }

    /// Counts rounds up to `round` in which the job was passed over, and forgets that it was.
    pub fn end_skip(&mut self, round: u64) {
        if let Some(since) = self.account.skipped_since.take() {
            self.account.rounds_skipped += round - since;
        }
    }

    fn is_done(&self, units: f64) -> bool {
        self.done + units >= self.work * (1.0 - DONE)
    }

    /// First round at the start of which the work is done; `None` without progress.
    fn end_of(&self, stint: &Stint) -> Option<u64> {
        if stint.per_round <= 0.0 {
            return None;
        }
        let estimate = ((self.work - self.done + stint.lease_loss) / stint.per_round).ceil();
        let mut rounds = (estimate as u64).max(1);
        while rounds > 1 && self.is_done(stint.units(rounds - 1)) {
            rounds -= 1;
        }
        while !self.is_done(stint.units(rounds)) {
            rounds += 1;
        }
        Some(stint.start + rounds)
    }

    /// When the work is done inside the last round of the current stint, with rounds of `round_s` seconds.
    pub fn exact_completion_s(&self, round_s: f64) -> Option<f64> {
        let stint = self.stint.as_ref()?;
        let rounds = (self.work - self.done + stint.lease_loss) / stint.per_round;
        let end = stint.end?;
        Some((stint.start as f64 + rounds).min(end as f64) * round_s)
    }
}

impl Stint {
    /// Units done in its first `rounds` rounds.
    fn units(&self, rounds: u64) -> f64 {
        (rounds as f64 * self.per_round - self.lease_loss).max(0.0)
    }
}
