//! The seat program: the configuration LP for jobs that nearly all differ.
//!
//! With a row and patterns for every class, column generation stalls when there are hundreds of classes. But the
//! amounts that jobs ask for are few, as profiles share their grids. So patterns here say how many **seats** of
//! which **size** (GPU demand and amounts) a server has, and jobs take seats:
//!
//! ```text
//! max  sum_b sum_z v_{b,z} x_{b,z}
//! s.t. sum_z x_{b,z} = n_b                             every block b of equal jobs
//!      sum_b x_{b,z} <= sum_p a_{z,p} l_p              every size z            (rho_z >= 0)
//!      sum_{p of shape h} e_p l_p <= s_h               every shape h           (mu_h >= 0)
//! ```
//!
//! Sizes are few, so pricing is a small table whatever the number of jobs. The bound is exact in all jobs; the master
//! may stand for them by [`clusters`], which only makes its prices approximate. Proofs in docs/tight-bound.md.

use super::clusters::clusters;
use super::packing::{Class, Packing};
use super::pattern::Pattern;
use super::pricing::{Pricer, Prices};
use super::units::{Rounding, Units};
use crate::lp::{Kind, LinearProgram, Options, Outcome, Sense, Session, Sum};
use crate::model::{AUXILIARY, Amounts, Instance};
use std::collections::{BTreeMap, HashMap};

/// Blocks of the master; more are clustered.
const MASTER_BLOCKS: usize = 1200;

/// Sizes are told apart up to so many; beyond, amounts are rounded to coarser units.
const MOST_SIZES: usize = 400;

/// Units per server tried in turn until the sizes are few enough; the first keeps amounts as they are.
const COARSER: [usize; 4] = [usize::MAX, 96, 48, 24];

/// Patterns taken from one pricing table.
const PER_TABLE: usize = 8;

/// How far the first prices tried in a round lie from the master's towards the best known ones.
const SMOOTHING: f64 = 0.5;

/// A pattern improves when its reduced value is above this, relative to the value of a job.
const IMPROVES: f64 = 1e-9;

/// Rounding error granted to a bound, relative to the sum of the absolute terms it is made of.
const ROUNDING_ERROR: f64 = 1e-13;

/// When column generation ends. Counts, so that results do not depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeatLimits {
    /// Solves of the restricted master.
    pub rounds: usize,
    /// Relative difference of bound and restricted master that counts as none.
    pub tolerance: f64,
}

impl Default for SeatLimits {
    fn default() -> Self {
        SeatLimits { rounds: 300, tolerance: 1e-6 }
    }
}

/// Jobs that choose alike.
#[derive(Debug, Clone)]
pub struct Block {
    /// The jobs, in policy order; n_b is their number.
    pub jobs: Vec<usize>,
    /// Sizes that a job may take, and what it is then worth; each size once.
    pub options: Vec<(usize, f64)>,
}

/// Sizes, blocks, and the shapes of the servers.
#[derive(Debug, Clone)]
pub struct Seats {
    /// Sizes as classes with one choice each, which is worth nothing by itself.
    pub packing: Packing,
    /// Blocks, by first job in policy order.
    pub blocks: Vec<Block>,
    /// Blocks that the master knows, with the number of jobs that each stands for.
    represented: Vec<(usize, f64)>,
}

impl Seats {
    /// The seats for jobs of these classes.
    pub fn new(instance: &Instance, classes: &[Class]) -> Self {
        Self::with_blocks(instance, classes, MASTER_BLOCKS)
    }

    /// The same, with at most so many blocks in the master.
    pub fn with_blocks(instance: &Instance, classes: &[Class], most: usize) -> Self {
        let (sizes, size_of) = sizes(instance, classes);
        let packing = Packing::of_classes(instance, sizes, Rounding::Down);
        let offered: Vec<bool> = (0..packing.classes.len())
            .map(|size| packing.shapes.iter().any(|shape| !shape.of_class[size].is_empty()))
            .collect();
        let block = |(class, sizes): (&Class, &Vec<usize>)| {
            let mut best: BTreeMap<usize, f64> = BTreeMap::new();
            for (choice, &size) in class.choices.iter().zip(sizes).filter(|&(_, &size)| offered[size]) {
                let value = best.entry(size).or_insert(choice.value);
                *value = value.max(choice.value);
            }
            Block { jobs: class.jobs.clone(), options: best.into_iter().collect() }
        };
        let blocks: Vec<Block> = classes.iter().zip(&size_of).map(block).collect();
        let jobs = |members: &[usize]| members.iter().map(|&m| blocks[m].jobs.len()).sum::<usize>() as f64;
        let represented = if blocks.len() <= most {
            (0..blocks.len()).map(|block| (block, jobs(&[block]))).collect()
        } else {
            let of = |c: &super::clusters::Cluster| (c.representative(classes), jobs(&c.members));
            clusters(classes, most).iter().map(of).collect()
        };
        Seats { packing, blocks, represented }
    }

