//! The one table that the configs of a session become.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use hookgate::Engine;
use hookgate::builtin::ConfigFiles;
use hookgate::config::{Loaded, LoadedFile, Loader, join};
use hookgate::table::{EventSelector, TableBuilder};

use super::error::HookError;
use super::state::State;
use super::trust::{self, Skipped};
use crate::foreign;
use crate::kinds::{files_of, registry_of};
use crate::sources::Source;
use crate::terminal::sanitize::line;

/// The table that configs became, in an engine, with what belongs to it.
#[derive(Debug)]
pub(super) struct InForce {
    /// The engine.
    pub(super) engine: Engine,
    /// What its hooks keep of sessions.
    pub(super) state: State,
    /// What of its hooks was not called.
    pub(super) skipped: Skipped,
    files: Arc<Files>,
    /// The folders in which a file may appear that belongs to it.
    searched: Vec<PathBuf>,
    is_whole: bool,
}

impl InForce {
    /// Returns the files that it is made of, and the folders in which more of them may appear.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.files().into_iter().chain(self.searched.iter().cloned()).collect()
    }

    /// Tells whether all configs are in force, for all events.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// The files that a table is made of, as soon as they are known: a builtin of it protects them.
#[derive(Debug, Default)]
struct Files(OnceLock<Vec<PathBuf>>);

impl ConfigFiles for Files {
    fn files(&self) -> Vec<PathBuf> {
        self.0.get().cloned().unwrap_or_default()
    }
}

/// Loads the configs, and joins them to one table, in which a layer can only tighten what those above it say.
/// Of a project's hooks not all are called: see [`trust`]. A mistake in its config does not weaken those above
/// it, either: their hooks are in force, and all that can be refused at the event is.
///
/// # Errors
/// There is no config, one is not valid, or they do not go together.
pub(super) fn load(sources: &[Source], strict: bool, event: &str) -> Result<InForce, HookError> {
    let shared = Shared::default();
    let (loaded, is_whole) = match shared.join(sources, strict) {
        Ok(loaded) => (loaded, true),
        Err(error) => (shared.without_project(sources, strict, event, error)?, false),
    };
    let Loaded { table, included, searched, .. } = loaded;
    let configs = sources.iter().map(|source| source.file.clone());
    let configs: Vec<PathBuf> = configs.chain(included).collect();
    // Nobody else sets them.
    let _ = shared.files.0.set(files_of(&configs, &table));
    let Shared { state, skipped, files } = shared;
    Ok(InForce { engine: Engine::new(table), state, skipped, files, searched, is_whole })
}

/// What the tables of several configs share.
#[derive(Default)]
struct Shared {
    state: State,
    skipped: Skipped,
    files: Arc<Files>,
}

impl Shared {
    fn join(&self, sources: &[Source], strict: bool) -> Result<Loaded, HookError> {
        if sources.is_empty() {
            return Err(HookError::NoConfig);
        }
        let read = sources.iter().map(|source| self.read(source, strict));
        let loaded = join(read.collect::<Result<_, _>>()?);
        let files = || sources.iter().map(|source| source.file.clone()).collect::<Vec<_>>();
        loaded.map_err(|errors| HookError::join(&files(), &errors))
    }

    /// Returns the table without the configs of a project, which refuses all that can be refused.
    fn without_project(
        &self,
        sources: &[Source],
        strict: bool,
        event: &str,
        error: HookError,
    ) -> Result<Loaded, HookError> {
        let above: Vec<Source> =
            sources.iter().filter(|source| !source.is_of_project()).cloned().collect();
        if above.is_empty() || above.len() == sources.len() {
            return Err(error);
        }
        let mut loaded = self.join(&above, strict)?;
        let table = Arc::new(loaded.table);
        let refusal = trust::refusal("hookgate-project-config", error.to_string(), &self.skipped);
        let events = EventSelector::named(event).into_iter().flatten();
        let mut builder = TableBuilder::from_table(&table);
        builder.insert(refusal.event_selectors(events));
        loaded.table = builder.build().map_err(|_| error)?;
        Ok(loaded)
    }

    fn read(&self, source: &Source, strict: bool) -> Result<LoadedFile, HookError> {
        let (file, is_project) = (&source.file, source.is_of_project());
        let history = if is_project { self.state.history_of(file) } else { self.state.history() };
        let registry = registry_of(history, None, Arc::clone(&self.files) as Arc<dyn ConfigFiles>);
        if is_project {
            trust::restrict(&registry);
        }
        let loader = Loader::new(&registry).allow_unverified().layer(source.layer);
        let read = foreign::read_file(loader, file, strict);
        let read = read.map_err(|errors| HookError::config(file, &errors))?;
        if !is_project {
            return Ok(read);
        }
        read.map_table(|table| trust::refuse_untrusted(table, file, &self.skipped)).map_err(
            |errors| HookError::Config { file: file.clone(), problem: line(&errors.to_string()) },
        )
    }
}
