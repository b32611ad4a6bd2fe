//! Guards that are called concurrently.
//!
//! Neighbouring guards of one group cannot change the step, so those that wait may wait at the same
//! time. The result is that of calling them one by one: their verdicts count in order, and a deny
//! cancels the hooks after it, not those before it. At most `limits.concurrency` of them run at once.
//!
//! # Why not `futures`' `buffered`
//!
//! `stream::iter(calls).buffered(limit)` also yields in order and also stops when it is dropped. It was
//! measured beside a loop of the shape used here: boxed calls, each pending once, then ready
//! (instructions by callgrind, allocations by `allocation-counter`, release, x86-64):
//!
//! | calls | this loop | `buffered` |
//! |---|---|---|
//! | 2 | 1,182 Ir, 3 allocations | 2,839 Ir, 6 allocations |
//! | 8 | 3,480 Ir, 9 allocations | 9,315 Ir, 18 allocations |
//!
//! `buffered` keeps an `Arc` for each call, so that it polls only those that were woken; with a bound of
//! eight, polling all of them is cheaper. It also differs in one point that matters here: it hands out an
//! answer only after all earlier ones, so hooks behind a quick deny would run on until those are in. The
//! loop sees the deny at once and stops polling, and starting, what is behind it.
//!
//! # One call
//!
//! ```text
//! Ready ────────────────────────────┐
//! Offload ──▶ Checking ─ do not hold ┼─▶ Over
//!                 └─ hold ──────────┼─▶ Running ──▶ Over, with a checked answer
//! Failed ───────────────────────────┘
//! ```
//!
//! An answer is checked when it comes and applied in the order of the hooks, after all of them: ballots,
//! votes and events are the same from run to run, whichever hook was faster.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hookgate_contract::{Contract, Envelope, Failure, Reply};

use super::DispatchState;
use super::deciders::Next;
use super::guarded_call::Clock;
use super::in_order::is_silent;
use super::invoke::{Call, ConditionCall, HandlerCall, answer_now, begin_call};
use super::offload::OwnedCall;
use super::offloaded::FirstStep;
use super::record::Started;
use super::validate::{Checked, validate};
use crate::table::CompiledHook;

impl<'a> DispatchState<'a> {
    /// Calls the deciders from one index up to another concurrently.
    pub(super) async fn call_concurrently<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Next
    where
        'a: 'e,
    {
        let mut calls = self.prepare_calls(from, to, envelope, round);
        let mut end = calls.len();
        std::future::poll_fn(|cx| self.poll_calls(&mut calls, &mut end, envelope, round, cx)).await;
        let mut next = Next::Continue;
        for (position, call) in calls.into_iter().enumerate() {
            let ConcurrentCall { index, hook, state, started } = call;
            match state {
                CallState::Answered(checked) if position < end => {
                    next = self.apply_checked(index, hook, *checked, envelope, round, started);
                }
                CallState::Answered(_) | CallState::Running(_) => self.note_cancelled(hook, round),
                _ => {}
            }
        }
        next
    }

    /// Looks at the conditions of the hooks, except of those that are offloaded.
    fn prepare_calls<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Vec<ConcurrentCall<'e>>
    where
        'a: 'e,
    {
        let mut calls = Vec::with_capacity(to - from);
        for index in from..to {
            let Some(hook) = self.hook(index) else { continue };
            let state = if self.is_offloaded(hook) {
                CallState::Offload
            } else {
                match self.should_call(index, hook, envelope, round) {
                    Ok(false) => continue,
                    Ok(true) => CallState::Ready,
                    Err(failure) => CallState::Failed(failure),
                }
            };
            calls.push(ConcurrentCall { index, hook, state, started: None });
        }
        calls
    }

    /// Polls the calls up to `end` that may run. A call that denies moves `end` behind itself.
    fn poll_calls<'e>(
        &mut self,
        calls: &mut [ConcurrentCall<'e>],
        end: &mut usize,
        envelope: &'e Envelope<'e>,
        round: u8,
        cx: &mut Context<'_>,
    ) -> Poll<()>
    where
        'a: 'e,
    {
        let contract = self.contract(envelope.payload());
        let bound = self.context.table.limits.concurrency.max(1);
        let (mut running, mut position, mut open) = (0, 0, false);
        let mut clock = Clock::default();
        while position < *end {
            let Some(call) = calls.get_mut(position) else { break };
            position += 1;
            if call.is_over() {
                continue;
            }
            if running >= bound
                || call.poll(self, envelope, round, contract, &mut clock, cx).is_pending()
            {
                running += 1;
                open = true;
                continue;
            }
            if call.stops() {
                *end = position;
            }
            if let Some(started) = &mut call.started {
                started.note_answered();
            }
        }
        if open { Poll::Pending } else { Poll::Ready(()) }
    }
}

/// One of several hooks that are called concurrently.
struct ConcurrentCall<'e> {
    index: usize,
    hook: &'e CompiledHook,
    state: CallState<'e>,
    started: Option<Started<'e>>,
}

