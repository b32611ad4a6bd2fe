//! A dispatch that reports all that was found on the way.

use std::borrow::Cow;

use hookgate_contract::envelope::{Incoming, StepId};
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, StepContext};
use serde_json::Map;
use tokio::time::Instant;

use super::Engine;
use crate::clock;
use crate::decision::{Decision, Outcome};
use crate::dispatch::{DispatchContext, Evaluated, evaluate};
use crate::report::Report;
use crate::step::{Gate, HookStep, check};

impl Engine {
    /// Has a step judged and reports all that was found on the way.
    pub async fn dispatch_reported<S: HookStep>(
        &self,
        mut step: S,
        context: &StepContext<'_>,
    ) -> (Gate<S>, Report) {
        const { check::<S>() };
        let (judged, report) =
            self.evaluate_reported(step.payload_mut(), context, Gate::<S>::settle).await;
        let seal = self.seal(judged.decision, report.generation, report.step_id.clone());
        (Gate::open(step, seal, judged.answer), report)
    }

    /// Has a step judged that was read from an envelope, and reports.
    pub async fn evaluate(&self, incoming: &mut Incoming) -> Report {
        let header = incoming.header.clone();
        let as_it_is = |_: &mut Option<Box<Decision>>, _: &mut Option<Answer>| {};
        let payload = incoming.payload.as_payload_mut();
        self.evaluate_reported(payload, &header.context(), as_it_is).await.1
    }

    async fn evaluate_reported(
        &self,
        payload: &mut dyn AnyPayload,
        context: &StepContext<'_>,
        settle: impl FnOnce(&mut Option<Box<Decision>>, &mut Option<Answer>),
    ) -> (Evaluated, Report) {
        let started = Instant::now();
        let table = self.table();
        let step_id = StepId::new(context.step_id, clock::step_id);
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
        let mut report = Report::silent(
            Some(payload.event_name().to_owned()),
            context.session_id.to_owned(),
            table.generation(),
            table.config_hash(),
        );
        report.step_id = Some(step_id.get().to_owned());
        report.answer.clone_from(&judged.answer);
        report.votes.clone_from(&judged.votes);
        if let Some(decision) = judged.decision.clone() {
            report.final_fields = decision
                .patched
                .iter()
                .map(|name| {
                    // A field that was cleared is not there any more.
                    let value = payload.field(name).map(|field| field.to_value());
                    (name.to_string(), value.unwrap_or_default())
                })
                .collect::<Map<_, _>>();
            report.decision = decision.outcome;
            report.by = decision.by;
            report.reason = decision.reason;
            report.reason_code = decision.reason_code;
            report.patched = decision.patched.into_iter().map(Cow::into_owned).collect();
            report.context = decision.context;
            report.messages = decision.messages;
            report.contributions = decision.contributions;
            report.annotations = decision.annotations;
            report.payload = decision.payload;
        }
        if report.decision != Outcome::Answered {
            report.answer = None;
        }
        report.published = self.background.take_published(context.session_id);
        report.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
        (judged, report)
    }
}
