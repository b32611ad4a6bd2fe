//! Guards and rewriters: the order in which they are called, and what an answer does to the rest.
//!
//! Deciders are called group by group. A group is a run of neighbouring guards that may be called
//! concurrently, or a single rewriter: a rewriter changes what the hooks after it read, so nothing runs
//! beside it. If no decider of the set waits, the groups do not matter and all are called in one loop.
//!
//! After each group there are four ways to go on ([`Next`]). A patch is applied here, between two
//! envelopes: an envelope borrows the payload, so as long as a hook can read it, it cannot change.

use std::future::poll_fn;
use std::task::{Context, Poll};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Reply, VerdictDecision};

use super::DispatchState;
use super::concurrent::Group;
use super::guarded_call::Clock;
use super::in_order::{Invoked, Waits};
use super::next::Next;
use super::record::Started;
use super::validate::{AnswerKind, Checked, Version, validate};
use crate::table::CompiledHook;

/// How far the calls of the deciders are.
struct Remaining {
    /// The first one that is still to be called.
    from: usize,
    /// The one before which they end.
    end: usize,
    /// The last one that has changed the step.
    last_rewriter: Option<usize>,
}

/// How far the calls about one version of the step are.
pub(super) struct Groups<'e> {
    /// The first one that is still to be called.
    from: usize,
    /// The one before which they end.
    end: usize,
    /// Those that were called and have not all answered.
    waiting: Option<Group<'e>>,
}

impl Groups<'_> {
    /// Returns the calls of the deciders from one index up to another.
    pub(super) const fn new(from: usize, end: usize) -> Self {
        Self { from, end, waiting: None }
    }
}

impl<'a> DispatchState<'a> {
    /// Calls guards and rewriters in order. Each version of the step has one envelope; a patch makes
    /// the next version. If there was a patch, a final round follows.
    #[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its arguments twice")]
    pub(super) fn call_deciders(
        &mut self,
        payload: &mut dyn AnyPayload,
    ) -> impl Future<Output = ()> + Send {
        async move {
            let mut remaining = self.remaining();
            while remaining.from < remaining.end {
                let next = {
                    let mut envelope = self.envelope(payload);
                    let next = {
                        let mut groups = Groups::new(remaining.from, remaining.end);
                        poll_fn(|cx| self.poll_groups(&mut groups, &envelope, 1, cx)).await
                    };
                    // The observers, or the hooks after a patch that changes nothing, read the same version.
                    self.derived = envelope.take_derived();
                    next
                };
                self.apply_next(&mut remaining, next, payload);
            }
            if let Some(last) = self.final_round_end(&remaining) {
                // In a box, so that the future of other dispatches is not larger for it.
                Box::pin(self.final_round(last, payload)).await;
            }
        }
    }

