//! Clusters of similar classes, for programs that need prices near the optimum but not every job.

use super::packing::Class;
use crate::model::Amounts;
use std::collections::BTreeMap;

/// Classes are compared at this many amounts, spread over what they ask for.
const POINTS: usize = 12;

/// Similar classes of one GPU demand.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Classes in it, by index.
    pub members: Vec<usize>,
    points: Vec<Amounts>,
    /// Point at which the members differ most, and by how much.
    widest: usize,
    spread: f64,
}

/// Clusters of classes of one GPU demand: at most `most`, or one for every GPU demand.
pub fn clusters(classes: &[Class], most: usize) -> Vec<Cluster> {
    let mut by_gpus: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        by_gpus.entry(class.gpus).or_default().push(index);
    }
    let of = |members: Vec<usize>| {
        let points = points(members.iter().map(|&m| &classes[m]));
        Cluster::new(members, points, classes)
    };
    let mut clusters: Vec<Cluster> = by_gpus.into_values().map(of).collect();
    while clusters.len() < most {
        // The one that loses most: its widest spread, times its members.
        let Some(worst) = (0..clusters.len())
            .filter(|&c| clusters[c].spread > 0.0)
            .max_by(|&a, &b| clusters[a].weight().total_cmp(&clusters[b].weight()).then(b.cmp(&a)))
        else {
            break;
        };
        let (left, right) = clusters.swap_remove(worst).split(classes);
        clusters.extend([left, right]);
    }
    clusters.sort_by_key(|cluster| cluster.members[0]);
    clusters
}

impl Cluster {
    fn new(members: Vec<usize>, points: Vec<Amounts>, classes: &[Class]) -> Self {
        let mut cluster = Cluster { members, points, widest: 0, spread: 0.0 };
        for (index, point) in cluster.points.iter().enumerate() {
            let values = cluster.members.iter().map(|&m| value_at(&classes[m], point));
            let (least, largest) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
            if largest - least > cluster.spread {
                (cluster.widest, cluster.spread) = (index, largest - least);
            }
        }
        cluster
    }

    fn weight(&self) -> f64 {
        self.spread * self.members.len() as f64
    }

    /// The member in the middle of the range where the members differ most.
    pub fn representative(&self, classes: &[Class]) -> usize {
        let point = self.points[self.widest];
        let mut order: Vec<(f64, usize)> =
            self.members.iter().map(|&m| (value_at(&classes[m], &point), m)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order[order.len() / 2].1
    }

    /// Two halves of the range at the point of widest spread, neither empty.
    fn split(mut self, classes: &[Class]) -> (Cluster, Cluster) {
        let point = self.points[self.widest];
        let value = |m: usize| value_at(&classes[m], &point);
        self.members.sort_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let (least, largest) = (value(self.members[0]), value(self.members[self.members.len() - 1]));
        let middle = least.midpoint(largest);
        let at = self.members.partition_point(|&m| value(m) <= middle).clamp(1, self.members.len() - 1);
        let mut upper = self.members.split_off(at);
        self.members.sort_unstable();
        upper.sort_unstable();
        (Cluster::new(self.members, self.points.clone(), classes), Cluster::new(upper, self.points, classes))
    }
}

/// The largest value within these amounts over the least value of the class; below 0 where no choice fits.
fn value_at(class: &Class, amounts: &Amounts) -> f64 {
    let least = class.choices.iter().map(|c| c.value).fold(f64::INFINITY, f64::min);
    let within = class.choices.iter().filter(|c| c.amounts.fits_in(amounts));
    within.map(|c| c.value).fold(0.0, f64::max) - least
}

/// Amounts that choices ask for, evenly spread in the order of CPUs, then memory.
fn points<'a>(classes: impl Iterator<Item = &'a Class>) -> Vec<Amounts> {
    let mut all: Vec<Amounts> = classes.flat_map(|class| class.choices.iter().map(|c| c.amounts)).collect();
    all.sort_by(|a, b| a.cpus().total_cmp(&b.cpus()).then(a.memory_gb().total_cmp(&b.memory_gb())));
    all.dedup();
    if all.len() <= POINTS {
        return all;
    }
    let last = all.len() - 1;
    (0..POINTS).map(|i| all[i * last / (POINTS - 1)]).collect()
}
