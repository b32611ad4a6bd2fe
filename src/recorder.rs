//! The seam to a journal: every finished dispatch, without loss.
//!
//! An engine that was given a [`Recorder`] hands it one [`Record`] for every dispatch that it has begun,
//! however the dispatch ended: with a decision, by being dropped in the middle, or, after an ask, with the
//! approval of the user. That holds for plain [`dispatch`](crate::HookEngine::dispatch) as for
//! [`dispatch_reported`](crate::Engine::dispatch_reported) and [`evaluate`](crate::Engine::evaluate), also
//! where no hook is at the event: every event of such an engine is armed, so
//! [`pass`](crate::HookEngine::pass) hands each step back to be dispatched, and nothing passes unseen.
//!
//! # Back-pressure
//!
//! A recorder is called where nothing may wait: also while a future is being
//! dropped. So it is asked beforehand. The engine awaits [`Recorder::ready`] before a dispatch begins, and
//! then calls [`Recorder::record`] exactly once. A recorder that needs room for a record reserves it when
//! it is ready; one that would rather lose a record than hold up an agent is always ready, and counts.
//! A record that says [`Unfinished`](DispatchEnd::Unfinished) comes without that question, since there is no dispatch.
//! [`Channel`] does either.
//!
//! # Records that are lost
//!
//! By default a recorder changes no decision: a lost record is logged or counted, and the step goes on. Where a step
//! without a record must not happen, the recorder is [required](Recorder::is_required): a step that hooks let go on
//! is denied if its record could not be handed over, and so is one that the user has approved. A recorder that writes
//! later than it takes a record says with [`Recorder::record_kept`] what the step waits for.
//!
//! # Costs
//!
//! Without a recorder nothing is made, and a dispatch pays one branch. With one, each dispatch makes its
//! [`Report`] (some microseconds: an id, a vote for each hook, the texts), as
//! `dispatch_reported` does. A panic in a recorder is caught and logged (`tracing`, target `hookgate`); its record
//! is lost.

mod channel;
mod reload;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::read_json::read_json;
use crate::report::Report;
pub use channel::{Channel, Entry, Records};
pub use reload::{ReloadEvent, ReloadRecord};

/// What a dispatch became, for a journal.
///
/// It is written as one JSON object and read back with [`Record::from_json`], strictly and exactly, as a
/// [`Report`] is.
///
/// ```
/// use hookgate::recorder::{Channel, DispatchEnd, Record};
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (channel, mut records) = Channel::waiting(64);
/// let engine = Engine::without_hooks().with_recorder(channel);
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let cleared = engine.dispatch(bash, &StepContext::new("session-1").turn(3)).await;
/// # drop(cleared);
///
/// let record: Record = records.next().await.unwrap();
/// assert_eq!((record.end, record.turn), (DispatchEnd::Decided, 3));
/// assert_eq!(record.tool_name.as_deref(), Some("Bash"));
///
/// let line = serde_json::to_string(&record)?;
/// assert_eq!(Record::from_json(line.as_bytes())?, record);
/// # Ok::<_, serde_json::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Record {
    /// When the dispatch ended, in milliseconds since 1970.
    pub time: u64,
    /// How the dispatch ended.
    pub end: DispatchEnd,
    /// The turn, from 1; 0 before the first.
    pub turn: u64,
    /// The agent, if the host names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The tool that the step is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The name that the model gave the tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// What was decided, and how each hook has voted.
    pub report: Report,
}

impl Record {
    /// Reads a record that was written as JSON.
    ///
    /// # Errors
    /// What makes the bytes something else than one record: an unknown or repeated key among others.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }
}

/// How a dispatch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DispatchEnd {
    /// The hooks have decided. A dispatch that was cancelled by its signal ends like this too: the report says
    /// `cancelled`.
    Decided,
    /// A step that a hook had asked about was approved by the user. The report has the step id of the
    /// dispatch that asked; it has no votes, since no hook was invoked again.
    Approved,
    /// A step that a hook had asked about was refused by the user ([`Asked::reject`](crate::Asked::reject)). The report has
    /// the step id of the dispatch that asked, and no votes.
    Rejected,
    /// The future of the dispatch was dropped before it had decided. The step did not happen, so the
    /// report says `cancelled`, by nobody.
    Dropped,
    /// A tool was started, and its [`Running`](crate::step::Running) was dropped without a result. The tool may have
    /// run, and no hook has seen its result, so the report says `deny` at `post_tool_use`, by `hookgate`. It has the
    /// step id and the generation of the call.
    Unfinished,
}

