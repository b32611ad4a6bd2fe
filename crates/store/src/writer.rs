//! The one thread that writes: what is recorded comes to it by a bounded queue, and is written in groups.
//!
//! A group is what comes within [`WAIT`] of its first entry, at most [`GROUP`] of them; where a step waits for its
//! record, it is what is there. A group is one transaction: all of it is in the journal, or nothing. In it the head of
//! the chain is read, so that several processes write one chain.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use hookgate::HandlerTable;
use hookgate::recorder::{DispatchEnd, Record, RecordLost, ReloadRecord};
use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use crate::chain::{has_config, head, write_rows};
use crate::clock;
use crate::config::{ConfigNote, ConfigText};
use crate::database::{self, JOURNAL, refused, truncate_log};
use crate::error::StoreError;
use crate::heads::Heads;
use crate::place::Identity;
use crate::retention;
use crate::row::{Row, RowWriter};
use crate::settings::JournalSettings;
use crate::status::Counters;

/// How many records one transaction has at most.
pub(crate) const GROUP: usize = 100;

/// How long a record waits for others.
const WAIT: Duration = Duration::from_millis(5);

/// How often a group is tried that another process keeps from being written; each time waits two seconds for it.
const TRIES: usize = 3;

/// After how many records the bodies are looked through for what is too old.
const RETENTION: u64 = 10_000;

/// What comes to the writer.
pub(crate) enum Message {
    Record(Box<Record>, Option<oneshot::Sender<Result<(), RecordLost>>>),
    Reload(ReloadRecord),
    Config(Arc<HandlerTable>, Vec<ConfigText>),
    /// Everything before it is to be written now.
    Flush(Sender<()>),
}

impl Message {
    /// Whether somebody waits for it.
    const fn is_awaited(&self) -> bool {
        matches!(self, Self::Record(_, Some(_)) | Self::Flush(_))
    }
}

/// What the thread works with.
pub(crate) struct Writer {
    database: Connection,
    identity: Option<Identity>,
    settings: JournalSettings,
    heads: Arc<Heads>,
    rows: RowWriter,
    counters: Arc<Counters>,
    /// Where steps wait for room, if they do.
    room: Option<Arc<Semaphore>>,
    /// How many records since the bodies were looked through.
    since_retention: u64,
    /// Whether the log beside the file still has what retention has deleted.
    has_deleted: bool,
    /// How many of the lost records the journal tells of.
    told_lost: u64,
}

impl Writer {
    pub(crate) fn open(
        settings: JournalSettings,
        heads: Arc<Heads>,
        counters: Arc<Counters>,
        room: Option<Arc<Semaphore>>,
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
            room,
            since_retention,
            has_deleted: false,
            told_lost: 0,
        })
    }

    /// Writes until nothing can come any more.
    pub(crate) fn run(mut self, messages: &Receiver<Message>) {
        while let Ok(first) = messages.recv() {
            self.write(gather(first, messages));
        }
    }

    fn write(&mut self, group: Vec<Message>) {
        let (mut rows, mut waiting, mut flushes) = (Vec::new(), Vec::new(), Vec::new());
        for message in group {
            let mut waits = None;
            let row = match message {
                Message::Record(record, waits_for_it) => {
                    waits = waits_for_it;
                    if let Some(room) = self.room.as_ref().filter(|_| is_asked_for(&record)) {
                        room.add_permits(1);
                    }
                    self.rows.step(*record)
                }
                Message::Reload(record) => self.rows.reload(&record),
                Message::Config(table, files) => {
                    match has_config(&self.database, table.config_hash()) {
                        // Its files are not redacted once more.
                        Ok(true) => continue,
                        Ok(false) | Err(_) => {
                            let note = ConfigNote::of_table(clock::unix_ms(), &table, files);
                            self.rows.config(&note)
                        }
                    }
                }
                Message::Flush(done) => {
                    flushes.push(done);
                    continue;
                }
            };
            match row {
                Ok(row) => {
                    rows.push(row);
                    waiting.extend(waits);
                }
                // Who waits for it is told by the drop of the sender.
                Err(error) => self.counters.lose(1, &error.to_string()),
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

    /// What is written to a file that has no name any more is lost: a journal that was moved away is begun anew.
    fn reopen_if_replaced(&mut self) -> Result<(), StoreError> {
        if Identity::of(&self.settings.file) == self.identity {
            return Ok(());
        }
        self.database = database::open(&self.settings.file, &JOURNAL, self.settings.required)?;
        self.identity = Identity::of(&self.settings.file);
        Ok(())
    }
}

/// Returns what is written together.
fn gather(first: Message, messages: &Receiver<Message>) -> Vec<Message> {
    let until = Instant::now() + WAIT;
    let mut is_awaited = first.is_awaited();
    let mut group = vec![first];
    while group.len() < GROUP {
        let next = match is_awaited {
            true => messages.try_recv().map_err(|error| error == TryRecvError::Disconnected),
            false => messages
                .recv_timeout(until.saturating_duration_since(Instant::now()))
                .map_err(|error| error == RecvTimeoutError::Disconnected),
        };
        let Ok(next) = next else { break };
        is_awaited |= next.is_awaited();
        group.push(next);
    }
    group
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

/// Whether a record comes after the question whether there is room.
fn is_asked_for(record: &Record) -> bool {
    record.end != DispatchEnd::Unfinished
}
