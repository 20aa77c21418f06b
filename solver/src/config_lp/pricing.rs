//! Exact pricing: the pattern of largest reduced value on one server, by dynamic programming.

use super::packing::Packing;
use super::pattern::Pattern;
use crate::model::AUXILIARY;
use std::collections::BTreeSet;

/// Resources of the table beside GPUs and the last one, which is contiguous.
const MIDDLE: usize = AUXILIARY - 1;

/// Prices: one per class, and one per server of each shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// pi_t, of any sign: what covering a job of class t is worth.
    pub class: Vec<f64>,
    /// mu_h >= 0: what a server of shape h is worth.
    pub server: Vec<f64>,
}

impl Prices {
    /// `(1 - part) * self + part * other`.
    pub fn towards(&self, other: &Prices, part: f64) -> Prices {
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect();
        Prices { class: mix(&self.class, &other.class), server: mix(&self.server, &other.server) }
    }
}

/// How often an item class may be taken in one sweep over the table.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sweep {
    /// At most once: one sweep per copy.
    Once,
    /// Any number: the server holds no more than there are jobs.
    Freely,
}

/// One sweep: the items of one class that have a reduced value above 0.
#[derive(Debug, Clone)]
struct Stage {
    sweep: Sweep,
    /// Item and its reduced value.
    items: Vec<(usize, f64)>,
}

/// Table over (GPUs, CPU units, memory units) for one shape.
///
/// `F[x]` after the sweeps of classes 1..t is the largest reduced value of a multiset of their items
/// within x, each job at most once. A class of which a server can hold no more than there are jobs is
/// swept once with repetition; any other n_t times without. Every item takes at least one GPU, so a
/// sweep that reads lower GPU layers only works in place: layers descending reads values from before the
/// sweep (each copy once), ascending from within it (repetition).
pub struct Pricer<'a> {
    packing: &'a Packing,
    shape: usize,
    /// Cells per GPU layer, per row of the last resource.
    layer: usize,
    row: usize,
    /// Index of every row of a layer in the middle resources.
    rows: Vec<[u32; MIDDLE]>,
    stages: Vec<Stage>,
    /// Table after every stage, the empty one first.
    tables: Vec<Vec<f64>>,
    /// A job that fills whole servers, with its reduced value, where that is the best pattern.
    alone: Option<(usize, f64)>,
}

impl<'a> Pricer<'a> {
    /// A pricer for servers of one shape.
    pub fn new(packing: &'a Packing, shape: usize) -> Self {
        let room = &packing.shapes[shape].room;
        let row = room[MIDDLE] as usize + 1;
        let mut rows = vec![[0; MIDDLE]];
        for r in 0..MIDDLE {
            rows = rows
                .into_iter()
                .flat_map(|index| {
                    (0..=room[r]).map(move |i| {
                        let mut index = index;
                        index[r] = i;
                        index
                    })
                })
                .collect();
        }
        let layer = rows.len() * row;
        Pricer { packing, shape, layer, row, rows, stages: Vec::new(), tables: Vec::new(), alone: None }
    }

    /// Largest `worth v_p - sum_t pi_t a_{t,p} - mu (servers_p - 1)` over the patterns of at most `counts[t]`
    /// jobs of each class, the empty one (0) included. `worth` is 1, or 0 where only packing counts.
    pub fn price(&mut self, counts: &[usize], prices: &Prices, worth: f64) -> f64 {
        let shape = &self.packing.shapes[self.shape];
        let mu = prices.server[self.shape];
        self.stages.clear();
        self.alone = None;
        for (class, range) in shape.of_class.iter().enumerate() {
            if counts[class] == 0 {
                continue;
            }
            let mut items = Vec::new();
            for index in range.clone() {
                let item = &shape.items[index];
                let value = worth * self.packing.value(item);
                let reduced = value - prices.class[class] - f64::from(item.whole) * mu;
                if item.gpus == 0 {
                    let reduced = reduced + mu;
                    if reduced > self.alone.map_or(0.0, |(_, best)| best) {
                        self.alone = Some((index, reduced));
                    }
                } else if reduced > 0.0 {
                    items.push((index, reduced));
                }
            }
            let Some(&(first, _)) = items.first() else { continue };
            let most = most_copies(self.packing, self.shape, first, &items);
            if counts[class] >= most {
                self.stages.push(Stage { sweep: Sweep::Freely, items });
            } else {
                let once = Stage { sweep: Sweep::Once, items };
                self.stages.extend(std::iter::repeat_n(once, counts[class]));
            }
        }
        let cells = self.layer * (shape.gpus as usize + 1);
        if self.tables.is_empty() {
            self.tables.push(vec![0.0; cells]);
        }
        for stage in 0..self.stages.len() {
            if self.tables.len() < stage + 2 {
                self.tables.push(vec![0.0; cells]);
            }
            let (before, after) = self.tables.split_at_mut(stage + 1);
            after[0].copy_from_slice(&before[stage]);
            self.sweep(stage);
        }
        self.best()
    }

    /// The value that the last [`Pricer::price`] returned.
    fn best(&self) -> f64 {
        let table = self.tables[self.stages.len()].last().copied().unwrap_or(0.0);
        self.alone.map_or(table, |(_, value)| value.max(table))
    }

