//! Files: instances, allocations, and outputs that are complete or absent.

pub mod allocation;
pub mod instance;
mod lock;
mod output;
mod text;

pub use lock::lock_file;
pub use output::{
    OutputFile, OutputPath, print, remove_temporaries, say, without_temporary_path, write_file,
};
pub use text::{Document, Format, parse, read_text};
