//! One split of the bisection: which of the jobs of a part of the cluster go to its left half.
//!
//! Everything is measured in capacities of one server, so amounts are pure numbers. For each
//! resource r the load of the left half must lie in a window
//!
//! ```text
//! min(a T_r, T_r - right) <= sum_j d_{j,r} x_j <= max(a T_r, left),    0 <= x_j <= 1
//! ```
//!
//! with T the load of the part, `left` and `right` the servers of the halves, a = left / (left + right).

use super::{RESOURCES, Vector};

/// Loads closer than this, in servers, count as equal; windows narrower than this as one number.
pub(super) const TINY: f64 = 1e-10;

/// Window for the load of the left half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub low: Vector,
    pub high: Vector,
}

impl Window {
    /// The window of a part with this load, for halves of `left` and `right` servers.
    pub fn new(load: &Vector, left: usize, right: usize) -> Self {
        let (left, right) = (left as f64, right as f64);
        let even = load.map(|total| total * left / (left + right));
        let mut window = Window { low: even, high: even };
        for r in 0..RESOURCES {
            window.low[r] = even[r].min(load[r] - right);
            window.high[r] = even[r].max(left);
        }
        window
    }

    /// Distance of `load` from the window, summed over resources.
    pub fn distance(&self, load: &Vector) -> f64 {
        (0..RESOURCES).map(|r| (self.low[r] - load[r]).max(load[r] - self.high[r]).max(0.0)).sum()
    }

    /// Whether `load` lies in the window.
    pub fn holds(&self, load: &Vector) -> bool {
        (0..RESOURCES).all(|r| self.low[r] - TINY <= load[r] && load[r] <= self.high[r] + TINY)
    }
}

/// A variable of the split: a job (bounds 0 and 1) or the slack of a window (bounds 0 and its width).
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub vector: Vector,
    pub value: f64,
    pub upper: f64,
}

impl Column {
    fn interior(&self) -> bool {
        0.0 < self.value && self.value < self.upper
    }
}

/// Moves a feasible point to a vertex without changing any row: at most [`RESOURCES`] columns stay
/// between their bounds. Columns enter in order; as soon as the active ones are dependent the point
/// moves along their null vector until one meets a bound and leaves. O(columns).
///
/// The first `slacks` columns are slacks. Of the two ways along the null vector the one that drives a
/// job to a bound is preferred, then the shorter; a slack that met its bound may come back at the
/// end, in exchange for a job.
pub(super) fn purify(columns: &mut [Column], slacks: usize) {
    let mut active: Vec<usize> = Vec::with_capacity(RESOURCES + 2);
    for entering in 0..columns.len() {
        if columns[entering].interior() {
            active.push(entering);
            if active.len() > RESOURCES {
                advance(columns, &mut active, slacks, None);
            }
        }
    }
    while advance(columns, &mut active, slacks, None) {}
    for slack in 0..slacks {
        if !active.contains(&slack) && active.iter().any(|&c| c >= slacks) && columns[slack].upper > 0.0 {
            active.push(slack);
            if !advance(columns, &mut active, slacks, Some(slack)) {
                active.retain(|&c| c != slack);
            }
        }
    }
}

/// One step along a null vector of the active columns; false when they are independent. With
/// `inward`, that column stands at a bound and must move away from it.
fn advance(columns: &mut [Column], active: &mut Vec<usize>, slacks: usize, inward: Option<usize>) -> bool {
    let Some(direction) = null_vector(active.iter().map(|&c| &columns[c].vector)) else {
        return false;
    };
    // How far the point can go that way, and which active column then meets a bound.
    let reach = |sign: f64| {
        let mut best = (f64::INFINITY, 0);
        for (at, &c) in active.iter().enumerate() {
            let step = sign * direction[at];
            let room = if step > 0.0 { columns[c].upper - columns[c].value } else { columns[c].value };
            if step != 0.0 && room / step.abs() < best.0 {
                best = (room / step.abs(), at);
            }
        }
        best
    };
    let sign = match inward {
        None => {
            let rank = |(length, at): (f64, usize)| (active[at] < slacks, length);
            if rank(reach(-1.0)) < rank(reach(1.0)) { -1.0 } else { 1.0 }
        }
        Some(column) => {
            let step = direction[active.len() - 1];
            if step.abs() < TINY {
                return false;
            }
            if columns[column].value > 0.0 { -step.signum() } else { step.signum() }
        }
    };
    let (length, hit) = reach(sign);
    for (at, &c) in active.iter().enumerate() {
        let column = &mut columns[c];
        column.value = (column.value + length * sign * direction[at]).clamp(0.0, column.upper);
        let to_upper = column.upper - column.value;
        if at == hit || column.value.min(to_upper) <= 1e-12 * column.upper {
            column.value = if column.value < to_upper { 0.0 } else { column.upper };
        }
    }
    active.retain(|&c| columns[c].interior());
    true
}

