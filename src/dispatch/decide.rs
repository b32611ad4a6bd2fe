//! What the hooks said becomes one decision; a stop that was denied too often goes through.

use hookgate_contract::Answer;
use hookgate_contract::payload::AnyPayload;

use super::{Dispatch, DispatchContext};
use crate::decision::{Decision, Outcome, merge};

impl Dispatch<'_> {
    /// Merges what was said. Where nobody said anything there is no decision to make.
    pub(super) fn decide(
        &mut self,
        payload: &dyn AnyPayload,
    ) -> (Option<Box<Decision>>, Option<Answer>) {
        if self.said.is_empty() && self.patched.is_empty() {
            self.count_stops(None, payload);
            return (None, None);
        }
        let said = std::mem::take(&mut self.said);
        let patched = std::mem::take(&mut self.patched);
        let (mut decision, answer) = merge(said, patched, self.setting.table.generation());
        self.count_stops(Some(&mut decision), payload);
        (Some(Box::new(decision)), answer)
    }

    #[inline]
    fn count_stops(&self, decision: Option<&mut Decision>, payload: &dyn AnyPayload) {
        let contract = self.setting.bucket.contract;
        if contract.limits_denials {
            self.let_stop(decision, payload);
        } else if contract.ends_session {
            self.setting.stops.forget(self.setting.context.session_id);
        }
    }

    pub(super) fn nothing_said(&self) -> Decision {
        merge(Vec::new(), Vec::new(), self.setting.table.generation()).0
    }

    /// An agent can be kept from stopping only so many times in a row: as the host counts, or, where
    /// it does not, as the engine does.
    fn let_stop(&self, decision: Option<&mut Decision>, payload: &dyn AnyPayload) {
        let DispatchContext { context, stops, table, .. } = &self.setting;
        let event = self.setting.bucket.contract.event;
        let denied = decision.filter(|decision| decision.outcome == Outcome::Deny);
        let Some(decision) = denied else {
            return stops.passed(event, context);
        };
        let so_far = payload.denials_so_far().unwrap_or_else(|| stops.denied(event, context));
        if so_far < table.limits.stop_denials {
            return;
        }
        stops.passed(event, context);
        decision.messages.push(format!(
            "the agent was kept from stopping {so_far} times in a row, so {} is not heard this \
             time: {}",
            decision.by.join(", "),
            decision.reason.as_deref().unwrap_or("no reason given"),
        ));
        decision.outcome = Outcome::Allow;
        decision.by.clear();
        decision.reason = None;
        decision.reason_code = None;
    }
}
