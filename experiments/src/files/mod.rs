//! Files: instances, allocations, and outputs that are complete or absent.

pub mod allocation;
pub mod instance;
mod output;
mod text;

pub use output::{OutputFile, OutputPath, TEMPORARY_PREFIX, TEMPORARY_SUFFIX, print, say, write_file};
pub use text::{Document, Format, parse, read_text};
