//! The tables that a daemon keeps, with all that their handlers keep, and the runtime on which they run.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use hookgate::watch::Stamps;
use tokio::runtime::{Builder, Runtime};

use super::error::HookError;
use super::joined_configs::{self, InForce};
use crate::sources::Source;
use crate::trust::Grants;

/// How many tables are kept.
const TABLES: usize = 16;

/// A file that has changed within this time may change again without a sign of it: the system notes times in
/// steps.
const STEP: Duration = Duration::from_millis(100);

/// The threads on which handlers wait.
const THREADS: usize = 2;

/// The tables, the latest one first.
#[derive(Debug)]
pub(super) struct Tables {
    kept: Mutex<Vec<Kept>>,
    runtime: Runtime,
}

#[derive(Debug)]
struct Kept {
    sources: Vec<Source>,
    strict: bool,
    grants: Grants,
    files: BTreeSet<PathBuf>,
    stamps: Stamps,
    table: Arc<InForce>,
}

impl Tables {
    /// Makes an empty one.
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
        Ok(Self { kept: Mutex::default(), runtime })
    }

    /// Returns the runtime.
    pub(super) const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the table of these configs: the one that is kept, unless one of its files has changed, or what
    /// the user trusts.
    ///
    /// # Errors
    /// See [`joined_configs::load`].
    pub(super) fn get(
        &self,
        sources: &[Source],
        strict: bool,
        grants: Grants,
        event: &str,
    ) -> Result<Arc<InForce>, HookError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |kept: &Kept| kept.sources == sources && kept.strict == strict && kept.grants == grants;
        if let Some(at) = kept.iter().position(is_same) {
            let found = kept.remove(at);
            if Stamps::read(&found.files) == found.stamps {
                let table = Arc::clone(&found.table);
                kept.insert(0, found);
                return Ok(table);
            }
        }
        let settled = SystemTime::now().checked_sub(STEP);
        let table = Arc::new(joined_configs::load(sources, strict, &grants, event)?);
        let files: BTreeSet<PathBuf> = table.files().into_iter().collect();
        let stamps = Stamps::read(&files);
        if table.is_whole() && settled.is_some_and(|time| stamps.are_older_than(time)) {
            let sources = sources.to_vec();
            let table = Arc::clone(&table);
            kept.insert(0, Kept { sources, strict, grants, files, stamps, table });
            kept.truncate(TABLES);
        }
        Ok(table)
    }

    /// Forgets a table whose state could not be read or kept: the next call tries anew.
    pub(super) fn forget(&self, table: &Arc<InForce>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| !Arc::ptr_eq(&other.table, table));
    }
}
