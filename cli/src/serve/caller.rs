//! A caller, as the methods see it: a connection, or whoever an id over HTTP stands for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hookgate::HookEngine as _;
use tokio::task::AbortHandle;

use super::error::{CallError, Code};
use super::host::{Host, unenforced};
use super::outbox::Outbox;
use super::service::Service;
use super::sessions::{CallerId, Session};

/// One caller.
pub(crate) struct Caller {
    pub(super) id: CallerId,
    pub(super) service: Arc<Service>,
    /// Where it is told what it has not asked for; `None` of a caller that has no connection.
    pub(super) outbox: Option<Arc<Outbox>>,
    /// What it has said in `hello`.
    host: RwLock<Option<Arc<Host>>>,
    /// The generation whose guards it was found to enforce.
    checked: AtomicU64,
    /// Tells it what is decided.
    subscription: Mutex<Option<AbortHandle>>,
}

impl Caller {
    pub(super) fn new(id: CallerId, service: Arc<Service>, outbox: Option<Arc<Outbox>>) -> Self {
        let (host, checked, subscription) =
            (RwLock::default(), AtomicU64::new(0), Mutex::default());
        Self { id, service, outbox, host, checked, subscription }
    }

    /// Takes what the host says of itself, in the place of what it has said before.
    pub(super) fn greeted(&self, host: Host) {
        *self.host.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(host));
        // ORDERING: the next judgement compares anew, whatever it reads.
        self.checked.store(0, Ordering::Release);
    }

    /// Returns what the host has said of itself.
    ///
    /// # Errors
    /// It has said nothing yet.
    pub(super) fn host(&self) -> Result<Arc<Host>, CallError> {
        let host = self.host.read().unwrap_or_else(PoisonError::into_inner).clone();
        host.ok_or_else(|| {
            CallError::new(
                Code::HelloFirst,
                "say `hello` first: events, and what the host enforces",
            )
        })
    }

    /// Returns the host, if it enforces the guards in force. A table that was put in force since is looked at once.
    ///
    /// # Errors
    /// It has said nothing yet, or there are guards now that it cannot enforce and has not accepted.
    pub(super) fn enforcing_host(&self) -> Result<Arc<Host>, CallError> {
        let host = self.host()?;
        let generation = self.service.engine.generation().get();
        // ORDERING: whoever reads the number has nothing else to read.
        if self.checked.load(Ordering::Acquire) != generation {
            let table = self.service.engine.table();
            let refused = host.refused_for(&table);
            if !refused.is_empty() {
                return Err(unenforced(&refused));
            }
            self.checked.store(table.generation().get(), Ordering::Release);
        }
        Ok(host)
    }

    /// Returns a session, which begins now if there is none of this name.
    ///
    /// # Errors
    /// It is another caller's, or there are too many.
    pub(super) fn session(&self, name: &str) -> Result<Arc<Session>, CallError> {
        self.begin(name, false)
    }

    /// As [`Caller::session`]; one that is lasting is everybody's.
    ///
    /// # Errors
    /// As there.
    pub(super) fn begin(&self, name: &str, is_lasting: bool) -> Result<Arc<Session>, CallError> {
        let Service { sessions, engine, limits, .. } = &*self.service;
        sessions.of(name, (self.id, is_lasting), engine, limits.sessions)
    }

    /// Has a task tell it what is decided, in the place of one before.
    pub(super) fn subscribe(&self, task: AbortHandle) {
        let earlier =
            self.subscription.lock().unwrap_or_else(PoisonError::into_inner).replace(task);
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        let subscription = self.subscription.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = subscription {
            task.abort();
        }
    }
}