    /// Goes on where [`first_opinion`](super::in_order::first_opinion) has ended: with the answer of the
    /// hook at an index, if it is there, and with the hooks after it. All are called about the version of
    /// the step that it has read.
    ///
    /// # Errors
    /// A decider waits all the same.
    #[inline]
    pub(super) fn call_ready_from(
        &mut self,
        mut index: usize,
        reply: Option<Reply>,
        envelope: &Envelope<'_>,
    ) -> Result<Next, Waits<'a>> {
        if let Some((reply, hook)) = reply.zip(self.hook(index)) {
            match self.apply_reply(index, hook, reply, envelope, 1, None) {
                Next::Continue => index += 1,
                next => return Ok(next),
            }
        }
        let end = self.context.set.deciders.len();
        self.call_ready(index, end, envelope, 1)
    }

    /// As [`Self::call_deciders`], where no decider waits, the hooks up to the first patch were called, and
    /// the final round, if there is one, is left to the caller: returns the rewriter that it ends at.
    ///
    /// # Errors
    /// A decider waits all the same.
    pub(super) fn call_ready_deciders(
        &mut self,
        next: Next,
        payload: &mut dyn AnyPayload,
    ) -> Result<Option<usize>, Waits<'a>> {
        let mut remaining = self.remaining();
        self.apply_next(&mut remaining, next, payload);
        while remaining.from < remaining.end {
            let next = {
                let mut envelope = self.envelope(payload);
                let next = self.call_ready(remaining.from, remaining.end, &envelope, 1)?;
                self.derived = envelope.take_derived();
                next
            };
            self.apply_next(&mut remaining, next, payload);
        }
        Ok(self.final_round_end(&remaining))
    }

    const fn remaining(&self) -> Remaining {
        Remaining { from: 0, end: self.context.set.deciders.len(), last_rewriter: None }
    }

    /// Does what an answer asks for, and moves on to the hooks that are called next.
    fn apply_next(&mut self, remaining: &mut Remaining, next: Next, payload: &mut dyn AnyPayload) {
        let (index, patch) = match next {
            Next::Continue => return remaining.from = remaining.end,
            Next::Stop => return *remaining = Remaining { from: 0, end: 0, last_rewriter: None },
            Next::Patch(index, patch) => (index, patch),
            Next::Last(index, patch) => {
                remaining.end = index;
                (index, patch)
            }
        };
        remaining.from = index + 1;
        if self.apply_patch(index, patch, payload) {
            remaining.last_rewriter = Some(index);
            self.derived = None;
        }
    }

    /// Returns the last rewriter, if hooks before it must be called about the final version of the step, or
    /// conditions be told of it. A step that is denied has none.
    fn final_round_end(&self, remaining: &Remaining) -> Option<usize> {
        let is_needed = |last: &usize| *last > 0 || !self.context.set.seers.is_empty();
        remaining.last_rewriter.filter(|last| is_needed(last) && !self.is_denied())
    }

    /// Returns the first index after `from` whose hook must not be called concurrently with it.
    pub(super) fn group_end(&self, from: usize) -> usize {
        let group = self.hook(from).map(|hook| hook.group);
        let same = |index: &usize| self.hook(*index).map(|hook| hook.group) == group;
        let deciders = self.context.set.deciders.len();
        (from + 1..deciders).find(|index| !same(index)).unwrap_or(deciders)
    }

    /// Calls deciders about one version of the step, group by group: those of a group concurrently if several
    /// of them wait, else one after the other. Is ready once all are called, or one ends that.
    pub(super) fn poll_groups<'e>(
        &mut self,
        groups: &mut Groups<'e>,
        envelope: &'e Envelope<'e>,
        round: u8,
        cx: &mut Context<'_>,
    ) -> Poll<Next>
    where
        'a: 'e,
    {
        let mut clock = Clock::default();
        loop {
            if let Some(group) = &mut groups.waiting
                && self.poll_group(group, envelope, round, &mut clock, cx).is_pending()
            {
                return Poll::Pending;
            }
            if let Some(group) = groups.waiting.take() {
                match self.apply_group(group, envelope, round) {
                    Next::Continue => {}
                    next => return Poll::Ready(next),
                }
            }
            let (from, end) = (groups.from, groups.end);
            if from >= end {
                return Poll::Ready(Next::Continue);
            }
            // If no hook waits, all are called one by one anyway.
            let to = if self.context.set.waits { self.group_end(from).min(end) } else { end };
            groups.from = to;
            let start = self.take_start();
            if self.waits_for_several(from, to) {
                clock = Clock::default();
                groups.waiting = Some(self.several(from, to, envelope, round));
                continue;
            }
            match self.call_ready(from, to, envelope, round) {
                Ok(Next::Continue) => {}
                Ok(next) => return Poll::Ready(next),
                Err(Waits { index, hook }) => {
                    // The rest of the group is still to be called.
                    groups.from = index + 1;
                    clock = Clock::read_at(start.filter(|_| index == from));
                    groups.waiting = self.alone(index, hook, envelope, round);
                }
            }
        }
    }

    /// Returns whether several of the deciders from one index up to another have to be waited for.
    fn waits_for_several(&self, from: usize, to: usize) -> bool {
        let waits = |index: &usize| {
            self.hook(*index).is_some_and(|hook| hook.waits() || self.is_offloaded(hook))
        };
        self.context.set.waits && (from..to).filter(waits).nth(1).is_some()
    }

    /// Calls the deciders from one index up to another, one after the other.
    ///
    /// # Errors
    /// The first one that must be waited for.
    #[inline]
    fn call_ready(
        &mut self,
        mut from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Result<Next, Waits<'a>> {
        while let Some(Invoked { index, hook, started, reply }) =
            self.call_in_order(from, to, envelope, round)?
        {
            match self.apply_reply(index, hook, reply, envelope, round, started) {
                Next::Continue => from = index + 1,
                next => return Ok(next),
            }
        }
        Ok(Next::Continue)
    }

    /// Checks an answer, records it, keeps what counts, and returns how to go on. This is the only place
    /// where an answer of a decider takes effect.
    fn apply_reply(
        &mut self,
        index: usize,
        hook: &CompiledHook,
        reply: Reply,
        envelope: &Envelope<'_>,
        round: u8,
        started: Option<Box<Started<'_>>>,
    ) -> Next {
        let contract = self.contract(envelope.payload());
        let version = Version { payload: envelope.payload(), is_final: round > 1 };
        let checked = validate(hook, index, contract, version, reply);
        self.note_end(hook, envelope, Some(&checked));
        self.apply_checked(index, hook, checked, envelope, round, started)
    }

    /// As [`Self::apply_reply`], for an answer that was checked when it came.
    pub(super) fn apply_checked(
        &mut self,
        index: usize,
        hook: &CompiledHook,
        checked: Checked,
        envelope: &Envelope<'_>,
        round: u8,
        started: Option<Box<Started<'_>>>,
    ) -> Next {
        if let Some(started) = started {
            self.record(hook, &checked, envelope, round, *started);
        }
        if let Some(ballot) = checked.ballot {
            self.ballots.push(ballot);
        }
        // A signal that is let go again has stopped a hook all the same.
        self.is_cancelled |= matches!(checked.kind, AnswerKind::Cancelled);
        match (checked.stops, checked.denies) {
            (true, true) => Next::Stop,
            (true, false) => Next::Last(index, checked.patch),
            (false, true) => Next::Continue,
            (false, false) if checked.patch.is_empty() => Next::Continue,
            (false, false) => Next::Patch(index, checked.patch),
        }
    }

    /// Returns whether some hook has denied or halted.
    fn is_denied(&self) -> bool {
        self.ballots.iter().any(|ballot| ballot.parts.decision >= Some(VerdictDecision::Deny))
    }
}
