//! Guards and rewriters: the order in which they are called, and what an answer does to the rest.
//!
//! Deciders are called group by group. A group is a run of neighbouring guards that may be called
//! concurrently, or a single rewriter: a rewriter changes what the hooks after it read, so nothing runs
//! beside it. If no decider of the set waits, the groups do not matter and all are called in one loop.
//!
//! After each group there are four ways to go on ([`Next`]). A patch is applied here, between two
//! envelopes: an envelope borrows the payload, so as long as a hook can read it, it cannot change.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Reply, VerdictDecision};
use serde_json::{Map, Value};

use super::DispatchState;
use super::in_order::Invoked;
use super::invoke::handler_call;
use super::record::Started;
use super::validate::{Checked, validate};
use crate::table::CompiledHook;

/// How to go on after a group of hooks was called.
pub(super) enum Next {
    /// With the hooks after it.
    Continue,
    /// Not at all: a hook has denied or halted.
    Stop,
    /// Not with the hooks after the one at an index, which asks and perhaps sets fields. Those before it
    /// see the final version.
    Last(usize, Map<String, Value>),
    /// The hook at an index sets fields; the hooks after it see the new version of the step.
    Patch(usize, Map<String, Value>),
}

impl<'a> DispatchState<'a> {
    /// Calls guards and rewriters in order. Each version of the step has one envelope; a patch makes
    /// the next version. If there was a patch, a final round follows.
    pub(super) async fn call_deciders(&mut self, payload: &mut dyn AnyPayload) {
        let mut end = self.context.set.deciders.len();
        let mut from = 0;
        let mut last_rewriter = None;
        while from < end {
            let patch = {
                let mut envelope = self.envelope(payload);
                let next = loop {
                    if from >= end {
                        break Next::Continue;
                    }
                    // If no hook waits, all are called one by one anyway.
                    let to = if self.context.set.waits { self.group_end(from) } else { end };
                    match self.call_group(from, to, &envelope, 1).await {
                        Next::Continue => from = to,
                        next => break next,
                    }
                };
                // The observers, or the hooks after a patch that changes nothing, read the same version.
                self.derived = envelope.take_derived();
                match next {
                    Next::Continue => None,
                    Next::Stop => return,
                    Next::Patch(index, patch) => Some((index, patch)),
                    Next::Last(index, patch) => {
                        end = index;
                        Some((index, patch))
                    }
                }
            };
            let Some((index, patch)) = patch else { break };
            from = index + 1;
            if self.apply_patch(index, patch, payload) {
                last_rewriter = Some(index);
                self.derived = None;
            }
        }
        // A step that is denied has no final version.
        if let Some(last) = last_rewriter.filter(|_| !self.is_denied()) {
            self.final_round(last, payload).await;
        }
    }

    /// Returns the first index after `from` whose hook must not be called concurrently with it.
    pub(super) fn group_end(&self, from: usize) -> usize {
        let group = self.hook(from).map(|hook| hook.group);
        let same = |index: &usize| self.hook(*index).map(|hook| hook.group) == group;
        let deciders = self.context.set.deciders.len();
        (from + 1..deciders).find(|index| !same(index)).unwrap_or(deciders)
    }

    /// Calls the deciders from one index up to another: concurrently if several of them wait, else
    /// one after the other.
    pub(super) async fn call_group<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Next
    where
        'a: 'e,
    {
        let waits = |index: &usize| {
            self.hook(*index).is_some_and(|hook| hook.waits() || self.is_offloaded(hook))
        };
        if self.context.set.waits && (from..to).filter(waits).count() > 1 {
            return self.call_concurrently(from, to, envelope, round).await;
        }
        let mut from = from;
        while let Some(Invoked { index, hook, started, reply }) =
            self.call_in_order(from, to, envelope, round)
        {
            from = index + 1;
            let (started, reply) = match reply {
                Some(reply) => (started, reply),
                None if self.is_offloaded(hook) => {
                    match Box::pin(self.call_offloaded(index, hook, envelope, round)).await {
                        Some(offloaded) => offloaded,
                        None => continue,
                    }
                }
                None => (started, handler_call(hook, envelope, None, self.deadline).await),
            };
            match self.apply_reply(index, hook, reply, envelope, round, started) {
                Next::Continue => {}
                next => return next,
            }
        }
        Next::Continue
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
        started: Option<Started<'_>>,
    ) -> Next {
        let contract = self.contract(envelope.payload());
        let final_step = (round > 1).then(|| envelope.payload());
        let checked = validate(hook, index, contract, final_step, reply);
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
        started: Option<Started<'_>>,
    ) -> Next {
        if let Some(started) = started {
            self.record(hook, &checked, envelope, round, started);
        }
        if let Some(ballot) = checked.ballot {
            self.ballots.push(ballot);
        }
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
