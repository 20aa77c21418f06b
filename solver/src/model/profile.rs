//! Sensitivity matrices W: throughput of a model over CPUs and memory per GPU.

use super::amounts::LARGEST_AMOUNT;
use super::{Amounts, LOOKUP_TOLERANCE, ModelError};
use ndarray::Array2;

/// How the throughput between grid points is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum ThroughputRule {
    /// The value at the largest grid point not above on each axis; never optimistic.
    #[default]
    Floor,
    /// Bilinear between grid points; beyond the last one, its value.
    Bilinear,
}

/// The throughput of a model over a grid of CPUs and memory **per GPU**, in any unit: only ratios
/// count. A job with g GPUs has the same matrix on the grid multiplied by g.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    name: String,
    cpus_per_gpu: Vec<f64>,
    memory_gb_per_gpu: Vec<f64>,
    /// Rows follow `cpus_per_gpu`, columns `memory_gb_per_gpu`.
    throughput: Array2<f64>,
}

impl Profile {
    /// A profile from its axes and matrix (rows: CPUs, columns: memory).
    ///
    /// # Errors
    /// An empty axis, or one that does not increase or is not positive and finite; a matrix of another shape;
    /// a cell that is negative, not finite, or below its neighbour at fewer CPUs or less memory.
    pub fn new(
        name: impl Into<String>,
        cpus_per_gpu: Vec<f64>,
        memory_gb_per_gpu: Vec<f64>,
        throughput: Array2<f64>,
    ) -> Result<Self, ModelError> {
        let name = name.into();
        for (axis, points) in [("cpus_per_gpu", &cpus_per_gpu), ("memory_gb_per_gpu", &memory_gb_per_gpu)] {
            let increasing = points.windows(2).all(|w| w[0] < w[1]);
            if points.is_empty() || !increasing || !points.iter().all(|p| *p > 0.0 && *p <= LARGEST_AMOUNT) {
                return Err(ModelError::Axis { profile: name, axis });
            }
        }
        let expected = (cpus_per_gpu.len(), memory_gb_per_gpu.len());
        if throughput.dim() != expected {
            let found = throughput.dim();
            return Err(ModelError::Shape { profile: name, expected, found });
        }
        for ((row, column), &value) in throughput.indexed_iter() {
            let below = if row > 0 { throughput[(row - 1, column)] } else { 0.0 };
            let left = if column > 0 { throughput[(row, column - 1)] } else { 0.0 };
            if !value.is_finite() || value < 0.0 {
                return Err(ModelError::Cell { profile: name, row, column, value });
            }
            if value < below.max(left) {
                let neighbour = below.max(left);
                return Err(ModelError::Decreasing { profile: name, row, column, value, neighbour });
            }
        }
        Ok(Profile { name, cpus_per_gpu, memory_gb_per_gpu, throughput })
    }

    /// Name, as jobs refer to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Grid points on the CPU axis, per GPU.
    pub fn cpus_per_gpu(&self) -> &[f64] {
        &self.cpus_per_gpu
    }

    /// Grid points on the memory axis, in GB per GPU.
    pub fn memory_gb_per_gpu(&self) -> &[f64] {
        &self.memory_gb_per_gpu
    }

    /// The matrix; rows are CPUs, columns are memory.
    pub fn throughput(&self) -> &Array2<f64> {
        &self.throughput
    }

    /// Throughput at these amounts **per GPU**; 0 below the lowest grid point.
    pub fn throughput_at(&self, per_gpu: Amounts, rule: ThroughputRule) -> f64 {
        let cpus = position(&self.cpus_per_gpu, per_gpu.cpus());
        let memory = position(&self.memory_gb_per_gpu, per_gpu.memory_gb());
        let (Some((c, c_part)), Some((m, m_part))) = (cpus, memory) else {
            return 0.0;
        };
        let floor = self.throughput[(c, m)];
        match rule {
            ThroughputRule::Floor => floor,
            ThroughputRule::Bilinear => {
                let (c1, m1) =
                    ((c + 1).min(self.cpus_per_gpu.len() - 1), (m + 1).min(self.memory_gb_per_gpu.len() - 1));
                let at = |c: usize, m: usize| self.throughput[(c, m)];
                (1.0 - c_part) * ((1.0 - m_part) * floor + m_part * at(c, m1))
                    + c_part * ((1.0 - m_part) * at(c1, m) + m_part * at(c1, m1))
            }
        }
    }
}

/// Index of the largest point not above `amount` within [`LOOKUP_TOLERANCE`], and how far towards
/// the next point the amount lies, in [0, 1). `None` below the first point.
fn position(points: &[f64], amount: f64) -> Option<(usize, f64)> {
    let reach = amount * (1.0 + LOOKUP_TOLERANCE);
    let above = points.partition_point(|&p| p <= reach);
    let index = above.checked_sub(1)?;
    let part = match points.get(above) {
        Some(next) => ((amount - points[index]) / (next - points[index])).clamp(0.0, 1.0),
        None => 0.0,
    };
    Some((index, part))
}
