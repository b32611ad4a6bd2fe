//! `max_iterations`: a session that goes on for too long is stopped.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::payload::{PreLlmRequest, Stop, TurnBoundary};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Kept, Reply, Role, StateError, StateHome, StateScope,
    SyncHandler, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::counted::Counted;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::Host;
use crate::supports::can_stop;

/// How many sessions are counted in memory. Beyond it the least recently used one is forgotten, and starts
/// at 1 if it comes back.
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
    build: Build::WithHost(build),
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
/// `subagent_stop`, where a deny would do the opposite.
///
/// The number of a step is the one that the runtime gives (`iteration` of a request, one more than
/// `continues_so_far` of a stop). Without one, the handler counts the steps that it was invoked for,
/// per session: one count for all events of the hook. It is kept in the [state](crate::Host::state) of the
/// host, if it has one, and outlives the process then; what cannot be read or kept there is a failure of the
/// class `state`. Without one it is kept in memory, over a reload of the config, of 10,000 sessions, and
/// forgotten with the process. A step that is evaluated again, after a rewrite or an approval, counts once.
///
/// ```
/// use hookgate_builtin::MaxIterations;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
/// let context = StepContext::new("session-1");
/// let limit = MaxIterations::new(2);
/// let step = |id| {
///     let id = StepId::new(Some(id), String::new);
///     limit.handle(Invocation::new("not-for-ever", &Envelope::new(&call, &context, &id, 1, 64 * 1024)))
/// };
/// assert_eq!(step("step-1"), Ok(Verdict::none()));
/// assert_eq!(step("step-2"), Ok(Verdict::none()));
/// assert_eq!(step("step-3"), Ok(Verdict::halt("the limit of 2 iterations is reached")));
/// ```
pub struct MaxIterations {
    limit: u64,
    counts: Kept<Count>,
}

/// How many steps of a session there were.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Count {
    number: u64,
    counted: Counted,
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
        Self { limit, counts: Kept::new("max_iterations", MAX_SESSIONS) }
    }

    /// Counts in the state of a host, if it has one.
    #[must_use]
    fn in_state(self, home: Option<Arc<dyn StateHome>>) -> Self {
        Self { counts: self.counts.in_home(home), ..self }
    }

    fn count(&self, invocation: &Invocation<'_>) -> Result<u64, StateError> {
        let session = StateScope::Session(invocation.context().session_id);
        self.counts.update(session, invocation.hook, |count| {
            if count.counted.is_new(invocation) {
                count.number = count.number.saturating_add(1);
            }
            count.number
        })
    }
}

impl SyncHandler for MaxIterations {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let number = match runtime_count(&invocation) {
            Some(number) => number,
            None => self.count(&invocation)?,
        };
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
        let built = Self::from_sync(handler).role(Role::Guard).supports(can_stop);
        built.identity("sessions").keeps_state()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
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
    Some(MaxIterations::new(limit).in_state(host.state.clone()).into())
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
