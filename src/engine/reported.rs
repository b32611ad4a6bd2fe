//! A dispatch with its record.

use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, StepContext};

use super::Engine;
use super::recording::{Recording, unfinished};
use super::shadow::queue::ShadowQueue;
use crate::clock::{self, Instant};
use crate::decision::{Decision, Outcome};
use crate::dispatch::{DispatchContext, Evaluated, evaluate, evaluate_in_span, is_traced};
use crate::envelope::Incoming;
use crate::generation::Generation;
use crate::report::Report;
use crate::step::{Clearance, Gate, HookStep, check, own_id};

/// Prepares what came out for the type of a step: [`Gate::settle_any`].
pub(super) type Settle =
    fn(&dyn AnyPayload, Generation, &mut Option<Box<Decision>>, &mut Option<Answer>);

impl Engine {
    /// Dispatches a step and returns its record with the gate: the vote of every hook, the final
    /// values of patched fields, durations. It costs some µs more than
    /// [`dispatch`](crate::HookEngine::dispatch), and the allocations of the record.
    ///
    /// ```
    /// use hookgate::contract::BuiltHandler;
    /// use hookgate::{Engine, Event, HandlerTable, Hook, Invocation, Outcome, StepContext};
    /// use hookgate::{ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no shell"))).event(Event::PreToolUse).tool("Bash");
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    ///
    /// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
    /// let (gate, report) = engine.dispatch_reported(bash, &StepContext::new("session-1")).await;
    /// assert_eq!(gate.outcome(), report.decision);
    /// assert_eq!((report.decision, report.votes.len()), (Outcome::Deny, 1));
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    ///
    /// # Cancel safety
    /// As [`dispatch`](crate::HookEngine::dispatch).
    pub async fn dispatch_reported<S: HookStep>(
        &self,
        step: S,
        context: &StepContext<'_>,
    ) -> (Gate<S>, Report) {
        const { check::<S>() };
        self.dispatch_taking(step, context, true).await
    }

    /// Dispatches a text that was judged in pieces, and reports what its hooks have done. What was published in the
    /// background is left to whoever takes it.
    pub(crate) async fn dispatch_whole<S: HookStep>(
        &self,
        step: S,
        context: &StepContext<'_>,
    ) -> (Gate<S>, Report) {
        self.dispatch_taking(step, context, false).await
    }

    async fn dispatch_taking<S: HookStep>(
        &self,
        mut step: S,
        context: &StepContext<'_>,
        take_published: bool,
    ) -> (Gate<S>, Report) {
        let id = own_id(&step, context);
        let named = id.as_deref().map(|id| context.step_id(id));
        let context = named.as_ref().unwrap_or(context);
        let (payload, settle) = (step.payload_mut(), Gate::<S>::settle_any);
        let (clearance, answer, report) =
            self.clear_reported(payload, context, settle, take_published).await;
        (Gate::open(step, clearance, answer), report)
    }

    /// Evaluates a step that was read from an envelope, and returns the record. There is no gate:
    /// the program that sent the envelope acts on the decision.
    pub async fn evaluate(&self, incoming: &mut Incoming) -> Report {
        let Incoming { header, payload, .. } = incoming;
        let payload = payload.as_payload_mut();
        self.evaluate_reported(payload, &header.context(), |_, _, _, _| {}, true).await.1
    }

    /// Evaluates a step and reports what its hooks have done. What was published in the background is in the report, or is
    /// left to whoever takes it.
    pub(super) async fn clear_reported(
        &self,
        payload: &mut dyn AnyPayload,
        context: &StepContext<'_>,
        settle: Settle,
        take_published: bool,
    ) -> (Clearance, Option<Answer>, Report) {
        let evaluated = self.evaluate_reported(payload, context, settle, take_published);
        let (evaluated, report) = evaluated.await;
        let (generation, step_id) = (report.generation, report.step_id.clone());
        let mut clearance = self.clearance(evaluated.decision, generation, step_id, context);
        if let (Some(recorder), Some(decision)) = (&self.shared.recorder, &mut clearance.decision) {
            decision.unfinished = unfinished(recorder, payload, context, &report);
        }
        (clearance, evaluated.answer, report)
    }

    async fn evaluate_reported(
        &self,
        payload: &mut dyn AnyPayload,
        context: &StepContext<'_>,
        settle: Settle,
        take_published: bool,
    ) -> (Evaluated, Report) {
        let _flight = self.shared.services.in_flight.begin();
        let recorder = self.recorder_ready().await;
        let started = Instant::now();
        let table = self.table();
        let step_id = StepId::new(context.step_id, clock::step_id);
        let begin = |recorder| {
            Recording::begin(recorder, &self.shared.services, &table, payload, context, &step_id)
        };
        let recording = recorder.map(begin);
        let shadowed =
            table.shadow.as_deref().and_then(|queue| queue.downcast_ref::<ShadowQueue>());
        let shadowed = shadowed.and_then(|shadow| shadow.begin(&table, payload, context, &step_id));
        let refused = table.closed.and_then(|why| Evaluated::refuse_closed(payload, &table, why));
        let mut evaluated = match (refused, table.bucket(payload)) {
            (Some(refused), _) => refused,
            (None, None) => match context.refusal {
                Some(refusal) => Evaluated::refuse_as_before(refusal, &table),
                None => Evaluated::default(),
            },
            (None, Some(bucket)) => {
                let set = bucket.matched(payload);
                let dispatch = DispatchContext::new(
                    &self.shared.services,
                    &table,
                    bucket,
                    &set,
                    context,
                    &step_id,
                );
                let dispatch = dispatch.may_wait().reported();
                match is_traced() {
                    true => evaluate_in_span(&dispatch, payload).await,
                    false => evaluate(&dispatch, payload).await,
                }
            }
        };
        settle(payload, table.generation(), &mut evaluated.decision, &mut evaluated.answer);
        let mut report = Report::new(&evaluated, payload, context, &step_id, &table);
        if take_published {
            report.published = self.shared.services.background.take_published(context.session_id);
        }
        report.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
        if let Some(recording) = recording
            && !recording.finish(&report).await
            && let Some(denied) = evaluated.refuse_unrecorded(payload, table.generation())
        {
            report = report.decided(denied);
        }
        // What was cancelled is no decision that another one could be compared with.
        if let Some(shadowed) = shadowed.filter(|_| report.decision != Outcome::Cancelled) {
            shadowed.decided(&report);
        }
        (evaluated, report)
    }
}