impl DispatchEnd {
    /// Returns the name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Dropped => "dropped",
            Self::Unfinished => "unfinished",
        }
    }
}

impl fmt::Display for DispatchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A [`Recorder`] has lost a record: there is no room for it, or nobody who takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the record of the step is lost")]
pub struct RecordLost;

/// The future of [`Recorder::ready`].
pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The future of [`Recorder::record_kept`]: it is ready when the record is where the recorder keeps it, or is lost.
pub type KeptFuture = Pin<Box<dyn Future<Output = Result<(), RecordLost>> + Send>>;

/// Takes the records of an engine.
///
/// A closure is one, and so is a [`Channel`]. It is called on the task of the dispatch, so it hands the
/// record on and does not write to a disk itself.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use hookgate::recorder::Record;
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journal = Arc::new(Mutex::new(Vec::new()));
/// let lines = Arc::clone(&journal);
/// let engine = Engine::without_hooks().with_recorder(move |record: Record| {
///     lines.lock().unwrap().push(record.report.decision);
/// });
/// let bash = ToolUse::propose("Bash", "{}").unwrap();
/// drop(engine.dispatch(bash, &StepContext::new("session-1")).await);
/// assert_eq!(*journal.lock().unwrap(), [hookgate::Outcome::Allow]);
/// # });
/// ```
pub trait Recorder: Send + Sync {
    /// Takes the record of a dispatch that has ended, or of an approval. It must not block, and must not dispatch at the
    /// engine that it records: such a step is denied, and not recorded.
    ///
    /// # Errors
    /// If the record is lost. Whether the step happens then is up to [`is_required`](Self::is_required).
    fn record(&self, record: Record) -> Result<(), RecordLost>;

    /// Takes a record as [`record`](Self::record) does, and returns what the step waits for before it goes on, such as a
    /// disk that has it; `None` if it waits for nothing, as by default. The engine calls this where it can wait: for a
    /// dispatch that has decided and for an approval. A dispatch that is dropped, and a tool without a result, call
    /// [`record`](Self::record).
    ///
    /// # Errors
    /// As [`record`](Self::record). A record can also be found lost later, by the future.
    ///
    /// # Cancel safety
    /// A dispatch that is dropped while it waits has handed its record over. The step did not go on.
    fn record_kept(&self, record: Record) -> Result<Option<KeptFuture>, RecordLost> {
        self.record(record).map(|()| None)
    }

    /// Returns whether a step must not happen without its record. If so, a step whose record is lost, or whose
    /// recorder panics, is refused as strictly as its event allows. By default it is `false`.
    ///
    /// Its hooks have run by then. What a dispatch that is dropped, or a reload, becomes is not changed.
    fn is_required(&self) -> bool {
        false
    }

    /// Takes what a [`Reloader`](crate::Reloader) of the engine has to say: that another table is in force,
    /// or that the config was refused and the table in force stays. It must not block. By default it is
    /// dropped.
    fn reload(&self, record: ReloadRecord) {
        let _ = record;
    }

    /// Returns what the engine waits for before it begins a dispatch; `None` if there is room for one
    /// more record now, which is what a recorder says that does not implement this.
    ///
    /// # Cancel safety
    /// A dispatch that is dropped while it waits for this has not begun: no hook was invoked, and there
    /// is no record of it. So a future that is dropped unfinished must not have reserved anything.
    fn ready(&self) -> Option<ReadyFuture<'_>> {
        None
    }

    /// Gives back the room that [`ready`](Self::ready) has made for one record: none comes. It must not block.
    fn release(&self) {}

    /// Returns whether the reports are to carry the envelope of their step
    /// ([`Report::envelope`]): the step as it came, before any hook has changed it. It can be as large as
    /// the arguments of a tool or the messages of a session, and it holds what the step holds, secrets
    /// included; so it is `false` unless a recorder says otherwise.
    fn wants_envelope(&self) -> bool {
        false
    }
}

impl<F: Fn(Record) + Send + Sync> Recorder for F {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        self(record);
        Ok(())
    }
}

impl Recorder for Arc<dyn Recorder> {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        (**self).record(record)
    }

    fn record_kept(&self, record: Record) -> Result<Option<KeptFuture>, RecordLost> {
        (**self).record_kept(record)
    }

    fn is_required(&self) -> bool {
        (**self).is_required()
    }

    fn reload(&self, record: ReloadRecord) {
        (**self).reload(record);
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        (**self).ready()
    }

    fn release(&self) {
        (**self).release();
    }

    fn wants_envelope(&self) -> bool {
        (**self).wants_envelope()
    }
}
