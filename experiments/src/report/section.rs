//! One directory of tables as a part of the page.

use super::html::{Html, escaped};
use super::summary::{self, Part};
use super::tables::{Embedded, of_file};
use crate::error::{CliError, InputError};
use crate::figures::{self, Drawn};
use crate::reproduce;
use crate::text_table::thousands;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A directory of tables.
#[derive(Debug)]
pub struct Section {
    /// Its path below the directory of the report; empty for that itself.
    pub name: String,
    /// Its tables, in the order of the schema.
    pub tables: Vec<Embedded>,
    /// Figures that its tables allow.
    pub figures: Vec<Drawn>,
    /// Summaries that its tables allow.
    summaries: Vec<Part>,
    /// Parquet files that are not shown, and why.
    pub skipped: Vec<String>,
    /// Figures that its tables do not allow, and why.
    pub not_drawn: Vec<String>,
}

/// The sections of a directory: its own tables first, then those of the directories below it, by name.
/// `rows` is the most that a page carries of one table; without it [`super::ROWS`], and less where
/// there are more than ten tables.
///
/// # Errors
/// A directory that cannot be read or holds no table.
pub fn sections(directory: &Path, rows: Option<usize>) -> Result<Vec<Section>, CliError> {
    let mut files = BTreeMap::new();
    collect(directory, Path::new(""), &mut files)?;
    let count: usize = files.values().map(Vec::len).sum();
    if count == 0 {
        let message = "holds no Parquet table; give the directory of a study, a simulation or a reproduction";
        return Err(InputError::whole(directory.display(), message).into());
    }
    let most = rows.unwrap_or_else(|| (10 * super::ROWS / count).clamp(100, super::ROWS));
    let mut sections = Vec::new();
    for (name, paths) in files {
        sections.push(Section::read(&directory.join(&name), &name, &paths, most)?);
    }
    if sections.iter().all(|section| section.tables.is_empty()) {
        let why = sections.iter().flat_map(|section| &section.skipped).next().cloned().unwrap_or_default();
        return Err(InputError::whole(
            directory.display(),
            format!("holds no table that can be shown: {why}"),
        )
        .into());
    }
    Ok(sections)
}

/// Whether a figure says what no other one does: bars without groups are the gaps again, and one size of
/// cluster shows no growth.
fn says_something(figure: &Drawn, all: &[Drawn]) -> bool {
    match figure.name {
        "bars" => !all.iter().any(|other| ["gaps", "jct-load"].contains(&other.name)),
        "scaling" => {
            let mut reader = csv::Reader::from_reader(figure.csv.as_bytes());
            let gpus = reader.headers().ok().and_then(|names| names.iter().position(|name| name == "gpus"));
            let sizes: BTreeSet<String> =
                reader.records().flatten().filter_map(|row| Some(row.get(gpus?)?.to_string())).collect();
            sizes.len() > 1
        }
        _ => true,
    }
}

/// Parquet files by directory. Parts of a study in progress and hidden directories are no results.
fn collect(root: &Path, below: &Path, files: &mut BTreeMap<PathBuf, Vec<PathBuf>>) -> Result<(), InputError> {
    let directory = root.join(below);
    let unreadable = |e| InputError::read(directory.display(), e);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && name != "parts" && !name.starts_with('.') {
            collect(root, &below.join(name), files)?;
        } else if path.extension().is_some_and(|ending| ending == "parquet") && !name.starts_with('.') {
            files.entry(below.to_path_buf()).or_default().push(path);
        }
    }
    Ok(())
}

impl Section {
    fn read(directory: &Path, name: &Path, paths: &[PathBuf], most: usize) -> Result<Self, CliError> {
        let (mut tables, mut skipped) = (Vec::new(), Vec::new());
        for path in paths {
            let read = of_file(path).map_err(CliError::from);
            match read.and_then(|table| Ok(Embedded::read(path, table, most)?)) {
                Ok(table) => tables.push(table),
                Err(error) => skipped.push(error.to_string()),
            }
        }
        let order =
            |table: &Embedded| crate::tables::schema::TABLES.iter().position(|t| t.name == table.table.name);
        tables.sort_by_key(order);
        let has = |wanted: &str| tables.iter().any(|table| table.table.name == wanted);
        let summaries = summary::of(directory, &has)?;
        // A recipe has chosen its figures.
        let (mut figures, mut not_drawn) = reproduce::drawn_in(directory);
        if figures.is_empty() && not_drawn.is_empty() {
            let (all, others) = figures::all_of(directory);
            figures = all.iter().filter(|figure| says_something(figure, &all)).cloned().collect();
            not_drawn = others;
        }
        Ok(Section { name: name.display().to_string(), tables, figures, summaries, skipped, not_drawn })
    }

