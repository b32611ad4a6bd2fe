//! The configs of a folder as `hookgate hook` has them in force there, for a verb that does what their hooks left.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hookgate::Engine;
use tokio::runtime::Runtime;

use super::joined_configs::InForce;
use super::later::millis;
use super::tables::Tables;
use crate::abort::Abort;
use crate::trust::{Grants, projects};
use crate::{certified, runs, sources};

/// How long the hooks may take that `[certify]` has proved.
const PROVED_WITHIN: Duration = Duration::from_secs(60);

/// The event for which a table is made; it matters to a config with a mistake alone, and that is refused here.
const EVENT: &str = "pre_tool_use";

/// The configs of a folder, which are read again when they have changed.
pub(crate) struct InForceHere {
    tables: Tables,
    config: Vec<PathBuf>,
    strict: bool,
    folder: PathBuf,
}

/// Their table, at one moment.
pub(crate) struct TableHere {
    in_force: Arc<InForce>,
    /// Which configs its runs belong to.
    pub(crate) scope: String,
    /// When it was sure that it is in force, in milliseconds since 1970.
    pub(crate) read: u64,
}

impl InForceHere {
    /// Makes it, for the files that are named, or else for those that are found from this folder.
    ///
    /// # Errors
    /// The process cannot have threads.
    pub(crate) fn new(config: Vec<PathBuf>, strict: bool) -> Result<Self, Abort> {
        let folder = std::env::current_dir()?;
        let tables = Tables::new();
        let tables = tables
            .map_err(|error| Abort::failure(format!("the runtime cannot be started: {error}")))?;
        Ok(Self { tables, config, strict, folder })
    }

    /// Returns the runtime on which the hooks are called.
    pub(crate) fn runtime(&self) -> &Runtime {
        self.tables.runtime()
    }

    /// Returns the table as it is now.
    ///
    /// # Errors
    /// There is no config, or not all of them can be in force.
    pub(crate) async fn table(&self) -> Result<TableHere, Abort> {
        let read = millis(SystemTime::now());
        let sources = sources::find(&self.config, &self.folder);
        let grants = Grants::read(&projects(&sources), &[]);
        let in_force = self.tables.get(&sources, self.strict, grants, EVENT);
        let in_force = in_force.map_err(|error| Abort::invalid_config(error.to_string()))?;
        if !in_force.is_whole() {
            let problem = "a config of this project has a mistake, or is not what its user has trusted: nothing is done";
            return Err(Abort::invalid_config(problem)
                .help("`hookgate check` shows the mistake, `hookgate trust` what has changed"));
        }
        // What was found dead is set aside here as it is in a call: else this would be another config.
        if let Some(settings) = in_force.certify {
            let _ = certified::certify(settings, &in_force.engine, PROVED_WITHIN).await;
        }
        let files = sources.iter().map(|source| source.file.as_path());
        Ok(TableHere { scope: runs::scope(files, self.strict), in_force, read })
    }
}

impl TableHere {
    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.in_force.engine
    }

    /// Returns the journal that its `[journal]` names, if it can be written.
    pub(crate) fn journal(&self) -> Option<&Path> {
        self.in_force.journal_file()
    }
}
