//! Heads that go to a service: sent by a thread of their own, so that no record waits for a network.

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::StoreError;
use crate::head::Head;
use crate::status::Counters;

/// How long the end of a journal waits for its last head to be sent.
const LAST: Duration = Duration::from_secs(2);

/// Sends heads to a service. The store has no HTTP of its own: the host brings it.
pub trait HeadSender: fmt::Debug + Send {
    /// Sends a head to the service at a URL, and waits for its answer: for a bounded time.
    ///
    /// # Errors
    /// Why the service has not taken it.
    fn send(&self, url: &str, head: &Head) -> io::Result<()>;
}

/// The thread that sends. Of the heads that come while one is on its way, the last is sent next: it stands for all
/// before it.
#[derive(Debug)]
pub(crate) struct SendingHeads(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    next: Option<Head>,
    is_sending: bool,
    is_ended: bool,
    /// Why the service has not taken the last one.
    problem: Option<String>,
}

impl SendingHeads {
    pub(crate) fn start(
        urls: Vec<String>,
        sender: Box<dyn HeadSender>,
        counters: Arc<Counters>,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("heads".to_owned());
        thread.spawn(move || of_thread.run(&urls, &*sender, &counters))?;
        Ok(Self(shared))
    }

    pub(crate) fn send(&self, head: Head) {
        self.0.lock().next = Some(head);
        self.0.changed.notify_all();
    }

    /// Waits until nothing is on its way.
    pub(crate) fn flush(&self, within: Duration) -> Result<(), StoreError> {
        let is_busy = |state: &mut State| state.next.is_some() || state.is_sending;
        let waited = self.0.changed.wait_timeout_while(self.0.lock(), within, is_busy);
        let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        match &state.problem {
            _ if waited.timed_out() => {
                Err(StoreError::Heads("the last one was not sent in time".to_owned()))
            }
            Some(problem) => Err(StoreError::Heads(problem.clone())),
            None => Ok(()),
        }
    }
}

impl Drop for SendingHeads {
    /// Waits a while for the last one. The thread goes when it has nothing to send.
    fn drop(&mut self) {
        self.0.lock().is_ended = true;
        self.0.changed.notify_all();
        // What goes wrong was noted by the thread.
        let _ = self.flush(LAST);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, urls: &[String], sender: &dyn HeadSender, counters: &Counters) {
        loop {
            let is_idle = |state: &mut State| state.next.is_none() && !state.is_ended;
            let waited = self.changed.wait_while(self.lock(), is_idle);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            let Some(head) = state.next.take() else { return };
            state.is_sending = true;
            drop(state);
            let mut problem = None;
            for url in urls {
                if let Err(error) = sender.send(url, &head) {
                    problem = Some(format!("`{url}` has not taken the last one: {error}"));
                }
            }
            if let Some(problem) = &problem {
                counters.note(&StoreError::Heads(problem.clone()).to_string());
            }
            let mut state = self.lock();
            (state.is_sending, state.problem) = (false, problem);
            drop(state);
            self.changed.notify_all();
        }
    }
}
