//! What is packed: classes of interchangeable jobs, and server shapes in integer units.

use super::units::{Rounding, Units};
use crate::model::{AUXILIARY, Amounts, Instance, JobClass, LOOKUP_TOLERANCE};
use std::collections::HashMap;
use std::ops::Range;

/// How far below the fairness floor a throughput may lie (problem statement, tolerances).
const FAIR: f64 = 1e-6;

/// Most units of one resource that a server's pricing table is cut into.
const MOST_UNITS: usize = 150;

/// One fair way to run a job of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Total CPUs and memory.
    pub amounts: Amounts,
    /// What the job then counts: objective weight x normalised throughput.
    pub value: f64,
}

/// Jobs that the packing cannot tell apart: one GPU demand, and the same choices.
#[derive(Debug, Clone)]
pub struct Class {
    /// GPU demand g.
    pub gpus: u32,
    /// Jobs of the instance, in policy order; n_t is their number.
    pub jobs: Vec<usize>,
    /// Fair choices, none dominated.
    pub choices: Vec<Choice>,
    /// Class of the instance that the jobs are of (of several, that of the first job).
    pub profile: usize,
}

/// A choice as it lies on a server of one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Index into [`Packing::classes`].
    pub class: usize,
    /// Index into [`Class::choices`].
    pub choice: usize,
    /// GPUs on this server; 0 for a job that takes whole servers only.
    pub gpus: u32,
    /// Auxiliary amounts on this server, in units.
    pub units: [u32; AUXILIARY],
    /// Further servers of the shape that the job takes whole. Above 0 for jobs larger than every server.
    pub whole: u32,
}

/// The servers of one group.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Number of servers.
    pub count: usize,
    /// GPUs of one.
    pub gpus: u32,
    /// CPUs and memory of one.
    pub capacity: Amounts,
    /// The same in units.
    pub room: [u32; AUXILIARY],
    /// What can lie on one, by class, then choice.
    pub items: Vec<Item>,
    /// Range of `items` of every class.
    pub of_class: Vec<Range<usize>>,
}

/// Everything the configuration LP is about. Shapes are the cluster's groups, in order.
#[derive(Debug, Clone)]
pub struct Packing {
    /// Classes, by first job in policy order.
    pub classes: Vec<Class>,
    /// Server shapes.
    pub shapes: Vec<Shape>,
    /// Whether nothing is lost: a pattern fits in units exactly when it fits in CPUs and GB.
    pub exact: bool,
}

impl Packing {
    /// The packing of the runnable jobs `runnable`, each at no less than `floor` times its baseline.
    pub fn new(instance: &Instance, runnable: &[usize], floor: f64, rounding: Rounding) -> Self {
        Self::of_classes(instance, classes(instance, runnable, floor), rounding)
    }

    /// The packing of given classes.
    pub fn of_classes(instance: &Instance, classes: Vec<Class>, rounding: Rounding) -> Self {
        let cluster = instance.cluster();
        let larger = |class: &Class| cluster.groups().iter().all(|group| group.gpus < class.gpus);
        // Demands as they lie on servers: a whole job, or the rest of one larger than every server.
        let mut demands = Vec::new();
        for class in &classes {
            for group in cluster.groups() {
                let part = part_on(class.gpus, group.gpus, larger(class));
                if let Some((gpus, _)) = part {
                    let share = f64::from(gpus) / f64::from(class.gpus);
                    demands.extend(class.choices.iter().map(|c| c.amounts.scaled(share)));
                }
            }
        }
        let largest = cluster.groups().iter().fold(Amounts::ZERO, |max, group| max.max(&group.capacity));
        let gpus = cluster.groups().iter().map(|group| group.gpus).max().unwrap_or(1);
        let units = Units::choose(&demands, largest, gpus, MOST_UNITS);
        let mut exact = units.lossless;
        let mut shapes = Vec::new();
        for group in cluster.groups() {
            let room = units.capacity(&group.capacity, rounding);
            exact &= room == units.capacity(&group.capacity, Rounding::Up);
            let mut shape = Shape {
                count: group.count,
                gpus: group.gpus,
                capacity: group.capacity,
                room,
                items: Vec::new(),
                of_class: Vec::new(),
            };
            for (index, class) in classes.iter().enumerate() {
                let start = shape.items.len();
                let in_all = group.count as u64 * u64::from(group.gpus);
                if let Some((gpus, whole)) = part_on(class.gpus, group.gpus, larger(class))
                    && u64::from(class.gpus) <= in_all
                {
                    let part = f64::from(gpus) / f64::from(class.gpus);
                    let whole_share = f64::from(group.gpus) / f64::from(class.gpus);
                    for (choice, option) in class.choices.iter().enumerate() {
                        let units = units.demand(&option.amounts.scaled(part), rounding);
                        let on_whole = option.amounts.scaled(whole_share);
                        let tolerance = if rounding == Rounding::Down { FAIR } else { LOOKUP_TOLERANCE };
                        let whole_fits =
                            whole == 0 || on_whole.fits_in(&group.capacity.scaled(1.0 + tolerance));
                        if whole_fits && (0..AUXILIARY).all(|r| units[r] <= room[r]) {
                            shape.items.push(Item { class: index, choice, gpus, units, whole });
                        }
                    }
                }
                drop_dominated(&mut shape.items, start, &class.choices);
                shape.of_class.push(start..shape.items.len());
            }
            shapes.push(shape);
        }
        Packing { classes, shapes, exact }
    }

