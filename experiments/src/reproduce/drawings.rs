//! Figures of a recipe, drawn by `synergy plot` from its tables alone.

use super::{RECIPES, ReproduceError};
use crate::figures::{self, Drawn, Options};
use std::path::Path;

/// One figure.
pub(super) struct Drawing {
    /// Name of the files, without ending.
    pub name: &'static str,
    /// Name of the figure that `synergy plot` knows.
    pub figure: &'static str,
    /// Directories or files of the recipe that hold its tables. Where one is missing (a trace was not
    /// given, say), the figure is not drawn.
    pub inputs: &'static [&'static str],
    /// Columns whose values get panels or groups of their own.
    pub by: &'static [&'static str],
    /// A column and the only value of it that is drawn.
    pub only: Option<(&'static str, &'static str)>,
    /// What the inputs are called; their own names when empty.
    pub labels: &'static [&'static str],
}

impl Drawing {
    /// The figure under its own name, with defaults for the rest.
    pub const fn of(figure: &'static str, inputs: &'static [&'static str]) -> Self {
        Drawing { name: figure, figure, inputs, by: &[], only: None, labels: &[] }
    }

    /// The same as a part of the recipe's directory, under another name.
    pub const fn named(self, name: &'static str) -> Self {
        Drawing { name, ..self }
    }

    /// The same with groups by these columns.
    pub const fn by(self, by: &'static [&'static str]) -> Self {
        Drawing { by, ..self }
    }

    /// The same with only these rows.
    pub const fn only(self, column: &'static str, value: &'static str) -> Self {
        Drawing { only: Some((column, value)), ..self }
    }

    /// The same with the inputs under these names.
    pub const fn labels(self, labels: &'static [&'static str]) -> Self {
        Drawing { labels, ..self }
    }
}

/// Draws into `figures` under a recipe's directory; `say` hears what the reader of a figure should know.
pub(super) fn draw(
    drawings: &[Drawing],
    directory: &Path,
    say: &dyn Fn(String),
) -> Result<(), ReproduceError> {
    for drawing in drawings {
        let inputs: Vec<_> = drawing.inputs.iter().map(|input| directory.join(input)).collect();
        if !inputs.iter().all(|input| input.exists()) {
            continue;
        }
        let folder = directory.join("figures");
        std::fs::create_dir_all(&folder).map_err(ReproduceError::io(&folder))?;
        let options = Options {
            out: Some(folder.join(drawing.name)),
            by: drawing.by.iter().map(ToString::to_string).collect(),
            only: drawing
                .only
                .map(|(column, value)| (column.into(), vec![value.into()]))
                .into_iter()
                .collect(),
            labels: drawing.labels.iter().map(ToString::to_string).collect(),
            ..Options::default()
        };
        for note in figures::plot(drawing.figure, &inputs, &options)?.notes {
            say(format!("figure {}: {note}", drawing.name));
        }
    }
    Ok(())
}

/// The figures that a recipe left in its directory, set anew from their data; and why others could not
/// be. None for a directory that is no recipe's.
pub fn drawn_in(directory: &Path) -> (Vec<Drawn>, Vec<String>) {
    let (mut drawn, mut others) = (Vec::new(), Vec::new());
    let is_named = |name: &str| directory.file_name().is_some_and(|file| file == name);
    let recipe = RECIPES.iter().find(|recipe| is_named(recipe.name));
    for drawing in recipe.map_or(&[][..], |recipe| recipe.figures) {
        let data = directory.join(format!("figures/{}.csv", drawing.name));
        if !data.exists() {
            continue;
        }
        match figures::again(drawing.figure, &data) {
            Ok(figure) => drawn.push(Drawn { name: drawing.name, ..figure }),
            Err(error) => others.push(format!("{}: {error}", drawing.name)),
        }
    }
    (drawn, others)
}
