//! The callers that have said `hello`, by the ids that they were given.
//!
//! Who has the token is a program of the operator; the id keeps one such program out of the sessions of another.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::service::{Place, Service, Working};
use super::random;

/// The header with the id.
pub(super) const HEADER: &str = "hookgate-caller";

/// How often idle ones are looked for at most.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// The callers of a server.
pub(super) struct Callers {
    service: Arc<Service>,
    /// After how long one that asks nothing ends.
    idle: Duration,
    named: Mutex<HashMap<String, Arc<Named>>>,
}

/// A caller that has said `hello`.
pub(super) struct Named {
    pub(super) caller: Arc<Caller>,
    _place: Place,
    /// One for each request that may be at work.
    places: Arc<Semaphore>,
    /// One for each stream of events that may be open. They are apart: one that is not read ends late, and begins no session.
    streams: Arc<Semaphore>,
    used: Mutex<Used>,
    end: watch::Sender<bool>,
}

/// How a caller is used.
struct Used {
    requests: usize,
    last: Instant,
}

/// A request of a caller, which does not end for being idle as long as this is there.
pub(super) struct Using {
    pub(super) named: Arc<Named>,
}

/// A place among the requests at work.
pub(super) struct AtWork {
    _place: OwnedSemaphorePermit,
    _working: Working,
}

impl Callers {
    pub(super) fn new(service: Arc<Service>, idle: Duration) -> Self {
        Self { service, idle, named: Mutex::default() }
    }

    /// Takes a caller that has said `hello`. Returns its id.
    ///
    /// # Errors
    /// No id can be drawn.
    pub(super) fn add(&self, caller: Arc<Caller>, place: Place) -> io::Result<String> {
        let id = random::name()?;
        let [places, streams] =
            [(); 2].map(|()| Arc::new(Semaphore::new(self.service.limits.in_flight)));
        let used = Mutex::new(Used { requests: 0, last: Instant::now() });
        let end = watch::Sender::new(false);
        let named = Arc::new(Named { caller, _place: place, places, streams, used, end });
        self.lock().insert(id.clone(), named);
        Ok(id)
    }

    /// Returns the caller that a request names; `None` if it names none.
    ///
    /// # Errors
    /// There is no such caller.
    pub(super) fn find(&self, headers: &HeaderMap) -> Result<Option<Using>, CallError> {
        let mut given = headers.get_all(HEADER).iter();
        let Some(id) = given.next() else { return Ok(None) };
        let id = id.to_str().ok().filter(|_| given.next().is_none());
        let named = self.lock();
        let found = id.and_then(|id| named.get(id)).ok_or_else(unknown)?;
        // While the callers are locked, so that none ends between.
        found.used().requests += 1;
        Ok(Some(Using { named: Arc::clone(found) }))
    }

    /// Ends the caller that a request names: what it has at work is stopped, and its sessions end.
    ///
    /// # Errors
    /// There is no such caller.
    pub(super) async fn end(&self, headers: &HeaderMap) -> Result<(), CallError> {
        let id = headers.get(HEADER).and_then(|id| id.to_str().ok()).ok_or_else(unknown)?;
        let named = self.lock().remove(id).ok_or_else(unknown)?;
        self.finish(&named).await;
        Ok(())
    }

    /// Ends all of them.
    pub(super) async fn end_all(&self) {
        let all: Vec<Arc<Named>> = self.lock().drain().map(|(_, named)| named).collect();
        for named in all {
            self.finish(&named).await;
        }
    }

    /// Ends those that ask nothing for too long, for ever.
    pub(super) async fn end_idle(&self) {
        loop {
            tokio::time::sleep((self.idle / 4).max(LOOK)).await;
            let mut idle = Vec::new();
            self.lock().retain(|_, named| {
                let used = named.used();
                let stays = used.requests > 0 || used.last.elapsed() < self.idle;
                drop(used);
                if !stays {
                    idle.push(Arc::clone(named));
                }
                stays
            });
            for named in idle {
                self.finish(&named).await;
            }
        }
    }

    async fn finish(&self, named: &Named) {
        named.end.send_replace(true);
        // When all places are free nothing is at work that could begin a session anew.
        let all = u32::try_from(self.service.limits.in_flight).unwrap_or(u32::MAX);
        let _all = named.places.acquire_many(all).await;
        self.service.sessions.end_all_of(named.caller.id).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Named>>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Named {
    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place among the requests at work.
    ///
    /// # Errors
    /// The caller has ended.
    pub(super) async fn place(&self) -> Result<AtWork, CallError> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| unknown())?;
        if *self.end.borrow() {
            return Err(unknown());
        }
        Ok(AtWork { _place: place, _working: Working::new(&self.caller.service) })
    }

    /// Takes a place for a stream of events.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn stream(&self) -> Result<OwnedSemaphorePermit, CallError> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| {
            CallError::new(Code::TooMany, "the caller has as many streams of events as it may")
        })
    }

    /// Waits for the end of the caller.
    pub(super) async fn ended(&self) -> CallError {
        // The other half is held by this one, so nothing else ends the waiting.
        let _ = self.end.subscribe().wait_for(|ended| *ended).await;
        unknown()
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        let mut used = self.named.used();
        used.requests -= 1;
        used.last = Instant::now();
    }
}

fn unknown() -> CallError {
    let message = format!(
        "`{HEADER}` names no caller: it has ended, or never was; say `hello` without the header"
    );
    CallError::new(Code::HelloFirst, message)
}
