//! Allocations from the seat program: patterns of seats are fixed server by server, then jobs take seats.

use super::master::{Generator, Limits};
use super::packing::{Choice, Class, Packing, classes};
use super::pricing::Prices;
use super::seats::{SeatLimits, SeatMaster, SeatPrices, SeatSolution, Seats};
use super::units::Rounding;
use super::{SuperMachine, order, solve};
use crate::model::{Allocation, Amounts, Cluster, Instance};
use crate::placement::rounding;
use crate::status::Status;
use std::collections::BTreeMap;

/// A pattern count this close below an integer counts as that integer.
const INTEGRAL: f64 = 1e-6;

/// Where nothing is whole, one pattern is fixed, and one more for this many servers that are left.
const SERVERS_PER_STEP: usize = 12;

/// Column generation between two steps.
const BETWEEN: SeatLimits = SeatLimits { rounds: 3, tolerance: 1e-5 };

/// An instance with more classes than patterns tell apart, ready for the seat program.
pub struct Plenty {
    /// Jobs that it is about, in policy order: all, or those kept when not all can be packed.
    pub kept: Vec<usize>,
    /// Which jobs cannot be packed beside the others, in one line.
    pub refused: Option<String>,
    /// The super-machine over the same choices.
    pub super_machine: SuperMachine,
    seats: Seats,
}

impl Plenty {
    /// For the runnable jobs, which are of these classes at no less than `floor` times their baseline.
    pub fn new(instance: &Instance, runnable: &[usize], all: Vec<Class>, floor: f64) -> Self {
        let (kept, refused) = packable(instance, runnable);
        let all = if refused.is_some() { classes(instance, &kept, floor) } else { all };
        let seats = Seats::new(instance, &all);
        let packing = Packing::of_classes(instance, all, Rounding::Down);
        let super_machine = SuperMachine::new(&packing, instance.cluster());
        Plenty { kept, refused, super_machine, seats }
    }

    /// The master, started at the super-machine's prices.
    pub fn master(&self) -> SeatMaster<'_> {
        SeatMaster::new(&self.seats, SeatPrices::of_amounts(&self.seats, self.super_machine.prices))
    }

    /// How the bound ended.
    pub fn status(&self, converged: bool) -> Status {
        match (&self.refused, converged) {
            (Some(_), _) => Status::NoConsolidatedAllocation,
            (None, true) => Status::Optimal,
            (None, false) => Status::NodeLimit,
        }
    }
}

/// The jobs that can be packed, taken in policy order, and a line on those that provably cannot. With a floor of 1 at most
/// this is about GPUs alone (docs/tight-bound.md, proposition 4).
fn packable(instance: &Instance, runnable: &[usize]) -> (Vec<usize>, Option<String>) {
    let mut by_gpus: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for &job in runnable {
        by_gpus.entry(instance.gpus(job)).or_default().push(job);
    }
    let class = |(gpus, jobs): (u32, Vec<usize>)| Class {
        gpus,
        profile: instance.jobs()[jobs[0]].class,
        jobs,
        choices: vec![Choice { amounts: Amounts::ZERO, value: 1.0 }],
    };
    let packing = Packing::of_classes(instance, by_gpus.into_iter().map(class).collect(), Rounding::Down);
    let order = order(&packing, runnable, instance.jobs().len());
    let start = Prices { class: vec![1.0; packing.classes.len()], server: vec![0.0; packing.shapes.len()] };
    let solved = solve(&mut Generator::new(&packing), &order, &start, &Limits::default());
    if solved.status != Status::NoConsolidatedAllocation {
        return (runnable.to_vec(), None);
    }
    let mut left = solved.packed.clone();
    let mut kept = Vec::new();
    for (&job, &class) in runnable.iter().zip(&order) {
        if left[class] > 0 {
            left[class] -= 1;
            kept.push(job);
        }
    }
    let refused = packing.classes.iter().zip(&solved.packed).filter(|(class, n)| class.jobs.len() > **n);
    let refused: Vec<String> = refused
        .map(|(class, n)| {
            format!("{} of {} jobs with {} GPUs", class.jobs.len() - n, class.jobs.len(), class.gpus)
        })
        .collect();
    let line = format!(
        "no allocation packs all jobs fairly on single servers: {} cannot be added to the other {}, taken in \
         policy order; the bound is for those {}",
        refused.join(", "),
        kept.len(),
        kept.len()
    );
    (kept, Some(line))
}

/// An allocation of `jobs`, consolidated and with at least `floor` times the baseline each, by `dive` and then the
/// best choices of the jobs that share a server. `None` when their GPUs find no packing.
pub fn allocate(
    master: &mut SeatMaster,
    first: SeatSolution,
    instance: &Instance,
    jobs: &[usize],
    floor: f64,
) -> Option<Allocation> {
    let (fixed, prices) = dive(master, first);
    let preferred = preferred_servers(master, &fixed, &prices, instance, jobs);
    rounding::round(instance, jobs, &preferred, floor)
}

