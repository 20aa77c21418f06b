//! Patterns: what one server holds.

use super::packing::Packing;
use crate::model::{Amounts, not_above};

/// A multiset of choices on one server of a shape.
///
/// With a job larger than every server in it, the pattern holds that job's rest and stands for the
/// servers that the job takes whole, too.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Index into [`Packing::shapes`].
    pub shape: usize,
    /// Index into the shape's items, and how many: ascending, counts above 0.
    pub slots: Vec<(usize, usize)>,
    /// Servers it takes: 1, and those that its jobs take whole.
    pub servers: usize,
    /// Sum of the values of its jobs.
    pub value: f64,
}

impl Pattern {
    /// The pattern of these items (indices into the shape's items, any order).
    pub fn new(packing: &Packing, shape: usize, mut items: Vec<usize>) -> Self {
        items.sort_unstable();
        let mut slots: Vec<(usize, usize)> = Vec::new();
        for item in items {
            match slots.last_mut() {
                Some((last, count)) if *last == item => *count += 1,
                _ => slots.push((item, 1)),
            }
        }
        Self::of_slots(packing, shape, slots)
    }

    /// The pattern of these slots, ascending by item.
    pub fn of_slots(packing: &Packing, shape: usize, slots: Vec<(usize, usize)>) -> Self {
        let items = &packing.shapes[shape].items;
        let value = slots.iter().map(|&(item, n)| packing.value(&items[item]) * n as f64).sum();
        let whole: usize = slots.iter().map(|&(item, n)| items[item].whole as usize * n).sum();
        // Jobs that fill whole servers leave nothing to put on one more.
        let partial = slots.iter().any(|&(item, _)| items[item].gpus > 0);
        Pattern { shape, slots, servers: whole + usize::from(partial), value }
    }

    /// Class and number of jobs of it, class ascending; a class may come once per choice.
    pub fn jobs<'a>(&'a self, packing: &'a Packing) -> impl Iterator<Item = (usize, usize)> + 'a {
        let items = &packing.shapes[self.shape].items;
        self.slots.iter().map(move |&(item, n)| (items[item].class, n))
    }

    /// a_{t,p}: class and number of jobs of it, each class once, ascending.
    pub fn per_class(&self, packing: &Packing) -> Vec<(usize, usize)> {
        let mut out: Vec<(usize, usize)> = Vec::with_capacity(self.slots.len());
        for (class, n) in self.jobs(packing) {
            match out.last_mut() {
                Some((last, count)) if *last == class => *count += n,
                _ => out.push((class, n)),
            }
        }
        out
    }

    /// Whether it has no more than `counts` jobs of any class.
    pub fn within(&self, packing: &Packing, counts: &[usize]) -> bool {
        self.per_class(packing).iter().all(|&(class, n)| n <= counts[class])
    }

    /// Whether the server provides it, in GPUs, CPUs and GB.
    pub fn fits(&self, packing: &Packing) -> bool {
        let shape = &packing.shapes[self.shape];
        let (mut gpus, mut total) = (0, Amounts::ZERO);
        for &(item, n) in &self.slots {
            let item = &shape.items[item];
            let class = &packing.classes[item.class];
            gpus += item.gpus as usize * n;
            let part = f64::from(item.gpus) / f64::from(class.gpus);
            total += class.choices[item.choice].amounts.scaled(part * n as f64);
        }
        gpus <= shape.gpus as usize && total.iter().zip(shape.capacity.iter()).all(|(a, b)| not_above(a, b))
    }
}
