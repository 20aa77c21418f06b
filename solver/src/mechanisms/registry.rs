//! Mechanisms by name: `tune`, `tune-local[moves=1000]`.

use super::packing::evaluations;
use super::{
    About, Greedy, Mechanism, OptDeployable, OptRounded, Optimum, PriceGreedy, Proportional, Tune, TuneLocal,
};
use crate::placement;
use std::sync::{PoisonError, RwLock};
use thiserror::Error;

/// A mechanism that can be asked for by name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it is, promises and can be told.
    pub about: About,
    /// Makes one. The parameters' names are already checked.
    pub build: fn(&Parameters) -> Result<Box<dyn Mechanism>, NameError>,
}

/// All built-in mechanisms, by name.
pub const ALL: &[Entry] = &[
    Entry { about: Greedy::ABOUT, build: |_| Ok(Box::new(Greedy)) },
    Entry {
        about: OptDeployable::ABOUT,
        build: |parameters| Ok(Box::new(OptDeployable::named(parameters)?)),
    },
    Entry { about: OptRounded::ABOUT, build: opt_rounded },
    Entry { about: Optimum::ABOUT, build: |parameters| Ok(Box::new(Optimum::named(parameters)?)) },
    Entry {
        about: PriceGreedy::ABOUT,
        build: |parameters| Ok(Box::new(PriceGreedy { evaluations: evaluations(parameters)? })),
    },
    Entry { about: Proportional::ABOUT, build: |_| Ok(Box::new(Proportional)) },
    Entry { about: Tune::ABOUT, build: |_| Ok(Box::new(Tune)) },
    Entry {
        about: TuneLocal::ABOUT,
        build: |parameters| Ok(Box::new(TuneLocal { evaluations: evaluations(parameters)? })),
    },
];

fn opt_rounded(parameters: &Parameters) -> Result<Box<dyn Mechanism>, NameError> {
    let known = |name: &String| placement::by_name(name, &placement::MethodLimits::default()).is_some();
    let expected = "a placement method, such as vertex or bisection+merge";
    let placement = parameters.get("placement", OptRounded::default().placement, expected, known)?;
    Ok(Box::new(OptRounded { placement }))
}

/// Makes a mechanism with the parameters given in brackets, whose names are already checked.
type Build = dyn Fn(&Parameters) -> Result<Box<dyn Mechanism>, NameError> + Send + Sync;

/// Mechanisms of programs around this library, in the order of their registration.
static REGISTERED: RwLock<Vec<(About, &'static Build)>> = RwLock::new(Vec::new());

/// Makes a mechanism of your own known by name, wherever built-in ones are. A program does so before it
/// starts to work. Registering a name again replaces it.
///
/// # Errors
/// The name is a built-in one's, or is not made of letters, digits, `-`, `_` and `.`.
pub fn register(
    about: About,
    build: impl Fn(&Parameters) -> Result<Box<dyn Mechanism>, NameError> + Send + Sync + 'static,
) -> Result<(), NameError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if about.name.is_empty() || !about.name.chars().all(is_plain) {
        return Err(NameError::Syntax { text: about.name.to_owned() });
    }
    if ALL.iter().any(|entry| entry.about.name == about.name) {
        return Err(NameError::Taken { name: about.name });
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|(earlier, _)| earlier.name != about.name);
    registered.push((about, Box::leak(Box::new(build))));
    Ok(())
}

/// What is known by name: the built-in mechanisms, then the registered ones.
pub fn known() -> Vec<About> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    ALL.iter().map(|entry| entry.about).chain(registered.iter().map(|(about, _)| *about)).collect()
}

fn find(name: &str) -> Option<(About, &'static Build)> {
    if let Some(entry) = ALL.iter().find(|entry| entry.about.name == name) {
        return Some((entry.about, &entry.build));
    }
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.iter().find(|(about, _)| about.name == name).copied()
}

