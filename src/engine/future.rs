//! The future of a dispatch.
//!
//! Most dispatches end at the first poll: no hook is at the event, none matches, or all that match
//! answer at once. [`DispatchFuture`] therefore holds the step in place and evaluates it there, without
//! an allocation. Only if a handler has to wait does the rest move into a box.
//!
//! The table is the one in force at the first poll. It is read under a guard that is not
//! held across an await; a dispatch that waits keeps the table by an `Arc` instead.
//!
//! ```text
//! poll ─ event not armed ──────────────────────────────▶ cleared           one load, one branch
//!   └─ armed ─ no hook matches ────────────────────────▶ cleared           no envelope, no id
//!         └─ all that match answer at once ────────────▶ the gate          on the stack
//!               └─ one waits, or the step is large ────▶ boxed, polled ──▶ the gate
//! ```
//!
//! # Why the fast path is a function of its own
//!
//! An `async fn` would hold the step in its state and move it in and out; for a tool call that is three
//! copies of 128 bytes, more than all the rest of a dispatch without a match. So the future is written by
//! hand, the step stays in one place, and the cold parts are not inlined. `benches/limits.toml` holds the
//! instruction counts of each line of the picture.

use std::fmt;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::Guard;
use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, StepContext};

use super::Engine;
use super::reported::Settle;
use crate::clock;
use crate::dispatch::{
    DispatchContext, evaluate, evaluate_in_span, evaluate_ready, is_large, is_traced,
};
use crate::step::{
    Clearance, Clears, Gate, HookStep, Stamp, events, is_mismatched, own_id, session_word,
};
use crate::table::{Bucket, HandlerTable, MatchSet, Matched, word};

/// The future of [`Engine`]'s [`dispatch`](crate::HookEngine::dispatch).
///
/// The table is the one in force when the future is first polled. If all handlers answer
/// at once, the future is ready then, without an allocation.
///
/// ```
/// use std::time::Duration;
/// use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, ReplyFuture};
/// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, StepContext, ToolUse};
///
/// struct Stuck;
///
/// impl AsyncHandler for Stuck {
///     fn handle<'a>(&'a self, _: Invocation<'a>) -> ReplyFuture<'a> {
///         Box::pin(std::future::pending())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let hook = Hook::new("stuck", "rust", BuiltHandler::from_async(Stuck)).event(Event::PreToolUse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
/// let context = StepContext::new("session-1");
/// let dispatch = engine.dispatch(ToolUse::propose("Bash", "{}").unwrap(), &context);
/// // The user presses Esc: the handler is stopped, and the tool call is gone, uncleared.
/// let gate = tokio::time::timeout(Duration::from_millis(10), dispatch).await;
/// assert!(gate.is_err());
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
///
/// # Panics
/// If it is polled again after it was ready, as the future of an `async fn` does. (Without the panic the
/// task would wait for ever.)
///
/// # Cancel safety
/// Dropping the future stops the handlers. The step is dropped with it: it was not cleared.
#[must_use = "a step is evaluated only if the future is awaited"]
pub struct DispatchFuture<'a, S: HookStep> {
    engine: &'a Engine,
    context: &'a StepContext<'a>,
    /// The step, until the first poll. (One enum of step and rest was measured: it costs 14
    /// instructions more, since the step is moved out of it by way of a second copy.)
    step: Option<S>,
    /// The rest of the dispatch, if a handler waits.
    rest: Option<Pin<Box<dyn Future<Output = Gate<S>> + Send + 'a>>>,
}

/// No field is pinned in place: what waits is in a box.
impl<S: HookStep> Unpin for DispatchFuture<'_, S> {}

impl<S: HookStep> fmt::Debug for DispatchFuture<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatchFuture")
            .field("event", &S::CONTRACT.name)
            .field("session_id", &self.context.session_id)
            .field("waits", &self.rest.is_some())
            .finish_non_exhaustive()
    }
}

