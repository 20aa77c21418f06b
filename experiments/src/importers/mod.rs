//! Importers: files of the field to traces. One file per format.
//!
//! The source is streamed; what is kept is the trace, as it must be to be sorted by arrival: one
//! [`TraceJob`] per job, with one copy of every text that jobs share. Every row is kept or counted as a reject by
//! reason ([`Report`]). After the last row the trace is sorted by arrival, times are counted from the
//! first arrival, and what the source does not have (durations, profiles) is filled by a stated rule
//! and labelled in [`About`].

mod alibaba_2020;
mod alibaba_2023;
mod alibaba_nodes;
mod assign;
mod gavel;
mod helios;
mod input;
mod philly_log;
mod philly_table;
mod pollux;
mod record;
mod records;
mod replay;
mod report;
mod swf;

pub use alibaba_nodes::{import_nodes, import_nodes_from};
pub use assign::ProfileRule;
pub use input::LONGEST_LINE;
pub use record::{date, parse_moment_s};
pub use replay::replay_profile;
pub use report::{Reason, Report, Tally};

use crate::error::InputError;
use crate::trace::{About, Texts, Trace, TraceJob};
use crate::workload::{self, Purpose, Stream};
use input::{Element, Elements, ElementsError};
use record::{Column, Layout, Record};
use records::Records;
use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// Formats that hold jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Philly `cluster_job_log` (JSON)
    PhillyLog,
    /// Philly as a table (timestamp, duration, num_gpus, ...)
    PhillyTable,
    /// The published simulator's replay files (id, model, arrival, iterations, GPUs)
    Replay,
    /// Gavel and Shockwave traces (7, 10 or 12 columns)
    Gavel,
    /// Helios `cluster_log.csv`
    Helios,
    /// Alibaba PAI 2020 `pai_task_table`
    #[value(name = "alibaba-2020")]
    Alibaba2020,
    /// Alibaba 2023 pod list
    #[value(name = "alibaba-2023")]
    Alibaba2023,
    /// Pollux and Sia workloads
    #[value(alias = "sia")]
    Pollux,
    /// Standard Workload Format
    Swf,
}

impl Format {
    /// Name on the command line and in metadata.
    pub const fn name(self) -> &'static str {
        match self {
            Format::PhillyLog => "philly-log",
            Format::PhillyTable => "philly-table",
            Format::Replay => "replay",
            Format::Gavel => "gavel",
            Format::Helios => "helios",
            Format::Alibaba2020 => "alibaba-2020",
            Format::Alibaba2023 => "alibaba-2023",
            Format::Pollux => "pollux",
            Format::Swf => "swf",
        }
    }

    /// The published profile that the source's word for a model stands for.
    fn named_profile(self, application: &str) -> Option<&'static str> {
        match self {
            Format::Gavel => gavel::profile(application),
            Format::Pollux => pollux::profile(application),
            _ => None,
        }
    }

    /// How its rows look; `None` for JSON.
    fn rows(self) -> Option<Rows> {
        let csv = |columns, job| Rows { delimiter: Some(','), columns, header: Header::Required, job };
        Some(match self {
            Format::PhillyLog => return None,
            Format::PhillyTable => csv(philly_table::COLUMNS, philly_table::job),
            Format::Replay => Rows { header: Header::None, ..csv(replay::COLUMNS, replay::job) },
            Format::Gavel => Rows {
                delimiter: Some('\t'),
                columns: gavel::COLUMNS_7,
                header: Header::None,
                job: gavel::job,
            },
            Format::Helios => csv(helios::COLUMNS, helios::job),
            Format::Alibaba2020 => {
                Rows { header: Header::Optional, ..csv(alibaba_2020::COLUMNS, alibaba_2020::job) }
            }
            Format::Alibaba2023 => csv(alibaba_2023::COLUMNS, alibaba_2023::job),
            Format::Pollux => csv(pollux::COLUMNS, pollux::job),
            Format::Swf => {
                Rows { delimiter: None, columns: swf::COLUMNS, header: Header::None, job: swf::job }
            }
        })
    }
}

