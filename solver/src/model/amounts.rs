//! Vectors of auxiliary resources.

use std::ops::{Add, AddAssign, Index, IndexMut, Sub, SubAssign};

/// Number of auxiliary resources r beside the GPU. Everything in the solver loops over them;
/// only profiles and files know that they are CPUs and memory.
pub const AUXILIARY: usize = 2;

/// Names of the auxiliary resources as they stand in files and messages, with their units.
pub const AUXILIARY_NAMES: [&str; AUXILIARY] = ["cpus", "memory_gb"];

/// Largest CPUs or GB of a server or a grid point, weight, or time of a job: far beyond any that is real,
/// and no sum or multiple overflows.
pub(super) const LARGEST_AMOUNT: f64 = 1e12;

/// Relative tolerance of grid look-ups and of "does it fit" inside mechanisms (problem statement,
/// tolerances). The checker has its own, wider one.
pub const LOOKUP_TOLERANCE: f64 = 1e-9;

/// Amounts of the auxiliary resources: CPUs, then memory in GB.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Amounts(pub [f64; AUXILIARY]);

impl Amounts {
    /// Nothing of any resource.
    pub const ZERO: Amounts = Amounts([0.0; AUXILIARY]);

    /// CPUs and memory in GB.
    pub const fn new(cpus: f64, memory_gb: f64) -> Self {
        Amounts([cpus, memory_gb])
    }

    /// Number of CPUs.
    pub const fn cpus(&self) -> f64 {
        self.0[0]
    }

    /// Memory in GB.
    pub const fn memory_gb(&self) -> f64 {
        self.0[1]
    }

    /// Every amount times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        self.map(|amount| amount * factor)
    }

    /// `f` of every amount.
    pub fn map(&self, f: impl FnMut(f64) -> f64) -> Self {
        Amounts(self.0.map(f))
    }

    /// `f` of every pair of amounts.
    pub fn zip(&self, other: &Amounts, mut f: impl FnMut(f64, f64) -> f64) -> Self {
        let mut out = *self;
        for (a, b) in out.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        out
    }

    /// The smaller of each pair of amounts.
    pub fn min(&self, other: &Amounts) -> Self {
        self.zip(other, f64::min)
    }

    /// The larger of each pair of amounts.
    pub fn max(&self, other: &Amounts) -> Self {
        self.zip(other, f64::max)
    }

    /// Whether no amount exceeds the one in `free`, within [`LOOKUP_TOLERANCE`].
    pub fn fits_in(&self, free: &Amounts) -> bool {
        (0..AUXILIARY).all(|r| not_above(self.0[r], free.0[r]))
    }

    /// Amounts in resource order.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied()
    }
}

/// `a <= b` within [`LOOKUP_TOLERANCE`], relative to the larger of 1 and the numbers themselves.
pub fn not_above(a: f64, b: f64) -> bool {
    a <= b + LOOKUP_TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

impl Index<usize> for Amounts {
    type Output = f64;
    fn index(&self, resource: usize) -> &f64 {
        &self.0[resource]
    }
}

impl IndexMut<usize> for Amounts {
    fn index_mut(&mut self, resource: usize) -> &mut f64 {
        &mut self.0[resource]
    }
}

impl Add for Amounts {
    type Output = Amounts;
    fn add(self, other: Amounts) -> Amounts {
        self.zip(&other, |a, b| a + b)
    }
}

impl Sub for Amounts {
    type Output = Amounts;
    fn sub(self, other: Amounts) -> Amounts {
        self.zip(&other, |a, b| a - b)
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Amounts) {
        *self = *self + other;
    }
}

impl SubAssign for Amounts {
    fn sub_assign(&mut self, other: Amounts) {
        *self = *self - other;
    }
}
