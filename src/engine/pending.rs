//! The future of a dispatch.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::envelope::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, StepContext};

use super::Engine;
use super::reported::Settle;
use crate::clock;
use crate::dispatch::{DispatchContext, evaluate, evaluate_untraced, is_large, is_traced};
use crate::generation::Generation;
use crate::step::{Clearance, Clears, Gate, HookStep, Stamp, events};
use crate::table::{Bucket, HandlerTable, MatchSet, word};

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

    /// Asks the handlers that answer at once, or begins to wait for the others; where nobody has
    /// anything to say, the word of the table that was asked. The step is judged where it lies: it
    /// is large, and each move would be a copy.
    #[inline(never)]
    fn ask(&mut self, cx: &mut Context<'_>) -> Result<Poll<Gate<S>>, u64> {
        let (engine, context) = (self.engine, self.context);
        let Some(step) = self.step.as_mut() else { return Ok(Poll::Pending) };
        let said = match evaluate_now(engine, step.payload_mut(), context, cx) {
            Now::Silent(generation) => return Err(word(0, generation.get())),
            Now::Said(seal, answer) => Some((seal, answer)),
            Now::Waits => None,
        };
        let Some(mut step) = self.step.take() else { return Ok(Poll::Pending) };
        if let Some((seal, answer)) = said {
            return Ok(Poll::Ready(Gate::open(step, seal, answer)));
        }
        let rest = self.rest.insert(Box::pin(async move {
            let (seal, answer) =
                evaluate_waiting(engine, step.payload_mut(), context, Gate::<S>::settle).await;
            Gate::open(step, seal, answer)
        }));
        Ok(rest.as_mut().poll(cx))
    }
}

impl<'a, S: HookStep + 'a> Future for Dispatch<'a, S> {
    type Output = Gate<S>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        if let Some(rest) = &mut self.rest {
            return rest.as_mut().poll(cx);
        }
        let mut word = self.engine.swap.word();
        // A recorder is told of steps that no hook is asked about as well.
        if word & const { events::<S>() } != 0 || self.engine.recorder.is_some() {
            match self.ask(cx) {
                Ok(polled) => return polled,
                Err(judged) => word = judged,
            }
        }
        match self.step.take() {
            Some(step) => {
                let stamp = Stamp { engine: self.engine.id, word };
                Poll::Ready(Gate::Cleared(S::Cleared::clear(step, Clearance::silent(stamp))))
            }
            // Polled again after it was ready, which no caller may do.
            None => Poll::Pending,
        }
    }
}

/// What can be said about a step at once.
enum Now {
    /// Nobody has anything to say: it goes on, under the table of this generation.
    Silent(Generation),
    /// This.
    Said(Clearance, Option<Answer>),
    /// Nothing: a handler waits.
    Waits,
}

/// Judges a step if no handler that it matches has to wait for anything. Mostly none matches, so
/// this is inlined: two calls would be a tenth of what that costs.
#[inline(always)]
fn evaluate_now(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    cx: &mut Context<'_>,
) -> Now {
    if engine.recorder.is_some() {
        return Now::Waits;
    }
    // The guard is held only while nothing waits.
    let table = engine.swap.load();
    let Some(bucket) = table.bucket(payload) else {
        return Now::Silent(table.generation());
    };
    let set = bucket.matched(payload);
    if set.nobody {
        return Now::Silent(table.generation());
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
    let setting = DispatchContext {
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
    let polled = pin!(evaluate_untraced(setting, payload)).poll(cx);
    match polled {
        // No name is kept where nobody has anything to say: that would take an allocation.
        Poll::Ready(judged) if judged.decision.is_none() => Now::Silent(table.generation()),
        Poll::Ready(judged) => {
            let known = step_id.into_known();
            Now::Said(engine.seal(judged.decision, table.generation(), known), judged.answer)
        }
        // INVARIANT: nothing in `judge` waits but handlers that wait, and there is none.
        Poll::Pending => Now::Waits,
    }
}

/// Judges a step by the table that is now in force.
async fn evaluate_waiting(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    settle: Settle,
) -> (Clearance, Option<Answer>) {
    if engine.recorder.is_some() {
        return engine.clear_recorded(payload, context, settle).await;
    }
    let table: Arc<_> = engine.table();
    let Some(bucket) = table.bucket(payload) else {
        return (Clearance::silent(engine.stamp(table.generation())), None);
    };
    let set = bucket.matched(payload);
    let step_id = StepId::new(context.step_id, clock::step_id);
    let setting = DispatchContext {
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
    let judged = evaluate(setting, payload).await;
    // A name that was given is not copied where nobody has anything to say.
    let known = match judged.decision {
        Some(_) => step_id.into_known(),
        None => step_id.into_generated(),
    };
    (engine.seal(judged.decision, table.generation(), known), judged.answer)
}
