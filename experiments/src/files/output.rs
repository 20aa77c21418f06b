//! Outputs: a file appears, or is replaced, only when the new one is complete.

use crate::error::OutputError;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a result goes: a file, or standard output for `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputPath {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl From<&str> for OutputPath {
    fn from(path: &str) -> Self {
        if path == "-" { OutputPath::Stdout } else { OutputPath::File(path.into()) }
    }
}

impl OutputPath {
    /// Opens the output. Do this before the work, so that a bad path fails at once.
    ///
    /// # Errors
    /// The path is a directory, or its directory is absent or not writable.
    pub fn open(&self) -> Result<OutputFile, OutputError> {
        let sink = match self {
            OutputPath::Stdout => Sink::Stream(Box::new(io::stdout())),
            OutputPath::File(path) => open_file(path)?,
        };
        Ok(OutputFile { path: self.clone(), sink })
    }
}

enum Sink {
    /// Standard output, or something that is no regular file, such as a pipe: written as it comes.
    Stream(Box<dyn Write + Send>),
    /// A temporary file beside the target.
    Temporary { file: BufWriter<NamedTempFile>, target: PathBuf },
}

/// An output in the making. Dropped without [`finish`](OutputFile::finish), it leaves no trace.
pub struct OutputFile {
    path: OutputPath,
    sink: Sink,
}

impl OutputFile {
    /// Puts the complete output in its place.
    ///
    /// # Errors
    /// The system refuses, for instance because the disk is full.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let path = match &self.path {
            OutputPath::Stdout => PathBuf::from("standard output"),
            OutputPath::File(path) => path.clone(),
        };
        let refused = |source: io::Error| OutputError::write(&path, source);
        match self.flush() {
            // Who reads a pipe may stop early: `synergy compare ... | head`.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result.map_err(refused)?,
        }
        if let Sink::Temporary { file, target } = self.sink {
            let file = file.into_inner().map_err(|e| refused(e.into_error()))?;
            file.persist(target).map_err(|e| refused(e.error))?;
        }
        Ok(())
    }

    /// Writes `bytes` and puts the output in its place.
    ///
    /// # Errors
    /// As [`finish`](OutputFile::finish).
    pub fn finish_with(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = self.write_all(bytes);
        match (written, &self.path) {
            (Ok(()), _) => self.finish(),
            (Err(source), OutputPath::Stdout) if source.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Err(source), OutputPath::File(path)) => Err(OutputError::write(path, source)),
            (Err(source), OutputPath::Stdout) => {
                Err(OutputError::write(Path::new("standard output"), source))
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stream(stream) => stream.write(bytes),
            Sink::Temporary { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(stream) => stream.flush(),
            Sink::Temporary { file, .. } => file.flush(),
        }
    }
}

fn open_file(path: &Path) -> Result<Sink, OutputError> {
    let refused = |source: io::Error| OutputError::write(path, source);
    // A link keeps pointing where it does: its target is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(fs::Metadata::is_dir) || path.as_os_str().is_empty() {
        return Err(OutputError::Directory { path: path.to_path_buf() });
    }
    if existing.as_ref().is_some_and(|m| !m.is_file()) {
        let stream = fs::OpenOptions::new().write(true).open(&target).map_err(refused)?;
        return Ok(Sink::Stream(Box::new(stream)));
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".synergy-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What an ordinary new file gets, after the user's umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(directory).map_err(|e| refused(without_path(e)))?;
    if let Some(existing) = existing {
        fs::set_permissions(file.path(), existing.permissions()).map_err(refused)?;
    }
    Ok(Sink::Temporary { file: BufWriter::new(file), target })
}

/// The system's words alone; the message names the path that the user gave, not the temporary one.
fn without_path(error: io::Error) -> io::Error {
    error.kind().into()
}

/// Writes a complete file, or leaves what was there.
///
/// # Errors
/// The path is a directory, or the system refuses.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    OutputPath::File(path.to_path_buf()).open()?.finish_with(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_output_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.json");
        write_file(&path, b"old").unwrap();
        let mut output = OutputPath::File(path.clone()).open().unwrap();
        output.write_all(b"half").unwrap();
        drop(output);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        write_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_directory_and_an_absent_directory_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let is_directory = write_file(directory.path(), b"x");
        assert!(matches!(is_directory, Err(OutputError::Directory { .. })));
        let absent = write_file(&directory.path().join("no/such"), b"x").unwrap_err().to_string();
        assert!(absent.contains("no/such") && !absent.contains(".part"), "{absent}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_device_is_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        write_file(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_file(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        write_file(Path::new("/dev/null"), b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
