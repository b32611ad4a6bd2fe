//! Observers are told what was decided: some while the agent waits, others in the background.

use std::sync::Arc;

use hookgate_contract::envelope::Observed;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Ask, Handler};

use super::fence::{Fence, ask_now, cancelled_failure};
use super::record::vote;
use super::weigh::{Weighed, weigh};
use super::{Dispatch, is_cancelled};
use crate::background::{Job, Snapshot};
use crate::decision::{Decision, Outcome, VoteOutcome};
use crate::matcher::Truth;
use crate::stream::What;

impl Dispatch<'_> {
    /// Tells the observers in order; what they answer is not heard, how they fail is recorded and
    /// comes back.
    pub(super) async fn tell_observers(
        &mut self,
        payload: &dyn AnyPayload,
        decision: Option<&Decision>,
    ) -> Vec<String> {
        let mut failed = Vec::new();
        let observed = Observed {
            outcome: decision.map_or(Outcome::Allow, |decision| decision.outcome).name(),
            by: decision.map(|d| d.by.iter().map(String::as_str).collect()).unwrap_or_default(),
            reason: decision.and_then(|decision| decision.reason.as_deref()),
            patched: decision.map_or(&[], |decision| decision.patched.as_slice()),
        };
        let envelope = self.envelope(payload).decided(&observed);
        let (bucket, observers) = (self.setting.bucket, &self.setting.set.observers);
        let mut snapshot = None;
        for &index in observers {
            let Some(entry) = bucket.entries.get(index as usize) else { continue };
            if entry.conditions.hold(payload, self.setting.context) == Truth::False {
                continue;
            }
            if entry.hook.spec.is_background() {
                let snapshot = snapshot
                    .get_or_insert_with(|| Arc::new(Snapshot::of(&envelope, &observed)))
                    .clone();
                let job = Job { bucket: Arc::clone(bucket), index: index as usize, snapshot };
                if self.setting.background.submit(job, &self.setting.table.limits) {
                    if self.setting.reported {
                        self.votes.push(vote(entry, 1, VoteOutcome::Observed));
                    }
                } else {
                    failed.push(format!(
                        "the background hook `{}` was dropped: too many calls are waiting",
                        entry.id()
                    ));
                    if self.heard {
                        self.setting.stream.send(entry.id(), &envelope, What::Dropped);
                    }
                }
                continue;
            }
            let started = self.start(entry, &envelope);
            let ask = Ask::new(entry.id(), &envelope);
            let reply = match (&entry.handler, is_cancelled(&envelope)) {
                (_, true) => Err(cancelled_failure()),
                (Handler::Sync(handler), _) => ask_now(&**handler, ask),
                (Handler::Async(handler), _) => {
                    Fence::new(&**handler, ask, entry.timeout, self.deadline).await
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
}
