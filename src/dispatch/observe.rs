//! Observers are notified of the decision: some while the agent waits, others in the background.
//!
//! An observer cannot change anything: its answer is not used. Its failure is recorded, and the user
//! reads of it in the messages of the decision.
//!
//! Observers are notified after the decision was made, one after the other, in the order of the table.
//! Those that are not in the background hold the step up, each for as long as its timeout at most and
//! all of them together until the deadline of the dispatch. They are notified whatever the decision is,
//! also if a guard has denied or the host has cancelled the step: an audit log that misses denials would be of no use.
//!
//! A call in the background gets a copy of the step, which is made once for all observers of the
//! dispatch. If the queue is full, or no tokio runtime is there, the call is dropped: it is counted,
//! announced to subscribers, and the user reads of the first, tenth, hundredth, … drop of the hook.

use std::sync::Arc;

use hookgate_contract::Observed;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Failure, FailureClass, StepContext};

use super::DispatchState;
use super::invoke::{Call, check_conditions, conditions_hold, invoke};
use super::job_call::{job_of, submit_job};
use super::offload::OwnedCall;
use super::record::vote;
use super::snapshot::Snapshot;
use super::validate::{AnswerKind, Version, validate};
use crate::decision::{Decision, Outcome, VoteOutcome, with_cause};
use crate::events::{DropReason, HookEventKind};
use crate::hook_id::HookId;
use crate::log;
use crate::table::CompiledHook;

/// The step with its decision, and a copy of both that is made when it is first needed.
struct Observation<'o> {
    envelope: &'o Envelope<'o>,
    observed: &'o Observed<'o>,
    copy: Option<Result<Arc<Snapshot>, Failure>>,
}

impl Observation<'_> {
    fn snapshot(&mut self) -> Result<Arc<Snapshot>, Failure> {
        let make = || Snapshot::new(self.envelope, Some(self.observed)).map(Arc::new);
        self.copy.get_or_insert_with(make).clone()
    }
}

