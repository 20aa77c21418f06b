//! The models that jobs are drawn from: sensitivity matrices with their task classes.

use super::profile_files::Repair;
use super::spec::{ClassChoice, MixSpec, ModelChoice, WorkloadError, fault};
use super::streams::{Purpose, Stream};
use crate::profiles;
use std::sync::Arc;
use synergy_solver::model::Profile;

/// One model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its sensitivity matrix, per GPU.
    pub profile: Arc<Profile>,
    /// Task class.
    pub task: String,
}

/// Models with their classes, in order.
#[derive(Debug, Clone)]
pub struct ModelSet {
    models: Vec<Model>,
    /// Class names; image, language, speech first where they occur, others by first appearance.
    classes: Vec<String>,
    /// Weight of every class when no split is given.
    default_split: Vec<f64>,
    repairs: Vec<Repair>,
}

/// Classes of the published profiles in the order of the split, and the paper's default weights.
const PUBLISHED_SPLIT: [(&str, f64); 3] = [("image", 20.0), ("language", 70.0), ("speech", 10.0)];

impl ModelSet {
    /// A set of models.
    ///
    /// # Errors
    /// No model.
    pub fn new(models: Vec<Model>) -> Result<Self, WorkloadError> {
        if models.is_empty() {
            return Err(fault("profiles", "hold no model; give at least one"));
        }
        let occurs = |class: &str| models.iter().any(|model| model.task == class);
        let mut classes: Vec<String> =
            PUBLISHED_SPLIT.iter().map(|(c, _)| c.to_string()).filter(|c| occurs(c)).collect();
        let default_split = if classes.len() == PUBLISHED_SPLIT.len()
            && models.iter().all(|model| classes.contains(&model.task))
        {
            PUBLISHED_SPLIT.iter().map(|(_, weight)| *weight).collect()
        } else {
            Vec::new()
        };
        for model in &models {
            if !classes.contains(&model.task) {
                classes.push(model.task.clone());
            }
        }
        let default_split = if default_split.is_empty() { vec![1.0; classes.len()] } else { default_split };
        Ok(ModelSet { models, classes, default_split, repairs: Vec::new() })
    }

    /// The published models of the paper's default mix.
    pub fn published() -> Self {
        let models: Vec<Model> = profiles::builtin()
            .iter()
            .filter(|model| model.in_default_mix)
            .map(|model| Model { profile: Arc::clone(&model.profile), task: model.task.into() })
            .collect();
        let classes = PUBLISHED_SPLIT.iter().map(|(class, _)| class.to_string()).collect();
        let default_split = PUBLISHED_SPLIT.iter().map(|(_, w)| *w).collect();
        ModelSet { models, classes, default_split, repairs: Vec::new() }
    }

    /// With what was repaired of its matrices.
    #[must_use]
    pub(super) fn repaired(self, repairs: Vec<Repair>) -> Self {
        ModelSet { repairs, ..self }
    }

    /// Matrices that were raised to their running maximum when they were read.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Index of the model `name`; a built-in one that the set does not have is added.
    ///
    /// # Errors
    /// A name that is neither.
    pub(super) fn named(&mut self, name: &str) -> Result<usize, WorkloadError> {
        if let Some(index) = self.models.iter().position(|model| model.profile.name() == name) {
            return Ok(index);
        }
        let model = profiles::find(name).ok_or_else(|| {
            fault(
                "trace",
                format!("names the profile {name:?}, which is neither built in nor in profiles.path"),
            )
        })?;
        self.models.push(Model { profile: Arc::clone(&model.profile), task: model.task.into() });
        Ok(self.models.len() - 1)
    }

    /// The models in order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// Class names in the order of the split.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The split in force: the one of `mix`, or the default.
    ///
    /// # Errors
    /// A split with another number of classes.
    pub fn split(&self, mix: &MixSpec) -> Result<Vec<f64>, WorkloadError> {
        let split = mix.split.as_ref().unwrap_or(&self.default_split);
        if split.len() != self.classes.len() {
            let problem = format!(
                "has {} weights for {} classes: {}",
                split.len(),
                self.classes.len(),
                self.classes.join(", ")
            );
            return Err(fault("mix.split", problem));
        }
        Ok(split.clone())
    }
}

/// Assigns a model to one job after another.
#[derive(Debug, Clone)]
pub struct ModelChooser {
    /// Models of each class, by index into the set.
    members: Vec<Vec<usize>>,
    /// Shares, summing to 1.
    split: Vec<f64>,
    assigned: Vec<u64>,
    total: u64,
    next_in_class: Vec<usize>,
    class_choice: ClassChoice,
    model_choice: ModelChoice,
    classes: Stream,
    models: Stream,
}

