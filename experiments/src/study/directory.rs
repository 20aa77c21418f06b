//! A results directory: `study.toml`, `parts/`, tables; and who may work in it.

use super::StudyError;
use super::file::StudyFile;
use crate::files::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX, write_file};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A part of a plan: unit k belongs to shard k mod `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: usize,
    /// Number of shards.
    pub count: usize,
}

impl Shard {
    /// Whether the unit at this position of the plan belongs to it.
    pub fn has(&self, position: usize) -> bool {
        position % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err("write it as I/N with I from 0 to N-1, such as 0/4".into()),
        }
    }
}

/// A results directory that this process has locked.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// Held until the directory is dropped; the system releases them when the process is killed.
    _locks: Vec<File>,
}

impl Directory {
    /// Creates or opens a directory for a study. A whole run keeps every other process out; shards
    /// of a run may work side by side.
    ///
    /// # Errors
    /// A path that is no directory or cannot be written; one that holds another study; a lock that is taken.
    pub fn open(path: &Path, study: &StudyFile, shard: Option<Shard>) -> Result<Self, StudyError> {
        std::fs::create_dir_all(path.join("parts")).map_err(StudyError::io(path))?;
        let mut locks = vec![lock(&path.join(".lock"), shard.is_some())?];
        if let Some(shard) = shard {
            locks.push(lock(&path.join(format!(".lock-{}-of-{}", shard.index, shard.count)), false)?);
        }
        let directory = Directory { path: path.to_path_buf(), _locks: locks };
        if shard.is_none() {
            directory.sweep()?;
        }
        if let Some(stored) = directory.stored_study()?.filter(|stored| stored.name != study.name) {
            let reason =
                format!("holds the study {:?}, not {:?}; give another --out", stored.name, study.name);
            return Err(StudyError::Directory { path: path.to_path_buf(), reason });
        }
        write_file(&directory.study_path(), study.resolved().as_bytes())?;
        Ok(directory)
    }

    /// Opens a directory that a run left, with the study in it.
    ///
    /// # Errors
    /// No such directory, or none that a study wrote; a lock that is taken.
    pub fn existing(path: &Path) -> Result<(Self, StudyFile), StudyError> {
        let mut directory = Directory { path: path.to_path_buf(), _locks: Vec::new() };
        let Some(study) = directory.stored_study()? else {
            return Err(StudyError::Directory {
                path: path.to_path_buf(),
                reason: "has no study.toml, so it is no results directory of `synergy study`".into(),
            });
        };
        directory._locks.push(lock(&path.join(".lock"), false)?);
        Ok((directory, study))
    }

    /// Removes what a killed process left half-written. Only under the lock that keeps all others out.
    fn sweep(&self) -> Result<(), StudyError> {
        for directory in [self.path.clone(), self.parts()] {
            for entry in std::fs::read_dir(&directory).map_err(StudyError::io(&directory))? {
                let path = entry.map_err(StudyError::io(&directory))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX) {
                    std::fs::remove_file(&path).map_err(StudyError::io(&path))?;
                }
            }
        }
        Ok(())
    }

    fn stored_study(&self) -> Result<Option<StudyFile>, StudyError> {
        let path = self.study_path();
        if path.exists() { StudyFile::read(&path, &[]).map(Some) } else { Ok(None) }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finished units.
    pub fn parts(&self) -> PathBuf {
        self.path.join("parts")
    }

    /// The resolved study.
    pub fn study_path(&self) -> PathBuf {
        self.path.join("study.toml")
    }

    /// A table's file.
    pub fn table(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.parquet"))
    }
}

fn lock(path: &Path, shared: bool) -> Result<File, StudyError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .read(true)
        .open(path)
        .map_err(StudyError::io(path))?;
    let result = if shared { file.try_lock_shared() } else { file.try_lock() };
    match result {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StudyError::Locked { path: path.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(StudyError::Io { path: path.to_path_buf(), source }),
    }
}