/// A non-zero combination of at most [`RESOURCES`] + 1 vectors that vanishes, largest entry 1 in
/// absolute value; `None` when they are independent. Gaussian elimination with full pivoting.
fn null_vector<'a>(vectors: impl Iterator<Item = &'a Vector>) -> Option<[f64; RESOURCES + 1]> {
    let mut matrix = [[0.0; RESOURCES]; RESOURCES + 1];
    let mut count = 0;
    for vector in vectors {
        matrix[count] = *vector;
        count += 1;
    }
    let mut order: [usize; RESOURCES + 1] = std::array::from_fn(|c| c);
    let largest = matrix.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut rank = 0;
    while rank < RESOURCES.min(count) {
        let mut pivot = (0.0, rank, rank);
        for column in rank..count {
            for row in rank..RESOURCES {
                let size = matrix[column][row].abs();
                if size > pivot.0 {
                    pivot = (size, column, row);
                }
            }
        }
        if pivot.0 <= 1e-12 * largest {
            break;
        }
        matrix.swap(rank, pivot.1);
        order.swap(rank, pivot.1);
        matrix[..count].iter_mut().for_each(|column| column.swap(rank, pivot.2));
        let pivot_column = matrix[rank];
        for column in &mut matrix[rank + 1..count] {
            let factor = column[rank] / pivot_column[rank];
            for row in rank + 1..RESOURCES {
                column[row] -= factor * pivot_column[row];
            }
        }
        rank += 1;
    }
    if rank == count {
        return None;
    }
    // The first column without a pivot gets 1; the pivot columns follow by back substitution.
    let mut solution = [0.0; RESOURCES + 1];
    solution[rank] = 1.0;
    for p in (0..rank).rev() {
        let sum: f64 = (p + 1..=rank).map(|c| matrix[c][p] * solution[c]).sum();
        solution[p] = -sum / matrix[p][p];
    }
    let scale = solution.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut direction = [0.0; RESOURCES + 1];
    for c in 0..count {
        direction[order[c]] = solution[c] / scale;
    }
    Some(direction)
}

/// Jobs of equal demand in the part that is split, or one part of a fragmented job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub vector: Vector,
    pub count: u32,
}

/// A split: how many of every entry go left entirely, and which entries have one more that is cut,
/// with the fraction that goes left.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub left: Vec<u32>,
    pub cut: Vec<(usize, f64)>,
}

impl Choice {
    fn whole(left: Vec<u32>) -> Self {
        Choice { left, cut: Vec::new() }
    }

    /// Load of the left half.
    pub fn load(&self, entries: &[Entry]) -> Vector {
        let mut load = [0.0; RESOURCES];
        for (entry, &left) in entries.iter().zip(&self.left) {
            add(&mut load, &entry.vector, f64::from(left));
        }
        for &(e, fraction) in &self.cut {
            add(&mut load, &entries[e].vector, fraction);
        }
        load
    }
}

pub(super) fn add(load: &mut Vector, vector: &Vector, factor: f64) {
    for (l, v) in load.iter_mut().zip(vector) {
        *l += v * factor;
    }
}

/// The fast split: loads stay exactly in proportion, no slack is spent, so only the fractional
/// remainder of `share` x count of every entry is in question.
pub(super) fn split_even(entries: &[Entry], share: f64) -> Choice {
    purified(entries, share, &[])
}

