//! How the journal stands: what was written, what was lost and why.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What became of the records of this process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct JournalStatus {
    /// How many are in the journal.
    pub written: u64,
    /// How many are lost: there was no room in the queue, or they could not be written.
    pub lost: u64,
    /// What went wrong last, if anything did.
    pub problem: Option<String>,
}

/// What the writer and those that record count.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    written: AtomicU64,
    lost: AtomicU64,
    problem: Mutex<Option<String>>,
}

impl Counters {
    pub(crate) fn wrote(&self, count: u64) {
        // ORDERING: a statistic; no other memory is read by it, here and below.
        self.written.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn lose(&self, count: u64, why: &str) {
        self.lost.fetch_add(count, Ordering::Relaxed);
        self.note(why);
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Notes what goes wrong, and logs it if it is new.
    pub(crate) fn note(&self, why: &str) {
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        if problem.as_deref() != Some(why) {
            tracing::error!(target: "hookgate", "{why}");
            *problem = Some(why.to_owned());
        }
    }

    pub(crate) fn status(&self) -> JournalStatus {
        JournalStatus {
            written: self.written.load(Ordering::Relaxed),
            lost: self.lost(),
            problem: self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}
