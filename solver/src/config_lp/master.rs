//! Column generation: the restricted master in HiGHS, and bounds that do not trust it.

use super::packing::Packing;
use super::pattern::Pattern;
use super::pricing::{Pricer, Prices};
use crate::lp::{Kind, LinearProgram, Options, Outcome, Sense, Session, Sum};
use std::collections::HashMap;

/// How far the first prices tried in a round lie from the master's towards the best known ones
/// (Wentges smoothing). The second try is at the master's.
const SMOOTHING: f64 = 0.5;

/// Patterns taken from one pricing table.
const PER_TABLE: usize = 6;

/// Further tables per round where most jobs differ, each without the jobs of the patterns before it.
const COMPLEMENTS: usize = 6;

/// Times the limit of rounds that is granted while jobs are still uncovered.
const UNCOVERED_ROUNDS: usize = 20;

/// A pattern improves when its reduced value is above this, relative to the largest pattern value.
const IMPROVES: f64 = 1e-10;

/// Rounding error granted to a bound, relative to the sum of the absolute terms it is made of.
const ROUNDING_ERROR: f64 = 1e-13;

/// What the master maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The value of the allocation.
    Value,
    /// Minus the number of jobs that no pattern holds.
    Cover,
}

/// When column generation ends. Counts, so that results do not depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Rounds: solves of the restricted master.
    pub rounds: usize,
    /// Patterns in the pool.
    pub columns: usize,
    /// Relative difference of bound and restricted master that counts as none.
    pub tolerance: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rounds: 2000, columns: 200_000, tolerance: 1e-6 }
    }
}

/// What [`Generator::relax`] found.
#[derive(Debug, Clone)]
pub struct Relaxation {
    /// Valid upper bound on the goal for the jobs and servers given, by our own arithmetic.
    pub bound: f64,
    /// Prices that prove it.
    pub prices: Prices,
    /// Optimum of the restricted master, by HiGHS's word; uncovered jobs count negative.
    pub value: f64,
    /// Patterns used: index into the pool, and how often.
    pub patterns: Vec<(usize, f64)>,
    /// Jobs of each class that no pattern holds.
    pub uncovered: Vec<f64>,
    /// Whether bound and value agree, or no pattern improves.
    pub converged: bool,
    /// Rounds done.
    pub rounds: usize,
}

impl Relaxation {
    /// Jobs that no pattern holds.
    pub fn total_uncovered(&self) -> f64 {
        self.uncovered.iter().sum()
    }
}

/// A pool of patterns, the restricted master over it, and the pricing tables. Rows and bounds change
/// from one [`Generator::relax`] to the next; patterns and basis stay.
pub struct Generator<'a> {
    packing: &'a Packing,
    pricers: Vec<Pricer<'a>>,
    /// Patterns, in the order in which they were found.
    pub pool: Vec<Pattern>,
    /// Where in the pool the pattern of a shape and slots is.
    known: HashMap<(usize, Vec<(usize, usize)>), usize>,
    session: Session,
    /// Patterns of the pool that the session has.
    passed: usize,
    /// What an uncovered job costs.
    penalty: f64,
    /// Largest value of a pattern, the scale of all tolerances.
    scale: f64,
}

impl<'a> Generator<'a> {
    /// An empty pool.
    pub fn new(packing: &'a Packing) -> Self {
        let mut pricers: Vec<Pricer> =
            (0..packing.shapes.len()).map(|shape| Pricer::new(packing, shape)).collect();
        let free =
            Prices { class: vec![0.0; packing.classes.len()], server: vec![0.0; packing.shapes.len()] };
        let counts = packing.counts();
        let scale = pricers.iter_mut().map(|p| p.price(&counts, &free, 1.0)).fold(1e-6, f64::max);
        let mut program = LinearProgram::new(Sense::Maximise);
        for &count in &counts {
            program.add_row(count as f64, count as f64);
        }
        for shape in &packing.shapes {
            program.add_row(f64::NEG_INFINITY, shape.count as f64);
        }
        let penalty = 4.0 * scale;
        for (class, &count) in counts.iter().enumerate() {
            program.add_column(Kind::Continuous, -penalty, (0.0, count as f64), [(class, 1.0)]);
        }
        // The master is small and its basis warm: presolve costs more than it saves.
        let options = Options { presolve: false, ..Options::default() };
        let session = Session::new(&program, &options);
        Generator {
            packing,
            pricers,
            pool: Vec::new(),
            known: HashMap::new(),
            session,
            passed: 0,
            penalty,
            scale,
        }
    }

