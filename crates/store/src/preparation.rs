//! What is recorded becomes rows: on the thread that writes them, or on one of its own.
//!
//! A process for one step has no time for a second thread, and most that live longer need none. Once records come
//! faster than they are written, they become rows on a thread that goes [ahead](Preparation::go_ahead): secrets are
//! looked for while SQLite writes what was before. Their order stays.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, TryRecvError, sync_channel};
use std::time::Duration;

use hookgate::HandlerTable;
use hookgate::recorder::{DispatchEnd, Record, RecordLost, ReloadRecord};
use tokio::sync::{Semaphore, oneshot};

use crate::config::ConfigText;
use crate::row::{Row, RowWriter};
use crate::status::Counters;

/// How many rows are made before they can be written.
const AHEAD: usize = 256;

/// Who waits for a record.
pub(crate) type Waits = oneshot::Sender<Result<(), RecordLost>>;

/// What comes to the writer.
pub(crate) enum Message {
    Record(Box<Record>, Option<Waits>),
    Reload(ReloadRecord),
    Config(Arc<HandlerTable>, Vec<ConfigText>),
    /// Everything before it is to be written now.
    Flush(Sender<()>),
}

/// What is to be written.
pub(crate) enum Work {
    Row(Box<Row>, Option<Waits>),
    /// It becomes a row if the journal does not have it.
    Config(Arc<HandlerTable>, Vec<ConfigText>),
    Flush(Sender<()>),
}

impl Work {
    /// Whether somebody waits for it.
    pub(crate) const fn is_awaited(&self) -> bool {
        matches!(self, Self::Row(_, Some(_)) | Self::Flush(_))
    }

    /// Returns how many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Row(row, _) => row.bytes(),
            Self::Config(..) | Self::Flush(_) => 0,
        }
    }
}

/// Makes rows of messages.
pub(crate) struct Preparer {
    pub(crate) rows: RowWriter,
    pub(crate) counters: Arc<Counters>,
    /// Where steps wait for room, if they do.
    pub(crate) room: Option<Arc<Semaphore>>,
}

impl Preparer {
    /// Returns what is to be written; `None` if it is lost, which is counted.
    fn prepare(&self, message: Message) -> Option<Work> {
        let (row, waits) = match message {
            Message::Record(record, waits) => {
                if let Some(room) = self.room.as_ref().filter(|_| is_asked_for(&record)) {
                    room.add_permits(1);
                }
                (self.rows.step(*record), waits)
            }
            Message::Reload(record) => (self.rows.reload(&record), None),
            Message::Config(table, files) => return Some(Work::Config(table, files)),
            Message::Flush(done) => return Some(Work::Flush(done)),
        };
        match row {
            Ok(row) => Some(Work::Row(Box::new(row), waits)),
            Err(error) => {
                // Who waits for it is told by the drop of the sender.
                self.counters.lose(1, &error.to_string());
                None
            }
        }
    }
}

/// Where the work comes from.
pub(crate) enum Preparation {
    /// It is prepared when it is asked for.
    Here(Receiver<Message>, Preparer),
    /// It is prepared by another thread.
    Ahead(Receiver<Work>),
}

impl Preparation {
    /// Returns the next work, however long it takes; `None` if nothing can come any more.
    pub(crate) fn first(&self) -> Option<Work> {
        match self {
            Self::Here(messages, preparer) => {
                messages.iter().find_map(|message| preparer.prepare(message))
            }
            Self::Ahead(work) => work.recv().ok(),
        }
    }

    /// Returns the next work if it comes within this time; without one, if it is there.
    pub(crate) fn next(&self, within: Option<Duration>) -> Option<Work> {
        match self {
            Self::Here(messages, preparer) => preparer.prepare(receive(messages, within)?),
            Self::Ahead(work) => receive(work, within),
        }
    }

    /// Has another thread prepare what comes from now on.
    pub(crate) fn go_ahead(self) -> Self {
        let Self::Here(messages, preparer) = self else { return self };
        let (sender, work) = sync_channel(AHEAD);
        let (hand_over, handed_over) = sync_channel::<(Receiver<Message>, Preparer)>(1);
        let run = move || {
            let Ok((messages, preparer)) = handed_over.recv() else { return };
            let mut all = messages.iter().filter_map(|message| preparer.prepare(message));
            while all.next().is_some_and(|work| sender.send(work).is_ok()) {}
        };
        let thread = std::thread::Builder::new().name("journal-rows".to_owned()).spawn(run);
        match thread {
            // It ends with the last sender of messages, or when nobody takes its rows.
            Ok(_) => match hand_over.send((messages, preparer)) {
                Ok(()) => Self::Ahead(work),
                Err(SendError((messages, preparer))) => Self::Here(messages, preparer),
            },
            // Where no thread can be started, this one goes on.
            Err(_) => Self::Here(messages, preparer),
        }
    }
}

fn receive<T>(from: &Receiver<T>, within: Option<Duration>) -> Option<T> {
    match from.try_recv() {
        Ok(next) => Some(next),
        Err(TryRecvError::Disconnected) => None,
        Err(TryRecvError::Empty) => from.recv_timeout(within?).ok(),
    }
}

/// Whether a record comes after the question whether there is room.
fn is_asked_for(record: &Record) -> bool {
    record.end != DispatchEnd::Unfinished
}
