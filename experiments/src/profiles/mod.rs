//! The built-in profile set: 12 models on a V100, published with the OSDI '22 paper. See
//! `profiles/README.md` of this crate for source and licence.

use ndarray::Array2;
use std::sync::{Arc, LazyLock};
use synergy_solver::model::Profile;

/// A model of the built-in set.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    /// Its sensitivity matrix, per GPU; named as the model.
    pub profile: Arc<Profile>,
    /// Task class: `image`, `language` or `speech`.
    pub task: &'static str,
    /// Batch size per GPU.
    pub batch_size: u32,
    /// Seconds per iteration at the GPU-proportional share.
    pub iteration_s: f64,
    /// Whether the paper's default mix uses the model.
    pub in_default_mix: bool,
}

impl BuiltIn {
    /// Name of the model, as instances refer to it.
    pub fn name(&self) -> &str {
        self.profile.name()
    }
}

static PROFILES: &str = include_str!("../../profiles/osdi22_v100.csv");
static MODELS: &str = include_str!("../../profiles/osdi22_v100_models.csv");

static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    rows(MODELS)
        .map(|row| BuiltIn {
            profile: Arc::new(profile(row[0])),
            task: row[1],
            batch_size: row[2].parse().expect("batch size of the built-in table"),
            iteration_s: number(row[3]),
            in_default_mix: row[4] == "yes",
        })
        .collect()
});

/// The built-in models in the order of the published table, which is alphabetical.
pub fn builtin() -> &'static [BuiltIn] {
    &BUILT_IN
}

/// The built-in model `name`.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    builtin().iter().find(|model| model.name() == name)
}

/// Cells of the rows below the header. The tables are part of the program: a fault in them is a
/// fault of the program, and a test reads all of them.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("number of the built-in table")
}

/// Memory per GPU; the published 20.83 stands for a third of 62.5 GB.
fn memory_gb(cell: &str) -> f64 {
    if cell == "20.83" { 62.5 / 3.0 } else { number(cell) }
}

fn profile(model: &'static str) -> Profile {
    let (mut cpus, mut memory, mut throughput) = (Vec::new(), Vec::new(), Vec::new());
    // Rows are sorted by CPUs, then memory.
    for row in rows(PROFILES).filter(|row| row[0] == model) {
        let point = (number(row[2]), memory_gb(row[3]));
        if cpus.last() != Some(&point.0) {
            cpus.push(point.0);
        }
        if cpus.len() == 1 {
            memory.push(point.1);
        }
        throughput.push(number(row[4]));
    }
    let matrix = Array2::from_shape_vec((cpus.len(), memory.len()), throughput);
    Profile::new(model, cpus, memory, matrix.expect("full grid of the built-in table"))
        .expect("valid matrix of the built-in table")
}

#[cfg(test)]
mod tests {
    use super::*;
    use synergy_solver::model::{Amounts, ThroughputRule};

    #[test]
    fn twelve_models_on_the_published_grid_are_1_at_the_share_of_the_papers_server() {
        assert_eq!(builtin().len(), 12);
        assert_eq!(builtin().iter().filter(|m| m.in_default_mix).count(), 10);
        for model in builtin() {
            assert_eq!(model.profile.throughput().dim(), (9, 5), "{}", model.name());
            assert_eq!(model.profile.memory_gb_per_gpu()[0], 62.5 / 3.0);
            let share = Amounts::new(3.0, 62.5);
            assert_eq!(model.profile.throughput_at(share, ThroughputRule::Floor), 1.0, "{}", model.name());
            assert!(["image", "language", "speech"].contains(&model.task));
        }
    }

    #[test]
    fn cells_are_where_the_table_says() {
        let alexnet = &find("alexnet").unwrap().profile;
        assert_eq!(alexnet.throughput()[(0, 0)], 0.1);
        assert_eq!(alexnet.throughput()[(1, 1)], 0.66);
        assert_eq!(find("alexnet").unwrap().iteration_s, 0.6);
        assert!(find("vgg").is_none());
    }
}
