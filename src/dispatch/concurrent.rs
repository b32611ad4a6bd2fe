//! Hooks that have to be waited for: guards that are called concurrently, or one hook alone.
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
//! All calls of a group share one timer, which is set to the first of their ends: most are over long before,
//! and to set a timer costs as much as several calls.
//!
//! An answer is checked when it comes and applied in the order of the hooks, after all of them: ballots,
//! votes and events are the same from run to run, whichever hook was faster.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hookgate_contract::{Envelope, Failure, Reply};

use super::guarded_call::{Clock, Passed};
use super::in_order::is_silent;
use super::invoke::{Call, ConditionCall, HandlerCall, answer_now, begin_call};
use super::next::Next;
use super::offload::OwnedCall;
use super::offloaded::FirstStep;
use super::record::Started;
use super::validate::{Checked, Version, validate};
use super::{DispatchContext, DispatchState};
use crate::clock::Instant;
use crate::table::CompiledHook;
use crate::timer::Timer;

impl<'a> DispatchState<'a> {
    /// Returns the group of the deciders from one index up to another whose conditions hold. Those of
    /// hooks that are offloaded are looked at later.
    pub(super) fn several<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Group<'e>
    where
        'a: 'e,
    {
        let mut calls = Vec::with_capacity(to - from);
        for index in from..to {
            let Some(hook) = self.hook(index) else { continue };
            calls.extend(self.prepare(index, hook, envelope, round));
        }
        Group { end: calls.len(), calls: Calls::Several(calls), timer: Timer::default() }
    }

    /// Returns a group of one hook; `None` if its conditions do not hold.
    pub(super) fn alone<'e>(
        &mut self,
        index: usize,
        hook: &'e CompiledHook,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Option<Group<'e>> {
        let call = self.prepare(index, hook, envelope, round)?;
        Some(Group { end: 1, calls: Calls::One([call]), timer: Timer::default() })
    }

    #[inline]
    fn prepare<'e>(
        &mut self,
        index: usize,
        hook: &'e CompiledHook,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Option<ConcurrentCall<'e>> {
        let state = if self.is_offloaded(hook) {
            CallState::Offload
        } else {
            match self.should_call(index, hook, envelope, round) {
                Ok(false) => return None,
                Ok(true) => CallState::Ready,
                Err(failure) => CallState::Failed(Box::new(failure)),
            }
        };
        Some(ConcurrentCall { index, hook, state, started: None })
    }

    /// Applies the answers of a group whose calls are over, in the order of the hooks.
    pub(super) fn apply_group(
        &mut self,
        group: Group<'_>,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Next {
        let Group { calls, end, .. } = group;
        match calls {
            Calls::One([call]) => self.apply_call(call, true, envelope, round),
            Calls::Several(calls) => {
                let mut next = Next::Continue;
                for (position, call) in calls.into_iter().enumerate() {
                    // Most hooks say nothing.
                    if matches!(call.state, CallState::Over) {
                        continue;
                    }
                    match self.apply_call(call, position < end, envelope, round) {
                        Next::Continue => {}
                        ends => next = ends,
                    }
                }
                next
            }
        }
    }

    /// Applies the answer of one call, if it counts: none counts behind one that denies.
    fn apply_call(
        &mut self,
        call: ConcurrentCall<'_>,
        counts: bool,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Next {
        let ConcurrentCall { index, hook, state, started } = call;
        match state {
            CallState::Answered(checked) if counts => {
                return self.apply_checked(index, hook, *checked, envelope, round, started);
            }
            CallState::Answered(_) | CallState::Running(_) | CallState::Stopped => {
                self.note_cancelled(hook, round);
            }
            _ => {}
        }
        Next::Continue
    }

    /// Polls the calls of a group. If the time of one has passed, all are polled again with that: one that
    /// ends lets another begin.
    pub(super) fn poll_group<'e>(
        &mut self,
        group: &mut Group<'e>,
        envelope: &'e Envelope<'e>,
        round: u8,
        clock: &mut Clock,
        cx: &mut Context<'_>,
    ) -> Poll<()>
    where
        'a: 'e,
    {
        let mut passed = None;
        loop {
            let Unfinished { first_end } =
                match self.poll_calls(group, envelope, round, passed.as_ref(), clock, cx) {
                    Some(unfinished) => unfinished,
                    None => return Poll::Ready(()),
                };
            let Some(first_end) = first_end else { return Poll::Pending };
            match group.timer.poll_until(first_end, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(result) => {
                    passed = Some(result);
                    *clock = Clock::default();
                }
            }
        }
    }

