//! Mechanisms by name, those of other languages included: `exec:./my_heuristic.py[alpha=0.5]`.
//!
//! A plug-in is a program that stays up, reads requests as JSON lines on its standard input and
//! answers each with one line on its standard output. `command` takes its name apart, `protocol`
//! has the messages, `process` the child and its limits. Every answer goes through the independent
//! checker before anyone sees it. Another [`Peer`] than a process, such as a function of the Python
//! package, speaks the same protocol.

mod command;
mod process;
mod protocol;
#[cfg(test)]
mod tests;

pub use command::Command;
pub use protocol::SCHEMA;

use process::Process;
use protocol::{Answer, Hello, HelloAnswer, Request};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use synergy_solver::check::{Verdict, check};
use synergy_solver::mechanisms::{
    About, Guarantees, Mechanism, MechanismError, NameError, Outcome, Takes, by_name,
};
use synergy_solver::model::{Allocation, Instance, Profile, Rules, ServerGroup};
use synergy_solver::status::Status;
use thiserror::Error;

/// What makes a name one of a plug-in.
pub const PREFIX: &str = "exec:";

/// Seconds that a plug-in has for an answer, unless `timeout_s` says otherwise.
const TIMEOUT_S: f64 = 10.0;

/// What it has at least for its greeting: loading a language's libraries is no part of a round.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no mechanism of a name.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// No built-in mechanism.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A plug-in that does not start, or does not speak the protocol.
    #[error(transparent)]
    Plugin(#[from] MechanismError),
}

/// The mechanism that `text` names: a built-in one as for [`by_name`], or `exec:COMMAND` with
/// arguments after spaces and parameters in brackets. `timeout_s` is ours; the plug-in gets the others.
///
/// # Errors
/// An unknown name; a plug-in that cannot be started or whose greeting is wrong.
pub fn resolve(text: &str) -> Result<Box<dyn Mechanism>, ResolveError> {
    match command_of(text) {
        Some(command) => Ok(Box::new(Plugin::start(command?)?)),
        None => Ok(by_name(text)?),
    }
}

/// Whether `text` names a mechanism, without starting anything.
///
/// # Errors
/// An unknown name; the name of a plug-in that is none.
pub fn check_name(text: &str) -> Result<(), ResolveError> {
    match command_of(text) {
        Some(command) => command.map(drop).map_err(ResolveError::from),
        None => by_name(text).map(drop).map_err(ResolveError::from),
    }
}

/// The command of a plug-in's name; `None` for other names.
pub fn command_of(text: &str) -> Option<Result<Command, MechanismError>> {
    text.trim().strip_prefix(PREFIX).map(Command::parse)
}

/// Who is asked: takes lines of the protocol, gives one line back.
pub trait Peer: Send {
    /// Sends `message`, whole lines, and waits for one line of answer.
    ///
    /// # Errors
    /// Why there is none, in one line.
    fn ask(&mut self, message: &str) -> Result<Vec<u8>, String>;

    /// `reason`, with what the peer has to say to it.
    fn explain(&self, reason: &str) -> String {
        reason.to_owned()
    }
}

/// Starts a peer anew.
type Start = dyn Fn() -> Result<Box<dyn Peer>, String> + Send + Sync;

/// A mechanism of a peer, as a rule another process. Calls at the same time have a peer each, which stays
/// for later calls: never more than there are threads that call.
pub struct Plugin {
    label: String,
    start: Box<Start>,
    parameters: Vec<(String, String)>,
    about: About,
    /// Processes that wait for a request, with what each knows already.
    idle: Mutex<Vec<Session>>,
}

impl Plugin {
    /// Starts a process of `command` and exchanges greetings.
    ///
    /// # Errors
    /// It cannot be started, ends, stays silent, or answers something else.
    pub fn start(command: Command) -> Result<Self, MechanismError> {
        let Command { label, words, parameters, timeout } = command;
        let start = move || -> Result<Box<dyn Peer>, String> {
            Ok(Box::new(Timed { process: Process::start(&words)?, greeted: false, timeout }))
        };
        Self::of(label, parameters, start)
    }

