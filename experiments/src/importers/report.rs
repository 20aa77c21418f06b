//! What an import read, kept and rejected: nothing is dropped silently.

use super::record::date;
use crate::trace::Trace;
use crate::workload::OfferedLoad;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Why a row is rejected: what stands in the report, so no values of the row itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// Column, or `line`.
    pub place: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Reason {
    /// A reason.
    pub const fn new(place: &'static str, problem: &'static str) -> Self {
        Reason { place, problem }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.place, self.problem)
    }
}

/// Number of line numbers that are kept per reason.
const FIRST_LINES: usize = 5;

/// Rows with one fate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// How many.
    pub rows: u64,
    /// Lines of the first few, from 1.
    pub first_lines: Vec<u64>,
}

impl Tally {
    fn add(&mut self, line: u64) {
        self.rows += 1;
        if self.first_lines.len() < FIRST_LINES {
            self.first_lines.push(line);
        }
    }
}

/// The account of an import. `rows_read` = `rows_kept` + all rejects, to the last row.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// Rows read: data rows, without header, comment and blank lines.
    pub rows_read: u64,
    /// Rows kept. With attempts apart, one row may give several jobs.
    pub rows_kept: u64,
    /// Jobs of the trace.
    pub jobs: u64,
    /// Rejected rows by reason.
    pub rejected: BTreeMap<String, Tally>,
    /// Kept rows that carry a caveat, by caveat.
    pub noted: BTreeMap<String, Tally>,
    /// Rows that arrived before the row above them; they were sorted.
    pub unsorted_rows: u64,
    /// Columns of the file that are not read.
    pub columns_left_out: Vec<String>,
}

impl Report {
    pub(super) fn reject(&mut self, line: u64, reason: Reason) {
        self.rejected.entry(reason.to_string()).or_default().add(line);
    }

    pub(super) fn note(&mut self, line: u64, caveat: &'static str) {
        self.noted.entry(caveat.to_string()).or_default().add(line);
    }

    /// Rejected rows in all.
    pub fn rows_rejected(&self) -> u64 {
        self.rejected.values().map(|tally| tally.rows).sum()
    }

    /// What was read, kept and rejected, as lines; `what` are the things that came of it.
    pub fn account(&self, what: &str) -> String {
        let mut text = format!(
            "read {} rows, kept {}, rejected {}; {} {what}\n",
            self.rows_read,
            self.rows_kept,
            self.rows_rejected(),
            self.jobs
        );
        for (label, tallies) in [("rejected", &self.rejected), ("note", &self.noted)] {
            for (reason, tally) in tallies {
                let lines: Vec<String> = tally.first_lines.iter().map(u64::to_string).collect();
                let more = if tally.rows > lines.len() as u64 { ", ..." } else { "" };
                text += &format!("  {label} {:>7}  {reason} (line {}{more})\n", tally.rows, lines.join(", "));
            }
        }
        if self.unsorted_rows > 0 {
            text +=
                &format!("  sorted by arrival: {} rows came before the row above them\n", self.unsorted_rows);
        }
        if !self.columns_left_out.is_empty() {
            text += &format!("  columns not read: {}\n", self.columns_left_out.join(", "));
        }
        text
    }

    /// The report as text: the account, and what the trace looks like.
    pub fn text(&self, trace: &Trace, load: Option<&OfferedLoad>) -> String {
        let mut text = self.account("jobs");
        let from = trace.about.origin_unix_s.map(|s| format!(" from {} UTC", date(s))).unwrap_or_default();
        text += &format!("span {:.2} days{from}\n", trace.span_s() / 86_400.0);
        let share = |jobs: u64| 100.0 * jobs as f64 / trace.jobs.len() as f64;
        let demands: Vec<String> = trace
            .demand_histogram()
            .iter()
            .map(|(gpus, jobs)| format!("{gpus}: {jobs} ({:.1} %)", share(*jobs)))
            .collect();
        text += &format!("GPU demand {}\n", demands.join(", "));
        text += &format!("durations: {}; profiles: {}\n", trace.about.durations, trace.about.profiles);
        for remark in &trace.about.remarks {
            text += &format!("note: {remark}\n");
        }
        match trace.about.mean_busy_gpus {
            None => text += "load unknown: there are jobs without a duration, or all arrive together\n",
            Some(gpus) => {
                text += &format!("offered work keeps {gpus:.1} GPUs busy on average (load 1 on as many)\n");
            }
        }
        if let Some(load) = load {
            text += &format!("on {} GPUs: {}\n", load.gpus, load.summary());
        }
        text
    }
}
