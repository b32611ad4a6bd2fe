//! A hook that is called on a blocking thread: first its conditions, there too, then its handler.
//!
//! Conditions that read fields are work that grows with the step, just as a handler that reads the
//! whole text is. So both are offloaded, as two pieces of work: between them the dispatch notes that the
//! hook was called, and a subscriber reads that it has started. An async handler is not offloaded itself,
//! since it can be stopped where it waits; only its conditions are.
//!
//! The copy of the step is made at most once for each version: all hooks that are offloaded for the same
//! version share it. A patch, and the final round, make a new one.

use std::sync::Arc;

use hookgate_contract::{Envelope, Failure, FailureClass};

use super::DispatchState;
use super::guarded_call::{cancellation, timeout_failure};
use super::invoke::{Call, ConditionCall, check_conditions, invoke};
use super::offload::OwnedCall;
use super::record::Started;
use super::snapshot::Snapshot;
use crate::clock::Instant;
use crate::table::CompiledHook;

/// The first thing to do for an offloaded hook.
pub(super) enum FirstStep<'e> {
    /// Nothing: it has failed already.
    Fail(Failure),
    /// To look whether its conditions hold, and then to call it.
    Check(OwnedCall, ConditionCall<'e>),
    /// To call it.
    Call(OwnedCall),
}

impl<'a> DispatchState<'a> {
    /// Returns whether a hook is called on a blocking thread.
    #[inline]
    pub(super) const fn is_offloaded(&self, hook: &CompiledHook) -> bool {
        self.large && hook.heavy
    }

    /// Returns a copy of the present version of the step, made once. That of the final round is another
    /// one, because its envelope is marked.
    fn snapshot(&mut self, envelope: &Envelope<'_>) -> Result<Arc<Snapshot>, Failure> {
        let rejudge = envelope.is_rejudge();
        match &self.snapshot {
            Some((of, snapshot)) if *of == rejudge => Ok(Arc::clone(snapshot)),
            _ => {
                let snapshot = Arc::new(Snapshot::new(envelope, None)?);
                self.snapshot = Some((rejudge, Arc::clone(&snapshot)));
                Ok(snapshot)
            }
        }
    }

    /// Returns the first thing to do for a decider that is offloaded. Nothing is put on a thread for a
    /// dispatch that is cancelled or late, since it could not be taken back.
    pub(super) fn begin_offloaded<'e>(
        &mut self,
        index: usize,
        hook: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> FirstStep<'e>
    where
        'a: 'e,
    {
        if let Some(failure) = cancellation(envelope) {
            return FirstStep::Fail(failure);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            // Work on a thread cannot be stopped, so none is begun whose result is not awaited.
            return FirstStep::Fail(timeout_failure(hook.timeout, self.deadline));
        }
        let snapshot = match self.snapshot(envelope) {
            Ok(snapshot) => snapshot,
            Err(failure) => return FirstStep::Fail(failure),
        };
        let Some(decider) = self.context.set.deciders.get(index) else {
            return FirstStep::Fail(Failure::new(FailureClass::Spawn, "the hook is missing"));
        };
        let call = OwnedCall::new(
            self.context.bucket,
            decider,
            snapshot,
            &self.context.services.left_behind,
        );
        if hook.checks && !self.must_recall(index, round) {
            let check = check_conditions(hook, envelope, call.clone(), self.deadline);
            return FirstStep::Check(call, check);
        }
        FirstStep::Call(call)
    }

    /// Calls a decider whose conditions hold, or which has failed before.
    pub(super) fn invoke_offloaded<'e>(
        &mut self,
        index: usize,
        hook: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        ready: Result<OwnedCall, Failure>,
    ) -> (Option<Box<Started<'e>>>, Call<'e>)
    where
        'a: 'e,
    {
        self.mark_called(index);
        let started = self.start(hook, envelope);
        let ready = ready.and_then(|call| match self.find_unmet(hook, envelope) {
            Some(unmet) => Err(unmet),
            None => Ok(call),
        });
        let call = match ready {
            Ok(call) => invoke(hook, envelope, Some(call), self.deadline),
            Err(failure) => Call::Answered(Err(failure)),
        };
        (started, call)
    }
}