    /// Starts a peer and exchanges greetings. After a failure it is started anew.
    ///
    /// # Errors
    /// As for [`Plugin::start`].
    pub fn of(
        label: String,
        parameters: Vec<(String, String)>,
        start: impl Fn() -> Result<Box<dyn Peer>, String> + Send + Sync + 'static,
    ) -> Result<Self, MechanismError> {
        let failed = |reason: String| MechanismError::Failed { mechanism: label.clone(), reason };
        let (session, hello) = Session::start(&start, &parameters).map_err(&failed)?;
        let about = about(&hello).map_err(&failed)?;
        Ok(Plugin { label, start: Box::new(start), parameters, about, idle: Mutex::new(vec![session]) })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process with the time that it has for an answer.
struct Timed {
    process: Process,
    greeted: bool,
    timeout: Duration,
}

impl Peer for Timed {
    fn ask(&mut self, message: &str) -> Result<Vec<u8>, String> {
        let timeout = if self.greeted { self.timeout } else { self.timeout.max(START_TIMEOUT) };
        self.greeted = true;
        self.process.ask(message, timeout)
    }

    fn explain(&self, reason: &str) -> String {
        self.process.explain(reason)
    }
}

/// What the greeting says. The strings live as long as the program: a run has few plug-ins.
fn about(hello: &HelloAnswer) -> Result<About, String> {
    let mut guarantees = Guarantees::default();
    for promise in &hello.promises {
        match promise.as_str() {
            "fair" => guarantees.fair = true,
            "complete" => guarantees.complete = true,
            "consolidated" => guarantees.consolidated = true,
            other => return Err(format!("promises {other:?}; known are fair, complete, consolidated")),
        }
    }
    let takes = match hello.takes.as_str() {
        "runnable-set" => Takes::RunnableSet,
        "whole-queue" => Takes::WholeQueue,
        other => return Err(format!("takes {other:?}; known are runnable-set, whole-queue")),
    };
    Ok(About {
        name: hello.name.clone().leak(),
        description: hello.description.clone().leak(),
        source: "plug-in",
        takes,
        guarantees,
        parameters: &[],
    })
}

impl Mechanism for Plugin {
    fn about(&self) -> About {
        self.about
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let failed = |reason: String| MechanismError::Failed { mechanism: self.label.clone(), reason };
        let waiting = self.idle().pop();
        let mut session = match waiting {
            Some(session) => session,
            None => Session::start(&self.start, &self.parameters).map_err(&failed)?.0,
        };
        let jobs = match self.about.takes {
            Takes::RunnableSet => instance.runnable(queue),
            Takes::WholeQueue => queue.to_vec(),
        };
        // After any fault the session is dropped, and its process with it: nothing of it can leak into
        // the next round.
        let allocation = session.allocate(instance, &jobs).map_err(&failed)?;
        let report = check(instance, queue, &allocation);
        if let Some(violation) = report.violations.iter().find(|v| v.breach.verdict() == Verdict::Valid) {
            return Err(failed(format!("invalid allocation: {}", violation.describe(instance))));
        }
        self.idle().push(session);
        Ok(Outcome { status: Status::Ok, allocation, reverted: Vec::new(), bound: None, effort: None })
    }
}

/// A running plug-in and what it has been told.
struct Session {
    peer: Box<dyn Peer>,
    known: Known,
    round: u64,
}

/// What a plug-in has been told.
#[derive(Default)]
struct Known {
    cluster: Option<(Vec<ServerGroup>, Rules)>,
    /// The profile is kept alive, so that an equal address is the same matrix.
    classes: Vec<(Arc<Profile>, u32)>,
}

impl Session {
    fn start(start: &Start, parameters: &[(String, String)]) -> Result<(Self, HelloAnswer), String> {
        let mut peer = start()?;
        let line = peer.ask(&protocol::line(&Hello::new(parameters)))?;
        let hello = protocol::hello_answer(&line).map_err(|reason| peer.explain(&reason))?;
        Ok((Session { peer, known: Known::default(), round: 0 }, hello))
    }

    fn allocate(&mut self, instance: &Instance, jobs: &[usize]) -> Result<Allocation, String> {
        let mut lines = self.known.news(instance);
        lines.push(protocol::line(&Request::Allocate {
            round: self.round,
            jobs: jobs
                .iter()
                .map(|&job| (job, instance.jobs()[job].class, instance.objective_weight(job)))
                .collect(),
        }));
        let line = self.peer.ask(&lines.concat())?;
        let answer: Answer = protocol::answer(&line).map_err(|reason| self.peer.explain(&reason))?;
        let allocation =
            protocol::allocation(answer, self.round).map_err(|reason| self.peer.explain(&reason))?;
        self.round += 1;
        Ok(allocation)
    }
}

impl Known {
    /// Cluster and classes that the plug-in has not been told yet: matrices go over the pipe once per
    /// class, not once per round.
    fn news(&mut self, instance: &Instance) -> Vec<String> {
        let mut lines = Vec::new();
        let groups = instance.cluster().groups();
        let is_known =
            self.cluster.as_ref().is_some_and(|(known, rules)| known == groups && *rules == instance.rules());
        if !is_known {
            self.cluster = Some((groups.to_vec(), instance.rules()));
            self.classes.clear();
            lines.push(protocol::line(&Request::cluster(instance)));
        }
        let same = |(profile, gpus): &(Arc<Profile>, u32), index: usize| {
            instance.classes().get(index).is_some_and(|c| Arc::ptr_eq(profile, &c.profile) && *gpus == c.gpus)
        };
        let known = self.classes.iter().enumerate().take_while(|&(index, class)| same(class, index)).count();
        // Fewer classes than before are fine: the plug-in knows some that no job has.
        if known < instance.classes().len() {
            self.classes.truncate(known);
            self.classes.extend(instance.classes()[known..].iter().map(|c| (Arc::clone(&c.profile), c.gpus)));
            lines.push(protocol::line(&Request::classes(instance, known)));
        }
        lines
    }
}
