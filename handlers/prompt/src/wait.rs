//! The wait for an opinion, and what is kept if it is abandoned.
//!
//! `Drop` is the only place that sees a deadline: the engine drops the future of a hook that is late,
//! and the hook cannot return a failure then. So the guard notes the strictest decision that has
//! arrived with the invocation, where the engine looks for it when it makes the failure.

use std::sync::Arc;

use hookgate_contract::{Invocation, VerdictDecision};

use crate::answer::opinion::Opinion;
use crate::client::partial_reply::PartialReplies;
use crate::coalesce::single_flight::Flight;

/// The wait of one invocation.
///
/// A deadline or a cancelled dispatch drops the future of the handler. If a deny was arriving just
/// then, or a first judge had denied, the invocation keeps it, so that the failure counts as no less.
pub(crate) struct OpinionWait<'a> {
    invocation: Invocation<'a>,
    /// The decision of a first judge, which has no opinion of its own yet.
    pub(crate) salvaged: Option<VerdictDecision>,
}

impl<'a> OpinionWait<'a> {
    pub(crate) const fn new(invocation: Invocation<'a>) -> Self {
        Self { invocation, salvaged: None }
    }

    /// Waits for an opinion.
    ///
    /// # Cancel safety
    /// If the future is dropped before its end, the strictest decision in what has arrived is left
    /// with the invocation.
    pub(crate) async fn until(
        &self,
        opinion: Flight<Arc<Opinion>>,
        partial: &PartialReplies,
    ) -> Arc<Opinion> {
        let mut guard = AbandonGuard { wait: self, partial: Some(partial) };
        let opinion = opinion.await;
        guard.partial = None;
        opinion
    }
}

struct AbandonGuard<'a> {
    wait: &'a OpinionWait<'a>,
    /// `None` once the opinion is there.
    partial: Option<&'a PartialReplies>,
}

impl Drop for AbandonGuard<'_> {
    fn drop(&mut self) {
        if let Some(partial) = self.partial {
            let decision = partial.salvaged().max(self.wait.salvaged);
            self.wait.invocation.keep_salvaged(decision.filter(|it| *it > VerdictDecision::Allow));
        }
    }
}
