//! Locks that keep processes apart.

use std::fs::{File, TryLockError};
use std::path::Path;

/// Creates a lock file where there is none and takes its lock, shared or alone; `None` while another
/// process has it. The system releases it with the returned file, also when the process is killed.
///
/// # Errors
/// A file that cannot be created or locked.
pub fn lock_file(path: &Path, shared: bool) -> std::io::Result<Option<File>> {
    let file = File::options().create(true).truncate(false).write(true).read(true).open(path)?;
    match if shared { file.try_lock_shared() } else { file.try_lock() } {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(source),
    }
}