/// Attempts to run one job, in formats that list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Attempts {
    /// One job per job, as long as its attempts together
    #[default]
    Sum,
    /// One job per attempt; a retry arrives when the attempt before it ended
    Apart,
}

/// Where durations come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Durations {
    /// From the source, where it has them.
    #[default]
    Own,
    /// Drawn from the published mixture.
    Published,
    /// Iterations times seconds per step, by the source's word for the model.
    SecondsPerStep(BTreeMap<String, f64>),
}

/// Choices of an import.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Attempts summed or apart.
    pub attempts: Attempts,
    /// Where durations come from.
    pub durations: Durations,
    /// How jobs get profiles.
    pub profiles: ProfileRule,
    /// Class split of that rule; absent: the paper's default.
    pub split: Option<Vec<f64>>,
    /// Seed of what is drawn.
    pub seed: u64,
}

/// A trace with its import's account.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The jobs.
    pub trace: Trace,
    /// What became of every row.
    pub report: Report,
}

/// Imports a file.
///
/// # Errors
/// A file that cannot be read to its end, one of another format, or one without a single usable row.
pub fn import(format: Format, path: &Path, options: &Options) -> Result<Import, InputError> {
    let mut import = import_from(format, input::open(path)?, &path.display().to_string(), options)?;
    let read = |e| InputError::read(path.display(), e);
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path).map_err(read)?).map_err(read)?;
    import.trace.about.source_blake3 = hasher.finalize().to_hex().to_string();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    import.trace.about.source = name.unwrap_or_default();
    import.trace.about.report = serde_json::to_value(&import.report).unwrap_or_default();
    Ok(import)
}

/// [`import`] for text from anywhere; `file` stands in messages.
///
/// # Errors
/// As [`import`].
pub fn import_from(
    format: Format,
    source: Box<dyn BufRead>,
    file: &str,
    options: &Options,
) -> Result<Import, InputError> {
    let mut collector = Collector::default();
    match format.rows() {
        Some(rows) => read_rows(format, &rows, Records::new(source, rows.delimiter), file, &mut collector)?,
        None => read_philly_log(Elements::new(source), file, options.attempts, &mut collector)?,
    }
    let Collector { mut jobs, mut report, .. } = collector;
    if jobs.is_empty() {
        let why = match report.rejected.iter().max_by_key(|(_, tally)| tally.rows) {
            Some((reason, tally)) => format!(
                "none of its {} rows can be used; most often: {reason} (first on line {})",
                report.rows_read,
                tally.first_lines.first().copied().unwrap_or_default()
            ),
            None => "it holds no row".to_string(),
        };
        return Err(InputError::whole(file, format!("{why}; is it a file of format {}?", format.name())));
    }
    report.unsorted_rows =
        jobs.windows(2).filter(|pair| pair[1].arrival_s < pair[0].arrival_s).count() as u64;
    jobs.sort_by(|a, b| a.arrival_s.total_cmp(&b.arrival_s));
    let origin_s = jobs[0].arrival_s;
    for job in &mut jobs {
        job.arrival_s -= origin_s;
    }
    let mut remarks = Vec::new();
    match format {
        Format::Alibaba2020 => remarks.push(alibaba_2020::REMARK.to_string()),
        Format::Swf => remarks.push(swf::REMARK.to_string()),
        _ => {}
    }
    let mut about = About {
        format: format.name().to_string(),
        // Dates are after 1980; smaller numbers are seconds of the source's own clock.
        origin_unix_s: (origin_s > 3.2e8).then_some(origin_s),
        remarks,
        ..About::default()
    };
    fill_durations(format, &mut jobs, options, &mut about, &mut report);
    if jobs.is_empty() {
        return Err(InputError::whole(
            file,
            "no job has seconds per step; name the applications as the trace does",
        ));
    }
    assign::assign(format, &mut jobs, options, &mut about)
        .map_err(|problem| InputError::whole(file, problem))?;
    report.jobs = jobs.len() as u64;
    let mut trace = Trace { jobs, about };
    trace.about.mean_busy_gpus = trace.mean_busy_gpus();
    Ok(Import { trace, report })
}