/// Purification from x = share, with these slack columns in front.
fn purified(entries: &[Entry], share: f64, slacks: &[Column]) -> Choice {
    let mut left = Vec::with_capacity(entries.len());
    let mut columns = slacks.to_vec();
    let mut owner = Vec::new();
    for (e, entry) in entries.iter().enumerate() {
        let target = share * f64::from(entry.count);
        let base = (target + 1e-12).floor();
        left.push(base as u32);
        if target - base > 1e-12 {
            owner.push(e);
            columns.push(Column { vector: entry.vector, value: target - base, upper: 1.0 });
        }
    }
    purify(&mut columns, slacks.len());
    let mut cut = Vec::new();
    for (&e, column) in owner.iter().zip(&columns[slacks.len()..]) {
        if column.value >= 1.0 {
            left[e] += 1;
        } else if column.value > 0.0 {
            cut.push((e, column.value));
        }
    }
    Choice { left, cut }
}

/// Trials that a search may still make: loads compared with a window. A count, so that results do not
/// depend on the clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(pub u32);

impl Budget {
    /// Spends `trials`; false when they are not left.
    fn spend(&mut self, trials: usize) -> bool {
        let trials = u32::try_from(trials).unwrap_or(u32::MAX);
        let left = self.0.checked_sub(trials);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The split with few cut jobs: purification that spends the slack of the windows, then, within the
/// budget, a search for a split that cuts no job, or one. `variant` changes the order of the search.
pub(super) fn split_few(
    entries: &[Entry],
    share: f64,
    window: &Window,
    variant: u64,
    budget: &mut Budget,
) -> Choice {
    let even: Vector = {
        let mut load = [0.0; RESOURCES];
        entries.iter().for_each(|entry| add(&mut load, &entry.vector, share * f64::from(entry.count)));
        load
    };
    let slacks: Vec<Column> = (0..RESOURCES)
        .filter(|&r| window.high[r] - window.low[r] > TINY)
        .map(|r| {
            let mut vector = [0.0; RESOURCES];
            vector[r] = 1.0;
            let upper = window.high[r] - window.low[r];
            Column { vector, value: (window.high[r] - even[r]).clamp(0.0, upper), upper }
        })
        .collect();
    let choice = purified(entries, share, &slacks);
    if choice.cut.is_empty() {
        return choice;
    }
    if let Some(whole) = repair(entries, &choice, window, variant, budget) {
        return whole;
    }
    let units: u32 = entries.iter().map(|entry| entry.count).sum();
    if units <= SEARCH_UNITS {
        let mut search = Search::new(entries, window, variant, budget);
        if let Some(found) = search.without_cut() {
            return found;
        }
        if choice.cut.len() > 1
            && let Some(found) = search.with_one_cut()
        {
            return found;
        }
    }
    choice
}

/// Entries that [`repair`] looks at: pairs and triples of moves are tried, so not too many.
const REPAIR_ENTRIES: usize = 48;
/// Triples of moves tried before giving up.
const REPAIR_TRIPLES: usize = 20_000;
/// Jobs up to which a split is searched by enumeration.
const SEARCH_UNITS: u32 = 40;
/// Nodes of one enumeration.
const SEARCH_NODES: u32 = 2_000;

/// Looks for a split without cut jobs near `choice`: rounds the cut jobs every way, then moves jobs
/// across, one or two at a time while that brings the load closer to the window, at last three.
fn repair(
    entries: &[Entry],
    choice: &Choice,
    window: &Window,
    variant: u64,
    budget: &mut Budget,
) -> Option<Choice> {
    let sample = sample(entries, choice, variant);
    let mut roundings: Vec<(f64, Vec<u32>, Vector)> = (0..1u32 << choice.cut.len())
        .map(|bits| {
            let mut left = choice.left.clone();
            for (bit, &(e, _)) in choice.cut.iter().enumerate() {
                left[e] += bits >> bit & 1;
            }
            let load = Choice::whole(left.clone()).load(entries);
            (window.distance(&load), left, load)
        })
        .collect();
    roundings.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, mut left, mut load) in roundings {
        if descend(entries, &sample, window, &mut left, &mut load, budget) {
            return Some(Choice::whole(left));
        }
    }
    None
}

/// The entries that [`repair`] may move: the cut ones first, then an even sample of the rest.
fn sample(entries: &[Entry], choice: &Choice, variant: u64) -> Vec<usize> {
    let mut sample: Vec<usize> = choice.cut.iter().map(|&(e, _)| e).collect();
    let stride = entries.len().div_ceil(REPAIR_ENTRIES).max(1);
    let offset = variant as usize % entries.len().max(1);
    for at in (0..entries.len()).step_by(stride) {
        let e = (at + offset) % entries.len();
        if !sample.contains(&e) {
            sample.push(e);
        }
    }
    sample
}

/// One job across: entry, direction (+1 to the left), and what that adds to the left load.
#[derive(Debug, Clone, Copy)]
struct Move {
    entry: usize,
    to_left: bool,
    change: Vector,
}

fn descend(
    entries: &[Entry],
    sample: &[usize],
    window: &Window,
    left: &mut [u32],
    load: &mut Vector,
    budget: &mut Budget,
) -> bool {
    loop {
        if window.holds(load) {
            return true;
        }
        let distance = window.distance(load);
        let mut moves = Vec::with_capacity(2 * sample.len());
        for &e in sample {
            let entry = &entries[e];
            if left[e] < entry.count {
                moves.push(Move { entry: e, to_left: true, change: entry.vector });
            }
            if left[e] > 0 {
                moves.push(Move { entry: e, to_left: false, change: entry.vector.map(|v| -v) });
            }
        }
        if !budget.spend(moves.len() * moves.len() / 2) {
            return false;
        }
        let mut best = (distance - TINY, [usize::MAX; 2]);
        'pairs: for (a, first) in moves.iter().enumerate() {
            let mut after_first = *load;
            add(&mut after_first, &first.change, 1.0);
            let single = window.distance(&after_first);
            if single < best.0 {
                best = (single, [a, usize::MAX]);
            }
            for (b, second) in moves.iter().enumerate().skip(a + 1) {
                let mut after = after_first;
                add(&mut after, &second.change, 1.0);
                let both = window.distance(&after);
                if both < best.0 {
                    best = (both, [a, b]);
                    if window.holds(&after) {
                        break 'pairs;
                    }
                }
            }
        }
        if best.1[0] == usize::MAX {
            return three_moves(&moves, entries, window, left, load, budget);
        }
        for &at in best.1.iter().filter(|&&at| at != usize::MAX) {
            apply(&moves[at], left);
            add(load, &moves[at].change, 1.0);
        }
    }
}

