//! The wait for an answer, and what salvaged if nobody waits any longer.

use std::sync::Arc;

use hookgate_contract::{Invocation, VerdictDecision};

use crate::desk::Flight;
use crate::heard::Heard;
use crate::outcome::Outcome;

/// Somebody who waits for answers about a step.
pub(crate) struct Watch<'a> {
    invocation: Invocation<'a>,
    /// The decision of a judge that was asked first.
    pub(crate) salvaged: Option<VerdictDecision>,
}

impl<'a> Watch<'a> {
    pub(crate) const fn new(invocation: Invocation<'a>) -> Self {
        Self { invocation, salvaged: None }
    }

    /// Waits for an answer. If that is given up, an ask or a deny that is written in the part that
    /// has come salvaged.
    pub(crate) async fn wait(&self, flight: Flight, heard: &Heard) -> Arc<Outcome> {
        let mut waiting = Waiting { watch: self, heard: Some(heard) };
        let outcome = flight.await;
        waiting.heard = None;
        outcome
    }
}

struct Waiting<'a> {
    watch: &'a Watch<'a>,
    heard: Option<&'a Heard>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(heard) = self.heard {
            let word = heard.salvaged().max(self.watch.salvaged);
            self.watch.invocation.keep_salvaged(word.filter(|word| *word > VerdictDecision::Allow));
        }
    }
}
