//! How many dispatches wait for a hook: what an engine that is closed waits for.
//!
//! A dispatch whose hooks answer at once is over before anybody could wait for it, so it is not counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The dispatches of an engine that wait.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    count: AtomicUsize,
    ended: Notify,
}

/// A dispatch that waits; it does not any more when this is dropped.
#[derive(Debug)]
pub(crate) struct Flight<'a>(&'a InFlight);

impl InFlight {
    /// Counts a dispatch.
    pub(crate) fn begin(&self) -> Flight<'_> {
        // ORDERING: with the one in `drop`: who sees the last dispatch end sees all that it did.
        self.count.fetch_add(1, Ordering::AcqRel);
        Flight(self)
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Waits until there is none.
    pub(crate) async fn none(&self) {
        loop {
            let ended = self.ended.notified();
            if self.count() == 0 {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.ended.notify_waiters();
        }
    }
}