    /// What is packed.
    pub fn packing(&self) -> &'a Packing {
        self.packing
    }

    /// Adds a pattern and returns its index in the pool and whether it is new.
    pub fn add(&mut self, pattern: Pattern) -> (usize, bool) {
        let next = self.pool.len();
        let index = *self.known.entry((pattern.shape, pattern.slots.clone())).or_insert(next);
        if index == next {
            self.pool.push(pattern);
        }
        (index, index == next)
    }

    /// Raises what an uncovered job costs, for when one is left though all can be packed.
    pub fn raise_penalty(&mut self) {
        self.penalty *= 50.0;
    }

    /// The bound that prices prove for `counts` jobs and `servers` servers, with the server prices
    /// that make them feasible for the dual; the pricing tables are left as they prove it.
    ///
    /// For any `pi` and any `mu >= 0` at which no pattern has `v_p - pi a_p - mu_h servers_p > 0`, weak
    /// duality bounds the master by `sum_t n_t pi_t + sum_h s_h mu_h`. With f the exact pricing
    /// value at (pi, mu), `max(mu, f)` is such a price (`f` alone where every pattern takes one server),
    /// because a pattern takes at least one server and f is 0 at least.
    pub fn bound_at(
        &mut self,
        counts: &[usize],
        servers: &[usize],
        prices: &Prices,
        goal: Goal,
    ) -> (f64, Prices) {
        let worth = if goal == Goal::Value { 1.0 } else { 0.0 };
        let mut feasible = prices.clone();
        feasible.server.iter_mut().for_each(|mu| *mu = mu.max(0.0));
        let (mut bound, mut terms) = (Sum::default(), 0.0);
        for (class, &count) in counts.iter().enumerate() {
            let term = count as f64 * prices.class[class];
            bound.add(term);
            terms += term.abs();
        }
        for (shape, pricer) in self.pricers.iter_mut().enumerate() {
            let value = pricer.price(counts, &feasible, worth);
            let several = self.packing.shapes[shape].items.iter().any(|item| item.whole > 0);
            feasible.server[shape] = if several { value.max(feasible.server[shape]) } else { value };
            let term = servers[shape] as f64 * feasible.server[shape];
            bound.add(term);
            terms += term.abs();
        }
        (bound.total() + ROUNDING_ERROR * terms, feasible)
    }

    /// Solves the configuration LP for `counts` jobs of each class on `servers` servers of each shape.
    pub fn relax(
        &mut self,
        counts: &[usize],
        servers: &[usize],
        start: &Prices,
        goal: Goal,
        limits: &Limits,
    ) -> Relaxation {
        self.restrict(counts, servers, goal);
        let (bound, prices) = self.bound_at(counts, servers, start, goal);
        let mut out = Relaxation {
            bound,
            prices,
            value: f64::NEG_INFINITY,
            patterns: Vec::new(),
            uncovered: counts.iter().map(|&n| n as f64).collect(),
            converged: false,
            rounds: 0,
        };
        self.collect(start, goal);
        let scale = if goal == Goal::Value { self.scale } else { 1.0 };
        loop {
            self.pass_new(counts, goal);
            let mut solution = self.session.solve();
            if solution.outcome != Outcome::Optimal {
                self.session.forget();
                solution = self.session.solve();
            }
            out.rounds += 1;
            if solution.outcome != Outcome::Optimal {
                return out;
            }
            let classes = counts.len();
            let master = Prices {
                class: solution.row_duals[..classes].to_vec(),
                server: solution.row_duals[classes..].to_vec(),
            };
            out.value = solution.objective;
            out.uncovered = solution.columns[..classes].to_vec();
            let used = solution.columns[classes..].iter().copied().enumerate();
            out.patterns = used.filter(|&(_, l)| l > 1e-9).collect();
            let close = limits.tolerance * out.value.abs().max(scale);
            if out.bound - out.value <= close {
                out.converged = true;
                return out;
            }
            // Prices mean little before all jobs are covered, so that is waited for.
            let rounds = if out.total_uncovered() > 0.0 { UNCOVERED_ROUNDS } else { 1 } * limits.rounds;
            if out.rounds >= rounds || self.pool.len() >= limits.columns {
                return out;
            }
            let mut improved = false;
            for part in [1.0 - SMOOTHING, 1.0] {
                let at = out.prices.towards(&master, part);
                let (bound, feasible) = self.bound_at(counts, servers, &at, goal);
                let best = self.collect(&master, goal).max(self.complement(counts, &at, &master, goal));
                if bound < out.bound {
                    (out.bound, out.prices) = (bound, feasible);
                }
                improved = best > IMPROVES * scale;
                if improved || out.bound - out.value <= close {
                    break;
                }
            }
            if !improved || out.bound - out.value <= close {
                out.converged = true;
                return out;
            }
        }
    }

    /// Where most jobs differ, adds patterns that share no job with each other, so that together they
    /// can be used: after [`Generator::collect`], the best pattern of what the last one left, and so on.
    fn complement(&mut self, counts: &[usize], at: &Prices, master: &Prices, goal: Goal) -> f64 {
        let jobs: usize = counts.iter().sum();
        let mut best = f64::NEG_INFINITY;
        if jobs > 2 * counts.iter().filter(|&&n| n > 0).count() {
            return best;
        }
        let worth = if goal == Goal::Value { 1.0 } else { 0.0 };
        for shape in 0..self.pricers.len() {
            let mut left = counts.to_vec();
            for _ in 0..COMPLEMENTS {
                let Some(pattern) = self.pricers[shape].patterns(1).pop() else { break };
                pattern.jobs(self.packing).for_each(|(class, n)| left[class] -= n);
                self.pricers[shape].price(&left, at, worth);
                let Some(next) = self.pricers[shape].patterns(1).pop() else { break };
                best = best.max(self.add_priced(next, master, worth));
            }
        }
        best
    }

    /// Adds a pattern; its reduced value at `prices` where it is new.
    fn add_priced(&mut self, pattern: Pattern, prices: &Prices, worth: f64) -> f64 {
        let jobs: f64 = pattern.jobs(self.packing).map(|(class, n)| prices.class[class] * n as f64).sum();
        let servers = prices.server[pattern.shape] * pattern.servers as f64;
        let reduced = worth * pattern.value - jobs - servers;
        if self.add(pattern).1 { reduced } else { f64::NEG_INFINITY }
    }

    /// Adds patterns of the current pricing tables to the pool; the largest reduced value, at `prices`,
    /// of those that are new.
    fn collect(&mut self, prices: &Prices, goal: Goal) -> f64 {
        let worth = if goal == Goal::Value { 1.0 } else { 0.0 };
        let mut best = f64::NEG_INFINITY;
        for shape in 0..self.pricers.len() {
            for pattern in self.pricers[shape].patterns(PER_TABLE) {
                best = best.max(self.add_priced(pattern, prices, worth));
            }
        }
        best
    }

    /// Sets rows, column bounds and costs for these jobs and servers.
    fn restrict(&mut self, counts: &[usize], servers: &[usize], goal: Goal) {
        self.pass_new(counts, goal);
        for (class, &count) in counts.iter().enumerate() {
            self.session.set_row_bounds(class, count as f64, count as f64);
        }
        for (shape, &count) in servers.iter().enumerate() {
            self.session.set_row_bounds(counts.len() + shape, f64::NEG_INFINITY, count as f64);
        }
        let uncovered = if goal == Goal::Value { self.penalty } else { 1.0 };
        let mut costs = vec![-uncovered; counts.len()];
        let mut upper: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
        for pattern in &self.pool {
            costs.push(if goal == Goal::Value { pattern.value } else { 0.0 });
            upper.push(if pattern.within(self.packing, counts) { f64::INFINITY } else { 0.0 });
        }
        self.session.set_all_bounds(&vec![0.0; upper.len()], &upper);
        self.session.set_objective(Sense::Maximise, &costs);
    }

    /// Hands new patterns of the pool to the session.
    fn pass_new(&mut self, counts: &[usize], goal: Goal) {
        let entries: Vec<Vec<(usize, f64)>> = self.pool[self.passed..]
            .iter()
            .map(|pattern| {
                let jobs = pattern.per_class(self.packing).into_iter().map(|(class, n)| (class, n as f64));
                jobs.chain([(counts.len() + pattern.shape, pattern.servers as f64)]).collect()
            })
            .collect();
        let columns = self.pool[self.passed..].iter().zip(&entries).map(|(pattern, entries)| {
            let cost = if goal == Goal::Value { pattern.value } else { 0.0 };
            let upper = if pattern.within(self.packing, counts) { f64::INFINITY } else { 0.0 };
            (cost, (0.0, upper), entries.as_slice())
        });
        self.session.add_columns(columns);
        self.passed = self.pool.len();
    }
}