impl<'a, S: HookStep + 'a> DispatchFuture<'a, S> {
    #[inline]
    pub(super) const fn new(engine: &'a Engine, step: S, context: &'a StepContext<'a>) -> Self {
        Self { engine, context, step: Some(step), rest: None }
    }

    /// Evaluates the step, or begins to wait for handlers. If no hook has an opinion, the error is the
    /// word of the table that was read: the caller clears the step. The step is evaluated in place,
    /// because moving it would copy more than a hundred bytes each time.
    #[inline(never)]
    fn begin(&mut self, cx: &mut Context<'_>) -> Result<Poll<Gate<S>>, u64> {
        let (engine, context) = (self.engine, self.context);
        let Some(step) = self.step.as_mut() else {
            refuse_completed(black_box(true));
            return Ok(Poll::Pending);
        };
        if let Some(id) = own_id(&*step, context) {
            return Ok(self.begin_named(id, cx));
        }
        let done = match evaluate_now(engine, step.payload_mut(), context, cx) {
            FastPath::NoOpinion(word) if is_mismatched(step) => {
                let stamp = Stamp { engine: engine.id, word };
                Ok((Clearance::silent(stamp), None))
            }
            FastPath::NoOpinion(word) => return Err(word),
            FastPath::Done(clearance, answer) => Ok((clearance, answer)),
            FastPath::NeedsAsync(table) => Err(table),
        };
        let Some(mut step) = self.step.take() else {
            refuse_completed(black_box(true));
            return Ok(Poll::Pending);
        };
        let table = match done {
            Ok((clearance, answer)) => {
                return Ok(Poll::Ready(Gate::open(step, clearance, answer)));
            }
            Err(table) => table,
        };
        // The state has a thousand bytes. From 1,033 on, the allocator of glibc has no list for each thread.
        let rest = self.rest.insert(Box::pin(async move {
            let payload = step.payload_mut();
            let (clearance, answer) = match &table {
                Some(table) => evaluate_by(engine, table, payload, context).await,
                None => evaluate_waiting(engine, payload, context, Gate::<S>::settle_any).await,
            };
            Gate::open(step, clearance, answer)
        }));
        Ok(rest.as_mut().poll(cx))
    }

    /// As `begin`, for a step that goes on with one of which hooks or records know the id. That one was no fast path
    /// either.
    #[cold]
    #[inline(never)]
    fn begin_named(&mut self, id: String, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        let (engine, context) = (self.engine, self.context);
        let Some(mut step) = self.step.take() else {
            refuse_completed(black_box(true));
            return Poll::Pending;
        };
        let rest = self.rest.insert(Box::pin(async move {
            let context = context.step_id(&id);
            let payload = step.payload_mut();
            let (clearance, answer) =
                evaluate_waiting(engine, payload, &context, Gate::<S>::settle_any).await;
            Gate::open(step, clearance, answer)
        }));
        rest.as_mut().poll(cx)
    }
}

impl<'a, S: HookStep + 'a> Future for DispatchFuture<'a, S> {
    type Output = Gate<S>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        if let Some(rest) = &mut self.rest {
            return rest.as_mut().poll(cx);
        }
        let mut word = self.engine.swap.word();
        let mismatched = self.step.as_ref().is_some_and(is_mismatched);
        if word & const { events::<S>() } != 0 || mismatched {
            match self.begin(cx) {
                Ok(polled) => return polled,
                Err(evaluated) => word = evaluated,
            }
        }
        match self.step.take() {
            Some(step) => {
                let stamp = Stamp { engine: self.engine.id, word };
                Poll::Ready(Gate::Cleared(S::Cleared::clear(step, Clearance::silent(stamp))))
            }
            None => {
                refuse_completed(black_box(true));
                Poll::Pending
            }
        }
    }
}

/// Panics if the future was ready before, as that of an `async fn` does: no gate is left to return.
///
/// The compiler must not find out that it never returns. A caller whose other branch returns would be
/// laid out anew for that, and is three instructions longer (42 instead of 39 for a small step at an event
/// without a hook).
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "polling a future that was ready is a defect of the caller")]
fn refuse_completed(completed: bool) {
    if completed {
        panic!("`DispatchFuture` polled after completion");
    }
}

/// What can be found about a step without waiting.
enum FastPath {
    /// No hook has an opinion: the step goes on, under the table of the generation in this word.
    NoOpinion(u64),
    /// The dispatch is done.
    Done(Clearance, Option<Answer>),
    /// A handler waits, or there is something else to wait for. With the table, unless dispatches are
    /// recorded.
    NeedsAsync(Option<Arc<HandlerTable>>),
}

