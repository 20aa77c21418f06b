//! Profiles for jobs whose source has none: a stated rule, labelled in the trace.

use super::{Format, Options};
use crate::profiles::{self, BuiltIn};
use crate::trace::{About, Texts, TraceJob};
use crate::workload::{MixSpec, ModelChooser, ModelSet};

/// How jobs get profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ProfileRule {
    /// By the model's name where it has a published counterpart, the others by class split
    #[default]
    Auto,
    /// By class split, whatever the source says
    ClassSplit,
    /// The profile whose best-case demand per GPU is nearest to the CPUs and memory asked for
    Nearest,
    /// None
    None,
}

/// Assigns a profile to every job and says how.
///
/// # Errors
/// A split that does not fit the published classes.
pub(super) fn assign(
    format: Format,
    jobs: &mut [TraceJob],
    options: &Options,
    about: &mut About,
) -> Result<(), String> {
    let rule = options.profiles;
    if rule == ProfileRule::None {
        jobs.iter_mut().for_each(|job| job.profile = None);
        about.profiles = "none".into();
        return Ok(());
    }
    let models = ModelSet::published();
    let mix = MixSpec { split: options.split.clone(), ..MixSpec::default() };
    let split = models.split(&mix).map_err(|e| e.to_string())?;
    let mut chooser = ModelChooser::new(&models, &mix, options.seed).map_err(|e| e.to_string())?;
    let mut nearest = Nearest::new();
    let mut texts = Texts::default();
    let (mut own, mut named, mut near, mut drawn) = (0u64, 0u64, 0u64, 0u64);
    for job in jobs.iter_mut() {
        let by_name = || job.application.as_deref().and_then(|a| format.named_profile(a));
        job.profile = Some(match rule {
            ProfileRule::Auto if job.profile.is_some() => {
                own += 1;
                continue;
            }
            ProfileRule::Auto if by_name().is_some() => {
                named += 1;
                texts.shared(by_name().unwrap_or_default())
            }
            ProfileRule::Nearest if job.cpus.is_some() || job.memory_gb.is_some() => {
                near += 1;
                texts.shared(nearest.of(job))
            }
            _ => {
                drawn += 1;
                texts.shared(models.models()[chooser.next_model()].profile.name())
            }
        });
    }
    let split: Vec<String> = split.iter().map(f64::to_string).collect();
    let parts: Vec<String> = [
        (own, "named by the source".to_string()),
        (named, "by the name of the published model".to_string()),
        (near, "nearest best-case demand to the CPUs and memory asked for".to_string()),
        (drawn, format!("class split {}, seed {}", split.join(","), options.seed)),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, how)| format!("{count} {how}"))
    .collect();
    let label = if own == jobs.len() as u64 { "" } else { "semi-synthetic: " };
    about.semi_synthetic |= own < jobs.len() as u64;
    about.profiles = format!("{label}{}", parts.join("; "));
    Ok(())
}

/// Published models by best-case demand per GPU.
struct Nearest {
    /// CPUs and GB per GPU, and the models that want just these.
    demands: Vec<(f64, f64, Vec<&'static str>)>,
    /// How often each entry was chosen: models of equal demand take turns.
    turns: Vec<usize>,
}

impl Nearest {
    fn new() -> Self {
        let mut demands: Vec<(f64, f64, Vec<&'static str>)> = Vec::new();
        for model in profiles::builtin() {
            let (cpus, memory_gb) = best_case(model);
            match demands.iter_mut().find(|d| d.0 == cpus && d.1 == memory_gb) {
                Some(demand) => demand.2.push(model.name()),
                None => demands.push((cpus, memory_gb, vec![model.name()])),
            }
        }
        let turns = vec![0; demands.len()];
        Nearest { demands, turns }
    }

    /// The nearest on logarithmic axes; a request that is missing does not count.
    fn of(&mut self, job: &TraceJob) -> &'static str {
        let per_gpu = |amount: Option<f64>| amount.filter(|a| *a > 0.0).map(|a| a / f64::from(job.gpus));
        let (cpus, memory_gb) = (per_gpu(job.cpus), per_gpu(job.memory_gb));
        let apart = |a: Option<f64>, b: f64| a.map_or(0.0, |a| (a / b).ln().powi(2));
        let distance = |d: &(f64, f64, Vec<&str>)| apart(cpus, d.0) + apart(memory_gb, d.1);
        let mut best = 0;
        for index in 1..self.demands.len() {
            if distance(&self.demands[index]) < distance(&self.demands[best]) {
                best = index;
            }
        }
        let names = &self.demands[best].2;
        let name = names[self.turns[best] % names.len()];
        self.turns[best] += 1;
        name
    }
}

/// The point of largest throughput, then least CPU, then least memory.
fn best_case(model: &BuiltIn) -> (f64, f64) {
    let profile = &model.profile;
    let best = profile.throughput().iter().copied().fold(0.0, f64::max);
    let at = profile.throughput().indexed_iter().find(|(_, value)| **value == best).map(|(at, _)| at);
    let (c, m) = at.unwrap_or_default();
    (profile.cpus_per_gpu()[c], profile.memory_gb_per_gpu()[m])
}
