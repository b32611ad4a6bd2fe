//! How many steps a shadow has judged, and how.

use std::sync::atomic::{AtomicU64, Ordering};

use super::delta::ShadowDelta;

/// How many steps a shadow has judged, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ShadowCounts {
    /// Steps that it has judged: `same` and `different` together.
    pub judged: u64,
    /// Steps about which it came to the same.
    pub same: u64,
    /// Steps about which it came to something else.
    pub different: u64,
    /// Of those that it has judged, the steps for which a hook was not called, because it is external and not pure.
    pub incomplete: u64,
    /// Steps that it has not judged, because its queue had no room.
    pub dropped: u64,
    /// Steps that it could not judge, because their envelope could not be made or read.
    pub unreadable: u64,
}

impl ShadowCounts {
    /// Counts a step that was judged.
    pub fn add(&mut self, delta: &ShadowDelta) {
        self.judged += 1;
        match delta.is_empty() {
            true => self.same += 1,
            false => self.different += 1,
        }
        self.incomplete += u64::from(!delta.not_called.is_empty());
    }
}

/// The counts of a shadow that runs.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    same: AtomicU64,
    different: AtomicU64,
    incomplete: AtomicU64,
    dropped: AtomicU64,
    unreadable: AtomicU64,
}

// ORDERING: relaxed everywhere: each is a number of its own, and nothing else is read by it.
impl Counters {
    pub(super) fn add(&self, delta: &ShadowDelta) {
        let counter = if delta.is_empty() { &self.same } else { &self.different };
        counter.fetch_add(1, Ordering::Relaxed);
        self.incomplete.fetch_add(u64::from(!delta.not_called.is_empty()), Ordering::Relaxed);
    }

    pub(super) fn add_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> ShadowCounts {
        let [same, different] = [&self.same, &self.different].map(|n| n.load(Ordering::Relaxed));
        ShadowCounts {
            judged: same + different,
            same,
            different,
            incomplete: self.incomplete.load(Ordering::Relaxed),
            dropped: self.dropped.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
        }
    }
}
