//! What has arrived of replies, also of those that never become whole.
//!
//! When a deadline passes in the middle of a reply, the part that arrived may already say deny. The
//! bytes are therefore kept as they come, where the waiting hook can look at them when its future is
//! dropped.
//!
//! The bytes are those of the body, JSON escapes included, and are searched only when a wait is
//! abandoned or a call fails. Their number is limited by the size that a reply may have.

use std::sync::{Arc, Mutex};

use hookgate_contract::{Verdict, VerdictDecision};

use crate::sync::lock;

/// The bytes of one reply, as far as they have arrived.
#[derive(Clone, Default)]
pub(crate) struct PartialReply(Arc<Mutex<Vec<u8>>>);

impl PartialReply {
    /// Appends bytes that arrived.
    pub(crate) fn push(&self, bytes: &[u8]) {
        lock(&self.0).extend_from_slice(bytes);
    }

    /// Returns the strictest decision that is written in the bytes. It can only make an outcome
    /// stricter, so it does not matter that the whole may not be an answer.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        Verdict::salvage_anywhere(&lock(&self.0))
    }
}

/// The replies to one question: of every attempt, every sample and every model.
#[derive(Clone, Default)]
pub(crate) struct PartialReplies(Arc<Mutex<Vec<PartialReply>>>);

impl PartialReplies {
    /// Adds a reply whose bytes are about to arrive.
    pub(crate) fn add(&self, reply: &PartialReply) {
        lock(&self.0).push(reply.clone());
    }

    /// Returns the strictest decision that is written in any of them.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        let replies = lock(&self.0);
        replies.iter().filter_map(PartialReply::salvaged).max()
    }
}
