//! Servers in best-fit order, so that a heuristic need not scan them all.

use crate::model::{AUXILIARY, Amounts};
use std::cmp::Ordering;

/// Entries that a block has at most. Small enough to scan, large enough for few blocks.
const BLOCK: usize = 64;

/// Free resources of a server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Free {
    pub server: usize,
    pub gpus: u32,
    pub amounts: Amounts,
}

impl Free {
    pub fn fits(&self, gpus: u32, amounts: &Amounts) -> bool {
        self.gpus >= gpus && amounts.fits_in(&self.amounts)
    }

    /// Best-fit order: smallest (free GPUs, CPUs, GB), then index.
    fn order(&self, other: &Free) -> Ordering {
        let amounts = || self.amounts.0.partial_cmp(&other.amounts.0).expect("free amounts are finite");
        self.gpus.cmp(&other.gpus).then_with(amounts).then(self.server.cmp(&other.server))
    }
}

/// Consecutive servers in best-fit order, and what the best of them have.
#[derive(Debug, Clone)]
struct Block {
    entries: Vec<Free>,
    /// Largest amount of each resource.
    most: Amounts,
    lowest_server: usize,
}

impl Block {
    fn new(entries: Vec<Free>) -> Self {
        let mut block = Block { entries, most: Amounts::ZERO, lowest_server: 0 };
        block.summarise();
        block
    }

    fn summarise(&mut self) {
        self.most = self.entries.iter().fold(Amounts([f64::NEG_INFINITY; _]), |most, e| most.max(&e.amounts));
        self.lowest_server = self.entries.iter().map(|e| e.server).min().unwrap_or(usize::MAX);
    }

    fn last(&self) -> &Free {
        &self.entries[self.entries.len() - 1]
    }
}

/// The servers that have a GPU free, in best-fit order: a sorted list in blocks. A query skips every
/// block in which no server can have enough; a change costs one block.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeIndex {
    /// None is empty.
    blocks: Vec<Block>,
}

impl FreeIndex {
    pub fn new(servers: &[Free]) -> Self {
        let mut sorted: Vec<Free> = servers.iter().copied().filter(|free| free.gpus > 0).collect();
        sorted.sort_by(Free::order);
        FreeIndex { blocks: sorted.chunks(BLOCK / 2).map(|chunk| Block::new(chunk.to_vec())).collect() }
    }

    /// The first server in best-fit order that has enough and is `wanted`.
    pub fn best_fit(&self, gpus: u32, amounts: &Amounts, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let candidates = self.with_gpus(gpus).iter().filter(|block| amounts.fits_in(&block.most));
        let mut entries = candidates.flat_map(|block| &block.entries);
        entries.find(|free| free.fits(gpus, amounts) && wanted(free.server)).map(|free| free.server)
    }

    /// The server with the fewest GPUs that suffice, then the lowest index.
    pub fn fewest_sufficient(&self, gpus: u32) -> Option<usize> {
        let blocks = self.with_gpus(gpus);
        let fewest = blocks.first()?.entries.iter().find(|free| free.gpus >= gpus)?.gpus;
        let level = blocks.iter().take_while(|block| block.entries[0].gpus <= fewest);
        let lowest = |block: &Block| {
            if block.entries[0].gpus == block.last().gpus {
                return Some(block.lowest_server);
            }
            block.entries.iter().filter(|free| free.gpus == fewest).map(|free| free.server).min()
        };
        level.filter_map(lowest).min()
    }

    /// All servers with most free GPUs first, by index among equals.
    pub fn by_most_free(&self) -> impl Iterator<Item = usize> + '_ {
        let mut rest = self.blocks.iter().rev().flat_map(|block| block.entries.iter().rev()).peekable();
        let mut level: Vec<usize> = Vec::new();
        std::iter::from_fn(move || {
            if level.is_empty() {
                let gpus = rest.peek()?.gpus;
                while let Some(free) = rest.next_if(|free| free.gpus == gpus) {
                    level.push(free.server);
                }
                level.sort_unstable_by(|a, b| b.cmp(a));
            }
            level.pop()
        })
    }

    /// Blocks from the first that has a server with `gpus` free.
    fn with_gpus(&self, gpus: u32) -> &[Block] {
        &self.blocks[self.blocks.partition_point(|block| block.last().gpus < gpus)..]
    }

    /// Moves a server to its new place.
    pub fn update(&mut self, old: &Free, new: &Free) {
        if old.gpus > 0 {
            self.remove(old);
        }
        if new.gpus > 0 {
            self.insert(*new);
        }
    }

    fn remove(&mut self, old: &Free) {
        let at = self.blocks.partition_point(|block| block.last().order(old).is_lt());
        let block = &mut self.blocks[at];
        let inside = block.entries.partition_point(|free| free.order(old).is_lt());
        block.entries.remove(inside);
        let was_extreme =
            old.server == block.lowest_server || (0..AUXILIARY).any(|r| old.amounts[r] >= block.most[r]);
        if block.entries.is_empty() {
            self.blocks.remove(at);
        } else if was_extreme {
            block.summarise();
        }
    }

    fn insert(&mut self, new: Free) {
        if self.blocks.is_empty() {
            self.blocks.push(Block::new(vec![new]));
            return;
        }
        let at =
            self.blocks.partition_point(|block| block.last().order(&new).is_lt()).min(self.blocks.len() - 1);
        let block = &mut self.blocks[at];
        let inside = block.entries.partition_point(|free| free.order(&new).is_lt());
        block.entries.insert(inside, new);
        block.most = block.most.max(&new.amounts);
        block.lowest_server = block.lowest_server.min(new.server);
        if block.entries.len() > BLOCK {
            let upper = block.entries.split_off(BLOCK / 2);
            block.summarise();
            self.blocks.insert(at + 1, Block::new(upper));
        }
    }
}
