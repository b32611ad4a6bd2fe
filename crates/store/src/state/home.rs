//! The database as a home: looks and changes, one at a time over all processes.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate_contract::{StateChange, StateError, StateHome, StateKey};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde_json::Value;

use super::folder::{DATABASE, Folder, KEY};
use super::former;
use super::ledger::{Ledger, now};
use super::values::{self, Found, Values, scope_name};
use crate::database::{self, Schema};
use crate::key_file::{self, Key, KeyFile, Seal};
use crate::place::{self, Identity};

/// What the file is: `hkst`.
const STATE: Schema = Schema {
    application: 0x686b_7374,
    migrations: &[include_str!("schema.sql")],
    // Each step is a process of its own, which reads the log.
    log_pages: 64,
};

/// How many scopes are kept; those that were not changed for the longest time are forgotten.
const SCOPES: usize = 1024;

/// What was changed within this time is not forgotten.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// How many scopes there are at most: there may be many that are young.
const MOST_SCOPES: usize = 16 * 1024;

/// How many bytes the values of a scope may have.
const BYTES: u64 = 1 << 20;

/// What hooks count and remember, in a SQLite file that processes share. Nothing is read or written before something is
/// asked for. What was edited, removed or put back to an older state is an error: the file `state.key` beside it holds
/// the key of its seals and the number of changes.
///
/// ```
/// use std::sync::Arc;
/// use hookgate_contract::{Kept, StateScope};
/// use hookgate_store::StateDatabase;
///
/// let folder = tempfile::tempdir()?;
/// let call = || {
///     // Each call is another process.
///     let home = StateDatabase::new(folder.path()).part("sessions");
///     let calls: Kept<u64> = Kept::new("calls", 1).in_home(Some(Arc::new(home)));
///     calls.update(StateScope::Session("session-1"), "my-hook", |count| {
///         *count += 1;
///         *count
///     })
/// };
/// assert_eq!((call()?, call()?), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct StateDatabase {
    folder: Folder,
    scopes: usize,
    young: Duration,
    /// Kept open for what is asked next.
    connection: Arc<Mutex<Option<Opened>>>,
}

/// An open database, and which file it is.
#[derive(Debug)]
struct Opened {
    database: Connection,
    identity: Option<Identity>,
}

