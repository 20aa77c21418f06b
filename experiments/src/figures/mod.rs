//! Figures for papers, from the tables, instances and allocations of other commands.
//!
//! A figure is two functions in a file of its own: `data` reads the inputs and returns a small table
//! ([`data::Data`]), `draw` turns that table into a description ([`sheet::Sheet`]). [`plot`] writes
//! the table as `STEM.csv`, and, from exactly that, `STEM.svg`, `STEM.pdf` and `STEM.png`. A figure's
//! own CSV is also an input, so that a figure can be set anew in another style without its tables.
//!
//! `layout` puts descriptions on paper, [`style`] says how series look, `canvas` draws, and
//! `render` makes PDF and PNG of SVG. Nothing here solves anything.

mod bars;
mod canvas;
mod cluster_map;
pub mod data;
mod gap_cdf;
mod gap_decomposition;
mod gap_profile;
mod gaps;
mod inputs;
mod jct_cdf;
mod jct_load;
mod layout;
mod load;
mod performance_profile;
mod profile_error;
mod profiler;
mod render;
mod scale;
mod scaling;
mod scatter;
mod sensitivity;
mod series;
pub mod sheet;
mod speedup_load;
pub mod style;
#[cfg(test)]
mod tests;
mod trace_cdf;
mod trace_load;
mod trace_sizes;
mod utilisation;

use crate::error::{InputError, OutputError, suggestion};
use crate::tables::TableError;
use data::Data;
use sheet::Sheet;
use std::fmt;
use std::path::{Path, PathBuf};
use style::Style;
use thiserror::Error;

/// Why a figure was not made.
#[derive(Debug, Error)]
pub enum FigureError {
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// No figure has this name.
    #[error("no figure {name:?}{}", suggestion(name, FIGURES.iter().map(|figure| figure.name)))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// A table that is missing or cannot be used.
    #[error(transparent)]
    Table(#[from] TableError),
    /// An instance, allocation, profile or style that cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Inputs that do not hold what the figure needs.
    #[error("{place}: {message}")]
    Data {
        /// File, directory or figure.
        place: String,
        /// What is missing or wrong, and the mend.
        message: String,
    },
    /// The drawing libraries refuse: a fault of the program.
    #[error("{}: the figure cannot be drawn: {reason}", path.display())]
    Drawing {
        /// File, without extension.
        path: PathBuf,
        /// What the library says.
        reason: String,
    },
}

impl FigureError {
    fn data(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        FigureError::Data { place: place.to_string(), message: message.to_string() }
    }
}

/// One figure: what it shows, what it is made of, and how.
pub struct Figure {
    /// Name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// What it is made from.
    pub from: &'static str,
    columns: &'static [&'static str],
    data: fn(&[PathBuf], &Options) -> Result<Collected, FigureError>,
    draw: fn(&Data, &Style) -> Sheet,
}

/// The numbers of a figure, and what the user should hear about them.
struct Collected {
    data: Data,
    notes: Vec<String>,
}

impl From<Data> for Collected {
    fn from(data: Data) -> Self {
        Collected { data, notes: Vec::new() }
    }
}

/// Every figure, in the order of the documentation.
pub static FIGURES: [&Figure; 21] = [
    &gaps::FIGURE,
    &gap_cdf::FIGURE,
    &gap_profile::FIGURE,
    &gap_decomposition::FIGURE,
    &performance_profile::FIGURE,
    &scatter::FIGURE,
    &scaling::FIGURE,
    &bars::FIGURE,
    &jct_cdf::FIGURE,
    &jct_load::FIGURE,
    &speedup_load::FIGURE,
    &utilisation::FIGURE,
    &sensitivity::FIGURE,
    &profiler::FIGURE,
    &profile_error::FIGURE,
    &cluster_map::FIGURE,
    &trace_cdf::DEMAND,
    &trace_cdf::DURATION,
    &trace_cdf::QUEUEING,
    &trace_sizes::FIGURE,
    &trace_load::FIGURE,
];