/// Fills durations by the rule, and says where they come from.
fn fill_durations(
    format: Format,
    jobs: &mut Vec<TraceJob>,
    options: &Options,
    about: &mut About,
    report: &mut Report,
) {
    match &options.durations {
        Durations::Own if format == Format::Replay => {
            about.durations = "iterations x published seconds per iteration".into();
        }
        Durations::Own if jobs.iter().all(|job| job.duration_s.is_none()) => about.durations = "none".into(),
        Durations::Own => about.durations = "source".into(),
        Durations::Published => {
            let mut stream = Stream::new(options.seed, Purpose::Durations);
            for job in jobs.iter_mut() {
                job.duration_s = workload::Durations::Published.draw_s(&mut stream, None);
            }
            about.durations = format!("semi-synthetic: published mixture, seed {}", options.seed);
            about.semi_synthetic = true;
        }
        Durations::SecondsPerStep(table) => {
            jobs.retain_mut(|job| {
                let per_step = job.application.as_deref().and_then(|application| table.get(application));
                match (job.iterations, per_step) {
                    (Some(iterations), Some(seconds)) => {
                        job.duration_s = Some(iterations * seconds);
                        true
                    }
                    _ => {
                        report.rows_kept -= 1;
                        report.reject(
                            job.line,
                            Reason::new("application", "has no steps or no seconds per step"),
                        );
                        false
                    }
                }
            });
            about.durations = "steps x seconds per step given by the user".into();
            about.semi_synthetic = true;
        }
    }
}

/// Whether a file of rows names its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Header {
    Required,
    Optional,
    None,
}

