//! Observers are told what was decided: some while the agent waits, others in the background.

use std::sync::Arc;

use hookgate_contract::envelope::Observed;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Failure, Handler, Invocation, Reply};

use super::apart::Apart;
use super::fence::{Fence, ask_now, stopped};
use super::record::vote;
use super::weigh::{Weighed, weigh};
use super::{Dispatch, holds};
use crate::background::Job;
use crate::decision::{Decision, Outcome, VoteOutcome};
use crate::events::{DropReason, What};
use crate::hook_id::HookId;
use crate::matcher::Truth;
use crate::snapshot::Snapshot;
use crate::table::CompiledHook;

/// A copy of the step and its decision, made when somebody needs it.
type Copy = Option<Result<Arc<Snapshot>, Failure>>;

impl Dispatch<'_> {
    /// Tells the observers in order; what they answer is not heard, how they fail is recorded and
    /// comes back.
    pub(super) async fn tell_observers(
        &mut self,
        payload: &dyn AnyPayload,
        decision: Option<&Decision>,
    ) -> Vec<String> {
        let mut failed = Vec::new();
        let observed = Observed::new(
            decision.map_or(Outcome::Allow, |decision| decision.outcome).name(),
            decision.map(|d| d.by.iter().map(HookId::as_str).collect()).unwrap_or_default(),
            decision.and_then(|decision| decision.reason.as_deref()),
            decision.map_or(&[], |decision| decision.patched.as_slice()),
        );
        let envelope = self.envelope(payload).decided(&observed);
        let (bucket, observers) = (self.setting.bucket, &self.setting.set.observers);
        let mut copy: Copy = None;
        for &index in observers {
            let Some(entry) = bucket.entries.get(index as usize) else { continue };
            let (apart, matches) = if self.is_apart(entry) {
                match copied(&mut copy, &envelope, &observed) {
                    Ok(snapshot) => {
                        let apart = Apart::new(bucket, index as usize, &snapshot);
                        let check = self.check(apart.clone(), entry, &envelope);
                        (Some(apart), Box::pin(check).await)
                    }
                    Err(failure) => (None, Err(failure)),
                }
            } else {
                (None, holds(entry, &envelope))
            };
            if let Ok(Truth::False) = matches {
                continue;
            }
            if entry.hook.spec.is_background() {
                let taken = copied(&mut copy, &envelope, &observed);
                failed.extend(self.submit(entry, index as usize, taken, &envelope));
                continue;
            }
            let started = self.start(entry, &envelope);
            let reply: Reply = match (matches, stopped(&envelope), apart, &entry.handler) {
                (Err(failure), ..) | (_, Some(failure), ..) => Err(failure),
                (Ok(_), None, Some(apart), _) => {
                    Box::pin(self.question(apart, entry, &envelope)).await
                }
                (Ok(_), None, None, Handler::Sync(handler)) => {
                    ask_now(&**handler, Invocation::new(entry.id(), &envelope))
                }
                (Ok(_), None, None, Handler::Async(handler)) => {
                    let invocation = Invocation::new(entry.id(), &envelope);
                    Fence::ask(&**handler, invocation, entry.timeout, self.deadline).await
                }
            };
            let weighed = weigh(entry, self.contract(payload), reply);
            if let Weighed::Failed { failure, .. } = &weighed {
                failed.push(format!("the observer `{}` failed ({})", entry.id(), failure.class));
            }
            if let Some(started) = started {
                self.record(entry, &weighed, &envelope, 1, started);
            }
        }
        failed
    }

    /// Has a call made in the background; what the user is told where it is not.
    fn submit(
        &mut self,
        entry: &CompiledHook,
        index: usize,
        snapshot: Result<Arc<Snapshot>, Failure>,
        envelope: &Envelope<'_>,
    ) -> Option<String> {
        let background = self.setting.background;
        let submitted = match snapshot {
            Ok(snapshot) => {
                let job = Job { bucket: Arc::clone(self.setting.bucket), index, snapshot };
                background.submit(job, &self.setting.table.limits)
            }
            Err(_) => {
                background.count_dropped();
                Err(DropReason::NoCopy)
            }
        };
        let Err(why) = submitted else {
            if self.setting.reported {
                self.votes.push(vote(entry, 1, VoteOutcome::Observed));
            }
            return None;
        };
        if self.heard {
            self.setting.stream.send(entry.id(), envelope, What::Dropped { why });
        }
        let so_far = entry.hook.count_dropped();
        if !is_told(so_far) {
            return None;
        }
        let hook = entry.id().as_str();
        tracing::warn!(target: "hookgate", hook, so_far, why = %why, "a background call was dropped");
        let more = if so_far > 1 { format!("; {so_far} were so far") } else { String::new() };
        Some(format!("a call of the background hook `{hook}` was dropped: {why}{more}"))
    }
}

/// Whether the drop of this number is told: the 1st, 10th, 100th, … Told at every step it would
/// bury all else that the user is told.
const fn is_told(dropped: u64) -> bool {
    dropped == 1 || (dropped.is_multiple_of(10) && is_told(dropped / 10))
}

fn copied(
    copy: &mut Copy,
    envelope: &Envelope<'_>,
    observed: &Observed<'_>,
) -> Result<Arc<Snapshot>, Failure> {
    let made = || Snapshot::of(envelope, Some(observed)).map(Arc::new);
    copy.get_or_insert_with(made).clone()
}
