//! Bounds, placements and mechanisms by name.

use super::CompareOptions;
use crate::error::suggestion;
use crate::plugins::{ResolveError, resolve};
use std::collections::BTreeSet;
use std::sync::Arc;
use synergy_solver::bounds::{self, Bound, BoundOptions};
use synergy_solver::lp::Limits;
use synergy_solver::mechanisms::{self, Mechanism, MechanismError, NameError, OptDeployable};
use synergy_solver::model::Instance;
use synergy_solver::placement::{self, PlacementMethod};
use thiserror::Error;

/// What a comparison runs in which nothing is named, in the order of tables, with the largest cluster,
/// in GPUs, that each is tried on unasked. `lp-groups` joins in where there are several groups.
const UNASKED: [(&str, u64); 15] = [
    ("lp", u64::MAX),
    ("lp-groups", u64::MAX),
    ("ilp", u64::MAX),
    ("config", u64::MAX),
    ("lp-skip", u64::MAX),
    ("vertex", 2_000),
    ("reweighted", 10_000),
    ("bisection", u64::MAX),
    ("exact-placement", 64),
    ("proportional", u64::MAX),
    ("greedy", u64::MAX),
    ("tune", u64::MAX),
    ("opt-rounded", u64::MAX),
    ("opt-deployable", u64::MAX),
    ("optimum", 64),
];

/// Branch-and-bound nodes of the searches that nobody named, where no limit was given: `exact-placement` and
/// `optimum` then answer in seconds, with what is proven by then.
const UNASKED_NODES: [(&str, u64); 2] = [("exact-placement", 20), ("optimum", 200)];

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
    /// A plug-in that does not start.
    #[error(transparent)]
    Plugin(#[from] MechanismError),
}

impl From<ResolveError> for UnknownMethod {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Name(error) => error.into(),
            ResolveError::Plugin(error) => error.into(),
        }
    }
}

/// A method and its name as it was asked for.
pub(super) struct Named<T: ?Sized> {
    pub name: String,
    /// Left out because the instance is too large for it.
    pub too_large: bool,
    pub method: Arc<T>,
}

/// The methods of a comparison.
pub(super) struct Methods {
    pub bounds: Vec<Named<dyn Bound>>,
    pub placements: Vec<Named<dyn PlacementMethod>>,
    pub mechanisms: Vec<Named<dyn Mechanism>>,
}

impl CompareOptions {
    /// Whether every name in `only` stands for something.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), UnknownMethod> {
        for name in self.only.iter().flatten() {
            let known =
                bounds::NAMES.contains(&name.as_str()) || placement::by_name(name, &self.limits()).is_some();
            if !known {
                mechanism_by_name(name, &self.with_limits(name, self.node_limit))?;
            }
        }
        Ok(())
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { time_limit_s: self.time_limit_s, node_limit: self.node_limit, ..Limits::default() }
    }

    pub(super) fn bound_options(&self) -> BoundOptions {
        BoundOptions {
            per_server_cap: self.per_server_cap,
            limits: self.limits(),
            fairness_floor: self.fairness_floor,
            method: self.lp_method,
            ..BoundOptions::default()
        }
    }

    /// The mechanism `name` with what these options set of its parameters, where the name does not set it itself.
    fn with_limits(&self, name: &str, node_limit: Option<u64>) -> String {
        let (stem, given) = match name.split_once('[') {
            Some((stem, rest)) => (stem.trim(), rest.strip_suffix(']').unwrap_or(rest)),
            None => (name.trim(), ""),
        };
        let set = |parameter: &str| {
            given.split(',').any(|pair| pair.split('=').next().map(str::trim) == Some(parameter))
        };
        let Some(entry) = mechanisms::ALL.iter().find(|entry| entry.about.name == stem) else {
            return name.into();
        };
        // The final program of opt-deployable has a limit of its own, which only a smaller one replaces.
        let nodes = node_limit.map(|nodes| match stem {
            "opt-deployable" => nodes.min(OptDeployable::default().search.milp_nodes),
            _ => nodes,
        });
        let floor = Some(self.fairness_floor).filter(|floor| *floor != 1.0);
        let wanted = [
            ("fairness_floor", floor.map(|floor| floor.to_string())),
            ("nodes", nodes.map(|nodes| nodes.to_string())),
            ("seconds", self.time_limit_s.map(|seconds| seconds.to_string())),
        ];
        let known = |parameter: &str| entry.about.parameters.iter().any(|p| p.name == parameter);
        let mut parameters: Vec<String> =
            Some(given).filter(|g| !g.is_empty()).map(String::from).into_iter().collect();
        for (parameter, value) in wanted {
            if let Some(value) = value.filter(|_| known(parameter) && !set(parameter)) {
                parameters.push(format!("{parameter}={value}"));
            }
        }
        if parameters.is_empty() { name.into() } else { format!("{stem}[{}]", parameters.join(",")) }
    }
}

