//! What is told, as a stream.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use futures_core::Stream;

use super::WatchEvent;
use crate::log;

/// How many events wait to be read; then the oldest are lost, and counted.
const BACKLOG: usize = 64;

/// The events since the start, as a [`Stream`]. It ends when the files are not followed any more.
///
/// The last 64 events wait to be read, so it does not matter when a reader comes. Those before are lost, and
/// [`WatchEvent::Missed`] counts them. Clones share what waits: each event goes to one reader.
#[derive(Clone)]
pub struct Events(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<WatchEvent>,
    missed: u64,
    /// The tasks of all readers that wait.
    wakers: Vec<Waker>,
    ended: bool,
}

impl Events {
    /// Returns the next event; `None` when the files are not followed any more.
    ///
    /// # Cancel safety
    /// No event is lost when the future is dropped while it waits.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the next event, but `None` also if none is waiting.
    pub fn try_next(&mut self) -> Option<WatchEvent> {
        self.queue().next()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Queue)) {
        let mut queue = self.queue();
        change(&mut queue);
        let wakers = std::mem::take(&mut queue.wakers);
        drop(queue);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Queue {
    fn next(&mut self) -> Option<WatchEvent> {
        match std::mem::take(&mut self.missed) {
            0 => self.waiting.pop_front(),
            missed => Some(WatchEvent::Missed(missed)),
        }
    }
}

impl Stream for Events {
    type Item = WatchEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<WatchEvent>> {
        let mut queue = self.queue();
        if let Some(event) = queue.next() {
            return Poll::Ready(Some(event));
        }
        if queue.ended {
            return Poll::Ready(None);
        }
        if !queue.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            queue.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.queue();
        f.debug_struct("Events")
            .field("waiting", &queue.waiting.len())
            .field("missed", &queue.missed)
            .finish_non_exhaustive()
    }
}

/// What tells events. If it goes away before it was [ended](Self::end), that is the last event.
#[derive(Debug)]
pub(super) struct Sender {
    events: Events,
    is_ended: bool,
}

impl Sender {
    pub(super) fn new() -> Self {
        Self { events: Events(Arc::default()), is_ended: false }
    }

    pub(super) fn events(&self) -> Events {
        self.events.clone()
    }

    pub(super) fn send(&self, event: WatchEvent) {
        self.events.change(|queue| {
            queue.waiting.push_back(event);
            while queue.waiting.len() > BACKLOG {
                queue.waiting.pop_front();
                queue.missed += 1;
            }
        });
    }

    /// Ends the stream, as the host wants it.
    pub(super) fn end(&mut self) {
        self.is_ended = true;
        self.events.change(|queue| queue.ended = true);
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        let why = match thread::panicking() {
            true => "the task that follows it has panicked",
            false => "the tokio runtime has ended",
        };
        log::not_followed(why);
        self.send(WatchEvent::Ended(why.to_owned()));
        self.end();
    }
}
