//! Multiple-choice programs: blocks of interchangeable jobs, each of which picks one of its points, under a
//! few common capacities. What `lp` and `lp-skip` are once fairness is inside the points.
//!
//! ```text
//! max  sum_t sum_k v_{t,k} z_{t,k}
//! s.t. sum_t sum_k u_{t,k,r} z_{t,k} <= cap_r     for every resource r
//!      sum_k z_{t,k} = n_t                        for every block t
//!      z >= 0
//! ```
//!
//! Two ways to solve it. [`Choices::solve_whole`] hands it to HiGHS. [`Choices::solve_dual`] uses that only
//! R rows couple the blocks: with prices p on them,
//!
//! ```text
//! D(p) = sum_r p_r cap_r + sum_t n_t max_k (v_{t,k} - sum_r p_r u_{t,k,r})
//! ```
//!
//! bounds the optimum for any p >= 0, and its least value is the optimum. D is convex and piecewise linear in R
//! variables and costs one pass over the points. Cutting planes find its minimum; there almost every
//! block has one best point, and a small LP over the others recovers a vertex and exact prices.

// Loops over the resource r index several arrays at once, as the formulas do.
#![allow(clippy::needless_range_loop)]

use crate::lp::{
    Attempt, Certified, FEASIBILITY_TOLERANCE, GAP_TOLERANCE, Kind, LinearProgram, Options, Outcome, Sense,
    Session, Sum, solve_certified, solve_lexicographic,
};
use crate::status::Status;
use rayon::prelude::*;
use std::ops::Range;

/// What a job may pick: its value and what it uses of each common resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point<const R: usize> {
    /// v, per job.
    pub value: f64,
    /// u, per job.
    pub usage: [f64; R],
}

/// The program.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices<const R: usize> {
    capacity: [f64; R],
    /// n_t, number of jobs of each block.
    counts: Vec<f64>,
    /// Points of block t are `starts[t]..starts[t + 1]`.
    starts: Vec<usize>,
    points: Vec<Point<R>>,
}

/// A solution, with what it proves.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen<const R: usize> {
    /// [`Status::Optimal`] only when primal and bound agree within [`GAP_TOLERANCE`].
    pub status: Status,
    /// z for every point, in the order of the points. Empty without a solution.
    pub amounts: Vec<f64>,
    /// p, the duals of the capacities.
    pub prices: [f64; R],
    /// D(p) in our own arithmetic: valid whatever the solver says.
    pub bound: f64,
    /// Value of the solution, recomputed.
    pub value: f64,
    /// Which attempt at the LP passed its certificate.
    pub attempt: Attempt,
    /// Whether it was found through the dual.
    pub by_dual: bool,
}

/// Blocks whose points are evaluated in one go. Fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 4096;

/// Rounds of cutting planes, and of the small LP. Both end far earlier.
const MAX_CUTS: usize = 300;
const MAX_REPAIRS: usize = 40;

/// Columns up to which an LP is solved as it is.
const LARGEST_WITHOUT_PRESOLVE: usize = 2000;

/// Points this close to the best of their block, relative to the block's best value, are tied.
const TIE: f64 = 1e-7;

impl<const R: usize> Choices<R> {
    /// A program without blocks.
    pub fn new(capacity: [f64; R]) -> Self {
        Choices { capacity, counts: Vec::new(), starts: vec![0], points: Vec::new() }
    }

    /// Adds a block of `count` jobs with at least one point.
    pub fn add_block(&mut self, count: f64, points: impl IntoIterator<Item = Point<R>>) {
        self.points.extend(points);
        self.counts.push(count);
        self.starts.push(self.points.len());
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.counts.len()
    }