impl StateDatabase {
    /// Makes one in a folder, which is created when something is kept. Nobody else should be able to read or
    /// write it. It has to be on a file system of this machine: one of another may know no locks.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = Folder::new(folder.into());
        Self { folder, scopes: SCOPES, young: YOUNG, connection: Arc::default() }
    }

    /// Sets of how many sessions, and owners over all sessions, something is kept, and for how long it is kept at
    /// least after it was changed. The default is 1,024 and a day.
    #[must_use]
    pub fn limits(self, scopes: usize, young: Duration) -> Self {
        Self { scopes, young, ..self }
    }

    /// Returns the home of hooks that have nothing in common with those of other parts. Its name is a path of
    /// plain words, such as `projects/one`.
    #[must_use]
    pub fn part(&self, name: impl Into<String>) -> StatePart {
        StatePart { home: self.clone(), name: name.into() }
    }

    /// Has something done in one transaction.
    fn visit<T>(
        &self,
        behavior: TransactionBehavior,
        act: impl FnOnce(Visit<'_>) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        // What a thread has left that panicked is rolled back.
        let mut opened = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.begin(behavior, &mut opened).and_then(act);
        if done.is_err() {
            // The file may be another one when it is asked again.
            *opened = None;
        }
        done
    }

    /// Waits for the lock, and reads what is known of all scopes.
    fn begin<'a>(
        &'a self,
        behavior: TransactionBehavior,
        opened: &'a mut Option<Opened>,
    ) -> Result<Visit<'a>, StateError> {
        let folder = &self.folder;
        let unusable = |error: io::Error| folder.unusable(KEY, &error);
        place::make_folder(folder.root()).map_err(|error| folder.unusable("", &error))?;
        let mut key_file = KeyFile::lock(&folder.path(KEY)).map_err(unusable)?;
        let known = match key_file.read().map_err(unusable)? {
            key_file::Found::Nothing => None,
            key_file::Found::Counted(key, changes) => Some((key, changes)),
            key_file::Found::Former(key) => Some(self.take_over(key, &mut key_file, opened)?),
            key_file::Found::Altered => return Err(folder.altered(KEY)),
        };
        let write = Transaction::new(self.open(opened)?, behavior);
        let write = write.map_err(|error| folder.refused(&error))?;
        let head = Ledger::read(&write).map_err(|error| folder.refused(&error))?;
        let (key, ledger) = match (known, head) {
            (Some((key, least)), Some((ledger, seal))) => {
                self.check(&key, least, &ledger, &seal)?;
                (key, ledger)
            }
            (Some((key, 0)), None) => (key, Ledger::default()),
            (Some(_), None) => return Err(folder.lost(DATABASE)),
            // What is kept without the key that sealed it: somebody has taken that away.
            (None, Some(_)) => return Err(folder.lost(KEY)),
            (None, None) if former::is_here(folder)? => return Err(folder.lost(KEY)),
            (None, None) => {
                let key = Key::draw().map_err(unusable)?;
                key_file.write(&key, 0).map_err(unusable)?;
                (key, Ledger::default())
            }
        };
        Ok(Visit { home: self, key_file, key, ledger, write })
    }

    /// Holds the head of the database against the key, and against how many changes there were at least.
    fn check(&self, key: &Key, least: u64, ledger: &Ledger, seal: &Seal) -> Result<(), StateError> {
        if *seal != ledger.seal(key) {
            return Err(self.folder.altered(DATABASE));
        }
        if ledger.changes() < least { Err(self.folder.lost(DATABASE)) } else { Ok(()) }
    }

    /// Takes over the files of the former version; returns its key, and the number of changes that is kept with it
    /// from now on.
    fn take_over(
        &self,
        key: Key,
        key_file: &mut KeyFile,
        opened: &mut Option<Opened>,
    ) -> Result<(Key, u64), StateError> {
        let refused = |error| self.folder.refused(&error);
        let write = Transaction::new(self.open(opened)?, TransactionBehavior::Immediate);
        let write = write.map_err(refused)?;
        let ledger = match Ledger::read(&write).map_err(refused)? {
            // A process has ended after it had taken them over.
            Some((ledger, seal)) => {
                self.check(&key, 0, &ledger, &seal)?;
                ledger
            }
            None => former::import(&self.folder, &key, &write)?,
        };
        write.commit().map_err(refused)?;
        former::remove(&self.folder)?;
        let noted = key_file.write(&key, ledger.changes());
        noted.map_err(|error| self.folder.unusable(KEY, &error))?;
        Ok((key, ledger.changes()))
    }

    /// Opens the database, unless it is open and still the one of its name.
    fn open<'a>(&self, opened: &'a mut Option<Opened>) -> Result<&'a mut Connection, StateError> {
        let file = self.folder.path(DATABASE);
        place::check_plain(&file).map_err(|error| self.folder.unusable(DATABASE, &error))?;
        let here = Identity::of(&file);
        let kept = opened.take().filter(|opened| here.is_some() && opened.identity == here);
        let kept = match kept {
            Some(kept) => kept,
            None => {
                let database = database::open(&file, &STATE, true);
                let database = database.map_err(|error| self.folder.not_opened(error))?;
                Opened { database, identity: Identity::of(&file) }
            }
        };
        Ok(&mut opened.insert(kept).database)
    }

    /// Tells whether nothing was ever kept here.
    fn is_new(&self) -> Result<bool, StateError> {
        for name in [KEY, DATABASE] {
            match std::fs::symlink_metadata(self.folder.path(name)) {
                Ok(_) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.folder.unusable(name, &error)),
            }
        }
        Ok(!former::is_here(&self.folder)?)
    }
}

