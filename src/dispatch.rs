//! One step through one table: which hooks are called, in which order, and what comes of it.
//!
//! [`evaluate`] runs one dispatch. A dispatch reads one table and changes one payload:
//!
//! 1. **Deciders** (guards and rewriters) are called in the order of the table (`deciders.rs`). Guards
//!    that are neighbours and wait are called concurrently. Each answer is checked (`validate.rs`) and
//!    becomes a ballot; a deny or a halt ends this part.
//! 2. **A patch** makes a new version of the step (`patch.rs`). Every version has one envelope, so all
//!    hooks that read it share one serialisation.
//! 3. **The final round** (`final_round.rs`) follows a patch: the hooks that evaluated an earlier version
//!    are called again with the final one, so that the bytes which run are the bytes which were evaluated.
//! 4. **The decision** is the merge of the ballots (`decision/merge.rs`); a stop that was denied too often
//!    in a row goes through (`stop_limit.rs`).
//! 5. **Observers** are notified of it (`observe.rs`), those in the background without being waited
//!    for (`background.rs`).
//!
//! Nothing is built that is not wanted: the envelope when a handler first reads it, votes for a report,
//! events for a subscriber, a span for a tracer. If all handlers answer at once the future is ready
//! when it is first polled, without an allocation.

mod asked_work;
mod background;
mod concurrent;
mod deciders;
mod dependencies;
mod final_round;
mod guarded_call;
mod in_flight;
mod in_order;
mod invoke;
mod job_call;
mod left_behind;
mod legality;
mod nesting;
mod next;
mod observe;
mod offload;
mod offloaded;
mod patch;
mod places;
mod record;
mod refuse;
mod sessions;
mod snapshot;
mod steadiness;
mod stop_limit;
mod trace;
mod validate;

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Contract, Derived, Envelope, Event, StepContext};

use crate::clock::Instant;
use crate::decision::{Ballots, Decision, Outcome, SmallList, Vote, merge};
use crate::envelope::Unregistered;
use crate::events::EventSender;
use crate::jobs::JobQueue;
use crate::log;
use crate::panic_boundary::catch;
use crate::table::{Bucket, CompiledHook, HandlerTable, MatchSet};
pub(crate) use asked_work::queue_work;
pub(crate) use background::Background;
pub use background::{BackgroundCounts, PatchEnvelope};
use dependencies::{Ends, TurnNotes};
use guarded_call::is_cancelled;
use in_flight::InFlight;
use in_order::first_opinion;
pub(crate) use job_call::JobCall;
use left_behind::LeftBehind;
pub(crate) use nesting::enter_recorder;
pub(crate) use offload::is_large;
pub(crate) use patch::{apply_edit, find_untaken, present};
use places::EnginePlaces;
use snapshot::Snapshot;
use steadiness::Steadiness;
use stop_limit::StopCounts;
pub(crate) use trace::{evaluate_in_span, is_traced};

/// What all dispatches of one engine share.
pub(crate) struct Services {
    pub(crate) stream: EventSender,
    pub(crate) background: Background,
    pub(crate) stops: StopCounts,
    pub(crate) left_behind: LeftBehind,
    pub(crate) turn_notes: TurnNotes,
    pub(crate) in_flight: InFlight,
    pub(crate) places: EnginePlaces,
    /// The durable queue of the host.
    pub(crate) jobs: Option<Arc<dyn JobQueue>>,
    /// Whether that also takes the work that hooks ask for.
    pub(crate) takes_work: bool,
}

impl Default for Services {
    fn default() -> Self {
        let stream = EventSender::default();
        Self {
            background: Background::new(stream.clone()),
            stops: StopCounts::default(),
            left_behind: LeftBehind::default(),
            turn_notes: TurnNotes::default(),
            in_flight: InFlight::default(),
            places: EnginePlaces::default(),
            jobs: None,
            takes_work: false,
            stream,
        }
    }
}

/// What a dispatch reads beside the step.
pub(crate) struct DispatchContext<'a> {
    services: &'a Services,
    table: &'a HandlerTable,
    bucket: &'a Arc<Bucket>,
    /// The hooks of the bucket that match the tool of the step.
    set: &'a MatchSet,
    step_context: &'a StepContext<'a>,
    step_id: &'a StepId<'a>,
    /// Whether the dispatch may wait although no handler does: for work that is offloaded.
    may_wait: bool,
    /// Whether votes and durations are wanted.
    reported: bool,
}

impl<'a> DispatchContext<'a> {
    /// Returns the context of a dispatch that must be ready at once and is not reported.
    #[inline]
    pub(crate) const fn new(
        services: &'a Services,
        table: &'a HandlerTable,
        bucket: &'a Arc<Bucket>,
        set: &'a MatchSet,
        step_context: &'a StepContext<'a>,
        step_id: &'a StepId<'a>,
    ) -> Self {
        Self {
            services,
            table,
            bucket,
            set,
            step_context,
            step_id,
            may_wait: false,
            reported: false,
        }
    }