/// On how many servers each pattern of the master's pool goes: dives from `first`, fixing whole parts of
/// the pattern counts or else the largest fractions, and solving again.
fn dive(master: &mut SeatMaster, first: SeatSolution) -> (Vec<usize>, SeatPrices) {
    let mut left: Vec<usize> = master.seats().packing.servers();
    let mut fixed = vec![0; master.pool.len()];
    let mut solution = first;
    while left.iter().any(|&servers| servers > 0) {
        fixed.resize(master.pool.len(), 0);
        let mut open: Vec<(f64, usize)> = solution
            .patterns
            .iter()
            .enumerate()
            .map(|(pattern, &l)| (l - fixed[pattern] as f64, pattern))
            .filter(|&(more, _)| more > INTEGRAL)
            .collect();
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let any_whole = open.first().is_some_and(|&(more, _)| more >= 1.0 - INTEGRAL);
        let steps = 1 + left.iter().sum::<usize>() / SERVERS_PER_STEP;
        let mut changed = false;
        for (more, pattern) in open.into_iter().take(if any_whole { usize::MAX } else { steps }) {
            let (shape, servers) = (master.pool[pattern].shape, master.pool[pattern].servers.max(1));
            let wanted = if any_whole { (more + INTEGRAL).floor() as usize } else { 1 };
            let times = wanted.min(left[shape] / servers);
            if times > 0 {
                left[shape] -= times * servers;
                fixed[pattern] += times;
                master.fix(pattern, fixed[pattern]);
                changed = true;
            }
        }
        if !changed {
            break;
        }
        match master.solve(&BETWEEN) {
            Some(next) => solution = next,
            None => break,
        }
    }
    fixed.resize(master.pool.len(), 0);
    (fixed, solution.prices)
}

/// The server that the plan has in mind for each of `jobs` that fits one server.
fn preferred_servers(
    master: &SeatMaster,
    fixed: &[usize],
    prices: &SeatPrices,
    instance: &Instance,
    jobs: &[usize],
) -> Vec<Option<usize>> {
    let mut seats = free_seats(master, fixed, instance.cluster());
    let mut server_of = vec![None; instance.jobs().len()];
    for (job, size) in take_seats(master.seats(), &seats, prices) {
        server_of[job] = seats[size].pop();
    }
    jobs.iter().map(|&job| server_of[job].flatten()).collect()
}

/// For every size the servers that have a seat of it, as often as they do; no server for jobs that take whole ones.
fn free_seats(master: &SeatMaster, fixed: &[usize], cluster: &Cluster) -> Vec<Vec<Option<usize>>> {
    let packing = &master.seats().packing;
    let mut seats = vec![Vec::new(); packing.classes.len()];
    // Jobs larger than a server take the first free ones of a group, so their patterns come first.
    let mut order: Vec<usize> = (0..fixed.len()).filter(|&pattern| fixed[pattern] > 0).collect();
    order.sort_by_key(|&pattern| (std::cmp::Reverse(master.pool[pattern].servers), pattern));
    let mut next: Vec<usize> =
        (0..packing.shapes.len()).map(|shape| cluster.servers_of(shape).start).collect();
    for pattern in order {
        let times = fixed[pattern];
        let pattern = &master.pool[pattern];
        let items = &packing.shapes[pattern.shape].items;
        for _ in 0..times {
            // The rest of a larger job follows its whole servers.
            let server = next[pattern.shape] + pattern.servers - 1;
            next[pattern.shape] += pattern.servers;
            for &(item, n) in &pattern.slots {
                let own = (items[item].whole == 0).then_some(server);
                seats[items[item].class].extend(std::iter::repeat_n(own, n));
            }
        }
    }
    seats.iter_mut().for_each(|of_size| of_size.reverse());
    seats
}

/// The size that each job takes, as far as seats go: those that would lose most without their best one choose first.
fn take_seats(seats: &Seats, free: &[Vec<Option<usize>>], prices: &SeatPrices) -> Vec<(usize, usize)> {
    let mut left: Vec<usize> = free.iter().map(Vec::len).collect();
    let mut order: Vec<(f64, usize, usize)> = Vec::new();
    let mut choices: Vec<Vec<usize>> = Vec::with_capacity(seats.blocks.len());
    for (index, block) in seats.blocks.iter().enumerate() {
        let mut options: Vec<(f64, usize)> =
            block.options.iter().map(|&(size, value)| (value - prices.seat[size], size)).collect();
        options.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let regret = match options[..] {
            [best, second, ..] => best.0 - second.0,
            _ => f64::INFINITY,
        };
        order.extend(block.jobs.iter().map(|&job| (regret, job, index)));
        choices.push(options.into_iter().map(|(_, size)| size).collect());
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut taken = Vec::with_capacity(order.len());
    for (_, job, block) in order {
        if let Some(&size) = choices[block].iter().find(|&&size| left[size] > 0) {
            left[size] -= 1;
            taken.push((job, size));
        }
    }
    taken
}
