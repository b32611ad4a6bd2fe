//! Records by way of a queue: the engine puts them in, a writer takes them out.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use futures_core::Stream;
use serde::{Serialize, Serializer};
use tokio::sync::{Semaphore, mpsc};

use super::{DispatchEnd, ReadyFuture, Record, RecordLost, Recorder, ReloadRecord};

/// A [`Recorder`] that queues records for a task or a thread that writes them.
///
/// The queue holds a number of records. What happens when it is full is chosen with the constructor:
///
/// | constructor | full queue | loses |
/// |---|---|---|
/// | [`waiting`](Self::waiting) | the next dispatch waits until a record was taken out | nothing |
/// | [`dropping`](Self::dropping) | the record is dropped | what it counts ([`dropped`](Self::dropped)) |
///
/// With `waiting` a dispatch takes its room in the queue before it begins, so a dispatch that is dropped in
/// the middle has room for its record as well. It waits without blocking a thread, and outside of a
/// tokio runtime too. While the writer does nothing no step is decided: that is the price of a journal
/// that is whole.
///
/// Once the [`Records`] are dropped nothing waits any more, and each record counts as dropped. A channel that is
/// [`required`](Self::required) has the engine deny each step whose record is dropped, whatever it was dropped for.
///
/// ```
/// use hookgate::recorder::Channel;
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (channel, mut records) = Channel::dropping(2);
/// let engine = Engine::without_hooks().with_recorder(channel);
/// let context = StepContext::new("session-1");
/// for _ in 0..5 {
///     drop(engine.dispatch(ToolUse::propose("Bash", "{}").unwrap(), &context).await);
/// }
/// assert!(records.try_next().is_some() && records.try_next().is_some());
/// assert!(records.try_next().is_none());
/// assert_eq!(records.dropped(), 3);
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct Channel {
    /// Not bounded itself: the bound is `queue.room`.
    sender: mpsc::UnboundedSender<Entry>,
    queue: Arc<Queue>,
    waits: bool,
    envelopes: bool,
    required: bool,
}

/// What is in a [`Channel`]. As JSON it is the object of the record that it holds.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "almost every entry is of the large one")]
#[non_exhaustive]
pub enum Entry {
    /// What a dispatch became.
    Dispatch(Record),
    /// What came of a reload.
    Reload(ReloadRecord),
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Dispatch(record) => record.serialize(serializer),
            Self::Reload(record) => record.serialize(serializer),
        }
    }
}

/// What both ends know of the queue.
#[derive(Debug)]
struct Queue {
    /// As many permits as records have room. One is taken for each record and given back when the
    /// record is taken out.
    room: Semaphore,
    dropped: AtomicU64,
}

impl Queue {
    fn drop_record(&self) {
        // ORDERING: a statistic; no other memory is read by it.
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Channel {
    /// Returns a queue of so many records at which a dispatch waits while it is full, and its end.
    #[must_use]
    pub fn waiting(capacity: usize) -> (Self, Records) {
        Self::new(capacity, true)
    }

    /// Returns a queue of so many records that drops a record while it is full, and its end.
    #[must_use]
    pub fn dropping(capacity: usize) -> (Self, Records) {
        Self::new(capacity, false)
    }

    /// A queue without room would let no dispatch begin: it has room for one.
    fn new(capacity: usize, waits: bool) -> (Self, Records) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let room = Semaphore::new(capacity.clamp(1, Semaphore::MAX_PERMITS));
        let queue = Arc::new(Queue { room, dropped: AtomicU64::new(0) });
        let records = Records { receiver, queue: Arc::clone(&queue) };
        (Self { sender, queue, waits, envelopes: false, required: false }, records)
    }

    /// Has the records carry the envelope of their step; see
    /// [`Recorder::wants_envelope`](super::Recorder::wants_envelope).
    #[must_use]
    pub const fn with_envelopes(mut self) -> Self {
        self.envelopes = true;
        self
    }

    /// Has the engine deny a step whose record is dropped; see
    /// [`Recorder::is_required`](super::Recorder::is_required). What is in the queue counts as recorded.
    ///
    /// ```
    /// use hookgate::recorder::Channel;
    /// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (channel, records) = Channel::waiting(64);
    /// let engine = Engine::without_hooks().with_recorder(channel.required());
    /// drop(records); // The writer has ended.
    /// let bash = ToolUse::propose("Bash", "{}").unwrap();
    /// assert!(!engine.dispatch(bash, &StepContext::new("session-1")).await.is_cleared());
    /// # });
    /// ```
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Returns how many records were dropped so far.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }
}

impl Recorder for Channel {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        let has_room = self.waits
            || !takes_room(&record)
            || self.queue.room.try_acquire().map(|room| room.forget()).is_ok();
        // The sender has an error where the end was dropped.
        if has_room && self.sender.send(Entry::Dispatch(record)).is_ok() {
            return Ok(());
        }
        self.queue.drop_record();
        Err(RecordLost)
    }

    fn is_required(&self) -> bool {
        self.required
    }

    /// Takes no room: there are few of them, and a journal that is full is the last that should miss one.
    fn reload(&self, record: ReloadRecord) {
        if self.sender.send(Entry::Reload(record)).is_err() {
            self.queue.drop_record();
        }
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        let room = &self.queue.room;
        if !self.waits {
            return None;
        }
        if let Ok(taken) = room.try_acquire() {
            taken.forget();
            return None;
        }
        // The permit is forgotten at the moment at which it is got, so none is lost with the future.
        Some(Box::pin(async {
            if let Ok(taken) = room.acquire().await {
                taken.forget();
            }
        }))
    }

    fn release(&self) {
        if self.waits {
            self.queue.room.add_permits(1);
        }
    }

    fn wants_envelope(&self) -> bool {
        self.envelopes
    }
}

