//! The one thread that writes: what is recorded comes to it by a bounded queue, and is written in groups.
//!
//! A group is what comes within [`WAIT`] of its first entry, at most [`GROUP`] of them; where a step waits for its
//! record, it is what is there. A group is one transaction: all of it is in the journal, or nothing. In it the head of
//! the chain is read, so that several processes write one chain.
//!
//! A full group says that records come faster than they are written. From then on they become rows on a thread of
//! their own (`preparation.rs`), and SQLite's log of writes may grow longer before it is written into the file: that
//! is done once there is nothing else to do.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use hookgate::HandlerTable;
use hookgate::recorder::RecordLost;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::chain::{has_config, head, write_rows};
use crate::clock;
use crate::config::{ConfigNote, ConfigText};
use crate::database::{self, JOURNAL, empty_log, refused, truncate_log};
use crate::error::StoreError;
use crate::heads::Heads;
use crate::place::Identity;
use crate::preparation::{Message, Preparation, Preparer, Work};
use crate::retention;
use crate::row::{Row, RowWriter};
use crate::settings::JournalSettings;
use crate::status::Counters;

/// How many records one transaction has at most.
const GROUP: usize = 500;

/// How many bytes one transaction has, about: a record can be large.
const BYTES: usize = 4 << 20;

/// How many pages the log of writes may have while records come faster than they are written.
const LOG_PAGES: u32 = 4096;

/// How long a record waits for others.
const WAIT: Duration = Duration::from_millis(5);

/// How often a group is tried that another process keeps from being written; each time waits two seconds for it.
const TRIES: usize = 3;

/// After how many records the bodies are looked through for what is too old.
const RETENTION: u64 = 10_000;

/// What the thread works with.
pub(crate) struct Writer {
    database: Connection,
    identity: Option<Identity>,
    settings: JournalSettings,
    heads: Arc<Heads>,
    rows: RowWriter,
    counters: Arc<Counters>,
    /// Whether records have come faster than they are written.
    is_busy: bool,
    /// How many records since the bodies were looked through.
    since_retention: u64,
    /// Whether the log beside the file still has what retention has deleted.
    has_deleted: bool,
    /// How many of the lost records the journal tells of.
    told_lost: u64,
    /// The config that the records are of, and its files.
    noted: Option<(Arc<HandlerTable>, Vec<ConfigText>)>,
}

impl Writer {
    pub(crate) fn open(
        settings: JournalSettings,
        heads: Arc<Heads>,
        counters: Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let database = database::open(&settings.file, &JOURNAL, settings.required)?;
        let identity = Identity::of(&settings.file);
        let rows = RowWriter::new(settings.envelope);
        // The first group looks through the bodies.
        let since_retention = RETENTION;
        Ok(Self {
            database,
            identity,
            settings,
            heads,
            rows,
            counters,
            is_busy: false,
            since_retention,
            has_deleted: false,
            told_lost: 0,
            noted: None,
        })
    }

    /// Writes until nothing can come any more. `room` is where steps wait, if they do.
    pub(crate) fn run(mut self, messages: Receiver<Message>, room: Option<Arc<Semaphore>>) {
        let (rows, counters) = (self.rows.clone(), Arc::clone(&self.counters));
        let mut preparation = Preparation::Here(messages, Preparer { rows, counters, room });
        loop {
            let mut first = preparation.next(None);
            if first.is_none() {
                self.shorten_log();
                first = preparation.first();
            }
            let Some(first) = first else { break };
            let group = gather(first, &preparation);
            let is_full = group.len() >= GROUP;
            self.write(group);
            if is_full && !self.is_busy {
                preparation = self.be_busy(preparation);
            }
        }
        self.shorten_log();
    }

    /// Takes back what [`let_log_grow`](Self::let_log_grow) has allowed, unless others read now.
    fn shorten_log(&self) {
        if self.is_busy {
            empty_log(&self.database, &self.settings.file, &JOURNAL);
        }
    }

    /// Records come faster than they are written.
    fn be_busy(&mut self, preparation: Preparation) -> Preparation {
        self.is_busy = true;
        self.let_log_grow();
        preparation.go_ahead()
    }

    /// A log that stays short is slower, and no less safe.
    fn let_log_grow(&self) {
        let _ = self.database.pragma_update(None, "wal_autocheckpoint", LOG_PAGES);
    }