    /// Id suffix and heading of what it has.
    pub(super) fn parts(&self) -> Vec<(&'static str, &'static str)> {
        let shown = [
            ("summary", "Summary", !self.summaries.is_empty()),
            ("figures", "Figures", !self.figures.is_empty()),
            ("tables", "Tables", !self.tables.is_empty()),
            ("configuration", "Configuration", !self.tables.is_empty()),
            ("provenance", "Provenance", true),
        ];
        shown.into_iter().filter(|(.., has)| *has).map(|(id, heading, _)| (id, heading)).collect()
    }

    /// Writes it; `index` is its number on the page.
    pub(super) fn write(&self, page: &mut Html, index: usize) {
        page.raw(&format!(
            "<section aria-label=\"{}\">\n",
            escaped(if self.name.is_empty() { "Results" } else { &self.name })
        ));
        // A directory below has a heading of its own, with its parts under it.
        let level = if self.name.is_empty() { "h2" } else { "h3" };
        if !self.name.is_empty() {
            page.element("h2", &format!("id=\"s{index}\""), &self.name);
        }
        for (part, heading) in self.parts() {
            page.element(level, &format!("id=\"s{index}-{part}\""), heading);
            match part {
                "summary" => self.summaries.iter().for_each(|part| part.write(page)),
                "figures" => self.write_figures(page),
                "tables" => self.write_tables(page, index),
                "configuration" => self.write_configuration(page),
                _ => self.write_provenance(page),
            }
        }
        page.raw("</section>\n");
    }

    fn write_figures(&self, page: &mut Html) {
        page.raw("<div class=\"figures\">\n");
        for figure in &self.figures {
            page.raw(if figure.wide { "<figure class=\"wide\">\n" } else { "<figure>\n" });
            let labelled = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(figure.shows));
            page.raw(&figure.svg.replacen("<svg ", &labelled, 1));
            let notes = figure.notes.iter().map(|note| format!(" {note}")).collect::<String>();
            page.raw("\n<figcaption>");
            page.element("strong", "", figure.name);
            page.raw(&escaped(&format!("{}.{notes}", figure.shows)));
            page.raw("</figcaption>\n</figure>\n");
        }
        page.raw("</div>\n");
    }

    fn write_tables(&self, page: &mut Html, index: usize) {
        page.element(
            "p",
            "class=\"hint\"",
            "Filter by words that must all occur in a row, or by conditions on columns such as mechanism=tune or \
             gap>0.1. Headings sort: ascending, descending, as in the file.",
        );
        for table in &self.tables {
            table.write(page, &format!("s{index}-{}", table.table.name));
        }
    }

    fn write_configuration(&self, page: &mut Html) {
        let mut by_text: Vec<(&str, Vec<&str>)> = Vec::new();
        for table in &self.tables {
            let text = table.metadata.get("synergy.config").unwrap_or_default();
            match by_text.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(table.table.name),
                None => by_text.push((text, vec![table.table.name])),
            }
        }
        for (text, names) in by_text {
            page.element("p", "", &format!("Of {}, every default written out:", names.join(", ")));
            page.element("pre", "tabindex=\"0\"", text.trim_end());
        }
    }

    fn write_provenance(&self, page: &mut Html) {
        let rows: Vec<Vec<String>> = (self.tables.iter())
            .map(|table| {
                let of = |key: &str| table.metadata.get(&format!("synergy.{key}")).unwrap_or("-").to_string();
                vec![
                    format!("{}.parquet", table.table.name),
                    thousands(table.total as u64),
                    of("version"),
                    of("commit"),
                    of("highs"),
                    of("schema"),
                    of("seed"),
                    if table.table.reproducible {
                        "equal inputs, equal bytes"
                    } else {
                        "holds measured times"
                    }
                    .into(),
                    table.blake3.clone(),
                ]
            })
            .collect();
        let headings =
            ["<file", "rows", "<synergy", "<commit", "<HiGHS", "<schema", "seed", "<reproducible", "<BLAKE3"];
        page.table("Provenance of the tables", &headings, &rows);
        for skipped in &self.skipped {
            page.element("p", "class=\"note\"", &format!("Not shown: {skipped}"));
        }
    }
}