/// The end of a [`Channel`] from which records are taken, in the order in which dispatches ended.
///
/// It is a [`Stream`], and ends when the engine with the channel is gone and the last record was taken. A
/// task awaits [`next`](Self::next); a thread, which may write to a disk, calls
/// [`blocking_next`](Self::blocking_next).
///
/// ```
/// use hookgate::recorder::Channel;
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// let (channel, mut records) = Channel::waiting(64);
/// let writer = std::thread::spawn(move || {
///     let mut journal = Vec::new();
///     while let Some(record) = records.blocking_next() {
///         serde_json::to_writer(&mut journal, &record)?;
///         journal.push(b'\n');
///     }
///     Ok::<_, serde_json::Error>(journal)
/// });
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks().with_recorder(channel);
/// let bash = ToolUse::propose("Bash", "{}").unwrap();
/// drop(engine.dispatch(bash, &StepContext::new("session-1")).await);
/// # });
/// // The engine is gone, so the writer comes to its end.
/// let journal = writer.join().unwrap()?;
/// assert_eq!(journal.iter().filter(|byte| **byte == b'\n').count(), 1);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Records {
    receiver: mpsc::UnboundedReceiver<Entry>,
    queue: Arc<Queue>,
}

impl Records {
    /// Returns the next record of a dispatch; `None` when no engine has the channel any more. Those of
    /// reloads are left out: [`next_entry`](Self::next_entry) has them, too.
    ///
    /// # Cancel safety
    /// No record is lost when the future is dropped while it waits.
    pub async fn next(&mut self) -> Option<Record> {
        loop {
            if let Entry::Dispatch(record) = self.next_entry().await? {
                return Some(record);
            }
        }
    }

    /// Returns the next record, of a dispatch or of a reload; `None` when no engine has the channel any
    /// more. A reload stands before the first dispatch that saw its table.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::recorder::{Channel, Entry, ReloadEvent};
    /// use hookgate::{Engine, Registry, Reloader, config::Loader};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (channel, mut records) = Channel::waiting(64);
    /// let engine = Arc::new(Engine::without_hooks().with_recorder(channel));
    /// let reloader = Reloader::new(engine, |_| {
    ///     Ok(Loader::new(&Registry::new()).load("no/such/hooks.toml".as_ref())?)
    /// });
    /// assert!(reloader.reload().await.is_err());
    /// let Some(Entry::Reload(record)) = records.next_entry().await else { panic!() };
    /// assert_eq!((record.event, record.generation.get()), (ReloadEvent::ReloadFailed, 1));
    /// # });
    /// ```
    ///
    /// # Cancel safety
    /// No record is lost when the future is dropped while it waits.
    pub async fn next_entry(&mut self) -> Option<Entry> {
        let entry = self.receiver.recv().await;
        self.taken(entry)
    }

    /// Returns the next record as [`next`](Self::next) does, but `None` also if no record is waiting.
    pub fn try_next(&mut self) -> Option<Record> {
        loop {
            let entry = self.receiver.try_recv().ok();
            if let Entry::Dispatch(record) = self.taken(entry)? {
                return Some(record);
            }
        }
    }

    /// Returns the next record as [`next`](Self::next) does, blocking the thread until there is one.
    ///
    /// # Panics
    /// Inside of an asynchronous task, whose thread must not be blocked.
    pub fn blocking_next(&mut self) -> Option<Record> {
        loop {
            if let Entry::Dispatch(record) = self.blocking_next_entry()? {
                return Some(record);
            }
        }
    }

    /// Returns the next record as [`next_entry`](Self::next_entry) does, blocking the thread until there is
    /// one.
    ///
    /// # Panics
    /// Inside of an asynchronous task, whose thread must not be blocked.
    pub fn blocking_next_entry(&mut self) -> Option<Entry> {
        let entry = self.receiver.blocking_recv();
        self.taken(entry)
    }

    /// Returns how many records were dropped so far, because the queue was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Gives the room of a record back.
    fn taken(&self, entry: Option<Entry>) -> Option<Entry> {
        if let Some(Entry::Dispatch(record)) = &entry
            && takes_room(record)
        {
            self.queue.room.add_permits(1);
        }
        entry
    }
}

/// Returns whether a record takes room in the queue. What is made in a drop cannot wait for it, and is rare.
fn takes_room(record: &Record) -> bool {
    record.end != DispatchEnd::Unfinished
}

impl Stream for Records {
    type Item = Record;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Record>> {
        loop {
            let entry = std::task::ready!(self.receiver.poll_recv(cx));
            match self.taken(entry) {
                Some(Entry::Dispatch(record)) => return Poll::Ready(Some(record)),
                Some(Entry::Reload(_)) => {}
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for Records {
    /// Lets every dispatch go on that waits for room.
    fn drop(&mut self) {
        self.queue.room.close();
    }
}
