//! Bounds, placements and mechanisms by name.

use super::CompareOptions;
use crate::error::suggestion;
use std::collections::BTreeSet;
use synergy_solver::bounds::{self, Bound, BoundOptions};
use synergy_solver::lp::Limits;
use synergy_solver::mechanisms::{self, Mechanism, NameError};
use synergy_solver::model::Instance;
use thiserror::Error;

/// Bounds of a comparison in which none is named, in the order of tables; `lp-groups` joins them
/// where there are several server groups.
const BOUNDS: [&str; 4] = ["lp", "lp-groups", "ilp", "lp-skip"];

/// Mechanisms of a comparison in which none is named, in the order of tables.
const MECHANISMS: [&str; 3] = ["proportional", "greedy", "tune"];

/// A name that stands for no method.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum UnknownMethod {
    /// No bound, placement or mechanism of that name.
    #[error("no bound, placement or mechanism is called {name:?}{hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// A mechanism's parameters.
    #[error(transparent)]
    Mechanism(#[from] NameError),
}

/// A method and its name as it was asked for.
pub(super) struct Named<T: ?Sized> {
    pub name: String,
    /// Left out because the instance is too large for it.
    pub too_large: bool,
    pub method: Box<T>,
}

/// The methods of a comparison.
pub(super) struct Methods {
    pub bounds: Vec<Named<dyn Bound>>,
    pub mechanisms: Vec<Named<dyn Mechanism>>,
}

impl CompareOptions {
    /// Whether every name in `only` stands for something.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), UnknownMethod> {
        for name in self.only.iter().flatten() {
            let known = bounds::NAMES.contains(&name.as_str());
            if !known {
                mechanism_by_name(name)?;
            }
        }
        Ok(())
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { time_limit_s: self.time_limit_s, node_limit: self.node_limit, ..Limits::default() }
    }

    pub(super) fn bound_options(&self) -> BoundOptions {
        BoundOptions { per_server_cap: self.per_server_cap, limits: self.limits(), ..BoundOptions::default() }
    }
}

impl Methods {
    /// What `options` asks for on `instance`.
    pub fn new(instance: &Instance, options: &CompareOptions) -> Result<Self, UnknownMethod> {
        let bound_options = options.bound_options();
        let mut methods = Methods { bounds: Vec::new(), mechanisms: Vec::new() };
        let several_groups = instance.cluster().groups().len() > 1;
        let wanted: Vec<&str> = match &options.only {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => BOUNDS
                .into_iter()
                .filter(|&name| name != "lp-groups" || several_groups)
                .chain(MECHANISMS)
                .collect(),
        };
        let mut seen = BTreeSet::new();
        for name in wanted.into_iter().filter(|name| seen.insert(*name)) {
            if let Ok(method) = bounds::by_name(name, bound_options) {
                methods.bounds.push(Named { name: name.into(), too_large: false, method });
            } else {
                let method = mechanism_by_name(name)?;
                methods.mechanisms.push(Named { name: name.into(), too_large: false, method });
            }
        }
        Ok(methods)
    }
}

/// The mechanism that `name` stands for, where it could also have stood for another method.
fn mechanism_by_name(name: &str) -> Result<Box<dyn Mechanism>, UnknownMethod> {
    mechanisms::by_name(name).map_err(|error| match error {
        NameError::Unknown { name, .. } => {
            let others = bounds::NAMES.iter().copied();
            let known = others.chain(mechanisms::ALL.iter().map(|entry| entry.about.name));
            let hint = suggestion(&name, known);
            UnknownMethod::Unknown { name, hint }
        }
        other => other.into(),
    })
}

/// Splits `tune,tune-local[moves=10,seed=1]` at the commas outside brackets.
pub fn split_names(list: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut depth = 0usize;
    for letter in list.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match names.last_mut() {
            Some(name) if letter != ',' || depth > 0 => name.push(letter),
            _ => names.push(String::new()),
        }
    }
    names.into_iter().map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::split_names;

    #[test]
    fn names_are_split_outside_brackets_only() {
        assert_eq!(split_names("lp, tune,tune-local[a=1,b=2],"), ["lp", "tune", "tune-local[a=1,b=2]"]);
        assert!(split_names("").is_empty());
    }
}