    fn sweep(&mut self, stage: usize) {
        let shape = &self.packing.shapes[self.shape];
        let Stage { sweep, items, .. } = &self.stages[stage];
        let mut table = std::mem::take(&mut self.tables[stage + 1]);
        let gpus = shape.items[items[0].0].gpus as usize;
        let last = shape.gpus as usize;
        let layers = gpus..=last;
        let mut raise_layer = |to_gpus: usize| {
            let (lower, upper) = table.split_at_mut(to_gpus * self.layer);
            let from = &lower[(to_gpus - gpus) * self.layer..][..self.layer];
            let to = &mut upper[..self.layer];
            for &(item, reduced) in items {
                let units = &shape.items[item].units;
                let shift = self.row_shift(units);
                let skip = units[MIDDLE] as usize;
                for (row, index) in self.rows.iter().enumerate().skip(shift) {
                    if (0..MIDDLE).all(|r| index[r] >= units[r]) {
                        let to = &mut to[row * self.row + skip..(row + 1) * self.row];
                        let from = &from[(row - shift) * self.row..][..to.len()];
                        for (to, from) in to.iter_mut().zip(from) {
                            let value = from + reduced;
                            *to = if value > *to { value } else { *to };
                        }
                    }
                }
            }
        };
        match sweep {
            Sweep::Freely => layers.for_each(&mut raise_layer),
            Sweep::Once => layers.rev().for_each(&mut raise_layer),
        }
        self.tables[stage + 1] = table;
    }

    /// Rows by which an item shifts the table.
    fn row_shift(&self, units: &[u32; AUXILIARY]) -> usize {
        let room = &self.packing.shapes[self.shape].room;
        (0..MIDDLE).fold(0, |shift, r| shift * (room[r] as usize + 1) + units[r] as usize)
    }

    /// Up to `most` different patterns of the last [`Pricer::price`], the best first: that of the whole
    /// server, and those of servers with less of one resource.
    pub fn patterns(&self, most: usize) -> Vec<Pattern> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        if let Some((item, value)) = self.alone
            && value >= self.best()
        {
            out.push(Pattern::new(self.packing, self.shape, vec![item]));
        }
        let shape = &self.packing.shapes[self.shape];
        let table = &self.tables[self.stages.len()];
        let full = table.len() - 1;
        let mut cells = vec![full];
        cells.extend((1..=shape.gpus as usize).map(|g| (g + 1) * self.layer - 1));
        cells.extend((1..self.rows.len()).map(|row| full - row * self.row));
        cells.extend((1..self.row).map(|m| full - m));
        cells.sort_by(|&a, &b| table[b].total_cmp(&table[a]).then(b.cmp(&a)));
        for cell in cells {
            if out.len() >= most || table[cell] <= 0.0 {
                break;
            }
            let pattern = Pattern::new(self.packing, self.shape, self.items_of(cell));
            if seen.insert(pattern.slots.clone()) {
                out.push(pattern);
            }
        }
        out
    }

    /// Items of the best pattern within a cell, found by the sums that made its value.
    fn items_of(&self, mut cell: usize) -> Vec<usize> {
        let shape = &self.packing.shapes[self.shape];
        let mut out = Vec::new();
        let mut stage = self.stages.len();
        while stage > 0 {
            let (before, after) = (&self.tables[stage - 1], &self.tables[stage]);
            if after[cell] == before[cell] {
                stage -= 1;
                continue;
            }
            let Stage { sweep, items, .. } = &self.stages[stage - 1];
            let source = if *sweep == Sweep::Freely { after } else { before };
            let taken = items.iter().find_map(|&(item, reduced)| {
                let from = self.shifted(cell, shape.items[item].gpus, &shape.items[item].units)?;
                (source[from] + reduced == after[cell]).then_some((item, from))
            });
            // The value is one of these sums, computed by the same operation.
            let Some((item, from)) = taken else { break };
            out.push(item);
            cell = from;
            if *sweep == Sweep::Once {
                stage -= 1;
            }
        }
        out
    }

    /// The cell that is left when an item is taken out of `cell`.
    fn shifted(&self, cell: usize, gpus: u32, units: &[u32; AUXILIARY]) -> Option<usize> {
        let (layer, within) = (cell / self.layer, cell % self.layer);
        let (row, column) = (within / self.row, within % self.row);
        let fits = layer >= gpus as usize
            && column >= units[MIDDLE] as usize
            && (0..MIDDLE).all(|r| self.rows[row][r] >= units[r]);
        fits.then(|| {
            (layer - gpus as usize) * self.layer
                + (row - self.row_shift(units)) * self.row
                + (column - units[MIDDLE] as usize)
        })
    }
}

/// Most jobs of one class that a server can hold.
fn most_copies(packing: &Packing, shape: usize, first: usize, items: &[(usize, f64)]) -> usize {
    let shape = &packing.shapes[shape];
    let mut most = (shape.gpus / shape.items[first].gpus) as usize;
    for r in 0..AUXILIARY {
        let least = items.iter().map(|&(item, _)| shape.items[item].units[r]).min().unwrap_or(0);
        if let Some(copies) = shape.room[r].checked_div(least) {
            most = most.min(copies as usize);
        }
    }
    most
}