    /// Lets the dispatch wait.
    pub(crate) const fn may_wait(self) -> Self {
        Self { may_wait: true, ..self }
    }

    /// Collects votes and durations.
    pub(crate) const fn reported(self) -> Self {
        Self { reported: true, ..self }
    }

    /// Returns an envelope of a step. It is made where it is used: to move it would cost as much as to
    /// make it.
    #[inline(always)]
    fn envelope<'p>(&self, payload: &'p dyn AnyPayload) -> Envelope<'p>
    where
        'a: 'p,
    {
        self.envelope_in(self.step_context, payload)
    }

    #[inline(always)]
    fn envelope_in<'p>(
        &self,
        step_context: &'p StepContext<'p>,
        payload: &'p dyn AnyPayload,
    ) -> Envelope<'p>
    where
        'a: 'p,
    {
        let Self { table, step_id, .. } = self;
        let generation = table.generation().get();
        Envelope::new(payload, step_context, step_id, generation, table.limits.payload)
    }

    /// Tells the conditions that want to see every call of this one.
    #[inline(always)]
    fn tell_seers(&self, envelope: &Envelope<'_>) {
        if !self.set.seers.is_empty() {
            self.tell_each_seer(envelope);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_each_seer(&self, envelope: &Envelope<'_>) {
        for seer in &*self.set.seers {
            // One that panics knows less; its answer is what counts, and a panic there is a failure.
            let _ = catch("a condition", || seer.saw(envelope));
        }
    }

    /// Returns whether it matters how long hooks take.
    #[inline]
    fn is_timed(&self) -> bool {
        self.reported || self.services.stream.has_subscribers() || log::times_hooks()
    }

    /// Returns whether a dispatch that must be ready at once has nothing to do beside the calls.
    #[inline]
    fn is_plain(&self) -> bool {
        !self.is_timed() && self.step_context.cancel.is_none()
    }

    /// Returns whether nothing is left to do if the deciders before an index were called and said nothing.
    #[inline]
    fn ends_silent_at(&self, index: usize) -> bool {
        let Contract { limits_denials, ends_session, .. } = self.bucket.contract;
        index == self.set.deciders.len()
            && self.set.observers.is_empty()
            && !limits_denials
            && !ends_session
    }
}

/// What came of a dispatch. Without a decision no hook had an opinion, and the step goes on.
#[derive(Default)]
pub(crate) struct Evaluated {
    pub(crate) decision: Option<Box<Decision>>,
    pub(crate) answer: Option<Answer>,
    pub(crate) votes: Vec<Vote>,
}

/// A decision, if a hook had an opinion, and the answer that a hook supplied.
type Settled = (Option<Box<Decision>>, Option<Answer>);

impl Evaluated {
    fn settled(self) -> Settled {
        (self.decision, self.answer)
    }
}

/// Evaluates a step: rewrites its payload and returns the decision about it. Where spans are wanted
/// ([`is_traced`]), the caller calls [`evaluate_in_span`] instead: one future that calls either would be larger
/// for all.
///
/// # Cancel safety
/// Dropping the future drops the futures of the handlers that run. The payload may have been
/// rewritten by then; the step must not be used any more.
#[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its arguments twice")]
pub(crate) fn evaluate<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
) -> impl Future<Output = Evaluated> + Send {
    async move {
        if let Some(refused) = context.refuse_unlike(payload) {
            return refused;
        }
        let contract = context.bucket.contract;
        let mut evaluated = pin!(evaluate_entered(context, payload));
        let mut has_refused = false;
        poll_fn(move |cx| {
            let Some(entered) = nesting::enter(context.services, contract) else {
                return Poll::Ready(context.refuse_nested());
            };
            if has_refused {
                nesting::note_refused();
            }
            let polled = catch("the payload", || evaluated.as_mut().poll(cx));
            has_refused = nesting::has_refused();
            drop(entered);
            polled.unwrap_or_else(|_| Poll::Ready(context.refuse_broken()))
        })
        .await
    }
}

/// As [`evaluate`], for a thread that has noted what it does.
async fn evaluate_entered<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    if context.set.is_broken {
        return context.refuse_broken();
    }
    if !context.set.seers.is_empty() {
        context.tell_seers(&context.envelope(payload));
    }
    let mut state = DispatchState::new(context, payload);
    state.call_deciders(payload).await;
    let (mut decision, answer) = state.decide(payload);
    if !context.set.observers.is_empty() {
        // In a box, so that the future of other dispatches is not larger for it.
        Box::pin(state.observe(payload, &mut decision)).await;
    }
    Evaluated { decision, answer, votes: state.votes }
}