/// Evaluates a step if no handler that matches has to wait. Mostly none matches, so this is inlined:
/// two calls would be a tenth of what that costs.
#[inline(always)]
fn evaluate_now(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    cx: &mut Context<'_>,
) -> FastPath {
    // The guard is held only as long as nothing waits.
    let table = engine.swap.load();
    if table.recorded {
        return FastPath::NeedsAsync(None);
    }
    let Some(bucket) = table.bucket(payload) else {
        return FastPath::NoOpinion(word(0, table.generation().get()));
    };
    let set = match bucket.matched(payload) {
        // Apart, so that no check is left for a set that would have to be freed.
        Matched::Kept(set) if set.no_hooks => {
            return FastPath::NoOpinion(word(0, table.generation().get()));
        }
        set if set.no_hooks => return FastPath::NoOpinion(word(0, table.generation().get())),
        set => set,
    };
    // A traced dispatch is boxed anyway, for its span.
    if !(set.waits || is_traced() || (set.heavy && is_large(payload))) {
        let done = evaluate_sync(engine, &table, bucket, &set, payload, context, cx);
        if let Some(done) = done {
            return done;
        }
        // INVARIANT: a dispatch waits for nothing but handlers that wait, and there is none.
    }
    drop(set);
    FastPath::NeedsAsync(Some(Guard::into_inner(table)))
}

/// Evaluates a step by hooks that answer at once; `None` if one waits all the same.
#[inline(never)]
fn evaluate_sync(
    engine: &Engine,
    table: &HandlerTable,
    bucket: &Arc<Bucket>,
    set: &MatchSet,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    cx: &mut Context<'_>,
) -> Option<FastPath> {
    let step_id = StepId::new(context.step_id, clock::step_id);
    let dispatch =
        DispatchContext::new(&engine.shared.services, table, bucket, set, context, &step_id);
    Some(match evaluate_ready(&dispatch, payload, cx)? {
        // An id that no hook has seen is not made: that would be an allocation.
        (None, answer) => match step_id.into_generated() {
            None => {
                let session = session_word(context.session_id);
                FastPath::NoOpinion(word(session, table.generation().get()))
            }
            seen => {
                FastPath::Done(engine.clearance(None, table.generation(), seen, context), answer)
            }
        },
        (decision, answer) => {
            let known = step_id.into_known();
            FastPath::Done(engine.clearance(decision, table.generation(), known, context), answer)
        }
    })
}

/// Evaluates a step by the table that is now in force.
pub(super) async fn evaluate_waiting(
    engine: &Engine,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
    settle: Settle,
) -> (Clearance, Option<Answer>) {
    let table = engine.table();
    if table.recorded {
        drop(table);
        // In a box of its own, so that the future of other dispatches is not larger for it.
        // A recorder and a shadow are told by a report.
        let cleared = engine.clear_reported(payload, context, settle, false);
        let (clearance, answer, _) = Box::pin(cleared).await;
        return (clearance, answer);
    }
    evaluate_by(engine, &table, payload, context).await
}

/// Evaluates a step by a table.
#[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its arguments twice")]
fn evaluate_by(
    engine: &Engine,
    table: &HandlerTable,
    payload: &mut dyn AnyPayload,
    context: &StepContext<'_>,
) -> impl Future<Output = (Clearance, Option<Answer>)> + Send {
    async move {
        let Some(bucket) = table.bucket(payload) else {
            return (Clearance::silent(engine.stamp(table.generation())), None);
        };
        let _flight = engine.shared.services.in_flight.begin();
        let set = bucket.matched(payload);
        let step_id = StepId::new(context.step_id, clock::step_id);
        let dispatch =
            DispatchContext::new(&engine.shared.services, table, bucket, &set, context, &step_id)
                .may_wait();
        let evaluated = match is_traced() {
            true => evaluate_in_span(&dispatch, payload).await,
            false => evaluate(&dispatch, payload).await,
        };
        // An id that the host gave is not copied if no hook has an opinion.
        let known = match evaluated.decision {
            Some(_) => step_id.into_known(),
            None => step_id.into_generated(),
        };
        let clearance = engine.clearance(evaluated.decision, table.generation(), known, context);
        (clearance, evaluated.answer)
    }
}
