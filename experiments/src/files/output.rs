//! Outputs: a file appears, or is replaced, only when the new one is complete.

use crate::error::OutputError;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How names of temporary files begin; a killed process may leave some.
const TEMPORARY_PREFIX: &str = ".synergy-";
/// How they end.
const TEMPORARY_SUFFIX: &str = ".part";

/// Removes what killed processes left half-written in a directory, which no other process may be at
/// work in.
///
/// # Errors
/// A directory that cannot be read, a file that cannot be removed.
pub fn remove_temporaries(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

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

impl fmt::Display for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputPath::Stdout => f.write_str("standard output"),
            OutputPath::File(path) => path.display().fmt(f),
        }
    }
}

impl OutputPath {
    /// Opens the output. Do this before the work, so that a bad path fails at once. Until the first
    /// byte is written there is no trace of it in the file system.
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

    fn refused(&self, source: io::Error) -> OutputError {
        match self {
            OutputPath::Stdout => OutputError::write(Path::new("standard output"), source),
            OutputPath::File(path) => OutputError::write(path, without_temporary_path(source)),
        }
    }
}

enum Sink {
    /// Standard output, or something that is no regular file, such as a pipe: written as it comes.
    Stream(Box<dyn Write + Send>),
    /// A file, and the temporary one beside it from the first byte on.
    File(Target, Option<BufWriter<NamedTempFile>>),
}

/// The file that an output becomes.
struct Target {
    path: PathBuf,
    /// Those of the file that is replaced.
    permissions: Option<fs::Permissions>,
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
    pub fn finish(self) -> Result<(), OutputError> {
        let path = self.path.clone();
        match self.put_in_place() {
            // Who reads a pipe may stop early: `synergy compare ... | head`.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe && path == OutputPath::Stdout => Ok(()),
            result => result.map_err(|source| path.refused(source)),
        }
    }

    fn put_in_place(mut self) -> io::Result<()> {
        self.flush()?;
        if let Sink::File(target, Some(file)) = self.sink {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(target.path).map_err(|e| e.error)?;
        }
        Ok(())
    }

    /// Writes `bytes` to where they wait for [`finish`](OutputFile::finish).
    ///
    /// # Errors
    /// The system refuses, for instance because the disk is full.
    pub fn fill(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = self.write_all(bytes).and_then(|()| self.flush());
        written.map_err(|source| self.path.refused(source))
    }

    /// Writes `bytes` and puts the output in its place.
    ///
    /// # Errors
    /// As [`finish`](OutputFile::finish).
    pub fn finish_with(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        match self.write_all(bytes) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe && self.path == OutputPath::Stdout => Ok(()),
            Err(source) => Err(self.path.refused(source)),
            Ok(()) => self.finish(),
        }
    }

    fn sink(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.sink {
            Sink::Stream(stream) => Ok(stream),
            Sink::File(target, temporary) => {
                let file = match temporary.take() {
                    Some(file) => file,
                    None => BufWriter::new(target.temporary()?),
                };
                Ok(temporary.insert(file))
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink()?.flush()
    }
}

impl Target {
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What an ordinary new file gets, after the user's umask.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(directory).map_err(without_temporary_path)?;
        if let Some(permissions) = &self.permissions {
            fs::set_permissions(file.path(), permissions.clone())?;
        }
        Ok(file)
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
    let target = Target { path: target, permissions: existing.map(|m| m.permissions()) };
    // A trial: made and gone.
    target.temporary().map_err(refused)?;
    Ok(Sink::File(target, None))
}

/// Writes a complete file, or leaves what was there.
///
/// # Errors
/// The path is a directory, or the system refuses.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    OutputPath::File(path.to_path_buf()).open()?.finish_with(bytes)
}

/// What the system says alone: `tempfile` adds a path that the user never gave and that is gone.
pub fn without_temporary_path(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

/// Writes `text` to standard output. Who reads a pipe may stop early, which is no failure; `print!` would panic.
///
/// # Errors
/// The system refuses, for instance because the disk is full.
pub fn print(text: &str) -> Result<(), OutputError> {
    OutputPath::Stdout.open()?.finish_with(text.as_bytes())
}

/// Writes a line to standard error. Where that cannot be written there is nobody to tell; `eprintln!` would panic.
pub fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_without_the_temporary_file() {
        // What a write to a full disk gives, as tempfile passes it on.
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let temporary = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile().unwrap();
        let (_, path) = temporary.into_parts();
        let mut file = NamedTempFile::from_parts(full, path);
        let error = file.write_all(b"x").unwrap_err();
        assert!(error.to_string().contains(TEMPORARY_PREFIX), "{error}");
        let said = OutputPath::from("out.csv").refused(error).to_string();
        assert_eq!(said, "out.csv: cannot be written: no space is left on the device");
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
