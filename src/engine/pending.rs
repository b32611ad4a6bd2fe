//! The future of a dispatch.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::StepContext;
use hookgate_contract::envelope::StepId;
use hookgate_contract::payload::AnyPayload;

use super::Engine;
use crate::clock;
use crate::dispatch::{Judged, Setting, is_large, is_traced, judge, judge_untraced};
use crate::step::{Clear, Gate, HookStep, Seal, events};
use crate::table::{Bucket, HandlerTable, MatchSet};

/// A dispatch of [`Engine`].
///
/// The table that judges is that of the first poll. Where all handlers answer at once it is done by
/// then, without an allocation; else the rest of it moves into a box.
#[must_use = "a step is judged only if the future is awaited"]
pub struct Dispatch<'a, S: HookStep> {
    engine: &'a Engine,
    context: &'a StepContext<'a>,
    /// The step, until the first poll.
    step: Option<S>,
    /// The rest, where something waits.
    rest: Option<Rest<'a, S>>,
}

type Rest<'a, S> = Pin<Box<dyn Future<Output = Gate<S>> + Send + 'a>>;

/// Nothing in it is pinned in place: what waits is in a box.
impl<S: HookStep> Unpin for Dispatch<'_, S> {}

impl<'a, S: HookStep + 'a> Dispatch<'a, S> {
    #[inline]
    pub(super) const fn new(engine: &'a Engine, step: S, context: &'a StepContext<'a>) -> Self {
        Self { engine, context, step: Some(step), rest: None }
    }

    /// Asks the handlers that answer at once, or begins to wait for the others; none where nobody
    /// has anything to say. The step is judged where it lies: it is large, and each move would be
    /// a copy.
    #[inline(never)]
    fn ask(&mut self, cx: &mut Context<'_>) -> Option<Poll<Gate<S>>> {
        let (engine, context) = (self.engine, self.context);
        let now = judge_now(engine, self.step.as_mut()?.payload_mut(), context, cx);
        if let Now::Silent = now {
            return None;
        }
        let mut step = self.step.take()?;
        if let Now::Said(judged) = now {
            return Some(Poll::Ready(Gate::open(step, judged.decision, judged.answer)));
        }
        let rest = self.rest.insert(Box::pin(async move {
            let judged = judge_waiting(engine, step.payload_mut(), context).await;
            Gate::open(step, judged.decision, judged.answer)
        }));
        Some(rest.as_mut().poll(cx))
    }
}

impl<'a, S: HookStep + 'a> Future for Dispatch<'a, S> {
    type Output = Gate<S>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        if let Some(rest) = &mut self.rest {
            return rest.as_mut().poll(cx);
        }
        if self.engine.swap.is_armed(const { events::<S>() })
            && let Some(polled) = self.ask(cx)
        {
            return polled;
        }
        match self.step.take() {
            Some(step) => Poll::Ready(Gate::Cleared(S::Cleared::clear(step, Seal::new(None)))),
            // Polled again after it was ready, which no caller may do.
            None => Poll::Pending,
        }
    }
}

/// What can be said about a step at once.
enum Now {
    /// Nobody has anything to say: it goes on.
    Silent,
    /// This.
    Said(Judged),
    /// Nothing: a handler waits.
    Waits,
}

/// Judges a step if no handler that it matches has to wait for anything. Mostly none matches, so
/// this is inlined: two calls would be a tenth of what that costs.
#[inline(always)]
fn judge_now(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    cx: &mut Context<'_>,
) -> Now {
    // The guard is held only while nothing waits.
    let table = engine.swap.load();
    let Some(bucket) = table.bucket(payload) else { return Now::Silent };
    let set = bucket.matched(payload);
    if set.judges.is_empty() && set.observers.is_empty() {
        return Now::Silent;
    }
    // A span is made where there is a box anyway.
    if set.waits || is_traced() || (set.heavy && is_large(payload)) {
        return Now::Waits;
    }
    ask_now(engine, &table, bucket, &set, payload, context, cx)
}

#[inline(never)]
fn ask_now(
    engine: &Engine,
    table: &HandlerTable,
    bucket: &Arc<Bucket>,
    set: &MatchSet,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    cx: &mut Context<'_>,
) -> Now {
    let step_id = StepId::new(context.step_id, clock::step_id);
    let setting = Setting {
        table,
        bucket,
        set,
        context,
        step_id: &step_id,
        stream: &engine.stream,
        background: &engine.background,
        stops: &engine.stops,
        may_wait: false,
        reported: false,
    };
    match pin!(judge_untraced(setting, payload)).poll(cx) {
        Poll::Ready(judged) if judged.decision.is_none() => Now::Silent,
        Poll::Ready(judged) => Now::Said(judged),
        // INVARIANT: nothing in `judge` waits but handlers that wait, and there is none.
        Poll::Pending => Now::Waits,
    }
}

/// Judges a step by the table that is now in force.
async fn judge_waiting(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
) -> Judged {
    let table: Arc<_> = engine.table();
    let Some(bucket) = table.bucket(payload) else { return Judged::default() };
    let set = bucket.matched(payload);
    let step_id = StepId::new(context.step_id, clock::step_id);
    let setting = Setting {
        table: &table,
        bucket,
        set: &set,
        context,
        step_id: &step_id,
        stream: &engine.stream,
        background: &engine.background,
        stops: &engine.stops,
        may_wait: true,
        reported: false,
    };
    judge(setting, payload).await
}