    /// Upper bound on every complete, fair, consolidated allocation from any prices of seats (at least 0) and servers,
    /// for all jobs, with the server prices that prove it. `pricers` hold the tables of these prices.
    fn bound(&self, pricers: &mut [Pricer], prices: &SeatPrices) -> Bound {
        let mut bound = Sum::default();
        let mut terms = 0.0;
        let mut master = Sum::default();
        let net = |block: &Block| {
            let worth = |&(size, value): &(usize, f64)| value - prices.seat[size];
            block.options.iter().map(worth).fold(f64::NEG_INFINITY, f64::max)
        };
        for block in &self.blocks {
            let term = block.jobs.len() as f64 * net(block);
            bound.add(term);
            terms += term.abs();
        }
        for &(block, count) in &self.represented {
            master.add(count * net(&self.blocks[block]));
        }
        let counts = self.packing.counts();
        let priced = prices.as_classes();
        let mut server = priced.server.clone();
        for (shape, pricer) in pricers.iter_mut().enumerate() {
            let value = pricer.price(&counts, &priced, 0.0);
            let several = self.packing.shapes[shape].items.iter().any(|item| item.whole > 0);
            server[shape] = if several { value.max(server[shape]) } else { value };
            let term = self.packing.shapes[shape].count as f64 * server[shape];
            bound.add(term);
            master.add(term);
            terms += term.abs();
        }
        Bound { all: bound.total() + ROUNDING_ERROR * terms, represented: master.total(), server }
    }
}

/// Sizes as classes of one choice, and the size of every choice of every class.
fn sizes(instance: &Instance, classes: &[Class]) -> (Vec<Class>, Vec<Vec<usize>>) {
    let groups = instance.cluster().groups();
    let largest = groups.iter().fold(Amounts::ZERO, |max, group| max.max(&group.capacity));
    let gpus = groups.iter().map(|group| group.gpus).max().unwrap_or(1);
    let demands: Vec<Amounts> = classes.iter().flat_map(|c| c.choices.iter().map(|c| c.amounts)).collect();
    let mut found = (Vec::new(), Vec::new());
    for most in COARSER {
        let units = (most < usize::MAX).then(|| Units::choose(&demands, largest, gpus, most));
        found = sizes_in(classes, units.as_ref());
        if found.0.len() <= MOST_SIZES {
            break;
        }
    }
    found
}

/// The sizes when amounts are rounded down to these units, or kept.
fn sizes_in(classes: &[Class], units: Option<&Units>) -> (Vec<Class>, Vec<Vec<usize>>) {
    let rounded = |amounts: &Amounts| match units {
        Some(units) => {
            let whole = units.demand(amounts, Rounding::Down);
            let at = |r: usize| (f64::from(whole[r]) * units.size[r]).min(amounts[r]);
            Amounts(std::array::from_fn(at))
        }
        None => *amounts,
    };
    let mut index: HashMap<(u32, [u64; AUXILIARY]), usize> = HashMap::new();
    let mut sizes: Vec<Class> = Vec::new();
    let mut of_choices = Vec::with_capacity(classes.len());
    for class in classes {
        let mut size = |choice: &super::packing::Choice| {
            let amounts = rounded(&choice.amounts);
            let next = sizes.len();
            let at = *index.entry((class.gpus, amounts.0.map(f64::to_bits))).or_insert(next);
            if at == next {
                let choices = vec![super::packing::Choice { amounts, value: 0.0 }];
                sizes.push(Class { gpus: class.gpus, jobs: Vec::new(), choices, profile: class.profile });
            }
            at
        };
        let of_class: Vec<usize> = class.choices.iter().map(&mut size).collect();
        let mut distinct = of_class.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.iter().for_each(|&size| sizes[size].jobs.extend(&class.jobs));
        of_choices.push(of_class);
    }
    (sizes, of_choices)
}