fn apply(step: &Move, left: &mut [u32]) {
    if step.to_left {
        left[step.entry] += 1;
    } else {
        left[step.entry] -= 1;
    }
}

/// Three moves that end in the window, if the first [`REPAIR_TRIPLES`] hold one.
fn three_moves(
    moves: &[Move],
    entries: &[Entry],
    window: &Window,
    left: &mut [u32],
    load: &mut Vector,
    budget: &mut Budget,
) -> bool {
    let mut tried = 0;
    for (a, first) in moves.iter().enumerate() {
        for (b, second) in moves.iter().enumerate().skip(a) {
            let mut after_two = *load;
            add(&mut after_two, &first.change, 1.0);
            add(&mut after_two, &second.change, 1.0);
            for third in &moves[b..] {
                let mut after = after_two;
                add(&mut after, &third.change, 1.0);
                if window.holds(&after) && possible(&[first, second, third], entries, left) {
                    [first, second, third].into_iter().for_each(|step| apply(step, left));
                    *load = after;
                    return true;
                }
            }
            tried += moves.len() - b;
            if tried > REPAIR_TRIPLES || !budget.spend(moves.len() - b) {
                return false;
            }
        }
    }
    false
}

/// Whether there are jobs enough for these moves together.
fn possible(steps: &[&Move], entries: &[Entry], left: &[u32]) -> bool {
    steps.iter().all(|step| {
        let net: i64 = steps
            .iter()
            .filter(|other| other.entry == step.entry)
            .map(|other| if other.to_left { 1 } else { -1 })
            .sum();
        let after = i64::from(left[step.entry]) + net;
        (0..=i64::from(entries[step.entry].count)).contains(&after)
    })
}