/// Why a text names no mechanism.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NameError {
    /// No such mechanism.
    #[error("no mechanism {name:?}{}; known are {}", did_you_mean(suggestion), known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest known name, where one is near.
        suggestion: Option<&'static str>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// Not of the form `name` or `name[parameter=value,...]`.
    #[error("mechanism {text:?}: write name or name[parameter=value,parameter=value]")]
    Syntax {
        /// What was given.
        text: String,
    },
    /// A name for a mechanism of one's own that a built-in one has.
    #[error("{name:?} is a built-in mechanism; give yours another name")]
    Taken {
        /// The name.
        name: &'static str,
    },
    /// The mechanism has no such parameter.
    #[error(
        "mechanism {mechanism}: no parameter {parameter:?}; {}",
        if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) }
    )]
    UnknownParameter {
        /// Mechanism.
        mechanism: &'static str,
        /// What was given.
        parameter: String,
        /// All of its parameters.
        known: Vec<&'static str>,
    },
    /// A value that the parameter cannot have.
    #[error("mechanism {mechanism}: {parameter} is {value:?}; give {expected}")]
    Value {
        /// Mechanism.
        mechanism: &'static str,
        /// Parameter.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// Parameters given in brackets.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    mechanism: &'static str,
    given: Vec<(String, String)>,
}

impl Parameters {
    /// The value of `parameter`, or `default` where it is not given.
    ///
    /// # Errors
    /// A value that does not parse or that `accept` refuses; `expected` says what it may be.
    pub fn get<T: std::str::FromStr>(
        &self,
        parameter: &'static str,
        default: T,
        expected: &'static str,
        accept: impl Fn(&T) -> bool,
    ) -> Result<T, NameError> {
        let Some((_, text)) = self.given.iter().find(|(name, _)| name == parameter) else {
            return Ok(default);
        };
        text.parse().ok().filter(accept).ok_or_else(|| NameError::Value {
            mechanism: self.mechanism,
            parameter,
            value: text.clone(),
            expected,
        })
    }
}

/// The mechanism that `text` names: `name` or `name[parameter=value,parameter=value]`.
///
/// # Errors
/// No such mechanism or parameter, a bad value, a text of another form.
///
/// ```
/// use synergy_solver::mechanisms::by_name;
/// assert_eq!(by_name("tune")?.about().name, "tune");
/// assert!(by_name("tun").err().unwrap().to_string().contains("did you mean \"tune\"?"));
/// # Ok::<(), synergy_solver::mechanisms::NameError>(())
/// ```
pub fn by_name(text: &str) -> Result<Box<dyn Mechanism>, NameError> {
    let syntax = || NameError::Syntax { text: text.to_owned() };
    let (name, inside) = match text.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']').ok_or_else(syntax)?),
        None => (text, ""),
    };
    let name = name.trim();
    let (about, build) = find(name).ok_or_else(|| unknown(name))?;
    let known: Vec<&'static str> = about.parameters.iter().map(|p| p.name).collect();
    let mut given: Vec<(String, String)> = Vec::new();
    for pair in inside.split(',').filter(|pair| !inside.trim().is_empty() || !pair.trim().is_empty()) {
        let (parameter, value) = pair.split_once('=').ok_or_else(syntax)?;
        let (parameter, value) = (parameter.trim().to_owned(), value.trim().to_owned());
        if !known.contains(&parameter.as_str()) {
            return Err(NameError::UnknownParameter { mechanism: about.name, parameter, known });
        }
        if given.iter().any(|(earlier, _)| *earlier == parameter) {
            return Err(syntax());
        }
        given.push((parameter, value));
    }
    build(&Parameters { mechanism: about.name, given })
}

fn unknown(name: &str) -> NameError {
    let known: Vec<&'static str> = known().into_iter().map(|about| about.name).collect();
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(name, known), *known)).min();
    let suggestion = near.filter(|(distance, known)| *distance * 2 <= known.len()).map(|(_, known)| known);
    NameError::Unknown { name: name.to_owned(), suggestion, known }
}
