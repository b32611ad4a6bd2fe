//! What hooks do, as a stream of typed events. Without a subscriber nothing is made or sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate_contract::{Envelope, FailureClass, ReasonCode};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::broadcast;

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
    /// The session.
    pub session_id: String,
    /// What happened.
    pub what: What,
}

/// What happened to a hook.
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
    /// Its background call was dropped, since too many were waiting.
    #[serde(rename = "hook_dropped")]
    Dropped,
}

/// Sends events to whoever listens.
pub(crate) struct Stream {
    sender: broadcast::Sender<HookEvent>,
    listeners: Arc<AtomicUsize>,
}

impl Stream {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(BACKLOG), listeners: Arc::default() }
    }

    /// Whether anybody listens: one load.
    #[inline]
    pub(crate) fn is_heard(&self) -> bool {
        // ORDERING: who subscribes while a dispatch runs may miss what it does.
        self.listeners.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn send(&self, hook: &str, envelope: &Envelope<'_>, what: What) {
        let event = HookEvent {
            hook: hook.to_owned(),
            event: envelope.payload().event_name().to_owned(),
            session_id: envelope.context().session_id.to_owned(),
            what,
        };
        // An error means that nobody listens any more.
        let _ = self.sender.send(event);
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        self.listeners.fetch_add(1, Ordering::Relaxed);
        Subscription { receiver: self.sender.subscribe(), listeners: Arc::clone(&self.listeners) }
    }
}

impl Clone for Stream {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), listeners: Arc::clone(&self.listeners) }
    }
}

/// The events from the moment of subscribing on.
pub struct Subscription {
    receiver: broadcast::Receiver<HookEvent>,
    listeners: Arc<AtomicUsize>,
}

impl Subscription {
    /// The next event; none when the engine is gone. Events that came too fast are lost, the oldest
    /// first.
    ///
    /// # Cancel safety
    /// No event is lost when this is dropped while waiting.
    pub async fn next(&mut self) -> Option<HookEvent> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// The next event, if one is waiting.
    pub fn try_next(&mut self) -> Option<HookEvent> {
        loop {
            match self.receiver.try_recv() {
                Ok(event) => return Some(event),
                Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}