/// Enumeration of the splits of few jobs, with pruning by what is left to decide.
struct Search<'a> {
    entries: &'a [Entry],
    window: &'a Window,
    /// Order in which entries are decided.
    order: Vec<usize>,
    left: Vec<u32>,
    nodes: u32,
    budget: &'a mut Budget,
}

impl<'a> Search<'a> {
    fn new(entries: &'a [Entry], window: &'a Window, variant: u64, budget: &'a mut Budget) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        // The largest first prune best; a variant starts elsewhere.
        let size = |e: usize| entries[e].vector.iter().sum::<f64>();
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        order.rotate_left(variant as usize % entries.len().max(1));
        Search { entries, window, order, left: vec![0; entries.len()], nodes: 0, budget }
    }

    fn without_cut(&mut self) -> Option<Choice> {
        let counts: Vec<u32> = self.entries.iter().map(|entry| entry.count).collect();
        self.run(&counts, None).map(|_| Choice::whole(self.left.clone()))
    }

    /// Cuts one job: every entry is tried, and a cut exists for a split of the others whose load, with
    /// some fraction of it, meets the window.
    fn with_one_cut(&mut self) -> Option<Choice> {
        for cut in self.order.clone() {
            let mut counts: Vec<u32> = self.entries.iter().map(|entry| entry.count).collect();
            counts[cut] -= 1;
            if let Some(fraction) = self.run(&counts, Some(cut)) {
                return Some(Choice { left: self.left.clone(), cut: vec![(cut, fraction)] });
            }
        }
        None
    }

    /// Looks for `left <= counts` that meets the window; returns the fraction of the cut entry.
    fn run(&mut self, counts: &[u32], cut: Option<usize>) -> Option<f64> {
        self.nodes = 0;
        let mut rest = vec![[0.0; RESOURCES]; self.order.len() + 1];
        for at in (0..self.order.len()).rev() {
            let e = self.order[at];
            rest[at] = rest[at + 1];
            add(&mut rest[at], &self.entries[e].vector, f64::from(counts[e]));
        }
        let cut_vector = cut.map(|e| self.entries[e].vector);
        self.decide(0, &[0.0; RESOURCES], counts, &rest, cut_vector.as_ref())
    }

    fn decide(
        &mut self,
        at: usize,
        load: &Vector,
        counts: &[u32],
        rest: &[Vector],
        cut: Option<&Vector>,
    ) -> Option<f64> {
        self.nodes += 1;
        if self.nodes > SEARCH_NODES || !self.budget.spend(1) {
            return None;
        }
        let reachable = (0..RESOURCES).all(|r| {
            let most = load[r] + rest[at][r] + cut.map_or(0.0, |vector| vector[r]);
            load[r] <= self.window.high[r] + TINY && most >= self.window.low[r] - TINY
        });
        if !reachable {
            return None;
        }
        let Some(&e) = self.order.get(at) else {
            return fraction(load, self.window, cut);
        };
        // Near the even split first: the later servers then find the same mix.
        let (most, middle) = (counts[e], counts[e] / 2);
        for step in 0..=most {
            let half = step.div_ceil(2);
            let take = if step % 2 == 1 { middle + half } else { middle - half };
            let mut next = *load;
            add(&mut next, &self.entries[e].vector, f64::from(take));
            self.left[e] = take;
            if let Some(found) = self.decide(at + 1, &next, counts, rest, cut) {
                return Some(found);
            }
        }
        None
    }
}

/// A fraction of the cut job that brings `load` into the window, if there is one. Without a cut job: 0.
fn fraction(load: &Vector, window: &Window, cut: Option<&Vector>) -> Option<f64> {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for r in 0..RESOURCES {
        let amount = cut.map_or(0.0, |vector| vector[r]);
        let (under, over) = (window.low[r] - load[r], window.high[r] - load[r]);
        if amount <= TINY {
            if under > TINY || over < -TINY {
                return None;
            }
        } else {
            low = low.max((under - TINY) / amount);
            high = high.min((over + TINY) / amount);
        }
    }
    (low <= high).then_some(0.5 * (low + high)).filter(|f| cut.is_none() || (0.0 < *f && *f < 1.0))
}
