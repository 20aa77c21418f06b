//! Pooling of classes, for instances with more different jobs than column generation can tell apart.
//!
//! Write the value of job j at a choice as base_j + rest, base_j being its least. A pool of classes of
//! one GPU demand gets, at given amounts, the **largest** rest of its members when demands round down (a
//! bound: no job is worth more), and the **least** when they round up (an allocation: every member can take
//! the seat, fairly, and is worth no less). The bases of jobs that are all packed are a constant.

use super::packing::{Choice, Class};
use super::units::Rounding;
use crate::model::{AUXILIARY, Amounts, Instance};
use std::collections::BTreeMap;

/// Points per resource at which classes are compared.
const POINTS: usize = 10;

/// Pools of similar classes of one GPU demand: at most `most`, or one for every GPU demand.
pub fn pooled(classes: &[Class], instance: &Instance, most: usize, rounding: Rounding) -> Vec<Class> {
    let mut by_gpus: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        by_gpus.entry(class.gpus).or_default().push(index);
    }
    let mut pools: Vec<Pool> = Vec::new();
    for members in by_gpus.into_values() {
        let share = instance.classes()[classes[members[0]].profile].smallest_share;
        let points = points(members.iter().map(|&m| &classes[m]), share);
        pools.push(Pool::new(members, points, classes));
    }
    while pools.len() < most {
        // The pool that loses most: its widest spread, times its members.
        let Some(worst) = (0..pools.len())
            .filter(|&p| pools[p].spread > 0.0)
            .max_by(|&a, &b| pools[a].weight().total_cmp(&pools[b].weight()).then(b.cmp(&a)))
        else {
            break;
        };
        let (left, right) = pools.swap_remove(worst).split(classes);
        pools.extend([left, right]);
    }
    let mut out: Vec<Class> = pools.into_iter().map(|pool| pool.class(classes, rounding)).collect();
    out.sort_by_key(|class| class.jobs[0]);
    out
}

/// Similar classes of one GPU demand.
struct Pool {
    members: Vec<usize>,
    points: Vec<Amounts>,
    /// Point at which the members differ most, and by how much.
    widest: usize,
    spread: f64,
}

impl Pool {
    fn new(members: Vec<usize>, points: Vec<Amounts>, classes: &[Class]) -> Self {
        let mut pool = Pool { members, points, widest: 0, spread: 0.0 };
        for (index, point) in pool.points.iter().enumerate() {
            let rests =
                pool.members.iter().map(|&m| rest_at(&classes[m], point).unwrap_or(-base(&classes[m])));
            let (least, largest) =
                rests.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), rest| (a.min(rest), b.max(rest)));
            if largest - least > pool.spread {
                (pool.widest, pool.spread) = (index, largest - least);
            }
        }
        pool
    }

    fn weight(&self) -> f64 {
        self.spread * self.members.len() as f64
    }

    /// Two halves of the range at the point of widest spread, neither empty.
    fn split(mut self, classes: &[Class]) -> (Pool, Pool) {
        let point = self.points[self.widest];
        let rest = |m: usize| rest_at(&classes[m], &point).unwrap_or(-base(&classes[m]));
        self.members.sort_by(|&a, &b| rest(a).total_cmp(&rest(b)).then(a.cmp(&b)));
        let (least, largest) = (rest(self.members[0]), rest(self.members[self.members.len() - 1]));
        let middle = least.midpoint(largest);
        let at = self.members.partition_point(|&m| rest(m) <= middle).clamp(1, self.members.len() - 1);
        let upper = self.members.split_off(at);
        (Pool::new(self.members, self.points.clone(), classes), Pool::new(upper, self.points, classes))
    }

    fn class(self, classes: &[Class], rounding: Rounding) -> Class {
        let members: Vec<&Class> = self.members.iter().map(|&m| &classes[m]).collect();
        if let [only] = members[..] {
            return only.clone();
        }
        let mut jobs: Vec<(usize, f64)> =
            members.iter().flat_map(|class| class.jobs.iter().map(|&job| (job, base(class)))).collect();
        jobs.sort_by_key(|&(job, _)| job);
        let mut choices: Vec<Choice> = match rounding {
            Rounding::Down => members
                .iter()
                .flat_map(|class| class.choices.iter().map(|c| Choice { value: c.value - base(class), ..*c }))
                .collect(),
            Rounding::Up => {
                let all = |point: &Amounts| {
                    members
                        .iter()
                        .map(|class| rest_at(class, point))
                        .try_fold(f64::INFINITY, |a, b| Some(a.min(b?)))
                };
                let at = self.points.iter().filter_map(|p| Some(Choice { amounts: *p, value: all(p)? }));
                at.collect()
            }
        };
        choices.sort_by(|a, b| {
            let key = |c: &Choice| (c.amounts.cpus(), c.amounts.memory_gb(), -c.value);
            key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        choices.dedup_by(|b, a| a.amounts == b.amounts);
        let undominated = |c: &Choice| {
            let dominates =
                |o: &Choice| (0..AUXILIARY).all(|r| o.amounts[r] <= c.amounts[r]) && o.value >= c.value;
            !choices.iter().any(|o| o.amounts != c.amounts && dominates(o))
        };
        let choices = choices.iter().filter(|c| undominated(c)).copied().collect();
        Class {
            gpus: members[0].gpus,
            profile: members[0].profile,
            choices,
            bases: jobs.iter().map(|&(_, base)| base).collect(),
            jobs: jobs.into_iter().map(|(job, _)| job).collect(),
        }
    }
}

/// The least value of a job of the class.
fn base(class: &Class) -> f64 {
    class.choices.iter().map(|c| c.value).fold(f64::INFINITY, f64::min)
}

/// The largest value within these amounts, less the base; `None` where no choice fits.
fn rest_at(class: &Class, amounts: &Amounts) -> Option<f64> {
    let within = class.choices.iter().filter(|c| c.amounts.fits_in(amounts));
    within.map(|c| c.value).reduce(f64::max).map(|value| value - base(class))
}

/// A grid over the amounts that the choices ask for, and the share at which every job is fair.
fn points<'a>(classes: impl Iterator<Item = &'a Class> + Clone, share: Amounts) -> Vec<Amounts> {
    let axes: [Vec<f64>; AUXILIARY] = std::array::from_fn(|r| {
        let mut axis: Vec<f64> =
            classes.clone().flat_map(|class| class.choices.iter().map(|c| c.amounts[r])).collect();
        axis.sort_by(f64::total_cmp);
        axis.dedup();
        let last = axis.len().saturating_sub(1);
        let pick = |i: usize| axis.get(i * last / (POINTS - 1)).copied();
        let mut kept: Vec<f64> =
            if axis.len() <= POINTS { axis } else { (0..POINTS).filter_map(pick).collect() };
        kept.push(share[r]);
        kept
    });
    let mut points = vec![Amounts::ZERO];
    for (r, axis) in axes.iter().enumerate() {
        let at = |point: Amounts| {
            axis.iter().map(move |&a| {
                let mut point = point;
                point[r] = a;
                point
            })
        };
        points = points.into_iter().flat_map(at).collect();
    }
    points
}
