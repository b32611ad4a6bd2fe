//! The envelopes of Codex, both ways.

use hookgate_contract::dialect::{DialectError, HostStep, ScriptInput};
use serde_json::{Map, Value};

use crate::agent_dialect::AgentDialect;
use crate::wire::{Layout, Ours, counterpart, event_of, theirs};

const LAYOUT: Layout = Layout {
    event: "hook_event_name",
    header: &[],
    facts: &["transcript_path", "permission_mode", "turn_id", "model"],
};

/// The events outside of a turn.
const NO_TURN: [&str; 2] = ["SessionStart", "SessionEnd"];

/// The events whose envelopes have no permission mode.
const NO_MODE: [&str; 3] = ["SessionEnd", "PreCompact", "PostCompact"];

/// Reads an envelope of Codex.
pub(super) fn read(
    dialect: &AgentDialect,
    given: Option<&str>,
    native: Map<String, Value>,
) -> Result<HostStep, DialectError> {
    let event = event_of(dialect, &LAYOUT, given, &native)?;
    let envelope = Ours::of(&LAYOUT, event, &native).finish()?;
    Ok(HostStep::new(event, envelope, native))
}

/// Writes our envelope as Codex would.
pub(super) fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let failed = failed_tool(envelope);
    let envelope = failed.as_ref().unwrap_or(envelope);
    let event = counterpart(dialect, envelope)?;
    let mut native = theirs(&LAYOUT, event, envelope);
    native.entry("session_id").or_insert_with(|| "".into());
    native.entry("transcript_path").or_insert(Value::Null);
    native.entry("cwd").or_insert_with(|| "".into());
    if event.name != "SessionEnd" {
        native.entry("model").or_insert_with(|| "".into());
    }
    if !NO_MODE.contains(&event.name) {
        native.entry("permission_mode").or_insert_with(|| "default".into());
    }
    if !NO_TURN.contains(&event.name) {
        let turn = envelope.get("turn").and_then(Value::as_u64).unwrap_or_default();
        native.entry("turn_id").or_insert_with(|| format!("turn-{turn}").into());
    }
    Ok(ScriptInput::new(event.name, Value::Object(native)))
}

/// Codex sends the result of a call that failed as any other: the error is the response.
fn failed_tool(envelope: &Map<String, Value>) -> Option<Map<String, Value>> {
    if envelope.get("hook_event_name")? != "post_tool_use_failure" {
        return None;
    }
    let mut result = envelope.clone();
    let error = result.remove("error").unwrap_or_default();
    result.insert("tool_response".to_owned(), error);
    result.insert("hook_event_name".to_owned(), "post_tool_use".into());
    Some(result)
}