impl Methods {
    /// What `options` asks for on `instance`; mechanisms `at_hand` are not made anew.
    pub fn new(
        instance: &Instance,
        options: &CompareOptions,
        at_hand: &AtHand<'_>,
    ) -> Result<Self, UnknownMethod> {
        let bound_options = options.bound_options();
        let mut methods = Methods { bounds: Vec::new(), placements: Vec::new(), mechanisms: Vec::new() };
        let several_groups = instance.cluster().groups().len() > 1;
        let gpus = instance.cluster().gpus();
        let wanted: Vec<(&str, u64)> = match &options.only {
            Some(names) => names.iter().map(|name| (name.as_str(), u64::MAX)).collect(),
            None => UNASKED.into_iter().filter(|&(name, _)| name != "lp-groups" || several_groups).collect(),
        };
        let mut seen = BTreeSet::new();
        for (name, most_gpus) in wanted.into_iter().filter(|(name, _)| seen.insert(*name)) {
            let too_large = gpus > most_gpus;
            let owned = name.to_string();
            let unasked = UNASKED_NODES.iter().find(|(known, _)| *known == name && options.only.is_none());
            let node_limit = options.node_limit.or(unasked.map(|(_, nodes)| *nodes));
            if let Ok(method) = bounds::by_name(name, bound_options) {
                methods.bounds.push(Named { name: owned, too_large, method: method.into() });
            } else if let Some(method) = placement::by_name(name, &Limits { node_limit, ..options.limits() })
            {
                methods.placements.push(Named { name: owned, too_large, method: method.into() });
            } else {
                let method = match at_hand(name) {
                    Some(method) => method,
                    None => mechanism_by_name(name, &options.with_limits(name, node_limit))?.into(),
                };
                methods.mechanisms.push(Named { name: owned, too_large, method });
            }
        }
        Ok(methods)
    }
}

/// Mechanisms that exist already, by name: plug-ins whose processes many comparisons share.
pub type AtHand<'a> = dyn Fn(&str) -> Option<Arc<dyn Mechanism>> + 'a;

/// The mechanism that `name` stands for, where it could also have stood for another method. `text` is the name with
/// more of its parameters set.
fn mechanism_by_name(name: &str, text: &str) -> Result<Box<dyn Mechanism>, UnknownMethod> {
    // Faults are about what was asked for, not about what was added.
    resolve(name).and_then(|method| if text == name { Ok(method) } else { resolve(text) }).map_err(|error| {
        match error {
            ResolveError::Name(NameError::Unknown { name, .. }) => {
                let others = bounds::NAMES.iter().copied().chain(placement::NAMES);
                let known = others.chain(mechanisms::known().into_iter().map(|about| about.name));
                let hint = suggestion(&name, known);
                UnknownMethod::Unknown { name, hint }
            }
            other => other.into(),
        }
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
