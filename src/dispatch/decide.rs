//! The ballots become the decision; a stop that was denied too often in a row goes through.
//!
//! Without a ballot and without a change there is no decision at all: the step is cleared, and nothing
//! was allocated for it. This is the end of most dispatches.
//!
//! A deny at `stop` or `subagent_stop` makes the agent go on, so a hook that always denies there would
//! never let it end. The number of denials in a row is limited (`limits.stop_denials`, 3 by default); the
//! next one is overruled, and the user reads why the agent stopped all the same. The count is the host's
//! (`continues_so_far` in the payload), and the engine's own for a host that does not count.

use hookgate_contract::payload::{AnyPayload, Stop, SubagentStop};
use hookgate_contract::{Answer, Event};

use super::{DispatchContext, DispatchState};
use crate::decision::{Decision, Outcome, merge};

impl DispatchState<'_> {
    /// Merges the ballots into a decision, with the answer that a hook supplied. `None` if no hook had an
    /// opinion and the step is as it was.
    pub(super) fn decide(
        &mut self,
        payload: &dyn AnyPayload,
    ) -> (Option<Box<Decision>>, Option<Answer>) {
        if self.ballots.is_empty() && self.patched.is_empty() {
            self.count_stops(None, payload);
            return (None, None);
        }
        let ballots = std::mem::take(&mut self.ballots);
        let patched = std::mem::take(&mut self.patched);
        let (mut decision, answer) = merge(ballots, patched, self.context.table.generation());
        self.count_stops(Some(&mut decision), payload);
        (Some(Box::new(decision)), answer)
    }

    /// Returns a decision without any ballot, to hold messages.
    pub(super) fn empty_decision(&self) -> Decision {
        merge(Vec::new(), Vec::new(), self.context.table.generation()).0
    }

    #[inline]
    fn count_stops(&self, decision: Option<&mut Decision>, payload: &dyn AnyPayload) {
        match self.context.bucket.contract.event {
            Event::Stop | Event::SubagentStop => self.limit_denied_stops(decision, payload),
            Event::SessionEnd => {
                let session_id = self.context.step_context.session_id;
                self.context.services.stops.forget_session(session_id);
            }
            _ => {}
        }
    }

    /// Lets a stop go through that was denied as many times in a row as the table allows: as the host
    /// counts, or, if it does not, as the engine does.
    fn limit_denied_stops(&self, decision: Option<&mut Decision>, payload: &dyn AnyPayload) {
        let any = payload.as_any();
        let host_count = any
            .downcast_ref::<Stop>()
            .map(|stop| stop.continues_so_far)
            .or_else(|| any.downcast_ref::<SubagentStop>().map(|stop| stop.continues_so_far))
            .flatten();
        let DispatchContext { step_context, services, table, .. } = &self.context;
        let event = self.context.bucket.contract.event;
        let denied = decision.filter(|decision| decision.outcome == Outcome::Deny);
        let Some(decision) = denied else {
            return services.stops.reset(event, step_context);
        };
        let so_far = host_count.unwrap_or_else(|| services.stops.count_denied(event, step_context));
        if so_far < table.limits.stop_denials {
            return;
        }
        services.stops.reset(event, step_context);
        decision.messages.push(format!(
            "the agent was kept from stopping {so_far} times in a row, so {} is overruled this \
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
