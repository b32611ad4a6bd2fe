//! A dispatch that reports all that was found on the way.

use crate::envelope::Incoming;
use hookgate_contract::envelope::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, StepContext};
use tokio::time::Instant;

use super::Engine;
use super::recording::Recording;
use crate::clock;
use crate::decision::Decision;
use crate::dispatch::{DispatchContext, Evaluated, evaluate};
use crate::report::Report;
use crate::step::{Clearance, Gate, HookStep, check};

/// Turns a decision for which a step has no state into one that it has: [`Gate::settle`].
pub(super) type Settle = fn(&mut Option<Box<Decision>>, &mut Option<Answer>);

impl Engine {
    /// Has a step judged and reports all that was found on the way.
    pub async fn dispatch_reported<S: HookStep>(
        &self,
        mut step: S,
        context: &StepContext<'_>,
    ) -> (Gate<S>, Report) {
        const { check::<S>() };
        let payload = step.payload_mut();
        let (judged, report) =
            self.evaluate_reported(payload, context, Gate::<S>::settle, true).await;
        let seal = self.seal(judged.decision, report.generation, report.step_id.clone());
        (Gate::open(step, seal, judged.answer), report)
    }

    /// Evaluates a step for an engine with a recorder: the record is made of a report. What was
    /// published in the background is left to whoever takes it.
    pub(super) async fn clear_recorded(
        &self,
        payload: &mut dyn AnyPayload,
        context: &StepContext<'_>,
        settle: Settle,
    ) -> (Clearance, Option<Answer>) {
        let (judged, report) = self.evaluate_reported(payload, context, settle, false).await;
        let seal = self.seal(judged.decision, report.generation, report.step_id);
        (seal, judged.answer)
    }

    /// Has a step judged that was read from an envelope, and reports.
    pub async fn evaluate(&self, incoming: &mut Incoming) -> Report {
        let header = incoming.header.clone();
        let payload = incoming.payload.as_payload_mut();
        self.evaluate_reported(payload, &header.context(), |_, _| {}, true).await.1
    }

    async fn evaluate_reported(
        &self,
        payload: &mut dyn AnyPayload,
        context: &StepContext<'_>,
        settle: Settle,
        take_published: bool,
    ) -> (Evaluated, Report) {
        let recorder = self.recorder_ready().await;
        let started = Instant::now();
        let table = self.table();
        let step_id = StepId::new(context.step_id, clock::step_id);
        let begin = |recorder| Recording::begin(recorder, &table, payload, context, &step_id);
        let recording = recorder.map(begin);
        let mut judged = match table.bucket(payload) {
            None => Evaluated::default(),
            Some(bucket) => {
                let set = bucket.matched(payload);
                let setting = DispatchContext {
                    table: &table,
                    bucket,
                    set: &set,
                    context,
                    step_id: &step_id,
                    stream: &self.stream,
                    background: &self.background,
                    stops: &self.stops,
                    may_wait: true,
                    reported: true,
                };
                evaluate(setting, payload).await
            }
        };
        settle(&mut judged.decision, &mut judged.answer);
        let mut report = Report::new(&judged, payload, context, &step_id, &table);
        if take_published {
            report.published = self.background.take_published(context.session_id);
        }
        report.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
        if let Some(recording) = recording {
            recording.finish(&report);
        }
        (judged, report)
    }
}
