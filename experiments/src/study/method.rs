//! What is computed on a unit: bounds, placements, mechanisms, and what makes each the same as last time.

use super::StudyFile;
use crate::error::suggestion;
use crate::plugins::{Plugin, check_name, command_of};
use std::collections::BTreeMap;
use std::sync::Arc;
use synergy_solver::mechanisms::{Mechanism, MechanismError};
use synergy_solver::{bounds, placement};

/// A bound, placement or mechanism of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// `bound`, `placement` or `mechanism`.
    pub kind: &'static str,
    /// Name, as the study and the tables have it.
    pub name: String,
    /// What finished units are kept under: kind and name, and for a plug-in the hash of its files, so
    /// that a program which was changed is another method.
    pub key: String,
}

impl Method {
    /// All methods of a study, in its order.
    pub fn all(study: &StudyFile) -> Vec<Method> {
        let methods = &study.methods;
        let lists = [
            ("bound", &methods.bounds),
            ("placement", &methods.placements),
            ("mechanism", &methods.mechanisms),
        ];
        let named = lists.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| (kind, name)));
        named
            .map(|(kind, name)| {
                let program = study.programs.get(name).map_or(String::new(), |hash| format!(" @{hash}"));
                Method { kind, name: name.clone(), key: format!("{kind} {name}{program}") }
            })
            .collect()
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// Whether `name` is a method of this kind: `bounds`, `placements` or `mechanisms`. Starts no plug-in.
///
/// # Errors
/// What is wrong with the name, with the nearest known one.
pub fn check_method(kind: &str, name: &str) -> Result<(), String> {
    let known = match kind {
        "bounds" => bounds::NAMES,
        "placements" => &placement::NAMES[..],
        _ => return check_name(name).map_err(|e| e.to_string()),
    };
    if known.contains(&name) {
        Ok(())
    } else {
        Err(format!("{name:?} is not known{}", suggestion(name, known.iter().copied())))
    }
}

/// Plug-ins at hand: each started once, its processes shared by all units and threads.
#[derive(Default)]
pub struct Plugins(BTreeMap<String, Arc<dyn Mechanism>>);

impl Plugins {
    /// Those among these names of mechanisms.
    ///
    /// # Errors
    /// A plug-in that cannot be started or whose greeting is wrong.
    pub fn start<'a>(names: impl IntoIterator<Item = &'a String>) -> Result<Self, MechanismError> {
        let mut plugins: BTreeMap<String, Arc<dyn Mechanism>> = BTreeMap::new();
        for name in names {
            if let Some(command) = command_of(name) {
                plugins.insert(name.clone(), Arc::new(Plugin::start(command?)?));
            }
        }
        Ok(Plugins(plugins))
    }

    /// The plug-in of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Mechanism>> {
        self.0.get(name).cloned()
    }
}
