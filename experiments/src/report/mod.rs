//! `synergy report`: a results directory as one HTML page that opens anywhere, without a network.
//!
//! The page is made from the Parquet tables alone: each directory with tables is a section with a
//! summary, the figures that a recipe drew or its tables allow, the tables themselves, the configuration and the
//! provenance that their footers hold. Same tables, same bytes.

mod html;
mod section;
mod summary;
mod tables;

pub use section::{Section, sections};
pub use tables::Embedded;

use crate::tables::{SCHEMA_VERSION, git_commit};
use html::{Html, escaped};
use std::path::Path;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Rows of one table that a page carries unless the user says otherwise.
pub const ROWS: usize = 2000;

/// The page of a directory's sections.
pub fn page(directory: &Path, sections: &[Section]) -> String {
    let name =
        directory.file_name().map_or_else(|| directory.display().to_string(), |n| n.to_string_lossy().into());
    let mut page = Html::default();
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    // Nothing is fetched, whatever a table holds.
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n");
    page.raw("<link rel=\"icon\" href=\"data:,\">\n");
    page.element("title", "", &format!("{name} - Synergy workbench"));
    page.raw(&format!("<style>\n{STYLE}</style>\n</head>\n<body>\n"));
    page.raw("<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n");
    page.element("h1", "", &name);
    let tables: usize = sections.iter().map(|section| section.tables.len()).sum();
    let figures: usize = sections.iter().map(|section| section.figures.len()).sum();
    page.element(
        "p",
        "class=\"soft\"",
        &format!("{}, {}.", counted(tables, "table"), counted(figures, "figure")),
    );
    page.raw("<nav aria-label=\"Contents\"><ul>\n");
    for (index, section) in sections.iter().enumerate() {
        // Of the directory itself every part, of those below it the whole.
        let links = if section.name.is_empty() {
            section.parts().into_iter().map(|(part, heading)| (format!("s{index}-{part}"), heading)).collect()
        } else {
            vec![(format!("s{index}"), section.name.as_str())]
        };
        for (id, heading) in links {
            page.raw(&format!("<li><a href=\"#{id}\">{}</a></li>\n", escaped(heading)));
        }
    }
    page.raw("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    page.raw("<noscript><p class=\"note\">The tables need JavaScript; summary, figures and configuration do not.</p></noscript>\n");
    for (index, section) in sections.iter().enumerate() {
        section.write(&mut page, index);
    }
    page.raw("</main>\n<footer>\n");
    let commit = git_commit().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    page.element(
        "p",
        "class=\"soft\"",
        &format!(
            "Made by synergy {}{commit} from tables of schema {SCHEMA_VERSION}.",
            env!("CARGO_PKG_VERSION")
        ),
    );
    page.raw(&format!("</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    page.finish()
}

/// `3 tables`, `1 table`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