/// Prices of seats by size, at least 0, and of servers by shape.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatPrices {
    /// rho.
    pub seat: Vec<f64>,
    /// mu.
    pub server: Vec<f64>,
}

impl SeatPrices {
    /// What a CPU and a GB are worth makes the price of a seat and of a server.
    pub fn of_amounts(seats: &Seats, shadow: Amounts) -> Self {
        let worth = |amounts: &Amounts| amounts.iter().zip(shadow.iter()).map(|(a, p)| a * p).sum::<f64>();
        SeatPrices {
            seat: seats.packing.classes.iter().map(|size| worth(&size.choices[0].amounts)).collect(),
            server: seats.packing.shapes.iter().map(|shape| worth(&shape.capacity)).collect(),
        }
    }

    /// As prices of classes: a seat is a job whose cover costs minus its price.
    fn as_classes(&self) -> Prices {
        Prices { class: self.seat.iter().map(|rho| -rho).collect(), server: self.server.clone() }
    }

    fn towards(&self, other: &SeatPrices, part: f64) -> SeatPrices {
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect();
        SeatPrices { seat: mix(&self.seat, &other.seat), server: mix(&self.server, &other.server) }
    }
}

struct Bound {
    /// For all jobs: what is published.
    all: f64,
    /// For the jobs as the master knows them.
    represented: f64,
    server: Vec<f64>,
}

/// The restricted master with its pool of patterns.
pub struct SeatMaster<'a> {
    seats: &'a Seats,
    pricers: Vec<Pricer<'a>>,
    /// Patterns of sizes.
    pub pool: Vec<Pattern>,
    known: HashMap<(usize, Vec<(usize, usize)>), usize>,
    session: Session,
    /// Columns before the patterns.
    first: usize,
    passed: usize,
    /// Value of the most valuable choice: the scale of tolerances.
    scale: f64,
    /// Valid bound for all jobs, the least so far.
    pub bound: f64,
    /// Least bound for the jobs as the master knows them, with its prices.
    near: (f64, SeatPrices),
    /// Solves so far.
    pub rounds: usize,
}

/// A solution of the restricted master.
#[derive(Debug, Clone)]
pub struct SeatSolution {
    /// l of every pattern of the pool.
    pub patterns: Vec<f64>,
    /// Jobs without a seat.
    pub uncovered: f64,
    /// Its prices.
    pub prices: SeatPrices,
    /// Whether bound and master agree or nothing improves.
    pub converged: bool,
}

impl<'a> SeatMaster<'a> {
    /// A master without patterns; `start` gives the first bound.
    pub fn new(seats: &'a Seats, start: SeatPrices) -> Self {
        let packing = &seats.packing;
        let values = seats.blocks.iter().flat_map(|block| block.options.iter().map(|o| o.1));
        let scale = values.fold(1e-6, f64::max);
        let mut program = LinearProgram::new(Sense::Maximise);
        for &(_, count) in &seats.represented {
            program.add_row(count, count);
        }
        let first_size = program.rows();
        for _ in &packing.classes {
            program.add_row(f64::NEG_INFINITY, 0.0);
        }
        for shape in &packing.shapes {
            program.add_row(f64::NEG_INFINITY, shape.count as f64);
        }
        // A job without a seat costs more than any seat it could take from others is worth.
        let most_gpus = packing.shapes.iter().map(|shape| shape.gpus).max().unwrap_or(1);
        let penalty = 2.0 * scale * f64::from(most_gpus);
        for (row, &(_, count)) in seats.represented.iter().enumerate() {
            program.add_column(Kind::Continuous, -penalty, (0.0, count), [(row, 1.0)]);
        }
        for (row, &(block, count)) in seats.represented.iter().enumerate() {
            for &(size, value) in &seats.blocks[block].options {
                let entries = [(row, 1.0), (first_size + size, 1.0)];
                program.add_column(Kind::Continuous, value, (0.0, count), entries);
            }
        }
        let session = Session::new(&program, &Options { presolve: false, ..Options::default() });
        let pricers = (0..packing.shapes.len()).map(|shape| Pricer::new(packing, shape)).collect();
        let mut master = SeatMaster {
            seats,
            pricers,
            pool: Vec::new(),
            known: HashMap::new(),
            session,
            first: program.columns(),
            passed: 0,
            scale,
            bound: f64::INFINITY,
            near: (f64::INFINITY, start.clone()),
            rounds: 0,
        };
        master.price(&start);
        master.collect(&start);
        master
    }

