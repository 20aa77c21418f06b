//! Figures: drawn with plotters as SVG, and made into PDF and PNG of it, with one bundled font.
//!
//! Each figure is a function of its own data, which is saved beside it as CSV: [`render`] has what
//! they share (size, colours, fonts, files), and every other file is one figure.

pub mod gaps;
pub mod render;

use crate::error::OutputError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a figure was not made.
#[derive(Debug, Error)]
pub enum FigureError {
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The drawing libraries refuse: a fault of the program.
    #[error("{}: the figure cannot be drawn: {reason}", path.display())]
    Drawing {
        /// File, without extension.
        path: PathBuf,
        /// What the library says.
        reason: String,
    },
}
