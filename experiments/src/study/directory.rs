//! A results directory: `study.toml`, `parts/`, tables; and who may work in it.

use super::StudyError;
use super::file::StudyFile;
use super::plan::{Plan, UnitId};
use crate::files::{lock_file, remove_temporaries, write_file};
use std::collections::HashSet;
use std::fs::File;
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
    /// What a changed study leaves out of the tables, in one line.
    left_out: Option<String>,
    /// Held until the directory is dropped; the system releases them when the process is killed.
    _locks: Vec<File>,
}

impl Directory {
    /// Creates or opens a directory for a study. A whole run keeps every other process out; shards
    /// of a run may work side by side. Where the study has lost units or methods since the last run, the
    /// earlier one is kept beside it, and [`Directory::left_out`] says so.
    ///
    /// # Errors
    /// A path that is no directory or cannot be written; one that holds another study; a lock that is taken.
    pub fn open(path: &Path, plan: &Plan, shard: Option<Shard>) -> Result<Self, StudyError> {
        let study = plan.study();
        std::fs::create_dir_all(path.join("parts")).map_err(StudyError::io(path))?;
        let mut locks = vec![lock(&path.join(".lock"), shard.is_some())?];
        if let Some(shard) = shard {
            locks.push(lock(&path.join(format!(".lock-{}-of-{}", shard.index, shard.count)), false)?);
        }
        let mut directory = Directory { path: path.to_path_buf(), left_out: None, _locks: locks };
        if shard.is_none() {
            directory.sweep()?;
        }
        if let Some(stored) = directory.stored_study()? {
            if stored.name != study.name {
                let reason =
                    format!("holds the study {:?}, not {:?}; give another --out", stored.name, study.name);
                return Err(StudyError::Directory { path: path.to_path_buf(), reason });
            }
            directory.keep_earlier(stored, plan)?;
        }
        directory.take_inputs(study)?;
        write_file(&directory.study_path(), study.resolved().as_bytes())?;
        Ok(directory)
    }

    /// Opens a directory that a run left, with the study in it.
    ///
    /// # Errors
    /// No such directory, or none that a study wrote; a lock that is taken.
    pub fn existing(path: &Path) -> Result<(Self, StudyFile), StudyError> {
        let mut directory = Directory { path: path.to_path_buf(), left_out: None, _locks: Vec::new() };
        if !path.is_dir() {
            let what = if path.exists() { "is a file" } else { "does not exist" };
            let reason = format!("{what}; give a results directory of `synergy study`");
            return Err(StudyError::Directory { path: path.to_path_buf(), reason });
        }
        let Some(study) = directory.stored_study()? else {
            return Err(StudyError::Directory {
                path: path.to_path_buf(),
                reason: "has no study.toml, so it is no results directory of `synergy study`".into(),
            });
        };
        directory._locks.push(lock(&path.join(".lock"), false)?);
        Ok((directory, study))
    }

    /// What a changed study leaves out of the tables, in one line.
    pub fn left_out(&self) -> Option<&str> {
        self.left_out.as_deref()
    }

    /// Keeps the earlier study if the tables are about to lose something of it.
    fn keep_earlier(&mut self, earlier: StudyFile, plan: &Plan) -> Result<(), StudyError> {
        let text = earlier.resolved();
        if text == plan.study().resolved() {
            return Ok(());
        }
        let earlier = Plan::new(earlier, &self.study_path())?;
        let units: HashSet<UnitId> = plan.units().iter().map(|unit| unit.id).collect();
        let lost = earlier.units().iter().filter(|unit| !units.contains(&unit.id)).count();
        let kept: Vec<&str> = plan.methods().iter().map(|method| method.key.as_str()).collect();
        let gone = earlier.methods().iter().filter(|method| !kept.contains(&method.key.as_str()));
        let gone: Vec<String> = gone.map(ToString::to_string).collect();
        if lost == 0 && gone.is_empty() {
            return Ok(());
        }
        let hash = blake3::hash(text.as_bytes()).to_hex();
        let name = format!("study-{}.toml", &hash[..8]);
        write_file(&self.path.join(&name), text.as_bytes())?;
        let mut what = Vec::new();
        if lost > 0 {
            what.push(format!("{lost} of its {} units", earlier.units().len()));
        }
        what.extend(gone);
        self.left_out = Some(format!(
            "{}: the study has changed: {} leave the tables; nothing is lost, and `synergy study run {}` brings them back",
            self.path.display(),
            what.join(", "),
            self.path.join(name).display()
        ));
        Ok(())
    }

    /// Copies the traces and profiles that the study names, so that the directory is complete.
    fn take_inputs(&self, study: &StudyFile) -> Result<(), StudyError> {
        for (name, origin) in &study.origins {
            let target = self.path.join(name);
            if target.exists() {
                continue;
            }
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).map_err(StudyError::io(folder))?;
            }
            let bytes = std::fs::read(origin).map_err(StudyError::io(origin))?;
            write_file(&target, &bytes)?;
        }
        Ok(())
    }

    /// Removes what a killed process left half-written. Only under the lock that keeps all others out.
    fn sweep(&self) -> Result<(), StudyError> {
        for directory in [self.path.clone(), self.parts()] {
            remove_temporaries(&directory).map_err(StudyError::io(&directory))?;
        }
        Ok(())
    }

    fn stored_study(&self) -> Result<Option<StudyFile>, StudyError> {
        let path = self.study_path();
        if path.exists() { StudyFile::stored(&path, &[]).map(Some) } else { Ok(None) }
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
    let file = lock_file(path, shared).map_err(StudyError::io(path))?;
    file.ok_or_else(|| StudyError::Locked { path: path.to_path_buf() })
}