type ToJob = fn(&Record, &mut Vec<&'static str>) -> Result<TraceJob, Reason>;

/// A format of lines.
struct Rows {
    /// `None`: blanks, with `;` before comments.
    delimiter: Option<char>,
    columns: &'static [Column],
    header: Header,
    job: ToJob,
}

/// Kept jobs and the account of all rows.
#[derive(Default)]
struct Collector {
    jobs: Vec<TraceJob>,
    report: Report,
    ids: HashSet<Arc<str>>,
    texts: Texts,
}

impl Collector {
    /// Takes the outcome of one row.
    fn take(&mut self, line: u64, outcome: Result<Vec<TraceJob>, Reason>, notes: &mut Vec<&'static str>) {
        self.report.rows_read += 1;
        match outcome.and_then(|jobs| self.unique(jobs)) {
            Ok(jobs) => {
                self.report.rows_kept += 1;
                notes.iter().for_each(|note| self.report.note(line, note));
                for mut job in jobs {
                    job.line = line;
                    if job.id.is_empty() {
                        job.id = format!("row-{line}").into();
                    }
                    self.texts.share(&mut job);
                    self.jobs.push(job);
                }
            }
            Err(reason) => self.report.reject(line, reason),
        }
        notes.clear();
    }

    fn unique(&mut self, jobs: Vec<TraceJob>) -> Result<Vec<TraceJob>, Reason> {
        let known = |job: &TraceJob| !job.id.is_empty() && self.ids.contains(&job.id);
        if jobs.iter().any(known) {
            return Err(Reason::new("id", "was there before"));
        }
        self.ids.extend(jobs.iter().map(|job| Arc::clone(&job.id)).filter(|id| !id.is_empty()));
        Ok(jobs)
    }
}

fn read_rows(
    format: Format,
    rows: &Rows,
    mut records: Records,
    file: &str,
    collector: &mut Collector,
) -> Result<(), InputError> {
    let mut notes = Vec::new();
    let mut layout: Option<Layout> = None;
    loop {
        let at = records.line();
        let (number, row) = match records.next_record() {
            Ok(Some((number, Ok(row)))) => (number, row),
            Ok(Some((number, Err(reason)))) => {
                collector.take(number, Err(reason), &mut notes);
                continue;
            }
            Ok(None) => return Ok(()),
            Err(e) => {
                return Err(InputError::at(file, format!("line {at}"), format!("cannot be read on: {e}")));
            }
        };
        let layout = match &layout {
            Some(layout) => layout,
            None => {
                let names_columns = row[0].trim().eq_ignore_ascii_case(rows.columns[0].name);
                let header = match rows.header {
                    Header::Required => true,
                    Header::Optional => names_columns,
                    Header::None => false,
                };
                let found = if header {
                    let found = Layout::from_header(rows.columns, row).map_err(|missing| {
                        let message = format!(
                            "the header has no column {}; format {} begins with {}",
                            missing.join(", "),
                            format.name(),
                            rows.columns.iter().map(|c| c.name).collect::<Vec<_>>().join(",")
                        );
                        InputError::at(file, format!("line {number}"), message)
                    })?;
                    let known = |name: &str| rows.columns.iter().any(|c| c.name.eq_ignore_ascii_case(name));
                    collector.report.columns_left_out =
                        row.iter().map(|name| name.trim().to_string()).filter(|name| !known(name)).collect();
                    layout = Some(found);
                    continue;
                } else {
                    Layout::in_order(match (format, row.len()) {
                        (Format::Gavel, 10) => gavel::COLUMNS_10,
                        (Format::Gavel, 12) => gavel::COLUMNS_12,
                        _ => rows.columns,
                    })
                };
                layout.insert(found)
            }
        };
        let outcome = layout.record(row).and_then(|record| (rows.job)(&record, &mut notes));
        collector.take(number, outcome.map(|job| vec![job]), &mut notes);
    }
}

fn read_philly_log(
    mut elements: Elements,
    file: &str,
    attempts: Attempts,
    collector: &mut Collector,
) -> Result<(), InputError> {
    let mut notes = Vec::new();
    loop {
        let at = elements.line();
        match elements.next_element() {
            Ok(None) => return Ok(()),
            Ok(Some((line, Element::TooLong))) => {
                collector.take(line, Err(Reason::new("element", "is longer than 1 MiB")), &mut notes);
            }
            Ok(Some((line, Element::Json(json)))) => {
                let outcome = serde_json::from_slice(json)
                    .map_err(|_| Reason::new("element", "is no JSON"))
                    .and_then(|value| philly_log::jobs(&value, attempts, &mut notes));
                collector.take(line, outcome, &mut notes);
            }
            Err(ElementsError::Io(e)) => {
                return Err(InputError::at(file, format!("line {at}"), format!("cannot be read on: {e}")));
            }
            Err(ElementsError::Shape(what)) => return Err(InputError::at(file, format!("line {at}"), what)),
        }
    }
}

/// Reads a table `application,seconds_per_step`.
///
/// # Errors
/// A file that cannot be read, another header, or a row that is no such pair.
pub fn seconds_per_step(path: &Path) -> Result<BTreeMap<String, f64>, InputError> {
    const COLUMNS: &[Column] = &[record::required("application"), record::required("seconds_per_step")];
    let mut records = Records::new(input::open(path)?, Some(','));
    let mut layout = None;
    let mut table = BTreeMap::new();
    loop {
        let next = records.line();
        let at = |line: u64, problem: String| InputError::at(path.display(), format!("line {line}"), problem);
        let (number, row) = match records.next_record() {
            Ok(Some((number, row))) => (number, row.map_err(|reason| at(number, reason.to_string()))?),
            Ok(None) => return Ok(table),
            Err(e) => return Err(at(next, e.to_string())),
        };
        let Some(layout) = &layout else {
            let missing = |m: Vec<&str>| at(number, format!("the header has no column {}", m.join(", ")));
            layout = Some(Layout::from_header(COLUMNS, row).map_err(missing)?);
            continue;
        };
        let pair = layout.record(row).and_then(|record| {
            let seconds = record.not_negative("seconds_per_step")?;
            let seconds = seconds.ok_or(Reason::new("seconds_per_step", "is missing"))?;
            Ok((record.required_text("application")?.to_string(), seconds))
        });
        let (application, seconds) = pair.map_err(|reason| at(number, reason.to_string()))?;
        table.insert(application, seconds);
    }
}

#[cfg(test)]
mod tests;
