//! Integral solutions from the relaxation: diving, a final integer program, and re-solving a few
//! servers at a time.

use super::master::{Generator, Goal, Limits, Relaxation};
use super::packing::Packing;
use super::pattern::Pattern;
use super::plan::Plan;
use super::pricing::Prices;
use crate::lp::{self, Kind, LinearProgram, Options, Sense, highs};
use std::collections::BTreeMap;

/// A pattern count this close below an integer counts as that integer.
const INTEGRAL: f64 = 1e-6;

/// Where all counts are below 1, one pattern is taken, and one more for this many servers that are left.
const SERVERS_PER_STEP: usize = 16;

/// When the search for an integral solution ends. Counts, so that results do not depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchLimits {
    /// Column generation at each step of a dive.
    pub dive: Limits,
    /// Columns of the final integer program, by reduced value; 0 for none.
    pub milp_columns: usize,
    /// Nodes of the final integer program.
    pub milp_nodes: u64,
    /// Seconds of the final integer program, as a net below the nodes.
    pub milp_time_limit_s: Option<f64>,
    /// Times that a few servers are solved anew.
    pub moves: usize,
    /// Servers of one move.
    pub servers: usize,
    /// The search ends at this relative gap.
    pub gap: f64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        SearchLimits {
            dive: Limits { rounds: 12, columns: 200_000, tolerance: 1e-4 },
            milp_columns: 400,
            milp_nodes: 50,
            milp_time_limit_s: None,
            moves: 40,
            servers: 6,
            gap: 1e-6,
        }
    }
}

/// Dives: takes the whole parts of all pattern counts, or else the largest count, solves the
/// relaxation of what is left, and so on. `first` is the relaxation at the start, where known. `None` when jobs remain.
pub fn dive(
    generator: &mut Generator,
    mut counts: Vec<usize>,
    mut servers: Vec<usize>,
    first: &Relaxation,
    limits: &Limits,
) -> Option<Plan> {
    let packing = generator.packing();
    let mut plan = Plan::default();
    let mut relaxation = first.clone();
    loop {
        let whole = |l: f64| (l + INTEGRAL).floor() as usize;
        let mut fixed: Vec<(usize, usize)> =
            relaxation.patterns.iter().map(|&(p, l)| (p, whole(l))).filter(|&(_, n)| n > 0).collect();
        if fixed.is_empty() {
            let value = |p: usize| generator.pool[p].value;
            let mut largest = relaxation.patterns.clone();
            largest.sort_by(|a, b| {
                b.1.total_cmp(&a.1).then(value(b.0).total_cmp(&value(a.0))).then(a.0.cmp(&b.0))
            });
            let steps = 1 + servers.iter().sum::<usize>() / SERVERS_PER_STEP;
            fixed.extend(largest.iter().take(steps).map(|&(p, _)| (p, 1)));
        }
        let placed = plan.patterns.len();
        for (index, times) in fixed {
            let pattern = generator.pool[index].clone();
            let times = times.min(most(&pattern, packing, &counts, &servers));
            take(&pattern, packing, &mut counts, &mut servers, times);
            plan.push(&generator.pool, index, times);
        }
        if counts.iter().all(|&n| n == 0) {
            return Some(plan);
        }
        if plan.patterns.len() == placed {
            return None;
        }
        relaxation = generator.relax(&counts, &servers, &relaxation.prices, Goal::Value, limits);
    }
}

/// How often a pattern can still be used.
fn most(pattern: &Pattern, packing: &Packing, counts: &[usize], servers: &[usize]) -> usize {
    let by_jobs = pattern.per_class(packing).iter().map(|&(class, n)| counts[class] / n).min();
    by_jobs.unwrap_or(0).min(servers[pattern.shape] / pattern.servers.max(1))
}

fn take(pattern: &Pattern, packing: &Packing, counts: &mut [usize], servers: &mut [usize], times: usize) {
    pattern.jobs(packing).for_each(|(class, n)| counts[class] -= n * times);
    servers[pattern.shape] -= pattern.servers * times;
}

/// What [`finish`] found.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The plan; `None` when HiGHS finds none.
    pub plan: Option<Plan>,
    /// Branch-and-bound nodes.
    pub nodes: u64,
    /// Whether the clock ended it.
    pub timed_out: bool,
}

