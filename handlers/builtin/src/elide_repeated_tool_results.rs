//! `elide_repeated_tool_results`: a result that the model has seen already becomes a note.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::payload::{PostToolUse, PreCompact};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Event, Invocation, Reply, Role, SyncHandler, Verdict,
    patch_field,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::hash::hash;
use crate::sessions::Sessions;

/// How many sessions, and how many calls of each, are remembered.
const MAX_SESSIONS: usize = 256;
const MAX_CALLS: usize = 4096;

const MIN_BYTES: usize = 512;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "elide_repeated_tool_results",
    role: Role::Rewrite,
    about: "replaces a tool result that the session has had before by a note",
    supports: Some(can_elide),
    settings: &[SettingDoc::optional(
        "min_bytes",
        SettingType::Size,
        "how long a result must be; a short one is no longer than the note",
    )
    .default("512")],
    example: r#"[[hook]]
id = "no-repetition"
event = ["post_tool_use", "pre_compact"]
builtin = { name = "elide_repeated_tool_results" }
"#,
    build: Build::Alone(build),
};

/// Replaces the result of a tool by a short note, if an earlier call of the same tool with the same
/// arguments gave the same result in this session: the model has it in its context.
///
/// ```toml
/// [[hook]]
/// id = "no-repetition"
/// event = ["post_tool_use", "pre_compact"]
/// builtin = { name = "elide_repeated_tool_results" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `min_bytes` | size, `512` | how long a result must be; a short one is no longer than the note |
///
/// A result that differs in a single byte stays as it is, and so does an error. At `pre_compact` all
/// earlier results of the session are forgotten, since the model may no longer have them; a hook
/// without that event gets a warning. It is refused at other events. It never fails.
///
/// It keeps hashes (SHA-256) and no results: of 256 sessions, and of the latest 4,096 calls of each.
/// They live on when the config is loaded again. About a step of more than 64 KiB it runs on a blocking
/// thread.
///
/// ```
/// use hookgate_builtin::ElideRepeatedToolResults;
/// use hookgate_contract::payload::{PostToolUse, ToolCall};
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Read", serde_json::json!({"file_path": "a.rs"}));
/// let result = PostToolUse::new(call, "fn main() {}\n".repeat(100));
/// let context = StepContext::new("session-1").turn(3);
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&result, &context, &id, 1, 1 << 20);
/// let invocation = Invocation::new("no-repetition", &envelope);
///
/// let handler = ElideRepeatedToolResults::new();
/// assert_eq!(handler.handle(invocation), Ok(Verdict::none()));
/// let verdict = handler.handle(invocation).unwrap();
/// let note = verdict.parts().unwrap().patch["tool_response"].as_str().unwrap().to_owned();
/// assert!(note.starts_with("[the same result as in turn 3"));
/// ```
pub struct ElideRepeatedToolResults {
    min_bytes: usize,
    sessions: Mutex<Sessions<Results>>,
}

/// The results of a session.
#[derive(Default)]
struct Results {
    /// By the hash of the tool and its arguments.
    calls: HashMap<[u8; 32], Seen>,
    /// The calls, the oldest first.
    order: VecDeque<[u8; 32]>,
}

struct Seen {
    result: [u8; 32],
    turn: u64,
}

impl Results {
    /// Notes a result, and returns the turn of an earlier one that is the same.
    fn note(&mut self, call: [u8; 32], result: [u8; 32], turn: u64) -> Option<u64> {
        if let Some(seen) = self.calls.get_mut(&call) {
            if seen.result == result {
                return Some(seen.turn);
            }
            *seen = Seen { result, turn };
            return None;
        }
        if self.order.len() >= MAX_CALLS {
            let oldest = self.order.pop_front();
            oldest.and_then(|oldest| self.calls.remove(&oldest));
        }
        self.order.push_back(call);
        self.calls.insert(call, Seen { result, turn });
        None
    }
}

impl Default for ElideRepeatedToolResults {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ElideRepeatedToolResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElideRepeatedToolResults")
            .field("min_bytes", &self.min_bytes)
            .finish_non_exhaustive()
    }
}

impl ElideRepeatedToolResults {
    /// Creates a handler for results of 512 bytes or more.
    #[must_use]
    pub fn new() -> Self {
        Self { min_bytes: MIN_BYTES, sessions: Mutex::new(Sessions::new(MAX_SESSIONS)) }
    }

    /// Sets how long a result must be.
    #[must_use]
    pub fn min_bytes(self, min_bytes: usize) -> Self {
        Self { min_bytes, ..self }
    }
}

impl SyncHandler for ElideRepeatedToolResults {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let payload = invocation.payload().as_any();
        let session = invocation.context().session_id;
        // What is noted is complete at any moment, so that of a thread that panicked is still good.
        let sessions = || self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if payload.is::<PreCompact>() {
            sessions().forget(session);
            return Ok(Verdict::none());
        }
        let Some(step) = payload.downcast_ref::<PostToolUse>() else { return Ok(Verdict::none()) };
        if step.is_error == Some(true) || invocation.envelope.is_rejudge() {
            return Ok(Verdict::none());
        }
        let result = step.tool_response.to_string();
        if result.len() < self.min_bytes {
            return Ok(Verdict::none());
        }
        // A zero byte is in no JSON, so the two parts cannot be mistaken.
        let call = format!("{}\0{}", step.call.tool_name, step.call.tool_input);
        let (call, result) = (hash(call.as_bytes()), hash(result.as_bytes()));
        let turn = invocation.context().turn;
        let earlier = sessions().update(session, |results| results.note(call, result, turn));
        Ok(match earlier {
            None => Verdict::none(),
            Some(turn) => Verdict::none()
                .patch(patch_field::TOOL_RESPONSE, note(&step.call.tool_name, turn))
                .annotate("elided", true),
        })
    }
}

fn note(tool: &str, turn: u64) -> String {
    format!(
        "[the same result as in turn {turn}, where `{tool}` was called with the same arguments]"
    )
}

impl From<ElideRepeatedToolResults> for BuiltHandler {
    fn from(handler: ElideRepeatedToolResults) -> Self {
        // The same identity for all: what was seen stays so when the config is loaded again.
        Self::from_sync(handler)
            .role(Role::Rewrite)
            .heavy()
            .supports(can_elide)
            .identity("sessions")
    }
}

fn can_elide(contract: &Contract) -> Result<(), &'static str> {
    match contract.event {
        Event::PostToolUse | Event::PreCompact => Ok(()),
        _ => Err("there is no result here that could be a repetition"),
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let min_bytes = settings.size("min_bytes").unwrap_or(MIN_BYTES);
    if !context.events.is_empty() && !context.events.contains(&Event::PostToolUse) {
        settings.invalid("name", "only at `post_tool_use` are there results: add it to `event`");
        return None;
    }
    let mut built = BuiltHandler::from(ElideRepeatedToolResults::new().min_bytes(min_bytes));
    if !context.events.is_empty() && !context.events.contains(&Event::PreCompact) {
        built.warnings.push(
            "after a compaction the model may no longer have the earlier result: add `pre_compact` \
             to `event`"
                .into(),
        );
    }
    Some(built)
}
