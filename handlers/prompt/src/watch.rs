//! The wait for an answer, and what stands if nobody waits any longer.

use std::sync::Arc;

use hookgate_contract::{Ask, Word};

use crate::desk::Flight;
use crate::heard::Heard;
use crate::outcome::Outcome;

/// Somebody who waits for answers about a step.
pub(crate) struct Watch<'a> {
    ask: Ask<'a>,
    /// The decision of a judge that was asked first.
    pub(crate) stands: Option<Word>,
}

impl<'a> Watch<'a> {
    pub(crate) const fn new(ask: Ask<'a>) -> Self {
        Self { ask, stands: None }
    }

    /// Waits for an answer. If that is given up, an ask or a deny that is written in the part that
    /// has come stands.
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
            let word = heard.standing().max(self.watch.stands);
            self.watch.ask.leave(word.filter(|word| *word > Word::Allow));
        }
    }
}
