//! The store: finished work by the hash of what it is, so that recipes share it and a run that was
//! killed goes on.

use super::ReproduceError;
use crate::study::UnitId;
use crate::study::parts::{self, Index, Reader, Record};
use crate::tables::{Row, Table};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where finished work is kept, and whether to go on.
pub struct Store<'a> {
    /// Directory of parts.
    pub path: &'a Path,
    /// Set when the user interrupts.
    pub stop: &'a AtomicBool,
}

/// The id of a piece of work: hash of all that decides its rows, in words.
pub fn id(key: &str) -> UnitId {
    let hash = blake3::hash(key.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    UnitId(u64::from_be_bytes(bytes))
}

impl Store<'_> {
    /// Fails once the user has interrupted.
    ///
    /// # Errors
    /// [`ReproduceError::Interrupted`].
    pub fn go_on(&self) -> Result<(), ReproduceError> {
        if self.stop.load(Ordering::SeqCst) { Err(ReproduceError::Interrupted) } else { Ok(()) }
    }

    /// The rows of all cases in their order. Those of a case that is not kept under its `key` are made,
    /// in parallel, and kept.
    ///
    /// # Errors
    /// From `make` and from the disk; [`ReproduceError::Interrupted`], with finished cases kept.
    pub fn rows<C: Sync>(
        &self,
        table: &'static Table,
        cases: &[C],
        key: impl Fn(&C) -> String,
        make: impl Fn(&C) -> Result<Vec<Row>, ReproduceError> + Sync,
    ) -> Result<Vec<Row>, ReproduceError> {
        // Rows under other columns are no longer rows.
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let id = |case: &C| id(&format!("{} {columns:?}\n{}", table.name, key(case)));
        let index = Index::open(self.path)?;
        let missing: Vec<(&C, UnitId)> =
            cases.iter().map(|case| (case, id(case))).filter(|(_, id)| !index.contains(*id)).collect();
        missing.par_iter().try_for_each(|(case, id)| {
            self.go_on()?;
            parts::write(self.path, &[Record::new(*id, &[], false, &make(case)?)])?;
            Ok::<_, ReproduceError>(())
        })?;
        let index = Index::open(self.path)?;
        let mut reader = Reader::new(&index);
        let mut rows = Vec::new();
        for case in cases {
            rows.extend(reader.table_rows(id(case), table)?);
        }
        Ok(rows)
    }
}
