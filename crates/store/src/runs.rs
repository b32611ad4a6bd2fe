//! What hooks have to do later, or without anybody waiting for it: runs that outlive the process that queued them, in a
//! SQLite file of their own beside the journal.
//!
//! ```text
//! journal-runs.db        the runs (`runs/schema.sql`), and SQLite's log and index beside it
//! journal-runs.key       a random key, by which what runs are done with is sealed
//! journal-runs.holders   a locked file for each process that has claimed runs
//! ```
//!
//! # The life of a run
//!
//! ```text
//! enqueue ─▶ queued ─ claim ─▶ running ─▶ succeeded, skipped, failed, timed_out, dead_lettered, cancelled
//!              │ ▲               │
//!              │ └── tried again ┴─ its process is gone ─▶ queued, or orphaned if no attempt is left
//!              └─ refused before it begins ─▶ superseded, unreadable, handler_missing, cancelled
//! ```
//!
//! A claim is one transaction that writes `running`, the holder, the next epoch and one more attempt, and is on the disk
//! before the work begins. What comes of it counts only with the same epoch: that of a process that was taken for dead
//! is refused. Runs of the same key are one run, so a step that is told again queues nothing.
//!
//! # Why no run is done twice at the same time
//!
//! A holder has the lock of a file of its own (`runs/holder.rs`), and the system keeps that until the process has ended.
//! A run is taken over when its holder's lock is free, and not before: a clock that jumps, and a process that is stopped
//! and goes on later, change nothing. Only if that file was taken away does the lease count: then a run is taken over
//! when this process, by a clock that does not jump, has seen no sign of life for as long as the lease is. The holder gives
//! such signs three times in a lease, and stops its work if it could not for two thirds of it.
//!
//! So a process that hangs keeps its runs until it is ended. They can be seen: `until` lies in the past.
//!
//! What a handler has started outside of the process, such as a program, is not held by that lock. It gets the key of the
//! run, by which it can tell that it has done the work before.

mod attempt;
mod backoff;
mod blocking;
mod claim;
mod claimed;
mod engine;
mod error;
mod handler;
mod holder;
mod input;
mod list;
mod queue;
mod record;
mod recover;
mod settings;
mod state;
mod transition;
mod worker;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookgate_secrets::{Finder, Redactor};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tokio::sync::Notify;

use crate::database::{self, Schema};
use crate::key_file::{Found, Key, KeyFile};
use crate::place::Identity;
pub use backoff::Backoff;
pub use claimed::{Claim, Refusal};
pub use engine::EngineRuns;
pub use error::RunError;
pub use handler::{HandledFuture, RunHandler, RunOutcome};
use holder::Holder;
pub(crate) use input::{open as open_sealed, seal};
pub use list::{RunFilter, RunReader};
pub use queue::Enqueued;
pub use record::{Attempt, AuditRow, NewRun, Run, RunHistory, RunKind, Visibility};
pub use recover::Recovered;
pub use settings::RunSettings;
pub use state::RunState;
pub use worker::Worker;

/// What the file is: `hkrn`.
const RUNS: Schema = Schema {
    application: 0x686b_726e,
    migrations: &[
        include_str!("runs/schema.sql"),
        include_str!("approvals/schema.sql"),
        include_str!("approvals/within_schema.sql"),
    ],
    log_pages: 256,
};

/// How long what an ended run was done with is kept, so that somebody can have it tried again.
const KEEP_INPUTS: Duration = Duration::from_secs(7 * 24 * 3600);

/// How many characters of a text about a failure are kept.
const LONGEST_TEXT: usize = 500;

/// The runs of a file, which several processes can queue and do. A clone is the same holder.
///
/// ```
/// use hookgate_store::{NewRun, RunKind, RunSettings, RunState, RunStore};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let store = RunStore::open(RunSettings::new(folder.path().join("runs.db")))?;
/// let run = NewRun::new(RunKind::Hook, "key-1", "audit-log", json!({"reason": "done"}));
/// let queued = store.enqueue(&run)?;
/// assert!(queued.is_new && !store.enqueue(&run)?.is_new);
///
/// let mut claim = store.claim("", &|_| true)?.expect("it is due");
/// assert_eq!(claim.input()["reason"], "done");
/// claim.succeed(&[], &[])?;
/// assert_eq!(store.run(queued.id)?.state, RunState::Succeeded);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RunStore {
    shared: Arc<Shared>,
}

struct Shared {
    settings: RunSettings,
    redactor: Redactor,
    database: Mutex<Opened>,
    /// Made when the first run is claimed.
    holder: Mutex<Option<Holder>>,
    held: Mutex<Held>,
    /// Notified when a run is queued here.
    queued: Notify,
}

/// An open file, which file it is, and its key.
struct Opened {
    database: Connection,
    identity: Option<Identity>,
    key: Key,
}

/// What this process knows of claims, beside what is in the file.
#[derive(Default)]
struct Held {
    /// The claims of this process that have not ended: the run and the epoch.
    claims: HashSet<(u64, u64)>,
    /// Claims that were dropped, and could not be given back yet.
    dropped: Vec<(u64, u64)>,
    /// Runs of holders that cannot be asked: the last sign of life, and when it was first seen here.
    watched: HashMap<u64, ((u64, u64), Instant)>,
    /// When what is too old was looked for last.
    cleaned: Option<Instant>,
}

