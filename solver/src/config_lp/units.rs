//! Integer units of the auxiliary resources, for the pricing tables.

use crate::model::{AUXILIARY, Amounts};

/// How far a quotient may lie below an integer and still count as that integer: rounding of the
/// amounts themselves, as in grid look-ups.
const NEAR: f64 = 1e-9;

/// How far over capacity a valid allocation may be (problem statement, tolerances). The pricing
/// tables grant it, so that the bound holds for every allocation that the checker passes.
const VALID: f64 = 1e-6;

/// Which way demands are rounded to units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Down: every set of jobs that fits a server fits in units too. For bounds.
    Down,
    /// Up: every set of jobs that fits in units fits the server. For allocations.
    Up,
}

/// One unit of every auxiliary resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// Size of a unit: CPUs, GB.
    pub size: Amounts,
    /// Whether every demand is a whole number of units. Then rounding changes nothing, and the sum of
    /// demands fits exactly when the sum of units does.
    pub lossless: bool,
}

impl Units {
    /// The units that lose least for `demands` on a server of `capacity` with `gpus` GPUs, of those
    /// that keep a capacity within `most` units. Where several lose nothing, the largest.
    ///
    /// Candidates are the smallest demands and their halves, thirds and quarters, and equal parts of
    /// the capacity whose number is a multiple of the GPUs, so that a proportional share is whole.
    pub fn choose(demands: &[Amounts], capacity: Amounts, gpus: u32, most: usize) -> Units {
        let mut units = Units { size: Amounts::ZERO, lossless: true };
        for r in 0..AUXILIARY {
            let mut amounts: Vec<f64> = demands.iter().map(|d| d[r]).filter(|&a| a > 0.0).collect();
            amounts.sort_by(f64::total_cmp);
            amounts.dedup_by(|a, b| (*a - *b).abs() <= NEAR * *b);
            let per_gpu = (most / gpus as usize).max(1) * gpus as usize;
            // A unit of the whole capacity, where nothing asks for the resource.
            let mut candidates = vec![if capacity[r] > 0.0 { capacity[r] } else { 1.0 }];
            candidates
                .extend(amounts.iter().take(8).flat_map(|a| (1..=4).map(move |part| a / f64::from(part))));
            candidates.push(capacity[r] / per_gpu as f64);
            candidates.push(capacity[r] / (per_gpu / 2).max(1) as f64);
            candidates.retain(|&u| u > 0.0 && u.is_finite() && capacity[r] / u <= most as f64 + NEAR);
            candidates.sort_by(|a, b| b.total_cmp(a));
            let loss = |u: f64| {
                let lost = amounts.iter().map(|&a| {
                    let whole = down(a, u);
                    if is_whole(a, u) { 0.0 } else { (a - whole * u) / a }
                });
                lost.sum::<f64>()
            };
            let mut best = (f64::INFINITY, 1.0);
            for &u in &candidates {
                let lost = loss(u);
                if lost < best.0 {
                    best = (lost, u);
                }
            }
            units.size[r] = best.1;
            units.lossless &= best.0 == 0.0;
        }
        units
    }

    /// A demand in units.
    pub fn demand(&self, amounts: &Amounts, rounding: Rounding) -> [u32; AUXILIARY] {
        std::array::from_fn(|r| {
            let (a, u) = (amounts[r], self.size[r]);
            let whole = match rounding {
                _ if is_whole(a, u) => (a / u).round(),
                Rounding::Down => down(a, u),
                Rounding::Up => (a / u).ceil(),
            };
            whole.clamp(0.0, f64::from(u32::MAX)) as u32
        })
    }

    /// A capacity in units: the floor, with the checker's tolerance granted when demands round down.
    pub fn capacity(&self, amounts: &Amounts, rounding: Rounding) -> [u32; AUXILIARY] {
        std::array::from_fn(|r| {
            let parts = amounts[r] / self.size[r];
            let slack = match rounding {
                Rounding::Down => 2.0 * VALID * parts.max(1.0),
                Rounding::Up => NEAR * parts.max(1.0),
            };
            (parts + slack).floor().clamp(0.0, f64::from(u32::MAX)) as u32
        })
    }
}

fn is_whole(amount: f64, unit: f64) -> bool {
    let parts = amount / unit;
    (parts - parts.round()).abs() <= NEAR * parts.max(1.0)
}

fn down(amount: f64, unit: f64) -> f64 {
    (amount / unit + NEAR).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Vec<Amounts> {
        let mut demands = Vec::new();
        for g in [1.0, 2.0, 4.0, 8.0] {
            for cpus in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 12.0, 24.0] {
                for memory_gb in [62.5 / 3.0, 62.5, 125.0, 187.5, 250.0] {
                    demands.push(Amounts::new(cpus * g, memory_gb * g));
                }
            }
        }
        demands
    }

    #[test]
    fn published_profiles_lose_nothing() {
        let units = Units::choose(&grid(), Amounts::new(24.0, 500.0), 8, 150);
        assert!(units.lossless);
        assert_eq!(units.size.cpus(), 1.0);
        assert!((units.size.memory_gb() - 62.5 / 3.0).abs() < 1e-12);
        assert_eq!(units.capacity(&Amounts::new(24.0, 500.0), Rounding::Down), [24, 24]);
        assert_eq!(units.demand(&Amounts::new(3.0, 62.5), Rounding::Down), [3, 3]);
    }

    #[test]
    fn the_printed_20_83_is_no_worse() {
        let demands: Vec<Amounts> =
            [20.83, 62.5, 125.0, 250.0].iter().map(|&m| Amounts::new(1.0, m)).collect();
        let units = Units::choose(&demands, Amounts::new(24.0, 500.0), 8, 150);
        assert!(!units.lossless);
        let of = |m: f64| units.demand(&Amounts::new(1.0, m), Rounding::Down)[1] as f64;
        assert!(of(125.0) * units.size[1] <= 125.0 && of(125.0) * units.size[1] > 124.0);
    }

    /// Whatever the unit, sets that fit in reals fit in units rounded down, and sets that fit in units
    /// rounded up fit in reals.
    #[test]
    fn rounding_is_on_the_safe_side() {
        for step in 1..400 {
            let x = f64::from(step) * 0.37;
            let set: Vec<Amounts> = (1..5)
                .map(|i| Amounts::new((x * f64::from(i)) % 7.3, (x * x * f64::from(i)) % 11.0))
                .collect();
            let total = set.iter().fold(Amounts::ZERO, |sum, a| sum + *a);
            let capacity = Amounts::new(15.0, 21.0);
            let units = Units::choose(&set, capacity, 4, 20);
            let fits = |rounding| {
                let room = units.capacity(&capacity, rounding);
                (0..AUXILIARY)
                    .all(|r| set.iter().map(|a| units.demand(a, rounding)[r]).sum::<u32>() <= room[r])
            };
            if total.fits_in(&capacity) {
                assert!(fits(Rounding::Down), "{set:?}");
            }
            if fits(Rounding::Up) {
                assert!(total.fits_in(&capacity), "{set:?}");
            }
        }
    }
}
