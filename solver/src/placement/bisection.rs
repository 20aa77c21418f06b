//! Placement by recursive bisection of the servers: at most 3(s-1) pieces by construction, in time
//! near-linear in the jobs (problem statement, section 3; proof in `docs/placement.md`).
//!
//! A part of the cluster with n servers is split in halves of floor(n/2) and the rest; every split
//! decides which jobs go left, and cuts at most three of them. Jobs of equal demand are handled as one
//! run with a count, so a split costs as much as it has kinds of jobs, not jobs.

use super::split::{self, Budget, Choice, Entry, Window};
use super::{Placement, PlacementMethod, RESOURCES, Shape, Share, StageTwo, Vector};
use crate::status::Status;
use std::ops::Range;

/// Servers from which the two halves of a part are solved in parallel. The result does not depend on it.
const PARALLEL_SERVERS: usize = 256;
/// Servers of a part that is tried in several orders.
const RETRY_SERVERS: usize = 8;

/// How hard the search for splits without cuts tries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Orders in which a part of few servers is tried.
    tries: u64,
    /// Trials in all tries at such a part.
    trials_of_few: u32,
    /// Trials in one split of more servers.
    trials: u32,
}

impl Effort {
    /// What a placement from nothing is worth.
    pub const FULL: Effort = Effort { tries: 6, trials_of_few: 50_000, trials: 20_000 };
    /// For one of many attempts.
    pub const BRIEF: Effort = Effort { tries: 1, trials_of_few: 30_000, trials: 10_000 };
}

/// Recursive bisection of one group of identical servers.
#[derive(Debug, Clone, Copy)]
pub enum Bisection {
    /// Loads stay in proportion to servers: no slack is spent, and nothing is searched.
    Fast,
    /// Spends the slack and searches for splits that cut no job.
    FewPieces,
}

impl PlacementMethod for Bisection {
    fn name(&self) -> &str {
        match self {
            Bisection::Fast => "bisection-fast",
            Bisection::FewPieces => "bisection",
        }
    }

    fn place(&self, problem: &StageTwo) -> Placement {
        let [shape] = problem.shapes[..] else {
            return Placement::none(Status::Skipped);
        };
        if !problem.fits_in_sum() {
            return Placement::none(Status::Infeasible);
        }
        let shares = Tree::new(problem, &shape, *self, 0, Effort::FULL).place();
        Placement::new(shares, false)
    }
}

/// Consecutive jobs of one kind, `order[start..start + count]`.
#[derive(Debug, Clone, Copy)]
struct Run {
    kind: u32,
    start: u32,
    count: u32,
}

/// What a part of the cluster holds of a job that was cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    kind: u32,
    job: u32,
    fraction: f64,
}

/// Servers and what they must hold together.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) servers: Range<usize>,
    runs: Vec<Run>,
    cuts: Vec<Cut>,
}

/// The recursion on one problem.
pub(super) struct Tree {
    /// Demand of every kind, in capacities of one server.
    kinds: Vec<Vector>,
    /// Jobs by kind.
    order: Vec<u32>,
    /// All jobs, by kind.
    runs: Vec<Run>,
    servers: usize,
    method: Bisection,
    variant: u64,
    effort: Effort,
}

