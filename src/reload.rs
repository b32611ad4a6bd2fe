//! Reloading: a config is loaded again while dispatches run, and what is right is put in force.
//!
//! A [`Reloader`] holds the one rule of it: **the last good table stays**. A config that has a mistake, has
//! become empty or is gone changes nothing but the [status](Reloader::status), which says so until it is
//! mended. Only a config that says `allow_empty = true` leads to a table without hooks. What a load has brought is what
//! the next one takes away: hooks that the host has put in with [`Engine::edit`] stay.
//!
//! It does not follow files (the module `watch`, behind a feature, does): a host calls [`Reloader::reload`] when it wants to, on a signal, on the
//! request of an operator, or every second or two. A reload that finds nothing new puts nothing in force, so
//! approvals that are being waited for stay valid.

mod changes;
mod error;
mod owners;
mod record;
mod reloaded;
mod status;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::certify::keeping_dead_aside;
use crate::clock;
use crate::config::{ConfigError, ConfigProblem, Loaded, Loader};
use crate::engine::Engine;
use crate::log;
use crate::panic_boundary::catch;
use crate::registry::Registry;
use crate::table::{HandlerTable, Hook, Layer, TableBuilder};
pub use changes::Changes;
pub use error::ReloadError;
use owners::beside_hooks_of_host;
pub use reloaded::Reloaded;
pub use status::{ReloadFailure, ReloadStatus};

/// What loads a config: it gets the table in force, whose handlers it can keep.
type Load = dyn Fn(&HandlerTable) -> Result<Loaded, ReloadError> + Send + Sync;

/// Loads the config of an engine again, and keeps the last good table. Clones share the engine and the
/// status.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// use hookgate::reload::Reloader;
/// use hookgate::{Registry, table::Layer};
///
/// # let folder = std::env::temp_dir().join(format!("hookgate-reload-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("hooks.toml");
/// # std::fs::write(&path, "[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n").unwrap();
/// let registry = Registry::from_iter([hookgate::builtin::kind()]);
/// let reloader = Reloader::of_files(registry, [(Layer::Project, path.clone())])?;
/// let engine = reloader.engine();
///
/// std::fs::write(&path, "[[hook]]\nid = 'log'\nevent = 'stpo'\nbuiltin = 'audit'\n").unwrap();
/// let refused = reloader.blocking_reload().unwrap_err();
/// assert!(refused.to_string().contains("hooks.toml:3:9: unknown event `stpo`"));
/// assert_eq!((engine.table().len(), reloader.status().failure.unwrap().attempts), (1, 1));
///
/// std::fs::write(&path, "[[hook]]\nid = 'calls'\nevent = 'pre_tool_use'\nbuiltin = 'audit'\n").unwrap();
/// let reloaded = reloader.blocking_reload()?;
/// assert_eq!(reloaded.to_string(), "generation 2, 1 hook (added calls; removed log)");
/// assert!(reloader.status().failure.is_none());
/// # std::fs::remove_dir_all(folder).unwrap();
/// # }
/// # Ok::<(), hookgate::reload::ReloadError>(())
/// ```
#[derive(Clone)]
pub struct Reloader(Arc<Shared>);

struct Shared {
    engine: Arc<Engine>,
    load: Box<Load>,
    /// Held from the first file that is read until the table is in force: of two reloads the one that has
    /// read later wins.
    turn: Mutex<()>,
    /// Apart from `turn`: to ask for the status does not wait for a disk.
    attempts: Mutex<Attempts>,
}

/// What has come of the reloads so far.
struct Attempts {
    warnings: Vec<ConfigError>,
    loaded: u64,
    checked: u64,
    failed: u64,
    failure: Option<ReloadFailure>,
    /// What the last load has brought that was put in force: it is what the next one takes away.
    brought: Option<Arc<HandlerTable>>,
}

impl Reloader {
    /// Loads files, each of a layer, makes an engine with their hooks, and returns the reloader of both.
    /// [`Loader::load_layers`] says what layers are for.
    ///
    /// It reads files, so in an async host it belongs on a blocking thread.
    ///
    /// # Errors
    /// What is wrong with the files. There is no table yet that could stay, so there is no engine either.
    pub fn of_files(
        registry: impl Into<Arc<Registry>>,
        files: impl IntoIterator<Item = (Layer, PathBuf)>,
    ) -> Result<Self, ReloadError> {
        Self::of_files_with(registry, files, Engine::new)
    }

