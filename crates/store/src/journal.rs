//! A journal that is written: the recorder of an engine.

use std::path::Path;
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hookgate::HandlerTable;
use hookgate::recorder::{KeptFuture, ReadyFuture, Record, RecordLost, Recorder, ReloadRecord};
use tokio::sync::{Semaphore, oneshot};

use crate::config::ConfigText;
use crate::error::StoreError;
use crate::head_place::HeadPlace;
use crate::head_sender::HeadSender;
use crate::heads::Heads;
use crate::preparation::Message;
use crate::settings::JournalSettings;
use crate::status::{Counters, JournalStatus};
use crate::writer::Writer;

/// How many messages that come without a question have room beside the records.
const UNASKED: usize = 64;

/// What is said of a record for which the queue has no room.
const FULL: &str = "the queue of the journal is full: the disk is slower than the steps come";

/// A journal of decisions: an engine that has it as its [recorder](hookgate::Engine::with_recorder) writes every
/// decision into one file.
///
/// A clone writes to the same file by the same thread. The thread ends when the last clone is dropped, and the drop
/// waits until all that was recorded is written.
///
/// ```
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
/// use hookgate_store::{Filter, Journal, JournalSettings, Reader};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("journal.db");
/// let journal = Journal::open(JournalSettings::new(&file))?;
/// let engine = Engine::without_hooks().with_recorder(journal.clone());
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#)?;
/// drop(engine.dispatch(bash, &StepContext::new("session-1")).await);
/// journal.flush(std::time::Duration::from_secs(5))?;
///
/// let reader = Reader::open(&file)?;
/// let entries = reader.entries(&Filter::default().tool("Bash"))?;
/// assert_eq!(entries.len(), 1);
/// assert!(reader.verify(&[], None)?.is_whole());
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: JournalSettings,
    /// `None` once the journal is being closed.
    sender: Option<SyncSender<Message>>,
    /// As many permits as records have room, if steps wait for it. One is taken for each record, and given back when
    /// the record is taken out of the queue.
    room: Option<Arc<Semaphore>>,
    counters: Arc<Counters>,
    heads: Arc<Heads>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Journal {
    /// Opens the file, which is made if it is not there, and starts the thread that writes.
    ///
    /// # Errors
    /// The file cannot be used, is on a network file system, is no journal or one of a newer hookgate; or the key of
    /// heads is not in the environment.
    pub fn open(settings: JournalSettings) -> Result<Self, StoreError> {
        Self::open_with(settings, None)
    }

    /// As [`open`](Self::open), and heads go also to the [services](crate::HeadPlace::Otlp) of the settings, sent by
    /// this.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_sending(
        settings: JournalSettings,
        sender: impl HeadSender + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_with(settings, Some(Box::new(sender)))
    }

    fn open_with(
        settings: JournalSettings,
        sender: Option<Box<dyn HeadSender>>,
    ) -> Result<Self, StoreError> {
        let without_name = |path: &Path| path.as_os_str().is_empty();
        let mut files = settings.heads.iter().filter_map(HeadPlace::file);
        if without_name(&settings.file) || files.any(without_name) {
            return Err(StoreError::Nowhere);
        }
        let counters = Arc::new(Counters::default());
        let key = settings.head_key.as_deref();
        let heads = Arc::new(Heads::open(&settings.heads, key, sender, &counters)?);
        let queue = settings.queue.max(1);
        let room = settings.waits.then(|| Arc::new(Semaphore::new(queue)));
        let writer = Writer::open(settings.clone(), Arc::clone(&heads), Arc::clone(&counters))?;
        let asked = room.clone();
        // Where steps wait, what comes without a question has room beside their records.
        let beside = if settings.waits { UNASKED } else { 0 };
        let (sender, messages) = mpsc::sync_channel(queue.saturating_add(beside));
        let thread = std::thread::Builder::new().name("journal".to_owned());
        let thread = thread
            .spawn(move || writer.run(messages, asked))
            .map_err(|error| StoreError::File { file: settings.file.clone(), error })?;
        let thread = Mutex::new(Some(thread));
        let sender = Some(sender);
        Ok(Self { shared: Arc::new(Shared { settings, sender, room, counters, heads, thread }) })
    }

    /// Returns how it is set up.
    #[must_use]
    pub fn settings(&self) -> &JournalSettings {
        &self.shared.settings
    }

    /// Notes the table by which steps are decided from now on, with the files that it is made of, for who looks at a
    /// decision later. A config that the journal has already is not written again.
    pub fn note_config(&self, table: Arc<HandlerTable>, files: Vec<ConfigText>) {
        // What does not get there is counted.
        let _ = self.send(Message::Config(table, files));
    }

    /// Waits until everything that was recorded before is written, and the head is with the services that get it. It
    /// blocks the thread.
    ///
    /// # Errors
    /// It is not written in this time, records of this process were lost, or a service has not taken the last head.
    pub fn flush(&self, within: Duration) -> Result<(), StoreError> {
        let until = Instant::now() + within;
        let (done, is_done) = mpsc::channel();
        let sender = self.shared.sender.as_ref().ok_or(StoreError::Ended)?;
        sender.send(Message::Flush(done)).map_err(|_| StoreError::Ended)?;
        is_done.recv_timeout(within).map_err(|_| StoreError::Late)?;
        match self.status() {
            JournalStatus { lost: 0, .. } => {
                self.shared.heads.flush(until.saturating_duration_since(Instant::now()))
            }
            JournalStatus { lost, problem, .. } => {
                Err(StoreError::Lost { lost, problem: problem.unwrap_or_default() })
            }
        }
    }

    /// Returns what became of the records of this process so far.
    #[must_use]
    pub fn status(&self) -> JournalStatus {
        self.shared.counters.status()
    }

    fn send(&self, message: Message) -> Result<(), RecordLost> {
        let sender = self.shared.sender.as_ref().ok_or(RecordLost)?;
        sender.try_send(message).map_err(|error| {
            let why = match error {
                TrySendError::Full(_) => FULL.to_owned(),
                TrySendError::Disconnected(_) => StoreError::Ended.to_string(),
            };
            self.shared.counters.lose(1, &why);
            RecordLost
        })
    }
}

impl Recorder for Journal {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        self.send(Message::Record(Box::new(record), None))
    }

    fn record_kept(&self, record: Record) -> Result<Option<KeptFuture>, RecordLost> {
        if !self.is_required() {
            return self.record(record).map(|()| None);
        }
        let (done, is_done) = oneshot::channel();
        self.send(Message::Record(Box::new(record), Some(done)))?;
        // Without an answer the thread has ended, and the record with it.
        Ok(Some(Box::pin(async { is_done.await.unwrap_or(Err(RecordLost)) })))
    }

    fn is_required(&self) -> bool {
        self.shared.settings.required
    }

    fn reload(&self, record: ReloadRecord) {
        // What does not get there is counted.
        let _ = self.send(Message::Reload(record));
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        let room = self.shared.room.as_ref()?;
        if let Ok(permit) = room.try_acquire() {
            permit.forget();
            return None;
        }
        // The permit is forgotten at the moment at which it is got, so none is lost with the future.
        Some(Box::pin(async {
            if let Ok(permit) = room.acquire().await {
                permit.forget();
            }
        }))
    }

    fn release(&self) {
        if let Some(room) = &self.shared.room {
            room.add_permits(1);
        }
    }

    fn wants_envelope(&self) -> bool {
        true
    }
}

impl Drop for Shared {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.sender = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the thread has been told where it was.
            let _ = thread.join();
        }
    }
}