enum CallState<'e> {
    /// Its conditions hold; it is to be called.
    Ready,
    /// It is to be offloaded, and its conditions with it.
    Offload,
    /// It has failed before it was called.
    Failed(Failure),
    /// Its conditions are evaluated on a blocking thread.
    Checking(OwnedCall, Box<ConditionCall<'e>>),
    /// What waits is in boxes, so that a call that does not is small.
    Running(Box<HandlerCall<'e>>),
    /// Its answer is there.
    Answered(Box<Checked>),
    /// It has answered without an opinion, or its conditions do not hold.
    Over,
}

impl<'e> ConcurrentCall<'e> {
    const fn is_over(&self) -> bool {
        matches!(self.state, CallState::Answered(_) | CallState::Over)
    }

    /// Returns whether it is done and ends the dispatch for the hooks after it.
    fn stops(&self) -> bool {
        matches!(&self.state, CallState::Answered(checked) if checked.stops)
    }

    /// Makes progress until the call is over or has to wait.
    fn poll<'a: 'e>(
        &mut self,
        dispatch: &mut DispatchState<'a>,
        envelope: &'e Envelope<'e>,
        round: u8,
        contract: &'static Contract,
        clock: &mut Clock,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            let state = match &mut self.state {
                CallState::Ready => {
                    self.started = dispatch.start(self.hook, envelope);
                    dispatch.mark_called(self.index);
                    let reply = match answer_now(self.hook, envelope) {
                        Some(reply) => reply,
                        None => {
                            let deadline = dispatch.deadline;
                            match begin_call(self.hook, envelope, deadline, clock, cx) {
                                Ok(reply) => reply,
                                Err(waits) => {
                                    self.state = CallState::Running(waits);
                                    return Poll::Pending;
                                }
                            }
                        }
                    };
                    self.state = CallState::Over;
                    return self.answer(reply, envelope, round, contract);
                }
                CallState::Running(call) => {
                    let Poll::Ready(reply) = Pin::new(call).poll(cx) else { return Poll::Pending };
                    self.state = CallState::Over;
                    return self.answer(reply, envelope, round, contract);
                }
                CallState::Answered(_) | CallState::Over => return Poll::Ready(()),
                other => std::mem::replace(other, CallState::Over),
            };
            let call = match state {
                CallState::Ready
                | CallState::Running(_)
                | CallState::Answered(_)
                | CallState::Over => {
                    return Poll::Ready(());
                }
                CallState::Failed(failure) => {
                    self.started = dispatch.start(self.hook, envelope);
                    dispatch.mark_called(self.index);
                    Call::Answered(Err(failure))
                }
                CallState::Offload => {
                    match dispatch.begin_offloaded(self.index, self.hook, envelope, round) {
                        FirstStep::Check(call, check) => {
                            self.state = CallState::Checking(call, Box::new(check));
                            continue;
                        }
                        FirstStep::Call(call) => self.offload(dispatch, envelope, Ok(call)),
                        FirstStep::Fail(failure) => self.offload(dispatch, envelope, Err(failure)),
                    }
                }
                CallState::Checking(call, mut check) => match Pin::new(&mut check).poll(cx) {
                    Poll::Pending => {
                        self.state = CallState::Checking(call, check);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(false)) => return Poll::Ready(()),
                    Poll::Ready(holds) => self.offload(dispatch, envelope, holds.map(|_| call)),
                },
            };
            return self.poll_call(call, envelope, round, contract, cx);
        }
    }

    /// Polls an offloaded call for the first time.
    fn poll_call(
        &mut self,
        call: Call<'e>,
        envelope: &Envelope<'_>,
        round: u8,
        contract: &'static Contract,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let reply = match call {
            Call::Answered(reply) => reply,
            Call::Waiting(mut call) => match Pin::new(&mut call).poll(cx) {
                Poll::Ready(reply) => reply,
                Poll::Pending => {
                    self.state = CallState::Running(Box::new(call));
                    return Poll::Pending;
                }
            },
        };
        self.answer(reply, envelope, round, contract)
    }

    /// Checks the answer and keeps it. One that is silent and not recorded leaves nothing behind.
    fn answer(
        &mut self,
        reply: Reply,
        envelope: &Envelope<'_>,
        round: u8,
        contract: &'static Contract,
    ) -> Poll<()> {
        if self.started.is_none() && is_silent(&reply) {
            return Poll::Ready(());
        }
        let final_step = (round > 1).then(|| envelope.payload());
        let checked = validate(self.hook, self.index, contract, final_step, reply);
        self.state = CallState::Answered(Box::new(checked));
        Poll::Ready(())
    }

    /// Calls the hook on a blocking thread.
    fn offload<'a: 'e>(
        &mut self,
        dispatch: &mut DispatchState<'a>,
        envelope: &'e Envelope<'e>,
        ready: Result<OwnedCall, Failure>,
    ) -> Call<'e> {
        let (started, call) = dispatch.invoke_offloaded(self.index, self.hook, envelope, ready);
        self.started = started;
        call
    }
}
