//! Hooks that are called one after the other.
//!
//! This loop is the hot path: most hooks match by the name of the tool, answer at once and have no
//! opinion. For those it makes one call and one comparison, and leaves nothing behind.
//!
//! The loop is not async. It runs until a hook has an opinion or must be waited for, and hands that one
//! to `deciders.rs`, which waits and comes back for the rest. So ten silent hooks cost one call of a
//! future and not ten. `benches/` holds it to a number of instructions for each hook.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hookgate_contract::{Envelope, Failure, Handler, Invocation, Reply, SyncHandler};

use super::invoke::{answer, conditions_hold};
use super::record::Started;
use super::{DispatchState, Progress};
use crate::panic_boundary::handler_panicked;
use crate::table::CompiledHook;

/// A hook that has answered.
pub(super) struct Invoked<'a, 'e> {
    pub(super) index: usize,
    pub(super) hook: &'a CompiledHook,
    pub(super) started: Option<Box<Started<'e>>>,
    pub(super) reply: Reply,
}

/// A hook that has to be waited for, so that a dispatch cannot be ready at once. It is not called yet.
pub(super) struct Waits<'a> {
    pub(super) index: usize,
    pub(super) hook: &'a CompiledHook,
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

    /// Notes that a hook was called. One that has changed the step is more than that, and stays so: its
    /// ballot belongs to the final bytes.
    #[inline]
    pub(super) fn mark_called(&mut self, index: usize) {
        if let Some(progress @ Progress::NotCalled) = self.progress.get_mut(index) {
            *progress = Progress::Called;
        }
    }

    /// Calls hooks in order, up to the first one that has an opinion.
    ///
    /// # Errors
    /// A hook that must be waited for comes first. It is not called.
    pub(super) fn call_in_order<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Result<Option<Invoked<'a, 'e>>, Waits<'a>>
    where
        'a: 'e,
    {
        // Whether nothing is to be done beside the calls: nothing is timed, offloaded or cancelled.
        let plain = !self.timed && !self.large && envelope.context().cancel.is_none();
        let mut index = from;
        while let Some(mut hook) = self.hook(index).filter(|_| index < to) {
            if plain && answers_at_once(hook) {
                let deciders = self.context.set.deciders.get(..to).unwrap_or_default();
                let reply = first_opinion(deciders, &mut index, envelope);
                match self.hook(index).filter(|_| index < to) {
                    Some(next) => hook = next,
                    None => break,
                }
                if let Some(reply) = reply {
                    return Ok(Some(Invoked { index, hook, started: None, reply }));
                }
            }
            let invoked = match &hook.handler {
                Handler::Sync(handler) if !self.is_offloaded(hook) => {
                    self.call_one(index, hook, &**handler, envelope, round)
                }
                _ => return Err(Waits { index, hook }),
            };
            if invoked.is_some() {
                return Ok(invoked);
            }
            index += 1;
        }
        Ok(None)
    }

    /// Calls a hook that answers at once, but has conditions, can be cancelled or is recorded. Returns `None`
    /// if its conditions do not hold, and if it has no opinion that is to be recorded.
    #[inline(never)]
    fn call_one<'e>(
        &mut self,
        index: usize,
        hook: &'a CompiledHook,
        handler: &dyn SyncHandler,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Invoked<'a, 'e>>
    where
        'a: 'e,
    {
        let should_call = self.should_call(index, hook, envelope, round);
        if let Ok(false) = should_call {
            return None;
        }
        let started = self.start(hook, envelope);
        let should_call = should_call.and_then(|_| match self.find_unmet(hook, envelope) {
            Some(unmet) => Err(unmet),
            None => Ok(()),
        });
        let reply = should_call.and_then(|()| answer(hook, handler, envelope));
        if started.is_none() && is_silent(&reply) {
            self.note_end(hook, envelope, None);
            return None;
        }
        Some(Invoked { index, hook, started, reply })
    }
}

/// Returns whether a hook answers at once, and nothing is to be checked before.
#[inline]
const fn answers_at_once(hook: &CompiledHook) -> bool {
    matches!(hook.handler, Handler::Sync(_)) && !hook.checks
}

/// Calls hooks that answer at once and have nothing to be checked before, up to the first that has an
/// opinion, and returns its answer. `index` moves to that hook, or else to the first that is not such a
/// hook. All calls share one boundary for panics: to enter one costs as much as most handlers.
#[inline]
pub(super) fn first_opinion(
    deciders: &[Arc<CompiledHook>],
    index: &mut usize,
    envelope: &Envelope<'_>,
) -> Option<Reply> {
    let called = catch_unwind(AssertUnwindSafe(|| {
        while let Some(hook) = deciders.get(*index).filter(|hook| answers_at_once(hook)) {
            let Handler::Sync(handler) = &hook.handler else { return None };
            let reply = handler.handle(Invocation::new(hook.id(), envelope));
            if !is_silent(&reply) {
                return Some(reply);
            }
            *index += 1;
        }
        None
    }));
    called.unwrap_or_else(|panic| Some(Err(handler_panicked(panic))))
}

/// Returns whether a handler has no opinion and nothing to note.
pub(super) fn is_silent(reply: &Reply) -> bool {
    matches!(reply, Ok(verdict) if verdict.parts().is_none())
}
