//! What hooks do, as a stream of typed events. Without a subscriber nothing is made or sent.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use hookgate_contract::{Envelope, FailureClass, ReasonCode};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// How many events a slow subscriber may be behind; then it loses the oldest and is told how many.
const BACKLOG: usize = 1024;

/// Something that a hook did, or that was done with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookEvent {
    /// The hook.
    pub hook: String,
    /// The event that it was asked about.
    pub event: String,
    /// The step.
    pub step_id: String,
    /// The session.
    pub session_id: String,
    /// The turn.
    pub turn: u64,
    /// The agent, where the host names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The tool that the step is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The name that the model gave the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// What happened.
    pub what: What,
}

/// What happened to a hook. To each [`What::Started`] there is one end: [`What::Completed`],
/// [`What::Failed`] or [`What::Cancelled`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum What {
    /// It is asked.
    #[serde(rename = "hook_started")]
    Started,
    /// It has answered.
    #[serde(rename = "hook_completed")]
    Completed {
        /// How long it took, in microseconds.
        duration_us: u64,
    },
    /// It has failed.
    #[serde(rename = "hook_failed")]
    Failed {
        /// In which way.
        class: FailureClass,
        /// What is known about that.
        detail: String,
    },
    /// It was asked and its answer is not waited for any more: an earlier hook has decided, the
    /// dispatch was dropped, or the runtime of a background call has ended.
    #[serde(rename = "hook_cancelled")]
    Cancelled {
        /// How long it ran, in microseconds.
        duration_us: u64,
    },
    /// It has denied or halted, or its failure counts as that.
    #[serde(rename = "hook_denied")]
    Denied {
        /// Why, for programs.
        reason_code: ReasonCode,
        /// Why.
        reason: Option<String>,
    },
    /// Its patch was applied.
    #[serde(rename = "hook_rewrite_applied")]
    RewriteApplied {
        /// The fields that were changed.
        patched: Vec<&'static str>,
    },
    /// Its patch, made in the background, was published.
    #[serde(rename = "hook_patch_published")]
    PatchPublished {
        /// The number of the patch.
        revision: u64,
        /// The fields that it would set.
        patch: Map<String, Value>,
    },
    /// Its background call was not made.
    #[serde(rename = "hook_dropped")]
    Dropped {
        /// Why.
        why: DropReason,
    },
}

/// Why a background call was not made, or not brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// As many calls were waiting as `limits.background_queue` says.
    QueueFull,
    /// The dispatch ran outside of a tokio runtime: there is nothing that could run the call.
    NoRuntime,
    /// The tokio runtime in which it waited has ended.
    RuntimeEnded,
    /// The engine was shut down.
    ShutDown,
    /// The step could not be copied, since its payload panicked.
    NoCopy,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::QueueFull => "too many calls are waiting, see limits.background_queue",
            Self::NoRuntime => "the dispatch runs outside of a tokio runtime",
            Self::RuntimeEnded => "the tokio runtime of the call has ended",
            Self::ShutDown => "the engine was shut down",
            Self::NoCopy => "the step could not be copied",
        })
    }
}

/// Events were lost, since the subscriber was too slow: the oldest of those that it had not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{missed} events were lost, since they were read too slowly")]
#[non_exhaustive]
pub struct Lagged {
    /// How many.
    pub missed: u64,
}

/// Sends events to whoever listens.
#[derive(Clone, Default)]
pub(crate) struct Stream {
    /// Made when somebody first listens: its ring takes some hundred kilobytes.
    sender: Arc<OnceLock<broadcast::Sender<HookEvent>>>,
    listeners: Arc<AtomicUsize>,
}

impl Stream {
    /// Whether anybody listens: one load.
    #[inline]
    pub(crate) fn is_heard(&self) -> bool {
        // ORDERING: who subscribes while a dispatch runs may miss what it does.
        self.listeners.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn send(&self, hook: &str, envelope: &Envelope<'_>, what: What) {
        let Some(sender) = self.sender.get() else { return };
        let (payload, context) = (envelope.payload(), envelope.context());
        let tool = payload.tool();
        let event = HookEvent {
            hook: hook.to_owned(),
            event: payload.event_name().to_owned(),
            step_id: envelope.step_id().to_owned(),
            session_id: context.session_id.to_owned(),
            turn: context.turn,
            agent_id: context.agent_id.map(str::to_owned),
            tool_name: tool.map(|call| call.tool_name.clone()),
            tool_use_id: tool.and_then(|call| call.tool_use_id.clone()),
            what,
        };
        // An error means that nobody listens any more.
        let _ = sender.send(event);
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        let sender = self.sender.get_or_init(|| broadcast::Sender::new(BACKLOG));
        let receiver = sender.subscribe();
        self.listeners.fetch_add(1, Ordering::Relaxed);
        Subscription { receiver, listeners: Arc::clone(&self.listeners) }
    }
}

/// The events from the moment of subscribing on.
///
/// ```
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::default();
/// let mut events = engine.subscribe();
/// # let task = async {
/// while let Some(event) = events.next().await {
///     match event {
///         Ok(event) => println!("{} {:?}", event.hook, event.what),
///         Err(lagged) => eprintln!("{lagged}"),
///     }
/// }
/// # };
/// # drop(task);
/// # });
/// ```
#[derive(Debug)]
pub struct Subscription {
    receiver: broadcast::Receiver<HookEvent>,
    listeners: Arc<AtomicUsize>,
}

impl Subscription {
    /// The next event, or how many were lost before it since they came faster than they were read;
    /// none when the engine is gone.
    ///
    /// # Cancel safety
    /// No event is lost when this is dropped while waiting.
    pub async fn next(&mut self) -> Option<Result<HookEvent, Lagged>> {
        match self.receiver.recv().await {
            Ok(event) => Some(Ok(event)),
            Err(RecvError::Lagged(missed)) => Some(Err(Lagged { missed })),
            Err(RecvError::Closed) => None,
        }
    }

    /// As [`Self::next`], but none where no event is waiting.
    pub fn try_next(&mut self) -> Option<Result<HookEvent, Lagged>> {
        match self.receiver.try_recv() {
            Ok(event) => Some(Ok(event)),
            Err(TryRecvError::Lagged(missed)) => Some(Err(Lagged { missed })),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}
