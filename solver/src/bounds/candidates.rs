//! Which configurations a job offers to a program: all that count, less those that cannot matter.

use crate::model::{AUXILIARY, Amounts, Configuration, Instance, JobClass, ThroughputRule};
use smallvec::SmallVec;

/// How far below the fairness floor a throughput may lie (problem statement, tolerances).
const FAIR: f64 = 1e-6;

/// Which configurations are left out. The value of a program is the same with each choice that it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub enum Pruning {
    /// None.
    Nothing,
    /// Those with another one that is no dearer in any resource and no slower.
    Dominated,
    /// Also those on or below the upper concave hull of the others: what a mix of them reaches for
    /// no more of any resource. Valid in LPs only; an integer program stops at `Dominated`.
    #[default]
    Hull,
}

/// The configurations of a class, cheapest first as on its grid.
///
/// With `per_server_cap`, only those that the fewest servers able to hold the job provide, in some group. Under
/// [`ThroughputRule::Bilinear`] the grid points count with their exact CPUs even where CPUs are whole: an allocation
/// between grid points is a mix of grid points, and rounding them up would overcharge it.
///
/// At a fairness floor of 0 a job may hold its GPUs and nothing else, below the lowest grid point, and count 0.
pub fn candidates(
    instance: &Instance,
    class: &JobClass,
    per_server_cap: bool,
    fairness_floor: f64,
    pruning: Pruning,
) -> Vec<Configuration> {
    let mut all = class.configurations.clone();
    if instance.rules().throughput == ThroughputRule::Bilinear {
        exact_grid(class, &mut all);
    }
    if per_server_cap {
        all.retain(|k| class.fits_consolidated(&k.amounts, instance.cluster()));
    }
    if fairness_floor <= FAIR {
        all.insert(0, Configuration { amounts: Amounts::ZERO, throughput: 0.0 });
    }
    prune(all, pruning)
}

/// Leaves out what `pruning` says; the order stays.
pub fn prune(all: Vec<Configuration>, pruning: Pruning) -> Vec<Configuration> {
    kept(&all, pruning).into_iter().map(|k| all[k]).collect()
}

/// Indices of what `pruning` leaves, ascending.
fn kept(all: &[Configuration], pruning: Pruning) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..all.len()).collect();
    if pruning >= Pruning::Dominated {
        kept = undominated(all);
    }
    if pruning >= Pruning::Hull {
        kept = upper_hull(all, &kept);
    }
    kept
}

/// A choice that is fair by itself: one configuration, or two mixed to exactly the fairness floor.
#[derive(Debug, Clone, PartialEq)]
pub struct FairPoint {
    /// Configurations and their fractions, which sum to 1.
    pub mix: SmallVec<[(Configuration, f64); 2]>,
    /// Amounts and throughput of the mix.
    pub total: Configuration,
}

/// The vertices that matter of a job's fair set `{y >= 0, sum y = 1, sum_k W[k] y_k >= floor}`.
///
/// One row cuts the simplex of mixes, so a vertex is a configuration at or above the floor, or a mix of one below and
/// one above that lies on it. Choosing among these needs no fairness row, and those that a mix of
/// others matches can be left out like configurations.
pub fn fair_points(configurations: &[Configuration], floor: f64, pruning: Pruning) -> Vec<FairPoint> {
    let (fair, low): (Vec<Configuration>, Vec<Configuration>) =
        configurations.iter().partition(|k| k.throughput >= floor * super::lp::FAIR);
    let mut points: Vec<FairPoint> =
        fair.iter().map(|&k| FairPoint { mix: SmallVec::from_iter([(k, 1.0)]), total: k }).collect();
    for &below in &low {
        for &above in fair.iter().filter(|above| above.throughput > floor) {
            let part = (floor - below.throughput) / (above.throughput - below.throughput);
            let amounts = below.amounts.scaled(1.0 - part) + above.amounts.scaled(part);
            let total = Configuration { amounts, throughput: floor };
            points.push(FairPoint { mix: SmallVec::from_iter([(below, 1.0 - part), (above, part)]), total });
        }
    }
    let totals: Vec<Configuration> = points.iter().map(|point| point.total).collect();
    let kept = kept(&totals, pruning);
    kept.into_iter().map(|k| points[k].clone()).collect()
}

fn exact_grid(class: &JobClass, all: &mut [Configuration]) {
    let gpus = f64::from(class.gpus);
    let memory = class.profile.memory_gb_per_gpu();
    let grid = class.profile.cpus_per_gpu().iter().flat_map(|&c| memory.iter().map(move |&m| (c, m)));
    for (configuration, (cpus, memory_gb)) in all.iter_mut().zip(grid) {
        configuration.amounts = Amounts::new(cpus * gpus, memory_gb * gpus);
    }
}

/// The configurations that no other one dominates; of equals the first stays.
pub(crate) fn undominated(all: &[Configuration]) -> Vec<usize> {
    let dominates = |a: usize, b: usize| {
        let no_dearer = (0..AUXILIARY).all(|r| all[a].amounts[r] <= all[b].amounts[r]);
        no_dearer && all[a].throughput >= all[b].throughput && (all[a] != all[b] || a < b)
    };
    (0..all.len()).filter(|&k| !(0..all.len()).any(|a| a != k && dominates(a, k))).collect()
}

/// The vertices of the upper concave hull of some configurations: those that are best at some prices.
///
/// Configuration k is best at value weight w and prices p when `w W_k - p a_k >= w W_i - p a_i` for
/// every other i. All (w, p) >= 0 up to scale form a triangle, and each i cuts it by a line through k's
/// advantage; k is a vertex of the hull when something is left. Clipping in this triangle needs no
/// largest price.
fn upper_hull(all: &[Configuration], among: &[usize]) -> Vec<usize> {
    const { assert!(AUXILIARY == 2, "the set of prices is a polygon only with two resources") };
    // Amounts and throughput in units of their largest, so that all numbers are of one size.
    let largest = |of: &dyn Fn(&Configuration) -> f64| all.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let scale = [largest(&|k| k.throughput), largest(&|k| k.amounts[0]), largest(&|k| k.amounts[1])];
    let points: Vec<[f64; 3]> = among
        .iter()
        .map(|&k| &all[k])
        .map(|k| [k.throughput / scale[0], -k.amounts[0] / scale[1], -k.amounts[1] / scale[2]])
        .collect();
    let (mut polygon, mut clipped) = (Vec::new(), Vec::new());
    let mut is_vertex = |k: usize| {
        polygon.clear();
        polygon.extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        for (i, point) in points.iter().enumerate() {
            if i == k {
                continue;
            }
            let advantage = [0, 1, 2].map(|d| points[k][d] - point[d]);
            clip(&polygon, &advantage, &mut clipped);
            std::mem::swap(&mut polygon, &mut clipped);
            if polygon.len() < 3 {
                return false;
            }
        }
        true
    };
    (0..among.len()).filter(|&k| is_vertex(k)).map(|k| among[k]).collect()
}

/// The part of a convex polygon where `normal . v >= 0` (Sutherland-Hodgman), into `out`.
fn clip(polygon: &[[f64; 3]], normal: &[f64; 3], out: &mut Vec<[f64; 3]>) {
    out.clear();
    let side = |v: &[f64; 3]| v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
    for (index, here) in polygon.iter().enumerate() {
        let next = &polygon[(index + 1) % polygon.len()];
        let (a, b) = (side(here), side(next));
        if a >= 0.0 {
            out.push(*here);
        }
        if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
            let t = a / (a - b);
            out.push([0, 1, 2].map(|d| here[d] + t * (next[d] - here[d])));
        }
    }
}