    /// Does the same with an engine that the host makes of the first table, such as one with a
    /// [`Recorder`](crate::Recorder): `|table| Engine::new(table).with_recorder(recorder)`.
    ///
    /// # Errors
    /// As [`Reloader::of_files`].
    pub fn of_files_with(
        registry: impl Into<Arc<Registry>>,
        files: impl IntoIterator<Item = (Layer, PathBuf)>,
        engine: impl FnOnce(HandlerTable) -> Engine,
    ) -> Result<Self, ReloadError> {
        let (registry, files) = (registry.into(), files.into_iter().collect::<Vec<_>>());
        let load = move |in_force: &HandlerTable| {
            Ok(Loader::new(&registry).keeping(in_force).load_layers(&files)?)
        };
        Self::first(load, Vec::new(), engine)
    }

    /// Loads for the first time, and makes an engine of what was loaded and of hooks of the host, which stay.
    ///
    /// # Errors
    /// What is wrong with either.
    pub(crate) fn first(
        load: impl Fn(&HandlerTable) -> Result<Loaded, ReloadError> + Send + Sync + 'static,
        hooks_of_host: Vec<Hook>,
        engine: impl FnOnce(HandlerTable) -> Engine,
    ) -> Result<Self, ReloadError> {
        let Loaded { table, warnings, .. } = load_with(&load, &HandlerTable::empty())?;
        let brought = Arc::new(table);
        let table = match hooks_of_host.is_empty() {
            true => HandlerTable::clone(&brought),
            false => {
                let mut builder = TableBuilder::from_table(&brought);
                for hook in hooks_of_host {
                    builder.insert(hook);
                }
                builder.build()?
            }
        };
        let reloader = Self::new(Arc::new(engine(table)), load);
        let mut attempts = reloader.attempts();
        attempts.warnings = warnings;
        attempts.brought = Some(brought);
        drop(attempts);
        Ok(reloader)
    }

    /// Returns a reloader of an engine that is there already, such as one with a
    /// [`Recorder`](crate::Recorder). `load` loads all that is to be in force, hooks of the host included;
    /// it gets the table in force, for [`Loader::keeping`]. It runs on a thread that may wait.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use std::sync::Arc;
    /// use hookgate::config::Loader;
    /// use hookgate::reload::Reloader;
    /// use hookgate::table::TableBuilder;
    /// use hookgate::{Engine, Event, Hook, Registry, Verdict};
    ///
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let text = "[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n";
    /// let reloader = Reloader::new(Arc::new(Engine::without_hooks()), move |in_force| {
    ///     let mut loaded = Loader::new(&registry).keeping(in_force).parse("hooks.toml", text, ".".as_ref())?;
    ///     // What the host insists on stands beside what the file says.
    ///     let own = Hook::sync("freeze", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    ///     loaded.table = TableBuilder::from_table(&Arc::new(loaded.table)).insert(own).build()?;
    ///     Ok(loaded)
    /// });
    /// let reloaded = reloader.blocking_reload()?;
    /// assert_eq!(reloaded.to_string(), "generation 2, 2 hooks (added freeze, log)");
    /// # }
    /// # Ok::<(), hookgate::reload::ReloadError>(())
    /// ```
    #[must_use]
    pub fn new(
        engine: Arc<Engine>,
        load: impl Fn(&HandlerTable) -> Result<Loaded, ReloadError> + Send + Sync + 'static,
    ) -> Self {
        let now = clock::unix_ms();
        Self(Arc::new(Shared {
            engine,
            load: Box::new(load),
            turn: Mutex::new(()),
            attempts: Mutex::new(Attempts {
                warnings: Vec::new(),
                loaded: now,
                checked: now,
                failed: 0,
                failure: None,
                brought: None,
            }),
        }))
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }

    /// Loads the config again beside the threads that dispatch, and puts it in force if it is right and
    /// another one. Outside of a tokio runtime it blocks, as [`Reloader::blocking_reload`] does.
    ///
    /// # Errors
    /// Why it was refused. The table in force stays, and [`Reloader::status`] says so until a reload
    /// succeeds.
    ///
    /// # Cancel safety
    /// A reload that has begun goes on to its end if the future is dropped.
    pub async fn reload(&self) -> Result<Reloaded, ReloadError> {
        if Handle::try_current().is_err() {
            return self.blocking_reload();
        }
        let reloader = self.clone();
        spawn_blocking(move || reloader.blocking_reload()).await.unwrap_or(Err(ReloadError::Ended))
    }

    /// Does the same on the thread of the caller, which waits for the files.
    ///
    /// # Errors
    /// As [`Reloader::reload`].
    pub fn blocking_reload(&self) -> Result<Reloaded, ReloadError> {
        let _turn = self.0.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let in_force = self.0.engine.table();
        let loaded =
            load_with(&self.0.load, &in_force).and_then(|loaded| self.put_in_force(loaded));
        if let Err(error) = &loaded {
            self.note_failure(error);
        }
        loaded
    }

