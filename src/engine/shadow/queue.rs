//! The way of a step from a dispatch to the thread of a shadow.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, StepContext, StepId};
use serde_json::Value;
use tokio::sync::mpsc::{self, Permit, Receiver, Sender};
use tokio::sync::{Notify, oneshot};

use super::{Counters, ShadowDelta, ShadowTable};
use crate::log;
use crate::panic_boundary::catch;
use crate::report::Report;
use crate::table::HandlerTable;

/// What takes the deltas of a shadow.
pub(crate) type OnDelta = Box<dyn Fn(ShadowDelta) + Send>;

/// The beginning of the queue: a table in force holds it as long as a shadow judges beside it.
#[derive(Debug)]
pub(crate) struct ShadowQueue {
    sender: Sender<Message>,
    pub(crate) shared: Arc<Shared>,
}

/// What the queue and the thread have in common.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) counters: Counters,
    stop: Notify,
}

impl Shared {
    /// Ends the thread, as soon as a hook that blocks it lets go.
    pub(crate) fn stop(&self) {
        self.stop.notify_one();
    }
}

enum Message {
    /// A step as it came, and what was decided about it.
    Step(Value, Box<Report>),
    /// Says that all that came before is judged.
    Settle(oneshot::Sender<()>),
}

/// The end of the queue, for the thread.
pub(crate) struct ShadowJudge {
    receiver: Receiver<Message>,
    shared: Arc<Shared>,
    table: Arc<ShadowTable>,
    on_delta: OnDelta,
}

/// Makes a queue with room for so many steps.
pub(crate) fn queue(
    capacity: usize,
    table: Arc<ShadowTable>,
    on_delta: OnDelta,
) -> (ShadowQueue, ShadowJudge) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    let shared = Arc::<Shared>::default();
    let judge = ShadowJudge { receiver, shared: Arc::clone(&shared), table, on_delta };
    (ShadowQueue { sender, shared }, judge)
}

/// The room for a step that is being decided, and its envelope.
pub(crate) struct ShadowStep<'q> {
    room: Permit<'q, Message>,
    envelope: Value,
}

impl ShadowQueue {
    /// Takes a step that no hook has changed yet; `None` if there is no room for it, which is counted.
    pub(crate) fn begin(
        &self,
        table: &HandlerTable,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        step_id: &StepId<'_>,
    ) -> Option<ShadowStep<'_>> {
        let Ok(room) = self.sender.try_reserve() else {
            self.shared.counters.add_dropped();
            return None;
        };
        let generation = table.generation().get();
        let envelope = Envelope::new(payload, context, step_id, generation, usize::MAX);
        let value = catch("the payload", || envelope.value().ok().cloned()).ok().flatten();
        if value.is_none() {
            self.shared.counters.add_unreadable();
        }
        Some(ShadowStep { room, envelope: value? })
    }

    /// Waits until all that was decided so far is judged, or the shadow has ended.
    pub(crate) async fn settle(&self) {
        let (done, is_done) = oneshot::channel();
        if self.sender.send(Message::Settle(done)).await.is_ok() {
            // An error says that the thread has ended.
            let _ = is_done.await;
        }
    }
}

impl ShadowStep<'_> {
    /// Hands the step on, with what was decided. A step whose dispatch is dropped was not decided, and is not judged.
    pub(crate) fn decided(self, report: &Report) {
        self.room.send(Message::Step(self.envelope, Box::new(report.clone())));
    }
}

impl ShadowJudge {
    /// Judges what comes, until the shadow is stopped or its engine is gone.
    pub(crate) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut stopped = pin!(shared.stop.notified());
        let mut judging = pin!(self.judge_all());
        poll_fn(|cx| match stopped.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => judging.as_mut().poll(cx),
        })
        .await;
    }

    async fn judge_all(&mut self) {
        while let Some(message) = self.receiver.recv().await {
            match message {
                Message::Step(envelope, report) => self.judge(envelope, &report).await,
                // Who asked may have gone.
                Message::Settle(done) => drop(done.send(())),
            }
        }
    }

    async fn judge(&self, envelope: Value, live: &Report) {
        let Value::Object(step) = envelope else { return };
        match self.table.judge(step, live).await {
            Ok(delta) => {
                self.shared.counters.add(&delta);
                if !delta.is_empty() && catch("the host", || (self.on_delta)(delta)).is_err() {
                    log::shadow_taker_panicked();
                }
            }
            Err(_) => self.shared.counters.add_unreadable(),
        }
    }
}