    /// Polls the calls before the end of a group that may run. A call that denies moves the end behind
    /// itself. Returns `None` if all are over.
    fn poll_calls<'e>(
        &mut self,
        group: &mut Group<'e>,
        envelope: &'e Envelope<'e>,
        round: u8,
        passed: Option<&Passed>,
        clock: &mut Clock,
        cx: &mut Context<'_>,
    ) -> Option<Unfinished>
    where
        'a: 'e,
    {
        let bound = self.context.table.limits.concurrency.max(1);
        let (mut running, mut position) = (0, 0);
        let mut first_end = None;
        while position < group.end {
            let is_held = group.calls.is_held(position);
            let Some(call) = group.calls.get_mut(position) else { break };
            position += 1;
            if call.is_over() {
                continue;
            }
            if running >= bound {
                break;
            }
            // What it waits for comes before it, and runs or is held itself.
            if is_held {
                continue;
            }
            if call.poll(self, envelope, round, passed, clock, cx).is_pending() {
                running += 1;
                first_end = [first_end, call.ends_at()].into_iter().flatten().min();
                continue;
            }
            let stops = call.stops();
            if let Some(started) = &mut call.started {
                started.note_answered();
            }
            if stops {
                group.end = position;
                group.calls.stop_from(position);
            }
        }
        (running > 0).then_some(Unfinished { first_end })
    }
}

/// The hooks that are called concurrently: one, or several.
pub(super) struct Group<'e> {
    calls: Calls<'e>,
    /// Where the calls end that count: behind the first that denies.
    end: usize,
    /// One timer for all that wait. It is set to the first end among them.
    timer: Timer,
}

enum Calls<'e> {
    /// Mostly it is one, and needs no place of its own.
    One([ConcurrentCall<'e>; 1]),
    Several(Vec<ConcurrentCall<'e>>),
}

impl<'e> Calls<'e> {
    fn get_mut(&mut self, position: usize) -> Option<&mut ConcurrentCall<'e>> {
        match self {
            Self::One(call) => call.get_mut(position),
            Self::Several(calls) => calls.get_mut(position),
        }
    }

    /// Stops the calls from a position on, which do not count any more. They are not polled either, so one that held a
    /// place would keep it from those before it, which may wait for that very place.
    fn stop_from(&mut self, position: usize) {
        let Self::Several(calls) = self else { return };
        for call in calls.iter_mut().skip(position) {
            if let CallState::Running(_) = call.state {
                call.state = CallState::Stopped;
            }
        }
    }

    /// Returns whether a call must not begin yet, because its hook comes after another one that is not over.
    fn is_held(&self, position: usize) -> bool {
        let Self::Several(calls) = self else { return false };
        let Some((call, before)) = calls.get(..=position).and_then(<[_]>::split_last) else {
            return false;
        };
        let follows = &call.hook.dependencies.follows;
        !follows.is_empty()
            && before.iter().any(|first| !first.is_over() && follows.contains(first.hook.id()))
    }
}

/// That some calls of a group wait.
struct Unfinished {
    /// When the first of them has to end, as far as it leaves that to the timer of the group.
    first_end: Option<Instant>,
}

/// One of several hooks that are called concurrently.
struct ConcurrentCall<'e> {
    index: usize,
    hook: &'e CompiledHook,
    state: CallState<'e>,
    started: Option<Box<Started<'e>>>,
}

