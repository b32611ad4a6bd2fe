//! `max_iterations`: a session that goes on for too long is stopped.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::payload::{PreLlmRequest, Stop, TurnBoundary};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::sessions::Sessions;
use crate::supports::can_stop;

/// How many sessions are counted. Beyond it the least recently used one is forgotten, and starts at
/// 1 if it comes back.
const MAX_SESSIONS: usize = 10_000;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "max_iterations",
    role: Role::Guard,
    about: "stops a session that goes on for too long",
    supports: Some(can_stop),
    settings: &[SettingDoc::required(
        "limit",
        SettingType::Integer(1, i64::MAX),
        "how many steps of a session pass",
    )],
    example: r#"[[hook]]
id = "not-for-ever"
event = "pre_llm_request"
builtin = { name = "max_iterations", limit = 50 }
"#,
    build: Build::Alone(build),
};

/// Stops a session after a number of iterations.
///
/// It bounds what a run can cost if an agent goes in circles. At `pre_llm_request` it limits the
/// requests to the model; at `pre_tool_use` the tool calls; at `stop` or `turn_boundary` how often
/// the agent may go on.
///
/// ```toml
/// [[hook]]
/// id = "not-for-ever"
/// event = "pre_llm_request"
/// builtin = { name = "max_iterations", limit = 50 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `limit` | integer, required | how many steps of a session pass; 1 or more |
///
/// The first `limit` steps pass without an opinion. After them it answers `halt` where the event
/// knows it and `deny` elsewhere. It is refused at events at which nothing can be stopped, and at
/// `subagent_stop`, where a deny would do the opposite. It never fails.
///
/// The number of a step is the one that the runtime gives (`iteration` of a request, one more than
/// `continues_so_far` of a stop). Without one, the handler counts the steps that it was invoked for,
/// per session: one count for all events of the hook, kept over a reload of the config, forgotten
/// with the process. A step that is evaluated again after a rewrite counts once. It remembers 10,000
/// sessions; only the first step of a session allocates.
///
/// ```
/// use hookgate_builtin::MaxIterations;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
/// let invocation = Invocation::new("not-for-ever", &envelope);
///
/// let limit = MaxIterations::new(2);
/// assert_eq!(limit.handle(invocation), Ok(Verdict::none()));
/// assert_eq!(limit.handle(invocation), Ok(Verdict::none()));
/// let stop = Verdict::halt("the limit of 2 iterations is reached");
/// assert_eq!(limit.handle(invocation), Ok(stop));
/// ```
pub struct MaxIterations {
    limit: u64,
    counts: Mutex<Sessions<u64>>,
}

impl fmt::Debug for MaxIterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxIterations").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl MaxIterations {
    /// Creates a handler that lets this many steps of each session pass.
    ///
    /// With 0 it stops every session at its first step; a config refuses 0.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, counts: Mutex::new(Sessions::new(MAX_SESSIONS)) }
    }

    fn count(&self, invocation: &Invocation<'_>) -> u64 {
        // A count is complete at any moment, so that of a thread that panicked is still good.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        // A step that is evaluated again after a rewrite is still the same step.
        let session = invocation.context().session_id;
        if invocation.envelope.is_rejudge() {
            return counts.known(session).map_or(1, |count| *count);
        }
        counts.update(session, |count| {
            *count = count.saturating_add(1);
            *count
        })
    }
}

impl SyncHandler for MaxIterations {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let number = runtime_count(&invocation).unwrap_or_else(|| self.count(&invocation));
        if number <= self.limit {
            return Ok(Verdict::none());
        }
        let reason = format!("the limit of {} iterations is reached", self.limit);
        Ok(if invocation.contract().halt { Verdict::halt(reason) } else { Verdict::deny(reason) })
    }
}

impl From<MaxIterations> for BuiltHandler {
    fn from(handler: MaxIterations) -> Self {
        // The same identity for all: the count goes on when the config is loaded again.
        Self::from_sync(handler).role(Role::Guard).supports(can_stop).identity("sessions")
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let Some(limit) = settings.integer("limit") else {
        if !settings.has("limit") {
            settings.missing("limit");
        }
        return None;
    };
    let Some(limit) = u64::try_from(limit).ok().filter(|limit| *limit > 0) else {
        settings.invalid("limit", "it must be 1 or more: nothing could ever happen");
        return None;
    };
    Some(MaxIterations::new(limit).into())
}

/// Returns the number that the runtime itself gives to this iteration.
fn runtime_count(invocation: &Invocation<'_>) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_lock_still_counts() {
        let handler = MaxIterations::new(1);
        let poison = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = handler.counts.lock().unwrap();
            panic!("while counting");
        }));
        assert!(poison.is_err() && handler.counts.is_poisoned());
        let call = hookgate_contract::payload::ToolCall::new("Bash", serde_json::json!({}));
        let context = hookgate_contract::StepContext::new("s");
        let id = hookgate_contract::StepId::new(Some("1"), String::new);
        let envelope = hookgate_contract::Envelope::new(&call, &context, &id, 1, 1000);
        assert_eq!(handler.handle(Invocation::new("h", &envelope)).unwrap(), Verdict::none());
        assert!(handler.handle(Invocation::new("h", &envelope)).unwrap().parts().is_some());
    }
}
