//! Calls on blocking threads whose result nobody waits for any more.
//!
//! A thread cannot be stopped. A call whose time is over before it ends is left behind: it keeps its thread, of which
//! the runtime has only so many, until it ends by itself. So they are counted.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// How many calls of an engine are left behind. An engine that calls nothing on a thread has no counter.
#[derive(Default)]
pub(crate) struct LeftBehind(OnceLock<Arc<AtomicUsize>>);

impl LeftBehind {
    pub(crate) fn count(&self) -> usize {
        // ORDERING: a statistic; no other memory is read by it.
        self.0.get().map_or(0, |count| count.load(Ordering::Relaxed))
    }

    pub(super) fn call(&self) -> Arc<ThreadCall> {
        Arc::new(ThreadCall { phase: AtomicU8::new(QUEUED), left_behind: self.counter() })
    }

    fn counter(&self) -> Arc<AtomicUsize> {
        Arc::clone(self.0.get_or_init(Arc::default))
    }
}

impl Clone for LeftBehind {
    /// The copy counts with it.
    fn clone(&self) -> Self {
        Self(OnceLock::from(self.counter()))
    }
}

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const LEFT: u8 = 2;
const ENDED: u8 = 3;

/// One call, which its thread and whoever waits for it both know.
pub(super) struct ThreadCall {
    phase: AtomicU8,
    left_behind: Arc<AtomicUsize>,
}

/// As long as it is held, the call keeps its thread.
pub(super) struct BusyThread(Arc<ThreadCall>);

impl ThreadCall {
    /// Notes that the thread has taken up the call.
    pub(super) fn begin(self: Arc<Self>) -> BusyThread {
        if self.phase.swap(RUNNING, Ordering::AcqRel) == LEFT {
            // It could not be taken off the queue any more.
            self.leave();
        }
        BusyThread(self)
    }

    /// Notes that nobody waits for the result any more. Returns whether the call runs on.
    pub(super) fn leave(&self) -> bool {
        let count = &self.left_behind;
        // Before the thread can take it back.
        count.fetch_add(1, Ordering::Relaxed);
        let runs = self.phase.swap(LEFT, Ordering::AcqRel) == RUNNING;
        if !runs {
            count.fetch_sub(1, Ordering::Relaxed);
        }
        runs
    }
}

impl Drop for BusyThread {
    fn drop(&mut self) {
        if self.0.phase.swap(ENDED, Ordering::AcqRel) == LEFT {
            self.0.left_behind.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_left_behind_as_long_as_it_keeps_its_thread_for_nobody() {
        let all = LeftBehind::default();
        let call = all.call();
        let busy = Arc::clone(&call).begin();
        assert_eq!(all.count(), 0);
        assert!(call.leave());
        assert_eq!(all.count(), 1);
        drop(busy);
        assert_eq!(all.count(), 0);
    }

    #[test]
    fn a_call_that_nobody_waits_for_before_it_begins_counts_once_it_does() {
        let all = LeftBehind::default();
        let call = all.call();
        assert!(!call.leave());
        assert_eq!(all.count(), 0);
        let busy = call.begin();
        assert_eq!(all.count(), 1);
        drop(busy);
        assert_eq!(all.count(), 0);
    }
}