enum CallState<'e> {
    /// Its conditions hold; it is to be called.
    Ready,
    /// It is to be offloaded, and its conditions with it.
    Offload,
    /// It has failed before it was called.
    Failed(Box<Failure>),
    /// Its conditions are evaluated on a blocking thread.
    Checking(OwnedCall, Box<ConditionCall<'e>>),
    /// What waits is in boxes, so that a call that does not is small.
    Running(Box<HandlerCall<'e>>),
    /// It ran, and was stopped.
    Stopped,
    /// Its answer is there.
    Answered(Box<Checked>),
    /// It has answered without an opinion, or its conditions do not hold.
    Over,
}

impl<'e> ConcurrentCall<'e> {
    const fn is_over(&self) -> bool {
        matches!(self.state, CallState::Answered(_) | CallState::Stopped | CallState::Over)
    }

    /// Returns when it has to end, if it waits and leaves that to the timer of its group. (What checks
    /// conditions on a thread has a timer of its own.)
    fn ends_at(&self) -> Option<Instant> {
        match &self.state {
            CallState::Running(call) => call.ends_at(),
            _ => None,
        }
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
        passed: Option<&Passed>,
        clock: &mut Clock,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            let state = match &mut self.state {
                CallState::Ready => {
                    self.started = dispatch.start(self.hook, envelope);
                    dispatch.mark_called(self.index);
                    let unmet = dispatch.find_unmet(self.hook, envelope).map(Err);
                    let reply = match unmet.or_else(|| answer_now(self.hook, envelope)) {
                        Some(reply) => reply,
                        None => {
                            let DispatchContext { services, table, .. } = *dispatch.context;
                            services.places.lend(self.hook, table, envelope);
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
                    return self.answer(dispatch, reply, envelope, round);
                }
                CallState::Running(call) => {
                    let Poll::Ready(reply) = call.poll_with(passed, cx) else {
                        return Poll::Pending;
                    };
                    self.state = CallState::Over;
                    return self.answer(dispatch, reply, envelope, round);
                }
                CallState::Answered(_) | CallState::Stopped | CallState::Over => {
                    return Poll::Ready(());
                }
                other => std::mem::replace(other, CallState::Over),
            };
            let call = match state {
                CallState::Ready
                | CallState::Running(_)
                | CallState::Answered(_)
                | CallState::Stopped
                | CallState::Over => {
                    return Poll::Ready(());
                }
                CallState::Failed(failure) => {
                    self.started = dispatch.start(self.hook, envelope);
                    dispatch.mark_called(self.index);
                    Call::Answered(Err(*failure))
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
            return self.poll_call(dispatch, call, envelope, round, cx);
        }
    }

    /// Polls an offloaded call for the first time.
    fn poll_call(
        &mut self,
        dispatch: &mut DispatchState<'_>,
        call: Call<'e>,
        envelope: &Envelope<'_>,
        round: u8,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let reply = match call {
            Call::Answered(reply) => reply,
            Call::Waiting(mut call) => match call.poll_with(None, cx) {
                Poll::Ready(reply) => reply,
                Poll::Pending => {
                    self.state = CallState::Running(Box::new(call));
                    return Poll::Pending;
                }
            },
        };
        self.answer(dispatch, reply, envelope, round)
    }

    /// Checks the answer and keeps it. One that is silent and not recorded leaves nothing behind.
    #[inline]
    fn answer(
        &mut self,
        dispatch: &mut DispatchState<'_>,
        reply: Reply,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Poll<()> {
        if self.started.is_none() && is_silent(&reply) {
            dispatch.note_end(self.hook, envelope, None);
            return Poll::Ready(());
        }
        let contract = dispatch.contract(envelope.payload());
        let version = Version { payload: envelope.payload(), is_final: round > 1 };
        let checked = validate(self.hook, self.index, contract, version, reply);
        dispatch.note_end(self.hook, envelope, Some(&checked));
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
