//! What has come of answers, also of those that never become whole.

use std::sync::{Arc, Mutex, PoisonError};

use hookgate_contract::{Verdict, VerdictDecision};

/// The bytes of one answer, as far as they have come.
#[derive(Clone, Default)]
pub(crate) struct Part(Arc<Mutex<Vec<u8>>>);

impl Part {
    pub(crate) fn push(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    /// The strictest decision that is written in it. What is found can only make an outcome
    /// stricter, so it does not matter that the whole may be no answer.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        Verdict::salvage_anywhere(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// All answers to one question: of every attempt, every sample, every model.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<Part>>>);

impl Heard {
    pub(crate) fn add(&self, part: &Part) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(part.clone());
    }

    /// The strictest decision that is written in any of them.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().filter_map(Part::salvaged).max()
    }
}
