//! What all callers of one server share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookgate::contract::json::Integers;
use hookgate::{Engine, Registry};
use tokio::sync::{broadcast, watch};

use super::counts::Counts;
use super::limits::{BEHIND, Limits};
use super::sessions::{CallerId, Sessions};
use super::told::Told;
use super::verdict::Judged;

/// What all callers of one server share.
pub(crate) struct Service {
    pub(super) engine: Arc<Engine>,
    pub(super) registry: Arc<Registry>,
    pub(super) limits: Limits,
    /// Whether callers may put a table in force.
    pub(super) allows_replace: bool,
    /// Where relative paths of what callers send begin.
    pub(super) folder: PathBuf,
    pub(super) sessions: Sessions,
    pub(super) counts: Counts,
    pub(super) told: broadcast::Sender<Arc<Told>>,
    pub(super) in_flight: AtomicUsize,
    callers: AtomicUsize,
    next_caller: AtomicU64,
    began: Instant,
    end: watch::Sender<bool>,
}

/// A caller that counts, until this is dropped.
pub(super) struct Place {
    service: Arc<Service>,
    pub(super) id: CallerId,
}

/// A request that counts as one at work, until it is dropped.
pub(super) struct Working(Arc<Service>);

impl Working {
    pub(super) fn new(service: &Arc<Service>) -> Self {
        // ORDERING: a figure.
        service.in_flight.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(service))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        // ORDERING: a figure.
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        registry: Arc<Registry>,
        limits: Limits,
        allows_replace: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine,
            registry,
            limits,
            allows_replace,
            folder: std::env::current_dir().unwrap_or_default(),
            sessions: Sessions::default(),
            counts: Counts::default(),
            told: broadcast::Sender::new(BEHIND),
            in_flight: AtomicUsize::new(0),
            callers: AtomicUsize::new(0),
            next_caller: AtomicU64::new(1),
            began: Instant::now(),
            end: watch::Sender::new(false),
        })
    }

    /// Lets every connection read no more, and end when what it has read is answered.
    pub(crate) fn end(&self) {
        self.end.send_replace(true);
    }

    /// Returns a signal that is set when nothing more is read.
    pub(super) fn ended(&self) -> watch::Receiver<bool> {
        self.end.subscribe()
    }

    pub(super) fn is_ending(&self) -> bool {
        *self.end.borrow()
    }

    /// Returns which integers the table in force takes.
    pub(super) fn integers(&self) -> Integers {
        self.engine.table().limits().integers
    }

    pub(super) fn uptime(&self) -> Duration {
        self.began.elapsed()
    }

    pub(super) fn callers(&self) -> usize {
        // ORDERING: a figure, and a limit that may be off by those that come at the same moment.
        self.callers.load(Ordering::Relaxed)
    }

    /// Takes a place for a connection; `None` if there are too many.
    pub(super) fn place(self: &Arc<Self>) -> Option<Place> {
        // ORDERING: only the numbers count.
        if self.callers.fetch_add(1, Ordering::Relaxed) >= self.limits.callers {
            self.callers.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let id = self.next_caller.fetch_add(1, Ordering::Relaxed);
        Some(Place { service: Arc::clone(self), id })
    }

    /// Counts a judgement, and tells it to those who listen.
    pub(super) fn note(&self, judged: &Judged, took: Duration) {
        self.counts.judged(judged.verdict, took);
        self.tell(|| Told::Decision(Box::new(judged.report().clone())));
    }

    /// Tells subscribers; what they are told is made only if there are some.
    pub(super) fn tell(&self, told: impl FnOnce() -> Told) {
        if self.told.receiver_count() > 0 {
            // The last one may have left meanwhile.
            let _ = self.told.send(Arc::new(told()));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // ORDERING: as above.
        self.service.callers.fetch_sub(1, Ordering::Relaxed);
    }
}
