//! The table `trace_jobs`.

use super::{About, Texts, Trace, TraceJob};
use crate::tables::schema::TRACE_JOBS;
use crate::tables::{Cell, Format, Frame, Metadata, TableError, TableWriter};
use std::path::Path;

/// Writes a trace job by job, in blocks: memory does not grow with it.
pub struct TraceWriter(TableWriter);

impl TraceWriter {
    /// Opens the table; `about` goes into its footer.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn create(about: &About, path: &Path, format: Format) -> Result<Self, TableError> {
        let about = serde_json::to_string(about)
            .map_err(|e| TableError::Unreadable { path: path.to_path_buf(), reason: e.to_string() })?;
        TableWriter::create(path, &TRACE_JOBS, &Metadata::new(&about, None), format).map(TraceWriter)
    }

    /// Appends a job.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn push(&mut self, job: &TraceJob) -> Result<(), TableError> {
        self.0.push(&[
            ("job_id", Cell::from(&*job.id)),
            ("source_line", job.line.into()),
            ("arrival_s", job.arrival_s.into()),
            ("gpus", job.gpus.into()),
            ("duration_s", job.duration_s.into()),
            ("iterations", job.iterations.into()),
            ("application", job.application.as_deref().into()),
            ("profile", job.profile.as_deref().into()),
            ("cpus_requested", job.cpus.into()),
            ("memory_gb_requested", job.memory_gb.into()),
            ("queue_s", job.queue_s.into()),
            ("servers", job.servers.into()),
            ("attempts", job.attempts.into()),
            ("status", job.status.as_deref().into()),
            ("group", job.group.as_deref().into()),
            ("user", job.user.as_deref().into()),
        ])
    }

    /// Puts the complete table in its place.
    ///
    /// # Errors
    /// As [`TraceWriter::push`]; what was there before is then untouched.
    pub fn finish(self) -> Result<(), TableError> {
        self.0.finish()
    }
}

/// Writes a trace; what it comes from goes into the footer.
///
/// # Errors
/// A path that cannot be written.
pub fn write(trace: &Trace, path: &Path, format: Format) -> Result<(), TableError> {
    let mut writer = TraceWriter::create(&trace.about, path, format)?;
    for job in &trace.jobs {
        writer.push(job)?;
    }
    writer.finish()
}

/// Reads a trace that [`write()`] wrote as Parquet.
///
/// # Errors
/// A file that is no such table, or one whose jobs are no trace.
pub fn read(path: &Path) -> Result<Trace, TableError> {
    let frame = Frame::read(path, &TRACE_JOBS, &[])?;
    let wrong = |reason: String| TableError::Unreadable { path: path.to_path_buf(), reason };
    let about: About = serde_json::from_str(frame.metadata().get("synergy.config").unwrap_or_default())
        .map_err(|e| wrong(format!("does not say where the trace comes from: {e}")))?;
    let text = |name| Ok::<_, TableError>(frame.text(name)?.into_iter());
    let mut texts = Texts::default();
    let mut shared = |text: Option<Option<&str>>| text.flatten().map(|text| texts.shared(text));
    let mut ids = text("job_id")?;
    let (lines, arrivals, gpus) = (frame.int("source_line")?, frame.real("arrival_s")?, frame.int("gpus")?);
    let (durations, iterations) = (frame.real("duration_s")?, frame.real("iterations")?);
    let (mut applications, mut profiles) = (text("application")?, text("profile")?);
    let (cpus, memory) = (frame.real("cpus_requested")?, frame.real("memory_gb_requested")?);
    let (queues, servers, attempts) = (frame.real("queue_s")?, frame.int("servers")?, frame.int("attempts")?);
    let (mut statuses, mut groups, mut users) = (text("status")?, text("group")?, text("user")?);
    let count = |value: Option<i64>| value.and_then(|v| u32::try_from(v).ok());
    let mut jobs = Vec::with_capacity(frame.rows());
    for row in 0..frame.rows() {
        let (Some(id), Some(arrival_s), Some(gpus)) =
            (ids.next().flatten(), arrivals[row], count(gpus[row]).filter(|gpus| *gpus > 0))
        else {
            return Err(wrong(format!("row {row} lacks an id, an arrival or GPUs")));
        };
        if jobs.last().is_some_and(|before: &TraceJob| arrival_s < before.arrival_s) {
            return Err(wrong(format!("row {row} arrives before the row above it")));
        }
        jobs.push(TraceJob {
            id: id.into(),
            line: lines[row].and_then(|line| u64::try_from(line).ok()).unwrap_or_default(),
            arrival_s,
            gpus,
            duration_s: durations[row],
            iterations: iterations[row],
            application: shared(applications.next()),
            profile: shared(profiles.next()),
            cpus: cpus[row],
            memory_gb: memory[row],
            queue_s: queues[row],
            servers: count(servers[row]),
            attempts: count(attempts[row]),
            status: shared(statuses.next()),
            group: shared(groups.next()),
            user: shared(users.next()),
        });
    }
    Ok(Trace { jobs, about })
}