    /// n_t of every class.
    pub fn counts(&self) -> Vec<usize> {
        self.classes.iter().map(|class| class.jobs.len()).collect()
    }

    /// Servers of every shape.
    pub fn servers(&self) -> Vec<usize> {
        self.shapes.iter().map(|shape| shape.count).collect()
    }

    /// Value of an item.
    pub fn value(&self, item: &Item) -> f64 {
        self.classes[item.class].choices[item.choice].value
    }
}

/// GPUs that a job of `gpus` GPUs holds on one server of `server_gpus`, and further servers that it
/// takes whole; `None` where it may not run. A job larger than every server is consolidated on whole
/// servers of one group and the rest on one more; any other job is on one server.
fn part_on(gpus: u32, server_gpus: u32, larger_than_all: bool) -> Option<(u32, u32)> {
    if gpus <= server_gpus {
        Some((gpus, 0))
    } else if larger_than_all {
        Some((gpus % server_gpus, gpus / server_gpus))
    } else {
        None
    }
}

/// Drops items of one class, from `start`, that another is no dearer than, in units, and no slower.
fn drop_dominated(items: &mut Vec<Item>, start: usize, choices: &[Choice]) {
    let class = items.split_off(start);
    let value = |item: &Item| choices[item.choice].value;
    let dominates = |a: usize, b: usize| {
        let (x, y) = (&class[a], &class[b]);
        let no_dearer = (0..AUXILIARY).all(|r| x.units[r] <= y.units[r]);
        no_dearer && value(x) >= value(y) && (x.units != y.units || value(x) > value(y) || a < b)
    };
    let kept = (0..class.len()).filter(|&k| !(0..class.len()).any(|other| other != k && dominates(other, k)));
    items.extend(kept.map(|k| class[k]));
}

/// Groups the jobs: those of one instance class and weight, then those whose choices are equal.
pub fn classes(instance: &Instance, runnable: &[usize], floor: f64) -> Vec<Class> {
    let mut found: HashMap<(usize, u64), usize> = HashMap::new();
    let mut choices_of: HashMap<usize, Vec<Choice>> = HashMap::new();
    let mut alike: HashMap<(u32, Vec<u64>), usize> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    for &job in runnable {
        let (profile, weight) = (instance.jobs()[job].class, instance.objective_weight(job));
        let class = *found.entry((profile, weight.to_bits())).or_insert_with(|| {
            let unweighted = choices_of
                .entry(profile)
                .or_insert_with(|| fair_choices(&instance.classes()[profile], floor));
            let choices: Vec<Choice> =
                unweighted.iter().map(|c| Choice { value: c.value * weight, ..*c }).collect();
            let gpus = instance.classes()[profile].gpus;
            let numbers = |c: &Choice| [c.value, c.amounts.cpus(), c.amounts.memory_gb()].map(f64::to_bits);
            let key = (gpus, choices.iter().flat_map(numbers).collect());
            *alike.entry(key).or_insert_with(|| {
                classes.push(Class { gpus, jobs: Vec::new(), choices, profile });
                classes.len() - 1
            })
        });
        classes[class].jobs.push(job);
    }
    classes
}

/// Configurations of at least `floor` that none dominates; the values are throughputs.
fn fair_choices(class: &JobClass, floor: f64) -> Vec<Choice> {
    let mut all: Vec<Choice> = Vec::new();
    if floor <= FAIR {
        all.push(Choice { amounts: Amounts::ZERO, value: 0.0 });
    }
    let fair = class.configurations.iter().filter(|c| c.throughput >= floor - FAIR);
    all.extend(fair.map(|c| Choice { amounts: c.amounts, value: c.throughput }));
    let dominates = |a: &Choice, b: &Choice| {
        (0..AUXILIARY).all(|r| a.amounts[r] <= b.amounts[r]) && a.value >= b.value && a != b
    };
    let mut kept: Vec<Choice> =
        all.iter().filter(|c| !all.iter().any(|o| dominates(o, c))).copied().collect();
    kept.dedup();
    kept
}
