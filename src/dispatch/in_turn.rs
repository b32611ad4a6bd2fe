//! Hooks that are asked one after another.

use hookgate_contract::{Envelope, Failure, Handler, Invocation, Reply};

use super::fence::{ask_now, fenced, stopped};
use super::record::Started;
use super::{Dispatch, Heard};
use crate::matcher::Truth;
use crate::table::CompiledHook;

/// A hook that was asked, or is to be.
pub(super) struct Asked<'e> {
    pub(super) place: usize,
    pub(super) entry: &'e CompiledHook,
    pub(super) started: Option<Started<'e>>,
    /// Its answer; none where it has to be waited for.
    pub(super) reply: Option<Reply>,
}

impl<'a> Dispatch<'a> {
    /// Whether the hook at a place is to be asked about this version of the step.
    ///
    /// # Errors
    /// The failure of the hook where the payload panics when its conditions look at it.
    #[inline]
    pub(super) fn wanted(
        &mut self,
        place: usize,
        entry: &CompiledHook,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Result<bool, Failure> {
        if self.was_asked(place, round) {
            return Ok(true);
        }
        let wanted = holds(entry, envelope).map(|holds| holds != Truth::False);
        if !matches!(wanted, Ok(false)) {
            self.mark_asked(place);
        }
        wanted
    }

    /// Who judged an earlier version is asked about the final one, even if it would not match any
    /// more.
    #[inline]
    pub(super) fn was_asked(&self, place: usize, round: u8) -> bool {
        round > 1 && self.asked.get(place).is_some_and(|heard| *heard != Heard::Nothing)
    }

    #[inline]
    pub(super) fn mark_asked(&mut self, place: usize) {
        if let Some(asked) = self.asked.get_mut(place) {
            *asked = Heard::Asked;
        }
    }

    /// Asks hooks in turn, up to the first one that says something or has to wait. Most say
    /// nothing, and for them this loop is all there is.
    pub(super) fn ask_in_turn<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Asked<'e>>
    where
        'a: 'e,
    {
        for place in from..to {
            let Some(entry) = self.entry(place) else { continue };
            if self.is_apart(entry) {
                return Some(Asked { place, entry, started: None, reply: None });
            }
            let plain = !self.timed && !entry.conditions.any();
            if let Handler::Sync(handler) = &entry.handler
                && plain
                && envelope.context().cancel.is_none()
            {
                self.mark_asked(place);
                let reply = ask_now(&**handler, Invocation::new(entry.id(), envelope));
                if is_silent(&reply) {
                    continue;
                }
                return Some(Asked { place, entry, started: None, reply: Some(reply) });
            }
            let asked = self.ask_one(place, entry, envelope, round);
            if asked.is_some() {
                return asked;
            }
        }
        None
    }

    /// Asks a hook that has conditions, can be cancelled or is to be recorded; none where it is not
    /// to be asked, and where it has said nothing that anybody wants to know.
    #[inline(never)]
    fn ask_one<'e>(
        &mut self,
        place: usize,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Asked<'e>>
    where
        'a: 'e,
    {
        let wanted = self.wanted(place, entry, envelope, round);
        if let Ok(false) = wanted {
            return None;
        }
        let started = self.start(entry, envelope);
        let failure = wanted.err().or_else(|| stopped(envelope));
        let reply = match (failure, &entry.handler) {
            (Some(failure), _) => Some(Err(failure)),
            (None, Handler::Async(_)) => None,
            (None, Handler::Sync(handler)) => {
                let reply = ask_now(&**handler, Invocation::new(entry.id(), envelope));
                if started.is_none() && is_silent(&reply) {
                    return None;
                }
                Some(reply)
            }
        };
        Some(Asked { place, entry, started, reply })
    }
}

/// Whether the conditions of a hook hold for a step.
///
/// # Errors
/// A failure of class `panic` where the payload panics.
#[inline]
pub(super) fn holds(entry: &CompiledHook, envelope: &Envelope<'_>) -> Result<Truth, Failure> {
    if !entry.conditions.any() {
        return Ok(Truth::True);
    }
    fenced("the payload", || entry.conditions.hold(envelope.payload(), envelope.context()))
}

fn is_silent(reply: &Reply) -> bool {
    matches!(reply, Ok(verdict) if verdict.parts().is_none())
}