/// Width of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Width {
    /// One column of two (ACM: 3.33 in)
    Column,
    /// The whole width of the page (7 in)
    Page,
}

/// What a figure is made of and how; every field has a default that suits most.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where it goes, without ending; default: `figures/NAME` in the first input's directory.
    pub out: Option<PathBuf>,
    /// Width; default: one column, or the page where the figure needs it.
    pub width: Option<Width>,
    /// Sizes and looks.
    pub style: Style,
    /// Columns or parameters whose values get panels or groups of their own.
    pub by: Vec<String>,
    /// Rows that count: a column and its accepted values.
    pub only: Vec<(String, Vec<String>)>,
    /// Mechanisms (or methods, or models) in this order; empty: all, in the order of the tables.
    pub mechanisms: Vec<String>,
    /// What gaps are measured to; default: `best`, the least bound that holds.
    pub bound: Option<String>,
    /// What the others are compared with; default: `proportional`.
    pub reference: Option<String>,
    /// Names of the inputs where there are several; default: their own.
    pub labels: Vec<String>,
    /// Servers of a cluster map, half open.
    pub servers: Option<std::ops::Range<usize>>,
}

/// A figure's files.
#[derive(Debug, Clone)]
pub struct Written {
    /// Their path without ending.
    pub stem: PathBuf,
    /// What the reader of the figure should know, one sentence each.
    pub notes: Vec<String>,
}

impl Written {
    /// The file of this ending: `csv`, `svg`, `pdf` or `png`.
    pub fn file(&self, ending: &str) -> PathBuf {
        with_ending(&self.stem, ending)
    }
}

/// A stem with an ending; dots in the stem stay.
fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_os_string();
    path.push(".");
    path.push(ending);
    path.into()
}

/// The figure of this name.
///
/// # Errors
/// There is none; the message has the closest name.
pub fn find(name: &str) -> Result<&'static Figure, FigureError> {
    let found = FIGURES.iter().find(|figure| figure.name == name).copied();
    found.ok_or_else(|| FigureError::Unknown { name: name.into() })
}

/// Makes the figure `name` from `inputs`, directories or files as it needs, and writes `STEM.csv`,
/// `STEM.svg`, `STEM.pdf` and `STEM.png`. Same inputs and options, same bytes. Missing directories
/// of the default stem are made.
///
/// # Errors
/// An unknown figure; inputs that are missing, damaged or do not hold what the figure needs; a file
/// that cannot be written. Nothing is written then.
pub fn plot(name: &str, inputs: &[PathBuf], options: &Options) -> Result<Written, FigureError> {
    let figure = find(name)?;
    if let Some(stem) = &options.out {
        check_stem(stem)?;
    }
    let made = make(figure, inputs, options)?;
    let stem = match &options.out {
        Some(stem) => stem.clone(),
        None => default_stem(figure, inputs)?,
    };
    render::save(&made.csv, &made.svg, &stem)?;
    Ok(Written { stem, notes: made.notes })
}

/// A figure in memory.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// Its data.
    pub csv: String,
    /// Its drawing.
    pub svg: String,
    /// Whether it takes the whole width of a page.
    pub wide: bool,
    /// Number of its panels.
    pub panels: usize,
    /// What the reader of the figure should know, one sentence each.
    pub notes: Vec<String>,
}

/// Every figure that the tables of a results directory allow without further choices, simulations by
/// policy, and by load too where that is what it takes; and why the others cannot be made. Figures of
/// more than two panels take the width of a page.
pub fn all_of(directory: &Path) -> (Vec<Drawn>, Vec<String>) {
    const BY: [&[&str]; 3] = [&[], &["policy"], &["policy", "jobs_per_hour"]];
    let inputs = [directory.to_path_buf()];
    let (mut drawn, mut others) = (Vec::new(), Vec::new());
    for figure in FIGURES {
        let with = |by: &[&str]| {
            let by = by.iter().map(ToString::to_string).collect();
            let options = Options { by, ..Options::default() };
            let made = make(figure, &inputs, &options)?;
            if made.panels <= 2 {
                return Ok(made);
            }
            make(figure, &inputs, &Options { width: Some(Width::Page), ..options })
        };
        match with(BY[0]).or_else(|first| with(BY[1]).or_else(|_| with(BY[2])).map_err(|_| first)) {
            Ok(made) => drawn.push(made),
            Err(error) => others.push(format!("{}: {error}", figure.name)),
        }
    }
    (drawn, others)
}