    fn write(&mut self, group: Vec<Work>) {
        let (mut rows, mut waiting, mut flushes) = (Vec::new(), Vec::new(), Vec::new());
        if group.iter().any(|work| !matches!(work, Work::Flush(_))) {
            rows.extend(self.config_of_new_file());
        }
        for work in group {
            match work {
                Work::Row(row, waits) => {
                    rows.push(*row);
                    waiting.extend(waits);
                }
                Work::Flush(done) => flushes.push(done),
                Work::Config(table, files) => {
                    // The files of one that is there are not redacted once more.
                    if !matches!(has_config(&self.database, table.config_hash()), Ok(true)) {
                        rows.extend(self.config_row(&table, files.clone()));
                    }
                    self.noted = Some((table, files));
                }
            }
        }
        let count = rows.len() as u64;
        let written = if rows.is_empty() { Ok(()) } else { self.commit(&rows) };
        match &written {
            Ok(()) => self.counters.wrote(count),
            Err(error) => self.counters.lose(count, &error.to_string()),
        }
        for waits in waiting {
            // The dispatch may have been dropped.
            let _ = waits.send(written.as_ref().map(|_| ()).map_err(|_| RecordLost));
        }
        for done in flushes {
            let _ = done.send(());
        }
        self.since_retention = self.since_retention.saturating_add(count);
        if written.is_ok() && self.since_retention >= RETENTION {
            self.since_retention = 0;
            if let Err(error) = self.retain() {
                self.counters.note(&error.to_string());
            }
        }
        // If others read now, what is deleted goes from the log after the next group.
        if self.has_deleted && truncate_log(&self.database).unwrap_or(false) {
            self.has_deleted = false;
        }
    }

    /// Opens the file again if it was moved away: then returns the config that the next records are of.
    fn config_of_new_file(&mut self) -> Option<Row> {
        // What goes wrong here goes wrong again where the rows are written, and is told there.
        let Ok(true) = self.reopen_if_replaced() else { return None };
        let (table, files) = self.noted.clone()?;
        match has_config(&self.database, table.config_hash()) {
            Ok(true) => None,
            _ => self.config_row(&table, files),
        }
    }

    fn config_row(&self, table: &HandlerTable, files: Vec<ConfigText>) -> Option<Row> {
        let row = self.rows.config(&ConfigNote::of_table(clock::unix_ms(), table, files));
        row.map_err(|error| self.counters.lose(1, &error.to_string())).ok()
    }

    /// Deletes what is too old or too much. The head is noted then, so that it covers the entry that says so.
    fn retain(&mut self) -> Result<(), StoreError> {
        let refuse = |error| refused(&self.settings.file, error);
        let mut has_deleted = false;
        let applied = retention::apply(&mut self.database, &self.settings, &mut has_deleted);
        self.has_deleted |= has_deleted;
        applied.map_err(refuse)?;
        match has_deleted {
            true => self.note_head(head(&self.database).map_err(refuse)?),
            false => Ok(()),
        }
    }

    /// Writes rows as one transaction.
    fn commit(&mut self, rows: &[Row]) -> Result<(), StoreError> {
        self.reopen_if_replaced()?;
        let lost = self.counters.lost();
        let untold = lost.saturating_sub(self.told_lost);
        let mut tries = if self.settings.required { 1 } else { TRIES };
        let head = loop {
            tries -= 1;
            match write_rows(&mut self.database, rows, untold) {
                Err(error) if tries > 0 && is_busy(&error) => {}
                Err(error) => return Err(refused(&self.settings.file, error)),
                Ok(head) => break head,
            }
        };
        self.told_lost = lost;
        self.note_head(head)
    }

    /// Writes the head elsewhere. If that is not possible, the records are in the journal, and still it is told.
    fn note_head(&self, head: (u64, [u8; 32])) -> Result<(), StoreError> {
        match self.heads.note(head) {
            Err(error) if !self.settings.required => {
                self.counters.note(&error.to_string());
                Ok(())
            }
            noted => noted,
        }
    }

    /// What is written to a file that has no name any more is lost: a journal that was moved away is begun anew. Returns
    /// whether it was.
    fn reopen_if_replaced(&mut self) -> Result<bool, StoreError> {
        if Identity::of(&self.settings.file) == self.identity {
            return Ok(false);
        }
        self.database = database::open(&self.settings.file, &JOURNAL, self.settings.required)?;
        self.identity = Identity::of(&self.settings.file);
        if self.is_busy {
            self.let_log_grow();
        }
        Ok(true)
    }
}

/// Returns what is written together.
fn gather(first: Work, preparation: &Preparation) -> Vec<Work> {
    let until = Instant::now() + WAIT;
    let (mut is_awaited, mut bytes) = (first.is_awaited(), first.bytes());
    let mut group = vec![first];
    while group.len() < GROUP && bytes < BYTES {
        let within = (!is_awaited).then(|| until.saturating_duration_since(Instant::now()));
        let Some(next) = preparation.next(within) else { break };
        is_awaited |= next.is_awaited();
        bytes = bytes.saturating_add(next.bytes());
        group.push(next);
    }
    group
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}