/// Mixes the bits of a counter (the finaliser of SplitMix64).
pub(super) fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Tree {
    /// The recursion for the only shape of `problem`. Variants other than 0 take the jobs in another order.
    pub(super) fn new(
        problem: &StageTwo,
        shape: &Shape,
        method: Bisection,
        variant: u64,
        effort: Effort,
    ) -> Self {
        let (order, starts) = problem.kinds();
        let demand = |at: &u32| &problem.demands[order[*at as usize] as usize];
        // A resource without capacity has no load either, as the sum fits.
        let scaled = |demand: &Vector| {
            std::array::from_fn(|r| if shape.capacity[r] > 0.0 { demand[r] / shape.capacity[r] } else { 0.0 })
        };
        let kinds = starts[..starts.len() - 1].iter().map(|at| scaled(demand(at))).collect();
        let run = |(kind, ends): (usize, &[u32])| Run {
            kind: kind as u32,
            start: ends[0],
            count: ends[1] - ends[0],
        };
        let mut runs: Vec<Run> = starts.windows(2).enumerate().map(run).collect();
        if variant != 0 {
            runs.sort_by_key(|run| scramble(variant.wrapping_add(u64::from(run.kind) << 32)));
        }
        Tree { kinds, order, runs, servers: shape.servers, method, variant, effort }
    }

    /// The non-zeros, by server.
    pub(super) fn place(&self) -> Vec<Share> {
        self.place_part(Part { servers: 0..self.servers, runs: self.runs.clone(), cuts: Vec::new() })
    }

    /// The parts of at most `most` servers that splitting ends in, by server.
    pub(super) fn parts(&self, most: usize) -> Vec<Part> {
        let whole = Part { servers: 0..self.servers, runs: self.runs.clone(), cuts: Vec::new() };
        let (mut open, mut done) = (vec![whole], Vec::new());
        while let Some(part) = open.pop() {
            if part.servers.len() <= most.max(1) {
                done.push(part);
                continue;
            }
            let (left, right) = self.split(part, self.variant, &mut Budget(self.effort.trials));
            open.extend([right, left]);
        }
        done
    }

    /// A part as a problem of its own, with the job behind each of its demands and the fraction of it there.
    pub(super) fn problem_of(&self, problem: &StageTwo, part: &Part) -> (StageTwo, Vec<(u32, f64)>) {
        let whole = part.runs.iter().flat_map(|run| {
            let jobs = &self.order[run.start as usize..(run.start + run.count) as usize];
            jobs.iter().map(|&job| (job, 1.0))
        });
        let members: Vec<(u32, f64)> =
            whole.chain(part.cuts.iter().map(|cut| (cut.job, cut.fraction))).collect();
        let demand = |&(job, fraction): &(u32, f64)| problem.demands[job as usize].map(|a| a * fraction);
        let shapes = vec![Shape { servers: part.servers.len(), ..problem.shapes[0] }];
        (StageTwo { shapes, demands: members.iter().map(demand).collect() }, members)
    }

    /// The non-zeros of a part, by server.
    pub(super) fn place_part(&self, part: Part) -> Vec<Share> {
        let servers = part.servers.len();
        if servers <= RETRY_SERVERS {
            return self.place_few(part);
        }
        let (left, right) = self.split(part, self.variant, &mut Budget(self.effort.trials));
        let (mut shares, more) = if servers >= PARALLEL_SERVERS {
            rayon::join(|| self.place_part(left), || self.place_part(right))
        } else {
            (self.place_part(left), self.place_part(right))
        };
        shares.extend(more);
        shares
    }

    /// A part of few servers, where most cuts happen: tried in several orders until none is cut.
    fn place_few(&self, mut part: Part) -> Vec<Share> {
        let held = part.cuts.len() + part.runs.iter().map(|run| run.count as usize).sum::<usize>();
        let tries = match self.method {
            Bisection::Fast => 1,
            Bisection::FewPieces => self.effort.tries,
        };
        let mut budget = Budget(self.effort.trials_of_few);
        let mut best: Option<Vec<Share>> = None;
        for attempt in 0..tries {
            let variant = self.variant.wrapping_add(attempt);
            if variant != 0 {
                part.runs.sort_by_key(|run| scramble(variant.wrapping_add(u64::from(run.start) << 24)));
            }
            let mut shares = Vec::with_capacity(held + 4);
            self.place_in_turn(part.clone(), variant, &mut budget, &mut shares);
            if best.as_ref().is_none_or(|b| shares.len() < b.len()) {
                best = Some(shares);
            }
            if budget.0 == 0 || best.as_ref().is_some_and(|b| b.len() <= held) {
                break;
            }
        }
        best.unwrap_or_default()
    }

    fn place_in_turn(&self, part: Part, variant: u64, budget: &mut Budget, shares: &mut Vec<Share>) {
        if part.servers.len() == 1 {
            return self.leaf(&part, shares);
        }
        let (left, right) = self.split(part, variant, budget);
        self.place_in_turn(left, variant, budget, shares);
        self.place_in_turn(right, variant, budget, shares);
    }

    fn leaf(&self, part: &Part, shares: &mut Vec<Share>) {
        let server = part.servers.start as u32;
        let whole = part.runs.iter().flat_map(|run| {
            let jobs = &self.order[run.start as usize..(run.start + run.count) as usize];
            jobs.iter().map(move |&job| Share { job, server, fraction: 1.0 })
        });
        let cut = part.cuts.iter().map(|cut| Share { job: cut.job, server, fraction: cut.fraction });
        shares.extend(whole.chain(cut));
    }

    fn split(&self, part: Part, variant: u64, budget: &mut Budget) -> (Part, Part) {
        let servers = part.servers.len();
        let (in_left, in_right) = (servers / 2, servers - servers / 2);
        let share = in_left as f64 / servers as f64;
        let entries: Vec<Entry> = part
            .runs
            .iter()
            .map(|run| Entry { vector: self.kinds[run.kind as usize], count: run.count })
            .chain(part.cuts.iter().map(|cut| Entry {
                vector: self.kinds[cut.kind as usize].map(|amount| amount * cut.fraction),
                count: 1,
            }))
            .collect();
        let choice = match self.method {
            Bisection::Fast => split::split_even(&entries, share),
            Bisection::FewPieces => {
                let mut load = [0.0; RESOURCES];
                entries.iter().for_each(|e| split::add(&mut load, &e.vector, f64::from(e.count)));
                let window = Window::new(&load, in_left, in_right);
                split::split_few(&entries, share, &window, variant, budget)
            }
        };
        self.divide(part, &choice, in_left)
    }

    /// The halves that a choice makes of a part.
    fn divide(&self, part: Part, choice: &Choice, in_left: usize) -> (Part, Part) {
        let middle = part.servers.start + in_left;
        let mut left = Part { servers: part.servers.start..middle, runs: Vec::new(), cuts: Vec::new() };
        let mut right = Part { servers: middle..part.servers.end, runs: Vec::new(), cuts: Vec::new() };
        let mut fractions = choice.cut.iter().copied().peekable();
        let mut fraction_of = |e: usize| fractions.next_if(|&(at, _)| at == e).map(|(_, fraction)| fraction);
        for (e, run) in part.runs.iter().enumerate() {
            let taken = choice.left[e];
            let mut next = run.start + taken;
            if taken > 0 {
                left.runs.push(Run { count: taken, ..*run });
            }
            if let Some(fraction) = fraction_of(e) {
                let cut = Cut { kind: run.kind, job: self.order[next as usize], fraction };
                left.cuts.push(cut);
                right.cuts.push(Cut { fraction: 1.0 - fraction, ..cut });
                next += 1;
            }
            let end = run.start + run.count;
            if next < end {
                right.runs.push(Run { start: next, count: end - next, ..*run });
            }
        }
        for (at, cut) in part.cuts.iter().enumerate() {
            let e = part.runs.len() + at;
            match fraction_of(e) {
                Some(fraction) => {
                    left.cuts.push(Cut { fraction: cut.fraction * fraction, ..*cut });
                    right.cuts.push(Cut { fraction: cut.fraction * (1.0 - fraction), ..*cut });
                }
                None if choice.left[e] == 1 => left.cuts.push(*cut),
                None => right.cuts.push(*cut),
            }
        }
        (left, right)
    }
}