/// A figure once more, from the CSV that was written beside it.
///
/// # Errors
/// An unknown figure; a file that is missing, damaged or of another figure.
pub fn again(name: &str, csv: &Path) -> Result<Drawn, FigureError> {
    make(find(name)?, &[csv.to_path_buf()], &Options::default())
}

/// Makes a figure without writing it.
fn make(figure: &'static Figure, inputs: &[PathBuf], options: &Options) -> Result<Drawn, FigureError> {
    let Collected { data, notes } = match own_data(figure, inputs)? {
        Some(data) => data.into(),
        None => (figure.data)(inputs, options)?,
    };
    if data.rows() == 0 {
        return Err(FigureError::data(place(figure, inputs), "there is nothing to draw"));
    }
    Ok(Drawn { notes, ..drawn(figure, data, options)? })
}

/// Draws a figure's data.
fn drawn(figure: &'static Figure, data: Data, options: &Options) -> Result<Drawn, FigureError> {
    let csv = data.to_csv();
    // Drawn from the file's text, not from what it was made of.
    let read = Data::from_csv("the figure's own data", &csv, figure.columns)?.unwrap_or(data);
    let sheet = (figure.draw)(&read, &options.style);
    let sizes = &options.style.size;
    let wide = options.width.map_or(sheet.wide, |width| width == Width::Page);
    let svg = layout::draw(&sheet, if wide { sizes.page_pt } else { sizes.column_pt }, sizes)
        .map_err(|reason| FigureError::Drawing { path: figure.name.into(), reason })?;
    Ok(Drawn {
        name: figure.name,
        shows: figure.shows,
        csv,
        svg,
        wide,
        panels: sheet.panels.len(),
        notes: Vec::new(),
    })
}

/// The data of a figure that is made from its own CSV.
fn own_data(figure: &Figure, inputs: &[PathBuf]) -> Result<Option<Data>, FigureError> {
    let [file] = inputs else { return Ok(None) };
    if file.is_dir() || file.extension().is_none_or(|ending| ending != "csv") {
        return Ok(None);
    }
    let name = file.display().to_string();
    Data::from_csv(&name, &crate::files::read_text(&name)?, figure.columns)
}

fn place(figure: &Figure, inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() { figure.name.into() } else { names.join(", ") }
}

/// Whether the files of a figure can be named after `stem`.
fn check_stem(stem: &Path) -> Result<(), FigureError> {
    if stem == Path::new("-") {
        let message = "a figure is four files, not standard output; give their path without ending";
        return Err(FigureError::data(stem.display(), message));
    }
    // Their names would be the endings alone, which are hidden files.
    if stem.as_os_str().as_encoded_bytes().ends_with(b"/") || stem.file_name().is_none() {
        return Err(OutputError::Directory { path: stem.to_path_buf() }.into());
    }
    Ok(())
}

fn default_stem(figure: &Figure, inputs: &[PathBuf]) -> Result<PathBuf, FigureError> {
    let directory = match inputs.first() {
        Some(first) if first.is_dir() => first.join("figures"),
        Some(first) => first.parent().map(Path::to_path_buf).unwrap_or_default(),
        None => PathBuf::new(),
    };
    if !directory.as_os_str().is_empty() {
        std::fs::create_dir_all(&directory).map_err(|e| OutputError::write(&directory, e))?;
    }
    Ok(directory.join(figure.name))
}