impl DispatchState<'_> {
    /// Notifies the observers in order and returns their failures, for the user.
    pub(super) async fn notify_observers(
        &mut self,
        payload: &dyn AnyPayload,
        decision: Option<&Decision>,
    ) -> Vec<String> {
        let observed = observed(decision);
        // The signal stops those who decide. What has come of it is told to all, within their time.
        let mut told: StepContext<'_> = *self.context.step_context;
        told.cancel = None;
        let mut envelope = self.context.envelope_in(&told, payload);
        if let Some(derived) = self.derived.take() {
            envelope = envelope.sharing(derived);
        }
        let envelope = envelope.decided(&observed);
        let mut observation = Observation { envelope: &envelope, observed: &observed, copy: None };
        let mut failures = Vec::new();
        for (index, hook) in self.context.set.observers.iter().enumerate() {
            failures.extend(self.notify(hook, index, &mut observation).await);
        }
        failures
    }

    /// Notifies one observer and returns its failure. Like any hook it is called only if its conditions
    /// hold, and on a blocking thread if the step is large.
    async fn notify(
        &mut self,
        hook: &Arc<CompiledHook>,
        index: usize,
        observation: &mut Observation<'_>,
    ) -> Option<String> {
        let envelope = observation.envelope;
        let mut offloaded = None;
        let holds = if !self.is_offloaded(hook) {
            conditions_hold(hook, envelope)
        } else {
            match observation.snapshot() {
                Err(failure) => Err(failure),
                Ok(snapshot) => {
                    let call = OwnedCall::new(
                        self.context.bucket,
                        hook,
                        snapshot,
                        &self.context.services.left_behind,
                    );
                    let check = check_conditions(hook, envelope, call.clone(), self.deadline);
                    offloaded = Some(call);
                    Box::pin(check).await
                }
            }
        };
        if let Ok(false) = holds {
            return None;
        }
        let holds = match self.find_unmet(hook, envelope) {
            Some(unmet) => holds.and(Err(unmet)),
            None => holds,
        };
        // One in the background is told of what it needs here: nothing else waits for it.
        if hook.definition.spec.is_background() && !is_skipped(&holds) {
            return self.submit(hook, observation);
        }
        let started = self.start(hook, envelope);
        let call = match holds {
            Err(failure) => Call::Answered(Err(failure)),
            Ok(_) => {
                self.context.services.places.lend(hook, self.context.table, envelope);
                invoke(hook, envelope, offloaded, self.deadline)
            }
        };
        let reply = Box::pin(call.reply()).await;
        let contract = self.contract(envelope.payload());
        let version = Version { payload: envelope.payload(), is_final: false };
        let checked = validate(hook, index, contract, version, reply);
        self.note_end(hook, envelope, Some(&checked));
        let failed = match &checked.kind {
            AnswerKind::Failed(failure) => {
                let text = format!("the observer `{}` failed ({})", hook.id(), failure.class);
                Some(with_cause(text, failure.is_shown.then_some(&*failure.detail)))
            }
            _ => None,
        };
        if let Some(started) = started {
            self.record(hook, &checked, envelope, 1, *started);
        }
        failed
    }

    /// Submits a call to the background, or to the queue of the host. Returns what the user reads if it is dropped, or
    /// not recorded.
    fn submit(
        &mut self,
        hook: &Arc<CompiledHook>,
        observation: &mut Observation<'_>,
    ) -> Option<String> {
        let background = &self.context.services.background;
        let mut unrecorded = None;
        let recorded = match &self.context.services.jobs {
            Some(queue) if hook.definition.spec.is_recorded() => {
                let envelope = observation.envelope;
                let job = job_of(self.context.table, &hook.definition.spec, envelope);
                Some(
                    job.ok_or(DropReason::NoCopy)
                        .and_then(|job| submit_job(&**queue, job).map_err(|_| DropReason::NotKept)),
                )
            }
            None if hook.definition.spec.is_recorded() => {
                unrecorded = self.tell_unrecorded(hook);
                None
            }
            _ => None,
        };
        if let Some(Err(_)) = recorded {
            background.count_dropped();
        }
        let submitted = recorded.unwrap_or_else(|| match observation.snapshot() {
            Ok(snapshot) => {
                let mut call = OwnedCall::new(
                    self.context.bucket,
                    hook,
                    snapshot,
                    &self.context.services.left_behind,
                );
                if hook.takes_place {
                    call = call.within(self.context.services.places.by(self.context.table));
                }
                background.submit(call, &self.context.table.limits)
            }
            Err(_) => {
                background.count_dropped();
                Err(DropReason::NoCopy)
            }
        });
        let Err(why) = submitted else {
            if self.context.reported {
                self.votes.push(vote(hook, 1, VoteOutcome::Observed));
            }
            return unrecorded;
        };
        if self.subscribed {
            let what = HookEventKind::Dropped { why };
            self.context.services.stream.send(hook.id(), observation.envelope, what);
        }
        let so_far = hook.definition.count_dropped();
        if !is_reported_drop(so_far) {
            return None;
        }
        let hook = hook.id().as_str();
        log::background_dropped(hook, so_far, &why);
        let total = if so_far > 1 { format!("; {so_far} in total") } else { String::new() };
        Some(format!("a call of the background hook `{hook}` was dropped: {why}{total}"))
    }

    /// Returns what the user reads of a hook whose calls are to be recorded, where the host has no queue.
    fn tell_unrecorded(&self, hook: &CompiledHook) -> Option<String> {
        let so_far = hook.definition.count_unrecorded();
        if !is_reported_drop(so_far) {
            return None;
        }
        let hook = hook.id().as_str();
        log::background_unrecorded(hook, so_far);
        let text = "is not recorded, since this program has no queue of jobs: it is lost if the program ends";
        Some(format!("a call of the background hook `{hook}` {text}"))
    }
}

/// Returns what is told of a decision; of none, that the step is allowed.
pub(super) fn observed(decision: Option<&Decision>) -> Observed<'_> {
    Observed::new(
        decision.map_or(Outcome::Allow, |decision| decision.outcome).name(),
        decision.map(|d| d.by.iter().map(HookId::as_str).collect()).unwrap_or_default(),
        decision.and_then(|decision| decision.reason.as_deref()),
        decision.map_or(&[], |decision| &decision.patched),
    )
    .reason_code(decision.and_then(|decision| decision.reason_code))
}

fn is_skipped(holds: &Result<bool, Failure>) -> bool {
    matches!(holds, Err(failure) if failure.class == FailureClass::Skipped)
}

/// Returns whether the user reads of this drop: the 1st, 10th, 100th, … A message at every step
/// would bury all others.
const fn is_reported_drop(dropped: u64) -> bool {
    dropped == 1 || (dropped.is_multiple_of(10) && is_reported_drop(dropped / 10))
}