/// The state while this process has its lock.
struct Visit<'a> {
    home: &'a StateDatabase,
    key_file: KeyFile,
    key: Key,
    ledger: Ledger,
    write: Transaction<'a>,
}

impl Visit<'_> {
    /// Reads which values are kept in a scope.
    fn values<'s>(&self, scope: &'s str) -> Result<Values<'s>, StateError> {
        let values = Values::read(&self.write, scope).map_err(|error| self.refused(&error))?;
        let digest = values.digest();
        let is_whole = match self.ledger.digest(scope) {
            Some(known) => *known == digest,
            None => values.is_empty(),
        };
        if is_whole { Ok(values) } else { Err(self.home.folder.lost(DATABASE)) }
    }

    /// Reads a value.
    fn value(&self, values: &Values<'_>, key: &StateKey<'_>) -> Result<Option<Value>, StateError> {
        match values.find(&self.write, &self.key, key).map_err(|error| self.refused(&error))? {
            Found::Nothing => Ok(None),
            Found::Value(value) => Ok(Some(value)),
            Found::Altered => Err(self.home.folder.altered(DATABASE)),
        }
    }

    /// Keeps a value, and then that it was changed.
    fn keep(
        mut self,
        mut values: Values<'_>,
        scope: &str,
        key: &StateKey<'_>,
        value: Option<&Value>,
    ) -> Result<(), StateError> {
        let folder = &self.home.folder;
        if self.ledger.digest(scope).is_none() && self.ledger.len() >= MOST_SCOPES {
            let problem = "so many sessions were begun today; remove the folder if they are over";
            return Err(folder.full(problem));
        }
        let now = now();
        let changed = (|| {
            let text = value.map(Value::to_string);
            let version = self.ledger.next();
            values.put(&self.write, &self.key, key, version, text.as_deref())?;
            self.ledger.note(scope, now, values.digest());
            self.ledger.write_scope(&self.write, scope)?;
            for old in self.ledger.forget_old(self.home.scopes, self.home.young, now) {
                values::remove_scope(&self.write, &old)?;
            }
            self.ledger.write_head(&self.write, &self.key)
        })();
        changed.map_err(|error| self.refused(&error))?;
        if values.bytes() > BYTES {
            return Err(folder.full("1 MiB is the most for a session"));
        }
        self.write.commit().map_err(|error| folder.refused(&error))?;
        let noted = self.key_file.write(&self.key, self.ledger.changes());
        noted.map_err(|error| folder.unusable(KEY, &error))
    }

    fn refused(&self, error: &rusqlite::Error) -> StateError {
        self.home.folder.refused(error)
    }
}

/// A part of a [`StateDatabase`]: the home of hooks that have nothing in common with those of other parts.
#[derive(Debug, Clone)]
pub struct StatePart {
    home: StateDatabase,
    name: String,
}

impl StateHome for StatePart {
    fn read(&self, key: &StateKey<'_>) -> Result<Option<Value>, StateError> {
        // Whoever only asks leaves nothing behind.
        if self.home.is_new()? {
            return Ok(None);
        }
        self.home.visit(TransactionBehavior::Deferred, |visit| {
            let scope = scope_name(&self.name, key);
            visit.value(&visit.values(&scope)?, key)
        })
    }

    fn update(&self, key: &StateKey<'_>, change: &mut StateChange<'_>) -> Result<(), StateError> {
        self.home.visit(TransactionBehavior::Immediate, |visit| {
            let scope = scope_name(&self.name, key);
            let values = visit.values(&scope)?;
            let mut value = visit.value(&values, key)?;
            if !change(&mut value)? {
                return Ok(());
            }
            visit.keep(values, &scope, key, value.as_ref())
        })
    }
}