impl RunStore {
    /// Opens the file, which is made if it is not there.
    ///
    /// # Errors
    /// The file or its key cannot be used, is on a network file system, is something else or of a newer hookgate.
    pub fn open(settings: RunSettings) -> Result<Self, RunError> {
        let opened = Opened::open(&settings)?;
        Ok(Self {
            shared: Arc::new(Shared {
                settings,
                redactor: Redactor::new(Finder::catalogue().clone()),
                database: Mutex::new(opened),
                holder: Mutex::default(),
                held: Mutex::default(),
                queued: Notify::new(),
            }),
        })
    }

    /// Returns how it is set up.
    #[must_use]
    pub fn settings(&self) -> &RunSettings {
        &self.shared.settings
    }

    /// Has something done in one transaction. What it has written is on the disk when this returns.
    pub(crate) fn write<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>, &Key) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let mut opened = self.opened()?;
        let Opened { database, key, .. } = &mut *opened;
        let write = database.transaction_with_behavior(TransactionBehavior::Immediate);
        let write = write.map_err(|error| self.refused(error))?;
        let done = act(&write, key)?;
        write.commit().map_err(|error| self.refused(error))?;
        Ok(done)
    }

    /// Returns something that is made of the key.
    pub(crate) fn with_key<T>(&self, make: impl FnOnce(&Key) -> T) -> Result<T, RunError> {
        Ok(make(&self.opened()?.key))
    }

    /// Reads in one transaction.
    fn read<T>(&self, act: impl FnOnce(&Connection) -> Result<T, RunError>) -> Result<T, RunError> {
        act(&self.opened()?.database)
    }

    /// Returns the open file; opens it anew if somebody has moved it away.
    fn opened(&self) -> Result<MutexGuard<'_, Opened>, RunError> {
        let settings = &self.shared.settings;
        let mut opened = self.shared.database.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.identity.is_none() || opened.identity != Identity::of(&settings.file) {
            *opened = Opened::open(settings)?;
        }
        Ok(opened)
    }

    pub(crate) fn refused(&self, error: rusqlite::Error) -> RunError {
        RunError::sqlite(&self.shared.settings.file, error)
    }

    pub(crate) fn now(&self) -> u64 {
        self.shared.settings.now()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.shared.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the name of this process as a holder.
    fn holder(&self) -> Result<String, RunError> {
        let mut holder = self.shared.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holder) = &*holder {
            return Ok(holder.name().to_owned());
        }
        let folder = self.shared.settings.holders();
        let made = Holder::new(&folder).map_err(|error| RunError::file(&folder, error))?;
        Ok(holder.insert(made).name().to_owned())
    }

    /// Returns the name of this process, if it has been a holder.
    fn own_name(&self) -> Option<String> {
        let holder = self.shared.holder.lock().unwrap_or_else(PoisonError::into_inner);
        holder.as_ref().map(|holder| holder.name().to_owned())
    }

    /// Returns a text without secrets, and not too long.
    pub(crate) fn cleaned(&self, text: &str) -> String {
        let redacted = self.shared.redactor.redact_text(text);
        let text = redacted.as_ref().map_or(text, |(text, _)| text);
        match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text.to_owned(),
        }
    }

    /// Notes what happened to a run.
    fn note(
        &self,
        write: &Connection,
        run: u64,
        what: &str,
        detail: Option<&str>,
    ) -> Result<(), RunError> {
        write
            .prepare_cached("INSERT INTO audit(run, time, what, detail) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.execute(params![run, self.now(), what, detail]))
            .map(drop)
            .map_err(|error| self.refused(error))
    }
}

impl fmt::Debug for RunStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStore").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

impl Drop for Shared {
    /// The file of a holder stays while a run names it: another process sees by it that the run is free.
    fn drop(&mut self) {
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        let holder = self.holder.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        match holder {
            Some(holder) if held.claims.is_empty() && held.dropped.is_empty() => holder.remove(),
            _ => {}
        }
    }
}

impl Opened {
    fn open(settings: &RunSettings) -> Result<Self, RunError> {
        let file = &settings.file;
        if file.as_os_str().is_empty() {
            let error =
                io::Error::other("it has no name: name an absolute path as `[journal] file`");
            return Err(RunError::file(file, error));
        }
        let database = database::open(file, &RUNS, true);
        let database = database.map_err(|error| RunError::not_opened(file, error))?;
        Ok(Self { database, identity: Identity::of(file), key: key(&settings.key_file())? })
    }
}

/// Reads the key, or draws one. What was sealed by a key that is lost cannot be read any more, and its run ends as that.
fn key(file: &Path) -> Result<Key, RunError> {
    let refuse = |error| RunError::file(file, error);
    let mut locked = KeyFile::lock(file).map_err(refuse)?;
    match locked.read().map_err(refuse)? {
        Found::Counted(key, _) => Ok(key),
        Found::Nothing => {
            let key = Key::draw().map_err(refuse)?;
            locked.write(&key, 0).map_err(refuse)?;
            Ok(key)
        }
        Found::Former(_) | Found::Altered => Err(RunError::Key { file: file.to_owned() }),
    }
}
