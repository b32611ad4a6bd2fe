//! What hooks do, as a stream of typed events.
//!
//! [`Engine::subscribe`](crate::Engine::subscribe) gives a [`Subscription`], from which a UI learns that a
//! hook runs, how it ended, and what came of it. Each [`HookEvent`] names the step, the session, the turn,
//! the agent and the tool, so that "hook X is running" can be shown at the tool call that it is about.
//!
//! Events are for eyes, not for the record. All subscriptions of an engine share one ring of 1024 events:
//! a dispatch never waits for a subscriber, and a subscriber that is further behind loses the oldest
//! events and learns how many ([`Lagged`]). Where nothing may be lost, use a
//! [`Recorder`](crate::recorder::Recorder).
//!
//! Without a subscriber nothing is made and nothing is sent; the ring of some hundred kilobytes is
//! allocated when an engine is first subscribed to.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use hookgate_contract::{Envelope, FailureClass, ReasonCode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::hook_id::HookId;
use crate::read_json::read_json;

/// How many events a slow subscriber may be behind; then it loses the oldest and learns how many.
const BACKLOG: usize = 1024;

/// Something that a hook did, or that was done with it.
///
/// An event is written as one JSON object and read back as the same one:
///
/// ```
/// use hookgate::events::{HookEvent, HookEventKind};
///
/// let line = r#"{"hook":"guard","event":"pre_tool_use","step_id":"s-1","session_id":"a","turn":2,
///     "tool_name":"Bash","what":{"type":"hook_completed","duration_us":40}}"#;
/// let event = HookEvent::from_json(line.as_bytes())?;
/// assert_eq!(event.hook, "guard");
/// assert_eq!(event.what, HookEventKind::Completed { duration_us: 40 });
/// assert_eq!(HookEvent::from_json(&serde_json::to_vec(&event)?)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HookEvent {
    /// The hook.
    pub hook: HookId,
    /// The name of the event of the step: `pre_tool_use`, `x.deploy`.
    pub event: String,
    /// The step, under the name that records have for it as well.
    pub step_id: String,
    /// The session.
    pub session_id: String,
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
    /// What happened.
    pub what: HookEventKind,
}

impl HookEvent {
    /// Reads an event that was written as JSON, as exactly and strictly as
    /// [`Report::from_json`](crate::Report::from_json) reads a report.
    ///
    /// # Errors
    /// What makes the bytes something else than one event.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }
}

/// What happened to a hook.
///
/// Each [`HookEventKind::Started`] is followed by exactly one end of the same hook and step:
/// [`HookEventKind::Completed`], [`HookEventKind::Failed`] or [`HookEventKind::Cancelled`], unless the
/// subscriber lost it. What came of an answer (`Denied`, `RewriteApplied`, `PatchPublished`) follows its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
#[non_exhaustive]
pub enum HookEventKind {
    /// The hook was invoked.
    #[serde(rename = "hook_started")]
    Started,
    /// The hook has answered.
    #[serde(rename = "hook_completed")]
    Completed {
        /// How long it took, in microseconds.
        duration_us: u64,
    },
    /// The hook has failed.
    #[serde(rename = "hook_failed")]
    Failed {
        /// In which way.
        class: FailureClass,
        /// What is known about it, for the writer of the hook. Secrets are taken out.
        detail: String,
    },
    /// The answer of the hook is not waited for any more: an earlier hook has decided, the dispatch was
    /// dropped, or the runtime of a background call has ended.
    #[serde(rename = "hook_cancelled")]
    Cancelled {
        /// How long it ran, in microseconds.
        duration_us: u64,
    },
    /// The hook has denied or halted, or its failure counts as that.
    #[serde(rename = "hook_denied")]
    Denied {
        /// Why, for programs.
        reason_code: ReasonCode,
        /// Why, for people.
        reason: Option<String>,
    },
    /// The patch of the hook was applied.
    #[serde(rename = "hook_rewrite_applied")]
    RewriteApplied {
        /// The fields that were changed.
        patched: Vec<Cow<'static, str>>,
    },
    /// The patch that the hook made in the background was published.
    #[serde(rename = "hook_patch_published")]
    PatchPublished {
        /// The number of the patch.
        revision: u64,
        /// The fields that it would set.
        patch: Map<String, Value>,
    },
    /// A background call of the hook was not made.
    #[serde(rename = "hook_dropped")]
    Dropped {
        /// Why.
        why: DropReason,
    },
}

/// Why a background call was not made, or not brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// As many calls were waiting as `limits.background_queue` says.
    QueueFull,
    /// The dispatch ran outside of a tokio runtime, so nothing could run the call.
    NoRuntime,
    /// The tokio runtime in which the call waited has ended.
    RuntimeEnded,
    /// The engine was shut down.
    ShutDown,
    /// The step could not be copied, because its payload panicked.
    NoCopy,
    /// The queue of jobs has not taken the call.
    NotKept,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::QueueFull => "too many calls are waiting, see limits.background_queue",
            Self::NoRuntime => "the dispatch runs outside of a tokio runtime",
            Self::RuntimeEnded => "the tokio runtime of the call has ended",
            Self::ShutDown => "the engine was shut down",
            Self::NoCopy => "the step could not be copied",
            Self::NotKept => "the queue of jobs has not taken it",
        })
    }
}

