//! Functions of Python as mechanisms. They speak the protocol of plug-ins, so that whatever they answer is
//! checked as a plug-in's answer is.

use crate::errors::invalid;
use pyo3::prelude::*;
use std::sync::Arc;
use synergy_experiments::plugins::{Peer, Plugin};
use synergy_solver::mechanisms::{
    About, Guarantees, NameError, Parameter, Parameters, Takes, register as known,
};

/// Makes `peer()`, an object with `ask(lines) -> line`, a mechanism called `name`.
#[pyfunction]
pub fn register(
    name: String,
    description: String,
    whole_queue: bool,
    promises: Vec<String>,
    parameters: Vec<(String, String)>,
    peer: Py<PyAny>,
) -> PyResult<()> {
    if let Some(promise) =
        promises.iter().find(|p| !["fair", "complete", "consolidated"].contains(&p.as_str()))
    {
        return Err(invalid(format!("promises {promise:?}; known are fair, complete, consolidated")));
    }
    let promised = |promise: &str| promises.iter().any(|p| p == promise);
    // These strings live as long as the program, as those of built-in mechanisms do.
    let parameters: Vec<Parameter> = parameters
        .into_iter()
        .map(|(name, default)| Parameter {
            name: name.leak(),
            default: default.leak(),
            description: "as the function takes it",
        })
        .collect();
    let about = About {
        name: name.leak(),
        description: description.leak(),
        source: "a function of Python",
        takes: if whole_queue { Takes::WholeQueue } else { Takes::RunnableSet },
        guarantees: Guarantees {
            fair: promised("fair"),
            complete: promised("complete"),
            consolidated: promised("consolidated"),
        },
        parameters: parameters.leak(),
    };
    let peer = Arc::new(peer);
    let build =
        move |given: &Parameters| -> Result<Box<dyn synergy_solver::mechanisms::Mechanism>, NameError> {
            let given = about
                .parameters
                .iter()
                .map(|p| {
                    Ok((p.name.to_owned(), given.get(p.name, p.default.to_owned(), "a value", |_| true)?))
                })
                .collect::<Result<Vec<_>, NameError>>()?;
            let peer = Arc::clone(&peer);
            let start = move || -> Result<Box<dyn Peer>, String> {
                Python::attach(|py| match peer.call0(py) {
                    Ok(session) => Ok(Box::new(Function(session)) as Box<dyn Peer>),
                    Err(error) => Err(one_line(py, &error)),
                })
            };
            // The greeting repeats what is registered here; a peer of the package cannot refuse it.
            match Plugin::of(about.name.to_owned(), given, start) {
                Ok(plugin) => Ok(Box::new(plugin)),
                Err(error) => Err(NameError::Syntax { text: format!("{}: {error}", about.name) }),
            }
        };
    known(about, build).map_err(invalid)
}

/// An object of Python with a method `ask`.
struct Function(Py<PyAny>);

impl Peer for Function {
    fn ask(&mut self, message: &str) -> Result<Vec<u8>, String> {
        Python::attach(|py| {
            let answer = self.0.call_method1(py, "ask", (message,));
            let answer = answer.and_then(|answer| answer.extract::<String>(py));
            answer.map(String::into_bytes).map_err(|error| one_line(py, &error))
        })
    }
}

/// `ValueError: bad matrix`.
fn one_line(py: Python<'_>, error: &PyErr) -> String {
    let name = error.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
    let text = error.value(py).to_string();
    let text: Vec<&str> = text.split_whitespace().collect();
    format!("{name}: {}", text.join(" "))
}
