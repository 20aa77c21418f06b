//! Instance files, schema `synergy-instance/1`, as JSON or TOML.

use super::text::{Document, Format, parse, read_text};
use crate::error::{InputError, suggestion};
use crate::profiles;
use crate::workload::{OfferedLoad, Repair, running_maximum};
use ndarray::Array2;
use serde::de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use synergy_solver::model::{Amounts, Cluster, Instance, JobSpec, ModelError, Profile, Rules, ServerGroup};

/// Schema of instance files.
pub const SCHEMA: &str = "synergy-instance/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of an instance")]
struct InstanceFile {
    schema: String,
    /// Of the workload that the jobs were drawn from; for readers, no part of the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    offered_load: Option<OfferedLoad>,
    cluster: Vec<GroupEntry>,
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    profiles: Named,
    jobs: Vec<JobEntry>,
}

impl Document for InstanceFile {
    const SCHEMA: &'static str = SCHEMA;
    fn schema(&self) -> &str {
        &self.schema
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a server group")]
struct GroupEntry {
    gpu_type: String,
    count: usize,
    gpus: u32,
    cpus: f64,
    memory_gb: f64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a profile")]
struct ProfileEntry {
    cpus_per_gpu: Vec<f64>,
    memory_gb_per_gpu: Vec<f64>,
    throughput: Vec<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a job")]
struct JobEntry {
    id: String,
    profile: ProfileRef,
    gpus: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arrival_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_s: Option<f64>,
}

/// The value of `profile`: a name, or a matrix in place.
enum ProfileRef {
    Name(String),
    Inline(ProfileEntry),
}

impl Serialize for ProfileRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ProfileRef::Name(name) => name.serialize(serializer),
            ProfileRef::Inline(entry) => entry.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ProfileRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrMatrix;
        impl<'de> Visitor<'de> for NameOrMatrix {
            type Value = ProfileRef;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a profile, or an object with the keys of one")
            }
            fn visit_str<E>(self, name: &str) -> Result<ProfileRef, E> {
                Ok(ProfileRef::Name(name.to_string()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ProfileRef, A::Error> {
                ProfileEntry::deserialize(MapAccessDeserializer::new(map)).map(ProfileRef::Inline)
            }
        }
        deserializer.deserialize_any(NameOrMatrix)
    }
}

/// Profiles by name; a name that stands twice is an error, which serde's own maps would hide.
#[derive(Default)]
struct Named(BTreeMap<String, ProfileEntry>);

impl Named {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Named;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of profiles by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    let entry = map.next_value()?;
                    if entries.contains_key(&name) {
                        return Err(A::Error::custom(format!(
                            "the profile {name:?} stands here twice; keep one"
                        )));
                    }
                    entries.insert(name, entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// Reads an instance; `-` is standard input. Its name is the file's, without ending.
///
/// # Errors
/// Everything that can be wrong with the file, as one line with file, place and mend.
pub fn read(file: &str, rules: Rules) -> Result<Instance, InputError> {
    from_text(file, &read_text(file)?, rules)
}

/// Reads an instance as [`read`] does, but raises matrices that decrease along an axis to their running maximum, and says
/// which.
///
/// # Errors
/// As [`read`].
pub fn read_repaired(file: &str, rules: Rules) -> Result<(Instance, Vec<Repair>), InputError> {
    let mut document: InstanceFile = parse(file, &read_text(file)?)?;
    let mut repairs = Vec::new();
    let named = document.profiles.0.iter_mut().map(|(name, entry)| (name.clone(), entry));
    let inline = document.jobs.iter_mut().filter_map(|job| match &mut job.profile {
        ProfileRef::Inline(entry) => Some((format!("of job {}", job.id), entry)),
        ProfileRef::Name(_) => None,
    });
    for (model, entry) in named.chain(inline) {
        let columns = entry.throughput.first().map_or(0, Vec::len);
        // A matrix of another fault is left for the reader to explain.
        if entry.throughput.iter().any(|row| row.len() != columns) {
            continue;
        }
        let cells = entry.throughput.iter().flatten().copied().collect();
        let Ok(mut matrix) = Array2::from_shape_vec((entry.throughput.len(), columns), cells) else {
            continue;
        };
        let cells = running_maximum(&mut matrix);
        if cells > 0 {
            entry.throughput = matrix.outer_iter().map(|row| row.to_vec()).collect();
            repairs.push(Repair { model, cells });
        }
    }
    Ok((from_document(file, document, rules)?, repairs))
}

/// The instance that `text`, the content of `file`, describes.
///
/// # Errors
/// As [`read`].
pub fn from_text(file: &str, text: &str, rules: Rules) -> Result<Instance, InputError> {
    from_document(file, parse(file, text)?, rules)
}

fn from_document(file: &str, document: InstanceFile, rules: Rules) -> Result<Instance, InputError> {
    let groups = document.cluster.into_iter().map(|group| ServerGroup {
        gpu_type: group.gpu_type,
        count: group.count,
        gpus: group.gpus,
        capacity: Amounts::new(group.cpus, group.memory_gb),
    });
    let cluster = Cluster::new(groups.collect()).map_err(|e| located(file, "", &[], e))?;

    if document.jobs.is_empty() {
        return Err(InputError::at(file, "jobs", "is empty; give at least one job"));
    }
    let mut named = BTreeMap::new();
    for (name, entry) in document.profiles.0 {
        let place = format!("profiles.{name}");
        named.insert(name.clone(), Arc::new(profile(file, &place, name, entry)?));
    }
    let mut inline = Inline::new(named.keys());
    let mut ids = Vec::with_capacity(document.jobs.len());
    let mut specs = Vec::with_capacity(document.jobs.len());
    for (index, job) in document.jobs.into_iter().enumerate() {
        let profile = match job.profile {
            ProfileRef::Inline(entry) => inline.profile(file, index, entry)?,
            ProfileRef::Name(name) => match named.get(&name) {
                Some(profile) => Arc::clone(profile),
                None => {
                    let profile = match profiles::find(&name) {
                        Some(model) => Arc::clone(&model.profile),
                        None => return Err(unknown_profile(file, index, &name, named.keys())),
                    };
                    named.insert(name, Arc::clone(&profile));
                    profile
                }
            },
        };
        ids.push(job.id.clone());
        specs.push(JobSpec {
            id: job.id,
            profile,
            gpus: job.gpus,
            weight: job.weight.unwrap_or(1.0),
            arrival_s: job.arrival_s,
            work_s: job.work_s,
        });
    }
    let name = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy().into_owned());
    Instance::new(name, cluster, specs, rules).map_err(|e| located(file, "", &ids, e))
}

fn unknown_profile<'a>(
    file: &str,
    index: usize,
    name: &str,
    named: impl Iterator<Item = &'a String>,
) -> InputError {
    let known: BTreeSet<&str> =
        named.map(String::as_str).chain(profiles::builtin().iter().map(|model| model.name())).collect();
    let message = format!("no profile {name:?} in the file, and none is built in{}", suggestion(name, known));
    InputError::at(file, format!("jobs[{index}].profile"), message)
}

/// One shared profile per distinct matrix that stands in a job.
struct Inline {
    by_content: HashMap<Vec<u64>, Arc<Profile>>,
    taken: BTreeSet<String>,
}

impl Inline {
    fn new<'a>(taken: impl Iterator<Item = &'a String>) -> Self {
        let built_in = profiles::builtin().iter().map(|model| model.name().to_string());
        Inline { by_content: HashMap::new(), taken: taken.cloned().chain(built_in).collect() }
    }

    fn profile(&mut self, file: &str, job: usize, entry: ProfileEntry) -> Result<Arc<Profile>, InputError> {
        let bits = |numbers: &[f64]| {
            let mut bits = vec![numbers.len() as u64];
            bits.extend(numbers.iter().map(|x| x.to_bits()));
            bits
        };
        let mut content = bits(&entry.cpus_per_gpu);
        content.extend(bits(&entry.memory_gb_per_gpu));
        content.extend(entry.throughput.iter().flat_map(|row| bits(row)));
        if let Some(profile) = self.by_content.get(&content) {
            return Ok(Arc::clone(profile));
        }
        let name = free_name("inline-1", &mut self.taken);
        let profile = Arc::new(profile(file, &format!("jobs[{job}].profile"), name, entry)?);
        self.by_content.insert(content, Arc::clone(&profile));
        Ok(profile)
    }
}

/// `wanted`, or its stem with the first number that is free.
fn free_name(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = wanted.to_string();
    let stem = wanted.strip_suffix("-1").unwrap_or(wanted);
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{stem}-{number}");
    }
    name
}

fn profile(file: &str, place: &str, name: String, entry: ProfileEntry) -> Result<Profile, InputError> {
    let (rows, columns) = (entry.cpus_per_gpu.len(), entry.memory_gb_per_gpu.len());
    if entry.throughput.len() != rows {
        let message = format!(
            "has {} rows, but cpus_per_gpu has {rows} points; give one row per CPU point",
            entry.throughput.len()
        );
        return Err(InputError::at(file, format!("{place}.throughput"), message));
    }
    if let Some(row) = entry.throughput.iter().position(|row| row.len() != columns) {
        let message = format!(
            "has {} cell(s), but memory_gb_per_gpu has {columns} points; give one cell per memory point",
            entry.throughput[row].len()
        );
        return Err(InputError::at(file, format!("{place}.throughput[{row}]"), message));
    }
    let cells: Vec<f64> = entry.throughput.into_iter().flatten().collect();
    let matrix = Array2::from_shape_vec((rows, columns), cells)
        .map_err(|e| InputError::at(file, format!("{place}.throughput"), e))?;
    Profile::new(name, entry.cpus_per_gpu, entry.memory_gb_per_gpu, matrix)
        .map_err(|e| located(file, place, &[], e))
}

/// A fault of the model at its place in the file. `place` is the profile's, `ids` the jobs'.
fn located(file: &str, place: &str, ids: &[String], error: ModelError) -> InputError {
    let job = |id: &str, field: &str| match ids.iter().position(|other| other == id) {
        Some(index) => format!("jobs[{index}].{field}"),
        None => field.to_string(),
    };
    let message = error.to_string();
    // What the model puts before the first colon, its place in the file says here.
    let rest = message.split_once(": ").map_or(message.as_str(), |(_, rest)| rest);
    let of_job = |id: &str| {
        let rest = message.strip_prefix(&format!("job {id:?}: ")).unwrap_or(&message);
        format!("job {id:?} {rest}")
    };
    match &error {
        ModelError::EmptyCluster | ModelError::TooManyServers { .. } => InputError::at(file, "cluster", rest),
        ModelError::Group { index, field, .. } => {
            InputError::at(file, format!("cluster[{index}].{field}"), rest)
        }
        ModelError::DuplicateJob { job: id, first, second } => InputError::at(
            file,
            format!("jobs[{second}].id"),
            format!("{id:?} is already the id of jobs[{first}]; ids must be unique"),
        ),
        ModelError::Axis { axis, .. } => InputError::at(
            file,
            format!("{place}.{axis}"),
            "must be a non-empty list of positive numbers in increasing order, none above 1e12",
        ),
        ModelError::Cell { row, column, value, .. } => InputError::at(
            file,
            format!("{place}.throughput[{row}][{column}]"),
            format!("is {value}; give a finite number, 0 or above"),
        ),
        ModelError::Decreasing { row, column, value, neighbour, .. } => InputError::at(
            file,
            format!("{place}.throughput[{row}][{column}]"),
            format!(
                "is {value}, below {neighbour} at fewer CPUs or less memory; throughput must not decrease along an axis \
                 (--repair-profiles raises it)"
            ),
        ),
        ModelError::Shape { .. } => InputError::at(file, format!("{place}.throughput"), rest),
        ModelError::Job { job: id, field, value } => {
            let least = if *field == "gpus" { "a whole number above 0" } else { "a number from 0 to 1e12" };
            InputError::at(file, job(id, field), format!("is {value} (job {id:?}); give {least}"))
        }
        ModelError::TooManyGpus { job: id, .. } => InputError::at(file, job(id, "gpus"), of_job(id)),
        ModelError::ZeroBaseline { job: id, .. } => InputError::at(file, job(id, "profile"), &message),
    }
}

/// The text of an instance file. Same instance, same bytes; built-in profiles are named only.
///
/// # Errors
/// None for an instance that was built; the formats' own writers could refuse.
pub fn to_text(instance: &Instance, format: Format) -> anyhow::Result<String> {
    text_of(&document(instance), format)
}

/// The text of an instance that was drawn from a workload of this load.
///
/// # Errors
/// As [`to_text`].
pub fn to_text_with_load(instance: &Instance, load: OfferedLoad, format: Format) -> anyhow::Result<String> {
    text_of(&InstanceFile { offered_load: Some(load), ..document(instance) }, format)
}

fn text_of(document: &InstanceFile, format: Format) -> anyhow::Result<String> {
    match format {
        Format::Toml => Ok(toml::to_string(document)?),
        Format::Json => {
            // One line per group, profile and job: readable, and `diff` shows which job changed.
            let lines = |entries: Vec<String>| entries.join(",\n    ");
            let cluster =
                document.cluster.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            let jobs = document.jobs.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            let mut text = format!("{{\n  \"schema\": {SCHEMA:?},\n");
            if let Some(load) = &document.offered_load {
                text += &format!("  \"offered_load\": {},\n", serde_json::to_string(load)?);
            }
            text += &format!("  \"cluster\": [\n    {}\n  ],\n", lines(cluster));
            if !document.profiles.is_empty() {
                let mut entries = Vec::new();
                for (name, entry) in &document.profiles.0 {
                    entries.push(format!(
                        "{}: {}",
                        serde_json::to_string(name)?,
                        serde_json::to_string(entry)?
                    ));
                }
                text += &format!("  \"profiles\": {{\n    {}\n  }},\n", lines(entries));
            }
            text += &format!("  \"jobs\": [\n    {}\n  ]\n}}\n", lines(jobs));
            Ok(text)
        }
    }
}

fn document(instance: &Instance) -> InstanceFile {
    let built_in =
        |profile: &Profile| profiles::find(profile.name()).filter(|model| *model.profile == *profile);
    // A profile of the built-in set is its name alone, which no other one may take.
    let profiles = instance.classes().iter().map(|class| &class.profile);
    let mut taken: BTreeSet<String> =
        profiles.filter(|profile| built_in(profile).is_some()).map(|profile| profile.name().into()).collect();
    let mut entries = BTreeMap::new();
    let mut names: HashMap<*const Profile, String> = HashMap::new();
    for class in instance.classes() {
        let address = Arc::as_ptr(&class.profile);
        if names.contains_key(&address) {
            continue;
        }
        let name = match built_in(&class.profile) {
            Some(model) => model.name().to_string(),
            None => {
                let name = free_name(class.profile.name(), &mut taken);
                entries.insert(name.clone(), entry(&class.profile));
                name
            }
        };
        names.insert(address, name);
    }
    InstanceFile {
        offered_load: None,
        schema: SCHEMA.to_string(),
        cluster: instance.cluster().groups().iter().map(group_entry).collect(),
        profiles: Named(entries),
        jobs: (0..instance.jobs().len())
            .map(|index| {
                let job = &instance.jobs()[index];
                JobEntry {
                    id: job.id.clone(),
                    profile: ProfileRef::Name(names[&Arc::as_ptr(&instance.class_of(index).profile)].clone()),
                    gpus: instance.gpus(index),
                    weight: Some(job.weight).filter(|&weight| weight != 1.0),
                    arrival_s: job.arrival_s,
                    work_s: job.work_s,
                }
            })
            .collect(),
    }
}

fn group_entry(group: &ServerGroup) -> GroupEntry {
    GroupEntry {
        gpu_type: group.gpu_type.clone(),
        count: group.count,
        gpus: group.gpus,
        cpus: group.capacity.cpus(),
        memory_gb: group.capacity.memory_gb(),
    }
}

fn entry(profile: &Profile) -> ProfileEntry {
    ProfileEntry {
        cpus_per_gpu: profile.cpus_per_gpu().to_vec(),
        memory_gb_per_gpu: profile.memory_gb_per_gpu().to_vec(),
        throughput: profile.throughput().rows().into_iter().map(|row| row.to_vec()).collect(),
    }
}
