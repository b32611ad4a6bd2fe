//! Guards that are asked at the same time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hookgate_contract::{Contract, Envelope, Failure, Handler, Invocation, Verdict};

use super::apart::{Apart, Check, Task};
use super::fence::{Fence, Question, ask_now, stopped};
use super::record::Started;
use super::weigh::{Weighed, fail, weigh};
use super::{Dispatch, Next};
use crate::matcher::Truth;
use crate::table::CompiledHook;

impl<'a> Dispatch<'a> {
    /// Asks guards of one group at the same time. Their verdicts count in order, so the result is
    /// that of asking them one by one: a deny cancels only the hooks after it.
    pub(super) async fn ask_together<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Next
    where
        'a: 'e,
    {
        let contract = self.contract(envelope.payload());
        let mut calls: Vec<Call<'e>> = Vec::with_capacity(to - from);
        for place in from..to {
            let Some(entry) = self.entry(place) else { continue };
            let state = if self.is_apart(entry) {
                State::Apart
            } else {
                match self.wanted(place, entry, envelope, round) {
                    Ok(false) => continue,
                    Ok(true) => State::Waiting,
                    Err(failure) => State::Failed(failure),
                }
            };
            calls.push(Call { place, entry, state, started: None });
        }
        let mut end = calls.len();
        let bound = self.setting.table.limits.concurrency.max(1);
        std::future::poll_fn(|cx| {
            let mut running = 0;
            let mut index = 0;
            while index < end && running < bound {
                let Some(call) = calls.get_mut(index) else { break };
                index += 1;
                if call.is_over() {
                    continue;
                }
                if call.poll(self, envelope, round, contract, cx).is_pending() {
                    running += 1;
                    continue;
                }
                if let Some(weighed) = call.done()
                    && weighed.stops(call.entry)
                {
                    end = index;
                }
                if let Some(started) = &mut call.started {
                    started.answered();
                }
            }
            let open = calls.iter().take(end).any(|call| !call.is_over());
            if open { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        let mut next = Next::Go;
        for (index, call) in calls.into_iter().enumerate() {
            let Call { place, entry, state, started } = call;
            match state {
                State::Done(weighed) if index < end => {
                    next = self.hear(place, entry, weighed, envelope, round, started);
                }
                State::Waiting | State::Apart | State::Failed(_) => {}
                State::Checking(..) | State::Unmatched => {}
                State::Running(_) | State::Done(_) => self.note_cancelled(entry, round),
            }
        }
        next
    }
}

/// A call of one of several hooks that are asked at the same time.
struct Call<'e> {
    place: usize,
    entry: &'e CompiledHook,
    state: State<'e>,
    started: Option<Started<'e>>,
}

enum State<'e> {
    /// Its conditions hold; it is to be asked.
    Waiting,
    /// It is to be asked apart, and its conditions are to be looked at there.
    Apart,
    /// It has failed before it was asked.
    Failed(Failure),
    Checking(Apart, Fence<'e, Check>),
    Running(Fence<'e, Question<'e>>),
    /// Its conditions do not hold.
    Unmatched,
    Done(Weighed),
}

impl<'e> Call<'e> {
    const fn is_over(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Unmatched)
    }

    /// Goes on until the call is over or has to wait.
    fn poll<'a: 'e>(
        &mut self,
        dispatch: &mut Dispatch<'a>,
        envelope: &'e Envelope<'e>,
        round: u8,
        contract: &'static Contract,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            let reply = match std::mem::replace(&mut self.state, State::Unmatched) {
                State::Waiting => match self.begin(dispatch, envelope) {
                    Ok(fence) => {
                        self.state = State::Running(fence);
                        continue;
                    }
                    Err(reply) => reply,
                },
                State::Apart => match dispatch.task(self.place, self.entry, envelope, round) {
                    Task::Check(apart, check) => {
                        self.state = State::Checking(apart, check);
                        continue;
                    }
                    Task::Ask(question) => {
                        self.ask(dispatch, envelope);
                        self.state = State::Running(question);
                        continue;
                    }
                    Task::Failed(failure) => {
                        self.ask(dispatch, envelope);
                        Err(failure)
                    }
                },
                State::Checking(apart, mut check) => match Pin::new(&mut check).poll(cx) {
                    Poll::Pending => {
                        self.state = State::Checking(apart, check);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(Truth::False)) => return Poll::Ready(()),
                    Poll::Ready(Ok(_)) => {
                        self.ask(dispatch, envelope);
                        let question = dispatch.question(apart, self.entry, envelope);
                        self.state = State::Running(question);
                        continue;
                    }
                    Poll::Ready(Err(failure)) => {
                        self.ask(dispatch, envelope);
                        Err(failure)
                    }
                },
                State::Running(mut fence) => match Pin::new(&mut fence).poll(cx) {
                    Poll::Pending => {
                        self.state = State::Running(fence);
                        return Poll::Pending;
                    }
                    Poll::Ready(reply) => reply,
                },
                State::Failed(failure) => {
                    self.ask(dispatch, envelope);
                    self.state = State::Done(fail(self.entry, contract, failure));
                    return Poll::Ready(());
                }
                over @ (State::Unmatched | State::Done(_)) => {
                    self.state = over;
                    return Poll::Ready(());
                }
            };
            self.state = State::Done(weigh(self.entry, contract, reply));
            return Poll::Ready(());
        }
    }

    /// Notes that the hook is asked.
    fn ask<'a: 'e>(&mut self, dispatch: &mut Dispatch<'a>, envelope: &'e Envelope<'e>) {
        dispatch.mark_asked(self.place);
        self.started = dispatch.start(self.entry, envelope);
    }

    /// Asks the hook; the answer, where it does not have to be waited for.
    fn begin<'a: 'e>(
        &mut self,
        dispatch: &mut Dispatch<'a>,
        envelope: &'e Envelope<'e>,
    ) -> Result<Fence<'e, Question<'e>>, Result<Verdict, Failure>> {
        self.ask(dispatch, envelope);
        if let Some(failure) = stopped(envelope) {
            return Err(Err(failure));
        }
        let invocation = Invocation::new(self.entry.id(), envelope);
        match &self.entry.handler {
            Handler::Async(handler) => {
                Ok(Fence::ask(&**handler, invocation, self.entry.timeout, dispatch.deadline))
            }
            Handler::Sync(handler) => Err(ask_now(&**handler, invocation)),
        }
    }

    const fn done(&self) -> Option<&Weighed> {
        match &self.state {
            State::Done(weighed) => Some(weighed),
            _ => None,
        }
    }
}
