//! Hooks that are called one after the other.
//!
//! This loop is the hot path: most hooks match by the name of the tool, answer at once and have no
//! opinion. For those it makes one call and one comparison, and leaves nothing behind.
//!
//! The loop is not async. It runs until a hook has an opinion or must be waited for, and hands that one
//! to `deciders.rs`, which waits and comes back for the rest. So ten silent hooks cost one call of a
//! future and not ten. `benches/` holds it to a number of instructions for each hook.

use hookgate_contract::{Envelope, Failure, Handler, Invocation, Reply};

use super::invoke::{answer_now, conditions_hold};
use super::record::Started;
use super::{DispatchState, Progress};
use crate::panic_boundary::invoke_sync;
use crate::table::CompiledHook;

/// A hook that has answered, or whose answer is still to come.
pub(super) struct Invoked<'e> {
    pub(super) index: usize,
    pub(super) hook: &'e CompiledHook,
    pub(super) started: Option<Started<'e>>,
    /// The answer; `None` if it must be waited for.
    pub(super) reply: Option<Reply>,
}

impl<'a> DispatchState<'a> {
    /// Returns whether the hook at an index is to be called about this version of the step.
    ///
    /// # Errors
    /// See [`conditions_hold`].
    #[inline]
    pub(super) fn should_call(
        &mut self,
        index: usize,
        hook: &CompiledHook,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Result<bool, Failure> {
        if self.must_recall(index, round) {
            return Ok(true);
        }
        let holds = conditions_hold(hook, envelope);
        if !matches!(holds, Ok(false)) {
            self.mark_called(index);
        }
        holds
    }

    /// Returns whether the hook was called about an earlier version: then it is called about the
    /// final one, even if its conditions do not hold any more.
    #[inline]
    pub(super) fn must_recall(&self, index: usize, round: u8) -> bool {
        round > 1
            && self.progress.get(index).is_some_and(|progress| *progress != Progress::NotCalled)
    }

    #[inline]
    pub(super) fn mark_called(&mut self, index: usize) {
        if let Some(progress) = self.progress.get_mut(index) {
            *progress = Progress::Called;
        }
    }

    /// Calls hooks in order, up to the first one that has an opinion or must be waited for.
    pub(super) fn call_in_order<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Invoked<'e>>
    where
        'a: 'e,
    {
        // Whether nothing is to be done beside the calls: nothing is timed, offloaded or cancelled.
        let plain = !self.timed && !self.large && envelope.context().cancel.is_none();
        for index in from..to {
            let Some(hook) = self.hook(index) else { continue };
            if let Handler::Sync(handler) = &hook.handler
                && plain
                && !hook.checks
            {
                self.mark_called(index);
                let reply = invoke_sync(&**handler, Invocation::new(hook.id(), envelope));
                if is_silent(&reply) {
                    continue;
                }
                return Some(Invoked { index, hook, started: None, reply: Some(reply) });
            }
            if self.is_offloaded(hook) {
                return Some(Invoked { index, hook, started: None, reply: None });
            }
            let invoked = self.call_one(index, hook, envelope, round);
            if invoked.is_some() {
                return invoked;
            }
        }
        None
    }

    /// Calls a hook that waits, has conditions, can be cancelled or is recorded. Returns `None` if
    /// its conditions do not hold, and if it has no opinion that is to be recorded.
    #[inline(never)]
    fn call_one<'e>(
        &mut self,
        index: usize,
        hook: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Invoked<'e>>
    where
        'a: 'e,
    {
        let should_call = self.should_call(index, hook, envelope, round);
        if let Ok(false) = should_call {
            return None;
        }
        let started = self.start(hook, envelope);
        let reply = match should_call {
            Err(failure) => Some(Err(failure)),
            Ok(_) => answer_now(hook, envelope),
        };
        if started.is_none() && reply.as_ref().is_some_and(is_silent) {
            return None;
        }
        Some(Invoked { index, hook, started, reply })
    }
}

/// Returns whether a handler has no opinion and nothing to note.
pub(super) fn is_silent(reply: &Reply) -> bool {
    matches!(reply, Ok(verdict) if verdict.parts().is_none())
}
