//! `elide_repeated_tool_results`: a result that the model has seen already becomes a note.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use data_encoding::BASE64_NOPAD;
use hookgate_contract::payload::{PostToolUse, PreCompact};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Event, Invocation, Kept, Reply, Role, StateHome,
    StateScope, SyncHandler, Verdict, patch_field,
};
use serde::{Deserialize, Serialize};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::hash::hash;
use crate::host::Host;

/// How many sessions, and how many calls of each, are remembered.
const MAX_SESSIONS: usize = 256;
const MAX_CALLS: usize = 1024;

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
    build: Build::WithHost(build),
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
/// without that event gets a warning. It is refused at other events.
///
/// It keeps hashes (SHA-256) and no results, of the latest 1,024 calls of a session: in the
/// [state](crate::Host::state) of the host, if it has one, where what cannot be read or kept is a failure of the
/// class `state`; else in memory, of 256 sessions, where they live on when the config is loaded again. About a step of more than 64 KiB it runs on a blocking
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
    sessions: Kept<Results>,
}

/// The results of a session.
#[derive(Default, Serialize, Deserialize)]
struct Results {
    /// By the hash of the tool and its arguments.
    calls: HashMap<String, Seen>,
    /// How many were noted.
    noted: u64,
}

#[derive(Serialize, Deserialize)]
struct Seen {
    result: String,
    turn: u64,
    /// The how-manieth it was.
    number: u64,
}

impl Results {
    /// Notes a result, and returns the turn of an earlier one that is the same.
    fn note(&mut self, call: String, result: String, turn: u64) -> Option<u64> {
        if let Some(seen) = self.calls.get_mut(&call) {
            if seen.result == result {
                return Some(seen.turn);
            }
            (seen.result, seen.turn) = (result, turn);
            return None;
        }
        if self.calls.len() >= MAX_CALLS {
            let oldest = self.calls.iter().min_by_key(|(_, seen)| seen.number);
            let oldest = oldest.map(|(call, _)| call.clone());
            oldest.and_then(|oldest| self.calls.remove(&oldest));
        }
        self.noted += 1;
        self.calls.insert(call, Seen { result, turn, number: self.noted });
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
        let sessions = Kept::new("elide_repeated_tool_results", MAX_SESSIONS);
        Self { min_bytes: MIN_BYTES, sessions }
    }

    /// Remembers in the state of a host, if it has one.
    #[must_use]
    fn in_state(self, home: Option<Arc<dyn StateHome>>) -> Self {
        Self { sessions: self.sessions.in_home(home), ..self }
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
        let session = StateScope::Session(invocation.context().session_id);
        if payload.is::<PreCompact>() {
            self.sessions.forget(session, invocation.hook)?;
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
        let sum = |text: &str| BASE64_NOPAD.encode(&hash(text.as_bytes()));
        let (call, result) = (sum(&call), sum(&result));
        let turn = invocation.context().turn;
        let note = |results: &mut Results| results.note(call, result, turn);
        let earlier = self.sessions.update(session, invocation.hook, note)?;
        Ok(match earlier {
            None => Verdict::none(),
            Some(turn) => Verdict::none()
                .patch(patch_field::TOOL_RESPONSE, note_of(&step.call.tool_name, turn))
                .annotate("elided", true),
        })
    }
}

fn note_of(tool: &str, turn: u64) -> String {
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
            .keeps_state()
    }
}

fn can_elide(contract: &Contract) -> Result<(), &'static str> {
    match contract.event {
        Event::PostToolUse | Event::PreCompact => Ok(()),
        _ => Err("there is no result here that could be a repetition"),
    }
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let min_bytes = settings.size("min_bytes").unwrap_or(MIN_BYTES);
    if !context.events.is_empty() && !context.events.contains(&Event::PostToolUse) {
        settings.invalid("name", "only at `post_tool_use` are there results: add it to `event`");
        return None;
    }
    let handler = ElideRepeatedToolResults::new().min_bytes(min_bytes);
    let mut built = BuiltHandler::from(handler.in_state(host.state.clone()));
    if !context.events.is_empty() && !context.events.contains(&Event::PreCompact) {
        built.warnings.push(
            "after a compaction the model may no longer have the earlier result: add `pre_compact` \
             to `event`"
                .into(),
        );
    }
    Some(built)
}