/// As [`evaluate`], if no hook has to be waited for; `None` if one has. Without the state of a
/// future, which takes longer to set up than most handlers to answer. If all hooks answer at once and
/// say nothing, as most do, there is no state of the dispatch either.
#[inline]
pub(crate) fn evaluate_ready<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
    cx: &mut Context<'_>,
) -> Option<Settled> {
    let Some(_entered) = nesting::enter(context.services, context.bucket.contract) else {
        let refused = context.refuse_unlike(payload).unwrap_or_else(|| context.refuse_nested());
        return Some(refused.settled());
    };
    // A payload of the engine does not panic.
    if payload.is_built_in() {
        evaluate_ready_entered(context, payload, cx)
    } else {
        evaluate_ready_caught(context, payload, cx)
    }
}

/// As [`evaluate_ready_entered`], for a payload of the embedder.
#[cold]
#[inline(never)]
fn evaluate_ready_caught<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
    cx: &mut Context<'_>,
) -> Option<Settled> {
    if let Some(refused) = context.refuse_unlike_table(payload) {
        return Some(refused.settled());
    }
    catch("the payload", || evaluate_ready_entered(context, payload, cx))
        .unwrap_or_else(|_| Some(context.refuse_broken().settled()))
}

/// As [`evaluate_ready`], for a thread that has noted what it does.
#[inline(always)]
fn evaluate_ready_entered<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
    cx: &mut Context<'_>,
) -> Option<Settled> {
    if context.set.is_broken {
        return Some(context.refuse_broken().settled());
    }
    let mut state;
    let next = {
        let mut envelope = context.envelope(payload);
        context.tell_seers(&envelope);
        let mut index = 0;
        let reply = match context.is_plain() && !steadiness::is_checked(payload) {
            true => first_opinion(&context.set.deciders, &mut index, &envelope),
            false => None,
        };
        if reply.is_none() && context.ends_silent_at(index) && !nesting::has_refused() {
            return Some((None, None));
        }
        state = DispatchState::new(context, payload);
        let next = state.call_ready_from(index, reply, &envelope).ok()?;
        state.derived = envelope.take_derived();
        next
    };
    if let Some(last) = state.call_ready_deciders(next, payload).ok()? {
        ready(state.final_round(last, payload), cx)?;
    }
    let (mut decision, answer) = state.decide(payload);
    if !context.set.observers.is_empty() {
        ready(state.observe(payload, &mut decision), cx)?;
    }
    Some((decision, answer))
}

/// Returns the result of a future that does not wait. Apart, so that its state is not set up for a
/// dispatch that does not need it.
#[inline(never)]
fn ready<T>(future: impl Future<Output = T>, cx: &mut Context<'_>) -> Option<T> {
    match pin!(future).poll(cx) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// What a dispatch has found so far.
struct DispatchState<'a> {
    context: &'a DispatchContext<'a>,
    /// Whether anyone subscribes to the events of the engine.
    subscribed: bool,
    /// Whether it matters how long hooks take.
    timed: bool,
    /// Whether the step is so large that work which grows with it is offloaded.
    large: bool,
    deadline: Option<Instant>,
    /// Whether the moment of the start was not taken yet.
    fresh: bool,
    /// How far the deciders are that a final round may call again: those before the last rewriter.
    progress: Vec<Progress>,
    ballots: Ballots,
    votes: Vec<Vote>,
    /// The fields that patches have changed.
    patched: SmallList<Cow<'static, str>>,
    /// A copy of the present version of the step for offloaded work, and whether it is that of the
    /// final round.
    snapshot: Option<(bool, Arc<Snapshot>)>,
    /// What was derived of the present version of the step, until its next envelope is made.
    derived: Option<Derived>,
    /// What the present version of the step serialised to, where that is checked.
    steadiness: Steadiness,
    /// How the hooks have ended that others depend on.
    ends: Option<Box<Ends>>,
    /// Whether a hook was stopped, since the host has cancelled the dispatch.
    is_cancelled: bool,
}

/// How far a decider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It was not called: its conditions did not hold.
    NotCalled,
    /// It was called. Not noted of a hook without conditions, which is called again in any case.
    Called,
    /// It was called, and its patch has changed the step.
    Patched,
}

impl<'a> DispatchState<'a> {
    #[inline(always)]
    fn new(context: &'a DispatchContext<'a>, payload: &dyn AnyPayload) -> Self {
        let large = context.may_wait && context.set.heavy && is_large(payload);
        Self {
            subscribed: context.services.stream.has_subscribers(),
            timed: context.is_timed(),
            large,
            deadline: (context.set.waits || large).then(|| deadline(context.table)).flatten(),
            fresh: true,
            progress: match context.set.recalled {
                0 => Vec::new(),
                recalled => vec![Progress::NotCalled; recalled],
            },
            ballots: Ballots::default(),
            votes: Vec::new(),
            patched: SmallList::new(),
            snapshot: None,
            derived: None,
            steadiness: Steadiness::begin(payload),
            ends: None,
            is_cancelled: false,
            context,
        }
    }