/// The integer program over the pool: how often each pattern is used, and which of its seats are
/// taken; seats may stay empty. `incumbent` is a solution to start from.
///
/// With l whole, the seats taken are a transportation problem, so they need no integrality.
pub fn finish(
    generator: &mut Generator,
    counts: &[usize],
    servers: &[usize],
    prices: &Prices,
    incumbent: Option<&Plan>,
    limits: &SearchLimits,
) -> Finished {
    let packing = generator.packing();
    let mut chosen: Vec<usize> =
        incumbent.map_or(Vec::new(), |plan| plan.patterns.iter().map(|p| p.0).collect());
    chosen.sort_unstable();
    chosen.dedup();
    let mut others: Vec<(f64, usize)> = (0..generator.pool.len())
        .filter(|index| chosen.binary_search(index).is_err())
        .filter(|&index| generator.pool[index].jobs(packing).any(|(class, _)| counts[class] > 0))
        .map(|index| (loss(packing, &generator.pool[index], prices), index))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    chosen.extend(others.iter().take(limits.milp_columns.saturating_sub(chosen.len())).map(|o| o.1));

    let mut program = LinearProgram::new(Sense::Maximise);
    let class_rows: Vec<usize> = counts.iter().map(|&n| program.add_row(n as f64, n as f64)).collect();
    let server_rows: Vec<usize> =
        servers.iter().map(|&n| program.add_row(f64::NEG_INFINITY, n as f64)).collect();
    // Seats of a class at a choice, over all chosen patterns.
    let mut seat_rows: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for &index in &chosen {
        let pattern = &generator.pool[index];
        for &(item, _) in &pattern.slots {
            let item = &packing.shapes[pattern.shape].items[item];
            seat_rows
                .entry((item.class, item.choice))
                .or_insert_with(|| program.add_row(f64::NEG_INFINITY, 0.0));
        }
    }
    for &index in &chosen {
        let pattern = &generator.pool[index];
        let items = &packing.shapes[pattern.shape].items;
        let seats = pattern
            .slots
            .iter()
            .map(|&(item, n)| (seat_rows[&(items[item].class, items[item].choice)], -(n as f64)));
        let most = servers[pattern.shape] / pattern.servers.max(1);
        let entries: Vec<(usize, f64)> =
            seats.chain([(server_rows[pattern.shape], pattern.servers as f64)]).collect();
        program.add_column(Kind::Integer, 0.0, (0.0, most as f64), entries);
    }
    let mut seat_columns = Vec::new();
    for (&(class, choice), &row) in &seat_rows {
        let value = packing.classes[class].choices[choice].value;
        let bounds = (0.0, counts[class] as f64);
        program.add_column(Kind::Continuous, value, bounds, [(row, 1.0), (class_rows[class], 1.0)]);
        seat_columns.push((class, choice));
    }
    let limits = lp::Limits {
        node_limit: Some(limits.milp_nodes),
        time_limit_s: limits.milp_time_limit_s,
        ..lp::Limits::default()
    };
    let options = Options { limits, ..Options::default() };
    let mut session = highs::Session::new(&program, &options);
    if let Some(plan) = incumbent {
        let mut start = vec![0.0; program.columns()];
        for &(pattern, times) in &plan.patterns {
            let at = chosen.iter().position(|&p| p == pattern).unwrap_or(0);
            start[at] += times as f64;
            let items = &packing.shapes[generator.pool[pattern].shape].items;
            for &(item, n) in &generator.pool[pattern].slots {
                let key = (items[item].class, items[item].choice);
                if let Ok(seat) = seat_columns.binary_search(&key) {
                    start[chosen.len() + seat] += (n * times) as f64;
                }
            }
        }
        session.set_start(&start);
    }
    let solution = session.solve();
    let timed_out = solution.outcome == highs::Outcome::TimeLimit;
    let taken = seat_columns.into_iter().zip(solution.columns.iter().skip(chosen.len()));
    let wanted = taken.map(|(key, x)| (key, x.round().max(0.0) as usize)).collect();
    let plan = if solution.columns.is_empty() { None } else { seated(generator, &chosen, &solution, wanted) };
    let plan = plan.filter(|plan| plan.is_complete(packing, &generator.pool, counts, servers));
    Finished { plan, nodes: solution.nodes, timed_out }
}