    /// What is seated.
    pub fn seats(&self) -> &'a Seats {
        self.seats
    }

    /// Adds a pattern of sizes; whether it is new.
    pub fn add(&mut self, pattern: Pattern) -> bool {
        let next = self.pool.len();
        let index = *self.known.entry((pattern.shape, pattern.slots.clone())).or_insert(next);
        if index == next {
            self.pool.push(pattern);
        }
        index == next
    }

    /// Evaluates the bounds at these prices and leaves the pricing tables there.
    fn price(&mut self, prices: &SeatPrices) {
        let found = self.seats.bound(&mut self.pricers, prices);
        self.bound = self.bound.min(found.all);
        if found.represented < self.near.0 {
            let prices = SeatPrices { seat: prices.seat.clone(), server: found.server };
            self.near = (found.represented, prices);
        }
    }

    /// Adds the best patterns of the tables; the largest value at `prices` of those that are new, less their servers'.
    fn collect(&mut self, prices: &SeatPrices) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for shape in 0..self.pricers.len() {
            for pattern in self.pricers[shape].patterns(PER_TABLE) {
                let seats = pattern.jobs(&self.seats.packing).map(|(size, n)| prices.seat[size] * n as f64);
                let reduced = seats.sum::<f64>() - prices.server[shape] * pattern.servers as f64;
                if self.add(pattern) {
                    best = best.max(reduced);
                }
            }
        }
        best
    }

    /// Column generation from where it stands. `None` when HiGHS fails.
    pub fn solve(&mut self, limits: &SeatLimits) -> Option<SeatSolution> {
        let mut rounds = 0;
        loop {
            self.pass_new();
            let mut solution = self.session.solve();
            if solution.outcome != Outcome::Optimal {
                self.session.forget();
                solution = self.session.solve();
            }
            if solution.outcome != Outcome::Optimal {
                return None;
            }
            (self.rounds, rounds) = (self.rounds + 1, rounds + 1);
            let blocks = self.seats.represented.len();
            let sizes = self.seats.packing.classes.len();
            let at_least_0 = |duals: &[f64]| duals.iter().map(|dual| dual.max(0.0)).collect::<Vec<_>>();
            let master = SeatPrices {
                seat: at_least_0(&solution.row_duals[blocks..blocks + sizes]),
                server: at_least_0(&solution.row_duals[blocks + sizes..]),
            };
            let mut out = SeatSolution {
                uncovered: solution.columns[..blocks].iter().sum(),
                patterns: solution.columns[self.first..].to_vec(),
                prices: master,
                converged: false,
            };
            let close = limits.tolerance * solution.objective.abs().max(self.scale);
            let agree = |near: f64| near - solution.objective <= close;
            if agree(self.near.0) {
                out.converged = true;
                return Some(out);
            }
            if rounds >= limits.rounds {
                return Some(out);
            }
            let mut improved = false;
            for part in [1.0 - SMOOTHING, 1.0] {
                let at = self.near.1.towards(&out.prices, part);
                self.price(&at);
                improved = self.collect(&out.prices) > IMPROVES * self.scale;
                if improved || agree(self.near.0) {
                    break;
                }
            }
            if !improved {
                out.converged = true;
                return Some(out);
            }
        }
    }

    /// At least so many servers get the pattern from now on.
    pub fn fix(&mut self, pattern: usize, servers: usize) {
        self.session.set_bounds(self.first + pattern, servers as f64, f64::INFINITY);
    }

    /// Hands new patterns of the pool to the session.
    fn pass_new(&mut self) {
        let seats = self.seats;
        let first_size = seats.represented.len();
        let first_shape = first_size + seats.packing.classes.len();
        let entries: Vec<Vec<(usize, f64)>> = self.pool[self.passed..]
            .iter()
            .map(|pattern| {
                let sizes = pattern.per_class(&seats.packing).into_iter();
                let provided = sizes.map(|(size, n)| (first_size + size, -(n as f64)));
                provided.chain([(first_shape + pattern.shape, pattern.servers as f64)]).collect()
            })
            .collect();
        self.session.add_columns(entries.iter().map(|e| (0.0, (0.0, f64::INFINITY), e.as_slice())));
        self.passed = self.pool.len();
    }
}