    /// Number of points in all blocks.
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// Points of a block, as indices into [`Chosen::amounts`].
    pub fn points_of(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Solves it as one LP in HiGHS. Among optimal solutions one that is least in `ties`, resources in order.
    pub fn solve_whole(&self, ties: &[usize], options: &Options) -> Chosen<R> {
        if self.blocks() == 0 {
            return self.judge(Status::Optimal, Vec::new(), [0.0; R], Attempt::First);
        }
        let options = &self.presolved(self.points(), options);
        let (program, _) = self.restricted(&vec![None; self.blocks()], &self.all_points());
        let certified = solve_lexicographic(&program, &self.tie_costs(ties, &self.all_points()), options);
        if certified.solution.columns.is_empty() || certified.solution.row_duals.is_empty() {
            return self.without_solution(&certified);
        }
        let prices = self.prices_of(&certified);
        let Certified { status, solution, attempt, .. } = certified;
        self.judge(status, solution.columns, prices, attempt)
    }

    /// Solves it through the dual; see the module. Same optimum and ties as [`Choices::solve_whole`], which is also the
    /// fall-back where the prices do not settle.
    pub fn solve_dual(&self, ties: &[usize], options: &Options) -> Chosen<R> {
        match self.recover(self.cutting_planes(options), ties, options) {
            Some(chosen) if chosen.status == Status::Optimal => Chosen { by_dual: true, ..chosen },
            _ => self.solve_whole(ties, options),
        }
    }

    /// Prices near the minimum of D, and the prices of the cuts that are tight there: the best points
    /// at those contain a near-optimal primal solution.
    fn cutting_planes(&self, options: &Options) -> Vec<[f64; R]> {
        let free = self.evaluate(&[0.0; R]);
        if (0..R).all(|r| free.usage[r] <= self.capacity[r]) {
            return vec![[0.0; R]];
        }
        // The cuts' coefficients in units of the value at price 0 and of the capacities; HiGHS's tolerances are absolute.
        let scale_value = free.value.abs().max(f64::MIN_POSITIVE) / MASTER_SCALE;
        let scale = self.capacity.map(|capacity| if capacity > 0.0 { capacity } else { 1.0 });
        // min over p of the largest cut is, by its own dual, max sum_i l_i v_i over mixes l of the cuts'
        // solutions that keep within capacity. The last column makes a mix always possible.
        let mut program = LinearProgram::new(Sense::Maximise);
        for _ in 0..R {
            program.add_row(0.0, f64::INFINITY);
        }
        program.add_row(1.0, 1.0);
        let nothing = (0..R).map(|r| (r, self.capacity[r] / scale[r])).chain([(R, 1.0)]);
        program.add_column(Kind::Continuous, -ARTIFICIAL * MASTER_SCALE, (0.0, f64::INFINITY), nothing);
        let mut master = Session::new(&program, &Options { presolve: false, ..*options });
        let mut cuts: Vec<([f64; R], Evaluation<R>)> = Vec::new();
        let (mut prices, mut found) = ([0.0; R], free);
        let mut least = free.bound;
        loop {
            let mut entries = [(R, 1.0); 8];
            for r in 0..R {
                entries[r] = (r, (self.capacity[r] - found.usage[r]) / scale[r]);
            }
            master.add_columns([(found.value / scale_value, (0.0, f64::INFINITY), &entries[..=R])]);
            cuts.push((prices, found));
            let solution = master.solve();
            if solution.outcome != Outcome::Optimal {
                return cuts.iter().rev().take(R + 2).map(|cut| cut.0).collect();
            }
            for r in 0..R {
                prices[r] = (-solution.row_duals[r]).max(0.0) * scale_value / scale[r];
            }
            found = self.evaluate(&prices);
            least = least.min(found.bound);
            let closed = least - solution.objective * scale_value <= CUT_GAP * least.abs();
            // The same cut again would change nothing.
            let repeated = cuts.iter().any(|(_, cut)| cut.value == found.value && cut.usage == found.usage);
            if closed || repeated || cuts.len() >= MAX_CUTS {
                let tight = (0..cuts.len()).filter(|&i| solution.columns[i + 1] > 0.0).map(|i| cuts[i].0);
                return [prices].into_iter().chain(tight).collect();
            }
        }
    }

    /// A vertex and exact prices from prices near the optimum, the first of which are the best known: an LP
    /// over the points that are best or tied at them, with every block that has one such point fixed,
    /// to which points are added while some are better at the LP's own prices.
    fn recover(&self, near: Vec<[f64; R]>, ties: &[usize], options: &Options) -> Option<Chosen<R>> {
        let mut open = vec![false; self.points.len()];
        for (index, prices) in near.iter().enumerate() {
            self.open_best(prices, if index == 0 { TIE } else { 0.0 }, &mut open);
        }
        for _ in 0..MAX_REPAIRS {
            let (fixed, free) = self.split(&open);
            let options = &self.presolved(free.len(), options);
            let (program, _) = self.restricted(&fixed, &free);
            let certified = solve_certified(&program, options);
            if certified.status != Status::Optimal {
                return None;
            }
            let prices = self.prices_of(&certified);
            if self.open_best(&prices, TIE, &mut open) > 0 {
                continue;
            }
            let certified = solve_lexicographic(&program, &self.tie_costs(ties, &free), options);
            let mut amounts = vec![0.0; self.points.len()];
            for (block, point) in fixed.iter().enumerate() {
                if let Some(point) = *point {
                    amounts[point] = self.counts[block];
                }
            }
            for (&point, &amount) in free.iter().zip(&certified.solution.columns) {
                amounts[point] = amount;
            }
            return Some(self.judge(
                certified.status,
                amounts,
                self.prices_of(&certified),
                certified.attempt,
            ));
        }
        None
    }

    /// Opens the points of every block that are within `tie` of its best at these prices; returns how
    /// many were closed before.
    fn open_best(&self, prices: &[f64; R], tie: f64, open: &mut [bool]) -> usize {
        let mut opened = 0;
        for block in 0..self.blocks() {
            let (best, worth) = self.best(block, prices);
            let within = worth - tie * self.points[best].value.abs().max(f64::MIN_POSITIVE);
            for point in self.points_of(block) {
                let tied = point == best || self.worth(point, prices) >= within;
                if tied && !open[point] {
                    open[point] = true;
                    opened += 1;
                }
            }
        }
        opened
    }

    /// The one open point of each block that has one only, and the open points of the other blocks.
    fn split(&self, open: &[bool]) -> (Vec<Option<usize>>, Vec<usize>) {
        let mut fixed = Vec::with_capacity(self.blocks());
        let mut free = Vec::new();
        for block in 0..self.blocks() {
            let start = free.len();
            free.extend(self.points_of(block).filter(|&point| open[point]));
            fixed.push((free.len() == start + 1).then(|| free[start]));
            if fixed[block].is_some() {
                free.truncate(start);
            }
        }
        (fixed, free)
    }

    /// The settings for an LP of this many columns: presolve costs more than it saves on a small one.
    fn presolved(&self, columns: usize, options: &Options) -> Options {
        Options { presolve: options.presolve && columns > LARGEST_WITHOUT_PRESOLVE, ..*options }
    }

    fn all_points(&self) -> Vec<usize> {
        (0..self.points.len()).collect()
    }

    /// The LP over the `free` points (ascending), with what is left of the capacities beside the fixed
    /// blocks. Rows are the capacities, then the blocks that have free points.
    fn restricted(&self, fixed: &[Option<usize>], free: &[usize]) -> (LinearProgram, [f64; R]) {
        let mut left = [Sum::default(); R];
        for r in 0..R {
            left[r].add(self.capacity[r]);
            for (block, point) in fixed.iter().enumerate() {
                left[r].add(point.map_or(0.0, |point| -self.counts[block] * self.points[point].usage[r]));
            }
        }
        let left = left.map(|sum| sum.total());
        let mut program = LinearProgram::new(Sense::Maximise);
        program.reserve(free.len(), free.len() * (R + 1));
        for capacity in left {
            program.add_row(f64::NEG_INFINITY, capacity);
        }
        let (mut block, mut row) = (0, None);
        for &point in free {
            while point >= self.starts[block + 1] {
                (block, row) = (block + 1, None);
            }
            let count = self.counts[block];
            let row = *row.get_or_insert_with(|| program.add_row(count, count));
            let Point { value, usage } = self.points[point];
            let entries = usage.into_iter().enumerate().chain([(row, 1.0)]);
            let column = program.add_column(Kind::Continuous, value, (0.0, f64::INFINITY), entries);
            program.imply_upper(column, count);
        }
        (program, left)
    }

    fn tie_costs(&self, ties: &[usize], free: &[usize]) -> Vec<Vec<f64>> {
        ties.iter().map(|&r| free.iter().map(|&point| self.points[point].usage[r]).collect()).collect()
    }

    fn prices_of(&self, certified: &Certified) -> [f64; R] {
        let mut prices = [0.0; R];
        for (price, dual) in prices.iter_mut().zip(&certified.solution.row_duals) {
            *price = dual.max(0.0);
        }
        prices
    }

    /// Recomputes value, loads and bound, and says whether they agree.
    fn judge(&self, status: Status, amounts: Vec<f64>, prices: [f64; R], attempt: Attempt) -> Chosen<R> {
        let bound = self.evaluate(&prices).bound;
        let (mut value, mut load, mut worst) = (Sum::default(), [Sum::default(); R], 0.0_f64);
        for block in 0..self.blocks() {
            let mut count = 0.0;
            for point in self.points_of(block) {
                let amount = amounts[point];
                worst = worst.max(-amount);
                count += amount;
                value.add(amount * self.points[point].value);
                for r in 0..R {
                    load[r].add(amount * self.points[point].usage[r]);
                }
            }
            worst = worst.max((count - self.counts[block]).abs() / self.counts[block].max(1.0));
        }
        for r in 0..R {
            worst = worst.max((load[r].total() - self.capacity[r]) / self.capacity[r].max(1.0));
        }
        let value = value.total();
        let agree =
            worst <= FEASIBILITY_TOLERANCE && (bound - value).abs() <= GAP_TOLERANCE * value.abs().max(1.0);
        let status = if status == Status::Optimal && !agree { Status::Uncertified } else { status };
        Chosen { status, amounts, prices, bound, value, attempt, by_dual: false }
    }

    fn without_solution(&self, certified: &Certified) -> Chosen<R> {
        let bound = self.evaluate(&[0.0; R]).bound;
        let Certified { status, attempt, .. } = *certified;
        Chosen {
            status,
            amounts: Vec::new(),
            prices: [0.0; R],
            bound,
            value: f64::NAN,
            attempt,
            by_dual: false,
        }
    }

    fn worth(&self, point: usize, prices: &[f64; R]) -> f64 {
        let Point { value, usage } = &self.points[point];
        let mut worth = *value;
        for r in 0..R {
            worth -= prices[r] * usage[r];
        }
        worth
    }

    /// The point of a block that is worth most at these prices, the first of equals, and its worth.
    fn best(&self, block: usize, prices: &[f64; R]) -> (usize, f64) {
        let range = self.points_of(block);
        let mut best = (range.start, self.worth(range.start, prices));
        for point in range.skip(1) {
            let worth = self.worth(point, prices);
            if worth > best.1 {
                best = (point, worth);
            }
        }
        best
    }

    /// D(p) and the solution that it rests on.
    pub fn evaluate(&self, prices: &[f64; R]) -> Evaluation<R> {
        let chunk = |blocks: Range<usize>| {
            let (mut worth, mut value) = (Sum::default(), Sum::default());
            let mut usage = [Sum::default(); R];
            for block in blocks {
                let count = self.counts[block];
                let (point, best) = self.best(block, prices);
                worth.add(count * best);
                value.add(count * self.points[point].value);
                for r in 0..R {
                    usage[r].add(count * self.points[point].usage[r]);
                }
            }
            (worth.total(), value.total(), usage.map(|sum| sum.total()))
        };
        let chunks = self.blocks().div_ceil(CHUNK);
        let range = |index: usize| index * CHUNK..((index + 1) * CHUNK).min(self.blocks());
        let parts: Vec<_> = match chunks {
            0 | 1 => (0..chunks).map(|index| chunk(range(index))).collect(),
            _ => (0..chunks).into_par_iter().map(|index| chunk(range(index))).collect(),
        };
        let mut bound: Sum = parts.iter().map(|part| part.0).collect();
        for r in 0..R {
            bound.add(prices[r] * self.capacity[r]);
        }
        Evaluation {
            bound: bound.total(),
            value: parts.iter().map(|part| part.1).collect::<Sum>().total(),
            usage: std::array::from_fn(|r| parts.iter().map(|part| part.2[r]).collect::<Sum>().total()),
        }
    }
}

/// Scale of the master program's objective: HiGHS's absolute tolerance of 1e-7 is then 1e-11 of the value.
const MASTER_SCALE: f64 = 1e4;

/// Value of the column that makes a mix of cuts always possible, below any solution's, relative to the value at price 0.
const ARTIFICIAL: f64 = 100.0;

/// Relative gap at which cutting planes stop.
const CUT_GAP: f64 = 1e-11;

/// D(p), and the solution that is best at p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation<const R: usize> {
    /// D(p).
    pub bound: f64,
    /// Value of the best points.
    pub value: f64,
    /// What they use.
    pub usage: [f64; R],
}