/// The plan of an integer solution: patterns less the seats that stay empty. `wanted` says how many jobs of a class take
/// seats of a choice.
fn seated(
    generator: &mut Generator,
    chosen: &[usize],
    solution: &highs::Solution,
    mut wanted: BTreeMap<(usize, usize), usize>,
) -> Option<Plan> {
    let packing = generator.packing();
    let mut plan = Plan::default();
    for (&index, &l) in chosen.iter().zip(&solution.columns) {
        for _ in 0..l.round().max(0.0) as usize {
            let pattern = generator.pool[index].clone();
            let items = &packing.shapes[pattern.shape].items;
            let mut slots = Vec::new();
            for &(item, n) in &pattern.slots {
                let left = wanted.get_mut(&(items[item].class, items[item].choice))?;
                let taken = n.min(*left);
                *left -= taken;
                if taken > 0 {
                    slots.push((item, taken));
                }
            }
            if !slots.is_empty() {
                let (index, _) = generator.add(Pattern::of_slots(packing, pattern.shape, slots));
                plan.push(&generator.pool, index, 1);
            }
        }
    }
    Some(plan)
}

/// What a plan loses against the bound that `prices` prove, by server: bound - value is the sum of these
/// over the used servers, and of the prices of unused ones.
fn loss(packing: &Packing, pattern: &Pattern, prices: &Prices) -> f64 {
    let jobs: f64 = pattern.jobs(packing).map(|(class, n)| prices.class[class] * n as f64).sum();
    jobs + prices.server[pattern.shape] * pattern.servers as f64 - pattern.value
}

/// Solves the jobs of a few servers anew, those that lose most against the bound first, and keeps what is better.
pub fn improve(
    generator: &mut Generator,
    plan: Plan,
    bound: f64,
    prices: &Prices,
    limits: &SearchLimits,
) -> Plan {
    let packing = generator.packing();
    let mut losses: Vec<f64> = Vec::new();
    let mut patterns = plan.expanded();
    let mut value = plan.value;
    let mut unused = packing.servers();
    for &pattern in &patterns {
        unused[generator.pool[pattern].shape] -= generator.pool[pattern].servers;
    }
    let mut fruitless = 0;
    for step in 0..limits.moves {
        if bound - value <= limits.gap * bound.abs() || patterns.len() < 2 || fruitless > patterns.len() {
            break;
        }
        // The worst first; the window slides on while nothing is gained.
        let new = &generator.pool[losses.len()..];
        losses.extend(new.iter().map(|pattern| loss(packing, pattern, prices)));
        patterns.sort_by(|&a, &b| losses[b].total_cmp(&losses[a]).then(a.cmp(&b)));
        let size = limits.servers.min(patterns.len());
        let mut chosen: Vec<usize> = Vec::new();
        let lead = fruitless % patterns.len();
        chosen.push(lead);
        // Partners spread over the rest, another set each time.
        let mut at = lead;
        let stride = 1 + step % 3 + fruitless / 2;
        while chosen.len() < size {
            at = (at + stride) % patterns.len();
            while chosen.contains(&at) {
                at = (at + 1) % patterns.len();
            }
            chosen.push(at);
        }
        let mut counts = vec![0; packing.classes.len()];
        let mut servers = unused.clone();
        let mut old = 0.0;
        for &index in &chosen {
            let pattern = &generator.pool[patterns[index]];
            pattern.jobs(packing).for_each(|(class, n)| counts[class] += n);
            servers[pattern.shape] += pattern.servers;
            old += pattern.value;
        }
        let relaxation = generator.relax(&counts, &servers, prices, Goal::Value, &limits.dive);
        let promising = relaxation.bound > old + limits.gap * old.abs();
        let found = if promising {
            dive(generator, counts.clone(), servers.clone(), &relaxation, &limits.dive)
        } else {
            None
        };
        match found {
            Some(better) if better.value > old + 1e-9 * old.abs() => {
                value += better.value - old;
                let kept = patterns.iter().enumerate().filter(|(index, _)| !chosen.contains(index));
                patterns = kept.map(|(_, &pattern)| pattern).chain(better.expanded()).collect();
                unused = packing.servers();
                for &pattern in &patterns {
                    unused[generator.pool[pattern].shape] -= generator.pool[pattern].servers;
                }
                fruitless = 0;
            }
            _ => fruitless += 1,
        }
    }
    let mut out = Plan::default();
    patterns.sort_unstable();
    for group in patterns.chunk_by(|a, b| a == b) {
        out.push(&generator.pool, group[0], group.len());
    }
    out
}