/// Events were lost, because the subscriber was too slow: the oldest of those that it had not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{missed} events were lost, since they were read too slowly")]
#[non_exhaustive]
pub struct Lagged {
    /// How many events were lost.
    pub missed: u64,
}

/// Sends events to all subscriptions of an engine.
#[derive(Clone, Default)]
pub(crate) struct EventSender {
    /// Made by the first subscription: its ring takes some hundred kilobytes.
    sender: Arc<OnceLock<broadcast::Sender<HookEvent>>>,
    subscribers: Arc<AtomicUsize>,
}

impl EventSender {
    /// Whether there is a subscription: one load.
    #[inline]
    pub(crate) fn has_subscribers(&self) -> bool {
        // ORDERING: a subscriber that comes while a dispatch runs may miss what it does.
        self.subscribers.load(Ordering::Relaxed) != 0
    }

    /// Sends what happened to a hook at a step.
    pub(crate) fn send(
        &self,
        hook: impl Into<HookId>,
        envelope: &Envelope<'_>,
        what: HookEventKind,
    ) {
        let Some(sender) = self.sender.get() else { return };
        let (payload, context) = (envelope.payload(), envelope.context());
        let tool = payload.tool();
        let event = HookEvent {
            hook: hook.into(),
            event: payload.event_name().to_owned(),
            step_id: envelope.step_id().to_owned(),
            session_id: context.session_id.to_owned(),
            turn: context.turn,
            agent_id: context.agent_id.map(str::to_owned),
            tool_name: tool.map(|call| call.tool_name.clone()),
            tool_use_id: tool.and_then(|call| call.tool_use_id.clone()),
            what,
        };
        // An error means that the last subscription has just gone.
        let _ = sender.send(event);
    }

    /// Returns the events from now on.
    pub(crate) fn subscribe(&self) -> Subscription {
        let sender = self.sender.get_or_init(|| broadcast::Sender::new(BACKLOG));
        let receiver = Receiver::Idle(sender.subscribe());
        self.subscribers.fetch_add(1, Ordering::Relaxed);
        Subscription { receiver, subscribers: Arc::clone(&self.subscribers) }
    }
}

/// The events of an engine, from the moment of subscribing on.
///
/// It is a [`Stream`] of events, in which an [`Err`] says how many events were lost at this point; the
/// stream goes on after it, and ends when the engine and its background calls are gone.
/// [`next`](Self::next) does without the traits of the `futures` crates.
///
/// ```
/// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
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
pub struct Subscription {
    receiver: Receiver,
    subscribers: Arc<AtomicUsize>,
}

/// What a receiver has brought, and the receiver again.
type Received = (Result<HookEvent, RecvError>, broadcast::Receiver<HookEvent>);

/// A receiver of tokio cannot be polled, only awaited. While nothing is there to be received, the future
/// that waits owns it.
enum Receiver {
    Idle(broadcast::Receiver<HookEvent>),
    Waiting(Pin<Box<dyn Future<Output = Received> + Send + Sync>>),
    Ended,
}

impl Subscription {
    /// Returns the next event, or how many were lost before it; `None` when the engine is gone.
    ///
    /// # Cancel safety
    /// No event is lost when the future is dropped while it waits.
    pub async fn next(&mut self) -> Option<Result<HookEvent, Lagged>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the next event as [`next`](Self::next) does, but `None` also if no event is waiting.
    ///
    /// ```
    /// let engine = hookgate::Engine::without_hooks();
    /// assert!(engine.subscribe().try_next().is_none());
    /// ```
    pub fn try_next(&mut self) -> Option<Result<HookEvent, Lagged>> {
        match Pin::new(self).poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(item) => item,
            Poll::Pending => None,
        }
    }
}

impl Stream for Subscription {
    type Item = Result<HookEvent, Lagged>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (received, receiver) = match std::mem::replace(&mut self.receiver, Receiver::Ended) {
            Receiver::Ended => return Poll::Ready(None),
            Receiver::Idle(mut receiver) => match receiver.try_recv() {
                Ok(event) => (Ok(event), receiver),
                Err(TryRecvError::Lagged(missed)) => (Err(RecvError::Lagged(missed)), receiver),
                Err(TryRecvError::Closed) => (Err(RecvError::Closed), receiver),
                Err(TryRecvError::Empty) => {
                    self.receiver = Receiver::Waiting(Box::pin(async move {
                        let received = receiver.recv().await;
                        (received, receiver)
                    }));
                    return self.poll_next(cx);
                }
            },
            Receiver::Waiting(mut waiting) => match waiting.as_mut().poll(cx) {
                Poll::Ready(done) => done,
                Poll::Pending => {
                    self.receiver = Receiver::Waiting(waiting);
                    return Poll::Pending;
                }
            },
        };
        let item = match received {
            Ok(event) => Ok(event),
            Err(RecvError::Lagged(missed)) => Err(Lagged { missed }),
            Err(RecvError::Closed) => return Poll::Ready(None),
        };
        self.receiver = Receiver::Idle(receiver);
        Poll::Ready(Some(item))
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.receiver {
            Receiver::Idle(_) => "idle",
            Receiver::Waiting(_) => "waiting",
            Receiver::Ended => "ended",
        };
        f.debug_struct("Subscription").field("state", &state).finish_non_exhaustive()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscribers.fetch_sub(1, Ordering::Relaxed);
    }
}
