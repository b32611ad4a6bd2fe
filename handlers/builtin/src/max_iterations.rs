//! `max_iterations`: a session that goes on for too long is stopped.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::BuildContext;
use hookgate_contract::payload::{PreLlmRequest, Stop, TurnBoundary};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuiltHandler, Contract, Event, Invocation, Reply, Role, SyncHandler, Verdict, VerdictDecision,
};

/// How many sessions are counted. Of more, the least recently asked about is forgotten, and
/// begins at 1 should it come back.
const SESSIONS: usize = 10_000;

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let Some(limit) = settings.integer("limit") else {
        if !settings.entries().iter().any(|entry| entry.key == "limit") {
            settings.missing("limit");
        }
        return None;
    };
    let Some(limit) = u64::try_from(limit).ok().filter(|limit| *limit > 0) else {
        settings.invalid("limit", "it must be 1 or more: nothing could ever happen");
        return None;
    };
    let handler = MaxIterations { limit, counts: Mutex::new(Counts::new(SESSIONS)) };
    // The count goes on when the config is loaded again.
    Some(BuiltHandler::from_sync(handler).role(Role::Guard).supports(fits).identity("sessions"))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    // A denied stop makes the agent go on, which is the opposite of a limit.
    if contract.event == Event::SubagentStop {
        return Err("a deny here would keep the sub-agent going for ever");
    }
    if contract.allows(VerdictDecision::Deny) || contract.allows(VerdictDecision::Halt) {
        Ok(())
    } else {
        Err("nothing can be stopped here")
    }
}

struct MaxIterations {
    limit: u64,
    counts: Mutex<Counts>,
}

impl SyncHandler for MaxIterations {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let number = told(&invocation).unwrap_or_else(|| {
            // A count is whole at any moment, so that of a thread that panicked is still good.
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            // The step that is judged again after a rewrite is still the same step.
            counts.number(invocation.context().session_id, !invocation.envelope.is_rejudge())
        });
        if number <= self.limit {
            return Ok(Verdict::none());
        }
        let reason = format!("the limit of {} iterations is reached", self.limit);
        Ok(if invocation.contract().halt { Verdict::halt(reason) } else { Verdict::deny(reason) })
    }
}

/// The number that the runtime itself gives to this iteration.
fn told(invocation: &Invocation<'_>) -> Option<u64> {
    let payload = invocation.payload().as_any();
    if let Some(request) = payload.downcast_ref::<PreLlmRequest>() {
        return request.iteration;
    }
    let so_far = if let Some(boundary) = payload.downcast_ref::<TurnBoundary>() {
        boundary.continues_so_far
    } else if let Some(stop) = payload.downcast_ref::<Stop>() {
        stop.continues_so_far
    } else {
        None
    };
    // To go on now would be one more.
    so_far.map(|continues| continues.saturating_add(1))
}

/// How often each session was asked about.
struct Counts {
    sessions: HashMap<String, Count>,
    capacity: usize,
    /// Grows with every question, to tell which session was asked about last.
    clock: u64,
}

struct Count {
    asked: u64,
    last: u64,
}

impl Counts {
    fn new(capacity: usize) -> Self {
        Self { sessions: HashMap::new(), capacity, clock: 0 }
    }

    /// The number of this question; a new one counts. Only a session's first allocates.
    fn number(&mut self, session: &str, new: bool) -> u64 {
        self.clock += 1;
        if let Some(count) = self.sessions.get_mut(session) {
            count.last = self.clock;
            count.asked = count.asked.saturating_add(u64::from(new));
            return count.asked;
        }
        if !new {
            return 1;
        }
        if self.sessions.len() >= self.capacity {
            self.forget_one();
        }
        self.sessions.insert(session.to_owned(), Count { asked: 1, last: self.clock });
        1
    }

    fn forget_one(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(_, count)| count.last);
        if let Some(session) = oldest.map(|(session, _)| session.clone()) {
            self.sessions.remove(&session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_session_is_forgotten() {
        let mut counts = Counts::new(2);
        assert_eq!([counts.number("a", true), counts.number("b", true)], [1, 1]);
        assert_eq!(counts.number("a", true), 2);
        assert_eq!(counts.number("c", true), 1);
        assert_eq!(counts.sessions.len(), 2);
        assert_eq!(counts.number("a", true), 3);
        assert_eq!(counts.number("b", true), 1, "b had to go");
    }

    #[test]
    fn a_poisoned_lock_still_counts() {
        let handler = MaxIterations { limit: 1, counts: Mutex::new(Counts::new(2)) };
        let poison = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = handler.counts.lock().unwrap();
            panic!("while counting");
        }));
        assert!(poison.is_err() && handler.counts.is_poisoned());
        let call = hookgate_contract::payload::ToolCall::new("Bash", serde_json::json!({}));
        let context = hookgate_contract::StepContext::new("s");
        let id = hookgate_contract::envelope::StepId::new(Some("1"), String::new);
        let envelope = hookgate_contract::Envelope::new(&call, &context, &id, 1, 1000);
        assert_eq!(handler.handle(Invocation::new("h", &envelope)).unwrap(), Verdict::none());
        assert!(handler.handle(Invocation::new("h", &envelope)).unwrap().parts().is_some());
    }
}