    /// Returns what is in force since when, and why what is on disk is not, if so. It does not wait for
    /// a reload that goes on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::reload::Reloader;
    /// use hookgate::{Engine, Registry, config::Loader};
    ///
    /// let reloader = Reloader::new(Arc::new(Engine::without_hooks()), |_| {
    ///     Ok(Loader::new(&Registry::new()).load("no/such/hooks.toml".as_ref())?)
    /// });
    /// for _ in 0..3 {
    ///     assert!(reloader.blocking_reload().is_err());
    /// }
    /// let failure = reloader.status().failure.unwrap();
    /// assert_eq!(failure.attempts, 3);
    /// assert!(failure.error.to_string().contains("no/such/hooks.toml:1:1: cannot be read"));
    /// ```
    #[must_use]
    pub fn status(&self) -> ReloadStatus {
        // First, so that a failure is never shown beside the table that has mended it.
        let attempts = self.attempts();
        let table = self.0.engine.table();
        ReloadStatus {
            generation: table.generation(),
            config_hash: table.config_hash(),
            hooks: table.len(),
            loaded: attempts.loaded,
            checked: attempts.checked,
            failed: attempts.failed,
            failure: attempts.failure.clone(),
        }
    }

    /// Returns what is not a mistake in the config in force, but may not be intended.
    #[must_use]
    pub fn warnings(&self) -> Vec<ConfigError> {
        self.attempts().warnings.clone()
    }

    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.0.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_in_force(&self, loaded: Loaded) -> Result<Reloaded, ReloadError> {
        let Loaded { table: brought, warnings, .. } = loaded;
        let brought = Arc::new(brought);
        let mut attempts = self.attempts();
        // Again, if the host has changed the hooks meanwhile.
        let (before, changes, config_hash, hooks, generation, swapped) = loop {
            let before = self.0.engine.table();
            let table = beside_hooks_of_host(&brought, &before, attempts.brought.as_deref())?;
            let table = keeping_dead_aside(table, &before)?;
            let (config_hash, hooks) = (table.config_hash(), table.len());
            if table.is_same_as(&before) {
                let generation = before.generation();
                break (before, Changes::default(), config_hash, hooks, generation, false);
            }
            let changes = Changes::between(&before, &table);
            if let Ok(generation) = self.0.engine.swap_if(before.generation(), table) {
                break (before, changes, config_hash, hooks, generation, true);
            }
        };
        // Where nothing was put in force, the hooks in force are still those of an earlier load.
        if swapped {
            attempts.brought = Some(brought);
        }
        let now = clock::unix_ms();
        attempts.checked = now;
        if swapped {
            attempts.loaded = now;
        }
        attempts.warnings.clone_from(&warnings);
        let recovered = attempts.failure.take().is_some();
        drop(attempts);
        let reloaded = Reloaded {
            generation,
            config_hash,
            hooks,
            hooks_before: before.len(),
            swapped,
            recovered,
            changes,
            warnings,
        };
        if swapped || recovered {
            self.0.engine.record_reload(record::of_success(&reloaded, now));
        }
        Ok(reloaded)
    }

    /// Has the status say, and the recorder know, that what is on disk is not in force.
    pub(crate) fn note_failure(&self, error: &ReloadError) {
        let now = clock::unix_ms();
        let mut attempts = self.attempts();
        attempts.checked = now;
        attempts.failed += 1;
        let earlier = attempts.failure.take();
        let is_new = earlier.as_ref().is_none_or(|earlier| earlier.error != *error);
        let failure = ReloadFailure {
            error: error.clone(),
            since: earlier.as_ref().map_or(now, |earlier| earlier.since),
            attempts: earlier.map_or(0, |earlier| earlier.attempts) + 1,
        };
        attempts.failure = Some(failure.clone());
        drop(attempts);
        // A host that tries again each second is not to fill its journal.
        if is_new {
            let table = self.0.engine.table();
            let generation = table.generation().get();
            log::reload_failed(generation, &error);
            self.0.engine.record_reload(record::of_failure(&failure, &table, now));
        }
    }
}

impl fmt::Debug for Reloader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reloader").field("status", &self.status()).finish_non_exhaustive()
    }
}

/// Runs what loads.
fn load_with(
    load: &dyn Fn(&HandlerTable) -> Result<Loaded, ReloadError>,
    in_force: &HandlerTable,
) -> Result<Loaded, ReloadError> {
    catch("the loader", || load(in_force))
        .unwrap_or_else(|panic| Err(ReloadError::Panicked(panic.detail.into_owned())))
        .and_then(refuse_empty)
}

/// Refuses a table without hooks, unless the config says that this is intended: whoever has loaded it.
fn refuse_empty(loaded: Loaded) -> Result<Loaded, ReloadError> {
    let is_intended =
        || loaded.warnings.iter().any(|warning| *warning.problem() == ConfigProblem::Empty);
    if loaded.table.is_empty() && !is_intended() { Err(ReloadError::Empty) } else { Ok(loaded) }
}