impl ModelChooser {
    /// A chooser over `set`.
    ///
    /// # Errors
    /// A split that does not fit the set.
    pub fn new(set: &ModelSet, mix: &MixSpec, seed: u64) -> Result<Self, WorkloadError> {
        let split = set.split(mix)?;
        let sum: f64 = split.iter().sum();
        let members = set
            .classes
            .iter()
            .map(|class| (0..set.models.len()).filter(|&m| set.models[m].task == *class).collect())
            .collect();
        Ok(ModelChooser {
            members,
            assigned: vec![0; split.len()],
            next_in_class: vec![0; split.len()],
            split: split.into_iter().map(|weight| weight / sum).collect(),
            total: 0,
            class_choice: mix.classes,
            model_choice: mix.models,
            classes: Stream::new(seed, Purpose::Classes),
            models: Stream::new(seed, Purpose::Models),
        })
    }

    /// The model of the next job, by index into the set.
    pub fn next_model(&mut self) -> usize {
        let draw = self.classes.uniform();
        let class = match self.class_choice {
            ClassChoice::Random => pick(&self.split, draw),
            ClassChoice::Tracking => self.lagging(),
        };
        self.assigned[class] += 1;
        self.total += 1;
        let members = &self.members[class];
        let draw = self.models.below(members.len());
        match self.model_choice {
            // Models of a trace are never drawn.
            ModelChoice::Random | ModelChoice::Trace => members[draw],
            ModelChoice::RoundRobin => {
                let next = self.next_in_class[class];
                self.next_in_class[class] = (next + 1) % members.len();
                members[next]
            }
        }
    }

    /// The class that lags most behind its share; the first of equals, never one of weight 0.
    fn lagging(&self) -> usize {
        let lag = |class: usize| self.split[class] * (self.total + 1) as f64 - self.assigned[class] as f64;
        let mut best: Option<usize> = None;
        for class in (0..self.split.len()).filter(|&class| self.split[class] > 0.0) {
            // The margin keeps rounding from deciding between equals.
            if best.is_none_or(|b| lag(class) > lag(b) + 1e-9) {
                best = Some(class);
            }
        }
        best.unwrap_or(0)
    }
}

/// The entry of `weights` (any sum) that `draw` in [0, 1) falls on; never one of weight 0.
pub(super) fn pick(weights: &[f64], draw: f64) -> usize {
    let mut left = draw * weights.iter().sum::<f64>();
    let mut last = 0;
    for (index, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        last = index;
        if left < weight {
            break;
        }
        left -= weight;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_mix_tracks_the_split() {
        let set = ModelSet::published();
        let mut chooser = ModelChooser::new(&set, &MixSpec::default(), 1).unwrap();
        let mut counts = [0.0; 3];
        for n in 1..=1000 {
            let task = &set.models()[chooser.next_model()].task;
            counts[set.classes().iter().position(|c| c == task).unwrap()] += 1.0;
            for (count, share) in counts.iter().zip([0.2, 0.7, 0.1]) {
                assert!((count - share * f64::from(n)).abs() < 1.0, "after {n}: {counts:?}");
            }
        }
        assert_eq!(counts, [200.0, 700.0, 100.0]);
    }

    #[test]
    fn a_class_of_weight_0_never_occurs() {
        let set = ModelSet::published();
        for classes in [ClassChoice::Tracking, ClassChoice::Random] {
            let mix = MixSpec { split: Some(vec![50.0, 0.0, 50.0]), classes, ..MixSpec::default() };
            let mut chooser = ModelChooser::new(&set, &mix, 1).unwrap();
            assert!((0..500).all(|_| set.models()[chooser.next_model()].task != "language"));
        }
        assert_eq!(pick(&[0.0, 1.0, 0.0], 0.999_999_999), 1);
        assert_eq!(pick(&[0.0, 1.0, 0.0], 0.0), 1);
    }

    #[test]
    fn round_robin_goes_through_the_class() {
        let set = ModelSet::published();
        let mix = MixSpec {
            split: Some(vec![1.0, 0.0, 0.0]),
            models: ModelChoice::RoundRobin,
            ..MixSpec::default()
        };
        let mut chooser = ModelChooser::new(&set, &mix, 1).unwrap();
        let names: Vec<&str> = (0..6).map(|_| set.models()[chooser.next_model()].profile.name()).collect();
        assert_eq!(names, ["alexnet", "mobilenetv2", "resnet18", "resnet50", "shufflenetv2", "alexnet"]);
    }

    #[test]
    fn a_split_of_another_length_names_the_classes() {
        let set = ModelSet::published();
        let mix = MixSpec { split: Some(vec![1.0, 2.0]), ..MixSpec::default() };
        let error = ModelChooser::new(&set, &mix, 1).unwrap_err().to_string();
        assert!(error.contains("image, language, speech"), "{error}");
    }
}
