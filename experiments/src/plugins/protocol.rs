//! The messages of `synergy-plugin/1`, one JSON object per line. `schemas/synergy-plugin-1.schema.json`
//! of this crate describes them for other languages.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use synergy_solver::model::{Allocation, Amounts, Instance, JobAllocation, Objective, Part, ThroughputRule};

/// Name and version of the protocol.
pub const SCHEMA: &str = "synergy-plugin/1";

/// Our greeting, the first line a plug-in reads.
#[derive(Serialize)]
pub(super) struct Hello {
    #[serde(rename = "type")]
    kind: &'static str,
    schema: &'static str,
    parameters: BTreeMap<String, String>,
}

impl Hello {
    pub fn new(parameters: &[(String, String)]) -> Self {
        Hello { kind: "hello", schema: SCHEMA, parameters: parameters.iter().cloned().collect() }
    }
}

/// The plug-in's greeting.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a greeting")]
pub(super) struct HelloAnswer {
    #[serde(rename = "type")]
    kind: String,
    schema: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default = "runnable_set")]
    pub takes: String,
    #[serde(default)]
    pub promises: Vec<String>,
}

fn runnable_set() -> String {
    "runnable-set".into()
}

/// What we send after the greeting. Only `allocate` is answered.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Request<'a> {
    /// A new cluster; all classes are forgotten.
    Cluster { groups: Vec<Group<'a>>, rules: RulesMessage },
    /// Classes that are new, numbered from `first` on; later ones of these numbers are forgotten.
    Classes { first: usize, classes: Vec<Class<'a>> },
    /// A round: jobs in policy order, each as [job, class, objective weight].
    Allocate { round: u64, jobs: Vec<(usize, usize, f64)> },
}

#[derive(Serialize)]
pub(super) struct Group<'a> {
    gpu_type: &'a str,
    first_server: usize,
    count: usize,
    gpus: u32,
    cpus: f64,
    memory_gb: f64,
}

#[derive(Serialize)]
pub(super) struct RulesMessage {
    throughput: &'static str,
    objective: &'static str,
    whole_cpus: bool,
}

#[derive(Serialize)]
pub(super) struct Class<'a> {
    profile: &'a str,
    gpus: u32,
    larger_than_server: bool,
    /// Best-case demand.
    demand: Point,
    /// GPU-proportional share on a server of each group.
    shares: Vec<Point>,
    smallest_share: Point,
    /// (CPUs, GB, normalised throughput) of every configuration: totals of the job.
    configurations: Vec<(f64, f64, f64)>,
}

/// CPUs and GB.
type Point = (f64, f64);

fn point(amounts: &Amounts) -> Point {
    (amounts.cpus(), amounts.memory_gb())
}

impl<'a> Request<'a> {
    pub fn cluster(instance: &'a Instance) -> Self {
        let cluster = instance.cluster();
        let group = |(index, g): (usize, &'a synergy_solver::model::ServerGroup)| Group {
            gpu_type: &g.gpu_type,
            first_server: cluster.servers_of(index).start,
            count: g.count,
            gpus: g.gpus,
            cpus: g.capacity.cpus(),
            memory_gb: g.capacity.memory_gb(),
        };
        let rules = instance.rules();
        Request::Cluster {
            groups: cluster.groups().iter().enumerate().map(group).collect(),
            rules: RulesMessage {
                throughput: match rules.throughput {
                    ThroughputRule::Floor => "floor",
                    ThroughputRule::Bilinear => "bilinear",
                },
                objective: match rules.objective {
                    Objective::Normalised => "normalised",
                    Objective::Gpus => "gpus",
                },
                whole_cpus: rules.whole_cpus,
            },
        }
    }

    pub fn classes(instance: &'a Instance, first: usize) -> Self {
        let class = |c: &'a synergy_solver::model::JobClass| Class {
            profile: c.profile.name(),
            gpus: c.gpus,
            larger_than_server: c.larger_than_server,
            demand: point(&c.demand),
            shares: c.shares.iter().map(point).collect(),
            smallest_share: point(&c.smallest_share),
            configurations: c
                .configurations
                .iter()
                .map(|k| (k.amounts.cpus(), k.amounts.memory_gb(), k.throughput))
                .collect(),
        };
        Request::Classes { first, classes: instance.classes()[first..].iter().map(class).collect() }
    }
}

/// The plug-in's answer to `allocate`: an allocation, or an error with its message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with \"type\": \"allocation\" or \"error\"")]
pub(super) struct Answer {
    #[serde(rename = "type")]
    kind: String,
    round: Option<u64>,
    /// Jobs that are not listed are not scheduled.
    jobs: Option<Vec<JobAnswer>>,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobAnswer {
    job: usize,
    parts: Vec<PartAnswer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartAnswer {
    server: usize,
    gpus: f64,
    cpus: f64,
    memory_gb: f64,
}

/// `message` as one line. These messages are plain data, which JSON can always hold.
pub(super) fn line(message: &impl Serialize) -> String {
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}

pub(super) fn hello_answer(line: &[u8]) -> Result<HelloAnswer, String> {
    let hello: HelloAnswer = serde_json::from_slice(line)
        .map_err(|error| format!("its greeting cannot be read: {error}: {}", start_of(line)))?;
    if hello.kind != "hello" || hello.schema != SCHEMA {
        let (kind, schema) = (hello.kind, hello.schema);
        return Err(format!("its greeting is {kind:?} of {schema:?}; it must be \"hello\" of {SCHEMA:?}"));
    }
    Ok(hello)
}

pub(super) fn answer(line: &[u8]) -> Result<Answer, String> {
    serde_json::from_slice(line)
        .map_err(|error| format!("its answer cannot be read: {error}: {}", start_of(line)))
}

/// The allocation in an answer to round `round`.
pub(super) fn allocation(answer: Answer, round: u64) -> Result<Allocation, String> {
    let jobs = match (answer.kind.as_str(), answer.jobs) {
        ("error", _) => {
            return Err(answer.message.unwrap_or_else(|| "it reports an error without a message".into()));
        }
        ("allocation", Some(jobs)) if answer.round == Some(round) => jobs,
        ("allocation", Some(_)) => {
            let answered = answer.round.map_or_else(|| "no round".into(), |round| format!("round {round}"));
            return Err(format!("it answered {answered} when asked for round {round}"));
        }
        ("allocation", None) => return Err("its allocation has no \"jobs\"".into()),
        (kind, _) => return Err(format!("its answer is of type {kind:?}; give \"allocation\" or \"error\"")),
    };
    let part =
        |p: PartAnswer| Part { server: p.server, gpus: p.gpus, amounts: Amounts::new(p.cpus, p.memory_gb) };
    let job = |entry: JobAnswer| {
        let mut parts: synergy_solver::model::Parts = entry.parts.into_iter().map(part).collect();
        parts.sort_by_key(|part| part.server);
        JobAllocation { job: entry.job, parts }
    };
    let mut jobs: Vec<JobAllocation> = jobs.into_iter().map(job).collect();
    jobs.sort_by_key(|entry| entry.job);
    Ok(Allocation { fractional: false, jobs })
}

/// The start of a line, for messages.
fn start_of(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    let start: String = line.trim_end().chars().take(80).collect();
    if start.len() < line.trim_end().len() { format!("{start:?}...") } else { format!("{start:?}") }
}
