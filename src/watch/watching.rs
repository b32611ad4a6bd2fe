//! What follows files, as the host has it in its hands.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::events::Sender;
use super::follower::{Belonging, Follower};
use super::requests::Requests;
use super::{Events, Source};
use crate::config::ConfigError;
use crate::engine::Engine;
use crate::reload::{ReloadError, ReloadStatus, Reloader};
use crate::timer::sleep_until;

/// Files that are followed. Once this is dropped they are not any more, and the engine goes on with its last table.
pub struct Watching {
    reloader: Reloader,
    events: Events,
    asks: Arc<Notify>,
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Follows configs for an engine that is there already, such as one that was made of them a moment ago: they are
/// loaded at once, and what differs is put in force. Whatever is wrong with them is told as an event.
///
/// # Errors
/// [`ReloadError::NoRuntime`].
pub fn follow(engine: Arc<Engine>, source: impl Source) -> Result<Watching, ReloadError> {
    let (source, belonging) = (Arc::new(source), Belonging::default());
    let reloader = Reloader::new(engine, belonging.noted(&source));
    Watching::begin(source, belonging, reloader)
}

impl Watching {
    pub(super) fn begin(
        source: Arc<dyn Source>,
        belonging: Belonging,
        reloader: Reloader,
    ) -> Result<Self, ReloadError> {
        needs_runtime()?;
        let asks = Arc::new(Notify::new());
        let (end, ended) = oneshot::channel();
        let sender = Sender::new();
        let events = sender.events();
        let requests = Requests::new(Arc::clone(&asks), ended);
        let follower = Follower::new(source, belonging, reloader.clone(), requests, sender);
        let task = tokio::spawn(follower.follow());
        Ok(Self { reloader, events, asks, end, task })
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        self.reloader.engine()
    }

    /// Returns what is told. It can be read in a task of its own; each event goes to one reader.
    #[must_use]
    pub fn events(&self) -> Events {
        self.events.clone()
    }

    /// Returns what is in force since when, and why what is on disk is not, if so.
    #[must_use]
    pub fn status(&self) -> ReloadStatus {
        self.reloader.status()
    }

    /// Returns what is not a mistake in the config in force, but may not be intended.
    #[must_use]
    pub fn warnings(&self) -> Vec<ConfigError> {
        self.reloader.warnings()
    }

    /// Asks to load the files now, as they are. An event answers, also if nothing has changed; several requests
    /// before it are one.
    pub fn reload_now(&self) {
        self.asks.notify_one();
    }

    /// Ends it, and waits for that: a reload that has begun comes to its end, and nothing is put in force afterwards.
    /// The stream of events ends after those that nobody has read.
    ///
    /// # Cancel safety
    /// It ends as well if the future is dropped.
    pub async fn stop(self) {
        let Self { end, task, .. } = self;
        drop(end);
        // How the task has ended otherwise was told as an event.
        let _ = task.await;
    }
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watching")
            .field("status", &self.status())
            .field("is_ended", &(self.end.is_closed() || self.task.is_finished()))
            .finish_non_exhaustive()
    }
}

/// # Errors
/// There is no tokio runtime here, or it has no clock.
pub(super) fn needs_runtime() -> Result<(), ReloadError> {
    sleep_until(Instant::now()).map(drop).map_err(|_| ReloadError::NoRuntime)
}
