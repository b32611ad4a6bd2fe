//! Guards that are asked at the same time.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use hookgate_contract::{Ask, Contract, Envelope, Handler};
use tokio::time::Instant;

use super::fence::{Fence, ask_now, cancelled_failure};
use super::weigh::{Weighed, fail, weigh};
use super::{Dispatch, Next, is_cancelled};
use crate::table::Entry;

impl Dispatch<'_> {
    /// Asks guards of one group at the same time. Their verdicts count in order, so the result is
    /// that of asking them one by one: a deny cancels only the hooks after it.
    pub(super) async fn ask_together(
        &mut self,
        from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Next {
        let contract = self.contract(envelope.payload());
        let mut calls: Vec<Call<'_>> = Vec::with_capacity(to - from);
        for place in from..to {
            let Some(entry) = self.entry(place) else { continue };
            if self.wanted(place, entry, envelope, round) {
                calls.push(Call { place, entry, state: State::Waiting, started: None, took: None });
            }
        }
        let mut end = calls.len();
        let bound = self.setting.table.limits.concurrency.max(1);
        std::future::poll_fn(|cx| {
            let mut running = 0;
            let mut index = 0;
            while index < end && running < bound {
                let Some(call) = calls.get_mut(index) else { break };
                index += 1;
                if matches!(call.state, State::Done(_)) {
                    continue;
                }
                if let State::Waiting = call.state {
                    call.started = self.start(call.entry, envelope);
                    call.begin(envelope, self.deadline, contract);
                }
                if let State::Running(fence) = &mut call.state {
                    match Pin::new(fence).poll(cx) {
                        Poll::Pending => running += 1,
                        Poll::Ready(reply) => {
                            call.state = State::Done(weigh(call.entry, contract, reply));
                        }
                    }
                }
                if let Some(weighed) = call.done() {
                    if weighed.stops(call.entry) {
                        end = index;
                    }
                    call.took = call.started.map(|started| started.elapsed());
                }
            }
            let open = calls.iter().take(end).any(|call| call.done().is_none());
            if open { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        let mut next = Next::Go;
        for (index, call) in calls.into_iter().enumerate() {
            match call.state {
                State::Done(weighed) if index < end => {
                    // The time was taken when the answer came, not now.
                    let started = call.took.and_then(|took| Instant::now().checked_sub(took));
                    let started = started.or(call.started);
                    next = self.hear(call.place, call.entry, weighed, envelope, round, started);
                }
                State::Waiting => {}
                State::Running(_) | State::Done(_) => self.note_cancelled(call.entry, round),
            }
        }
        next
    }
}

/// A call of one of several hooks that are asked at the same time.
struct Call<'a> {
    place: usize,
    entry: &'a Entry,
    state: State<'a>,
    started: Option<Instant>,
    took: Option<Duration>,
}

enum State<'a> {
    Waiting,
    Running(Fence<'a>),
    Done(Weighed),
}

impl<'a> Call<'a> {
    fn begin(
        &mut self,
        envelope: &'a Envelope<'a>,
        deadline: Option<Instant>,
        contract: &'static Contract,
    ) {
        let ask = Ask::new(self.entry.id(), envelope);
        self.state = match &self.entry.handler {
            _ if is_cancelled(envelope) => {
                State::Done(fail(self.entry, contract, cancelled_failure()))
            }
            Handler::Async(handler) => {
                State::Running(Fence::new(&**handler, ask, self.entry.timeout, deadline))
            }
            Handler::Sync(handler) => {
                State::Done(weigh(self.entry, contract, ask_now(&**handler, ask)))
            }
        };
    }

    const fn done(&self) -> Option<&Weighed> {
        match &self.state {
            State::Done(weighed) => Some(weighed),
            _ => None,
        }
    }
}