    /// Merges the ballots into a decision, with the answer that a hook supplied. `None` if no hook had an
    /// opinion and the step is as it was: the end of most dispatches, for which nothing was allocated.
    fn decide(&mut self, payload: &dyn AnyPayload) -> (Option<Box<Decision>>, Option<Answer>) {
        self.steadiness.end(payload);
        if nesting::has_refused() {
            self.context.nested_refusal().into_iter().for_each(|ballot| self.ballots.push(ballot));
        }
        if let Some(refusal) = self.context.step_context.refusal {
            self.add_refusal(refusal);
        }
        let is_cancelled = self.is_cancelled(payload);
        if self.ballots.is_empty() && self.patched.is_empty() && !is_cancelled {
            self.count_stops(None, payload);
            return (None, None);
        }
        let ballots = std::mem::take(&mut self.ballots);
        let patched = std::mem::take(&mut self.patched);
        let undelivered = match self.context.step_context.no_context {
            true => ballots.context_givers(),
            false => Vec::new(),
        };
        let (mut decision, mut answer) = merge(ballots, patched, self.context.table.generation());
        if is_cancelled && decision.outcome < Outcome::Cancelled {
            decision.cancel();
            answer = None;
        }
        // Of a step that is refused, the host can tell it with the reason.
        if !decision.outcome.is_refusal() {
            decision.undelivered = undelivered;
        }
        self.count_stops(Some(&mut decision), payload);
        let DispatchContext { services, table, .. } = self.context;
        if services.takes_work && decision.outcome != Outcome::Cancelled {
            queue_work(services, table, self.context.envelope(payload), &mut decision);
        }
        (Some(decision), answer)
    }

    /// Returns whether the host has cancelled the dispatch, so that the step does not happen: a step that nobody may
    /// refuse, or that is refused only by who wants to (a stop), goes on.
    #[inline]
    fn is_cancelled(&self, payload: &dyn AnyPayload) -> bool {
        let cancel = self.context.step_context.cancel;
        let may_refuse = |contract: &Contract| contract.deny() && !contract.fails_open;
        cancel.is_some()
            && may_refuse(self.contract(payload))
            && (self.is_cancelled || is_cancelled(cancel))
    }

    /// Notifies the observers. Their failures become messages of the decision.
    async fn observe(&mut self, payload: &dyn AnyPayload, decision: &mut Option<Box<Decision>>) {
        let failures = self.notify_observers(payload, decision.as_deref()).await;
        if !failures.is_empty() {
            let generation = self.context.table.generation();
            let decision = decision.get_or_insert_with(|| Box::new(Decision::empty(generation)));
            decision.messages.extend(failures);
        }
    }

    /// Returns when the dispatch began: once, before the first decider is called, which then need not read
    /// the clock once more.
    fn take_start(&mut self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| std::mem::take(&mut self.fresh))?;
        deadline.checked_sub(self.context.table.limits.dispatch_deadline)
    }

    /// Returns the decider at an index.
    #[inline]
    fn hook(&self, index: usize) -> Option<&'a CompiledHook> {
        self.context.set.deciders.get(index).map(|hook| &**hook)
    }

    /// Returns an envelope of the present version of the step.
    #[inline(always)]
    fn envelope<'p>(&mut self, payload: &'p dyn AnyPayload) -> Envelope<'p>
    where
        'a: 'p,
    {
        let envelope = self.context.envelope(payload);
        if self.derived.is_none() {
            return envelope;
        }
        match self.derived.take() {
            Some(derived) => envelope.sharing(derived),
            None => envelope,
        }
    }

    /// Returns what may be said about the step.
    fn contract(&self, payload: &dyn AnyPayload) -> &'static Contract {
        contract(self.context.bucket, payload)
    }
}

/// Returns when a dispatch that begins now has to end; `None` if the clock does not reach that far.
fn deadline(table: &HandlerTable) -> Option<Instant> {
    Instant::now().checked_add(table.limits.dispatch_deadline)
}

/// Returns what may be said about a step: its own contract decides, because the states in which the
/// step can come back are those of its own contract. A step that was read from an envelope of an
/// event of the embedder has no contract of its own; there that of the table decides.
fn contract(bucket: &Bucket, payload: &dyn AnyPayload) -> &'static Contract {
    let own = payload.contract();
    if own.event == Event::Custom && payload.as_any().is::<Unregistered>() {
        bucket.contract
    } else {
        own
    }
}
