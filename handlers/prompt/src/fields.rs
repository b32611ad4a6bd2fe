//! What the envelopes of the events hold, so that a judge is not told to look where nothing can be.

use hookgate_contract::Event;
use hookgate_contract::near::nearest;

/// The fields of every envelope.
const HEADER: &[&str] = &[
    "protocol",
    "hook_event_name",
    "step_id",
    "session_id",
    "turn",
    "cwd",
    "agent_id",
    "agent_type",
    "generation",
    "host",
];

const CALL: &[&str] =
    &["tool_name", "tool_use_id", "tool_input", "tool_category", "safety", "provenance"];

const PLANNING: &[&str] =
    &["input_text", "model", "model_provider", "plan", "tool_names", "policies", "contexts"];

/// The fields of an event's own beside those of a tool call; none where the embedder says them.
fn own(event: Event) -> Option<&'static [&'static str]> {
    Some(match event {
        Event::SessionStart => &["source", "model", "title"],
        Event::SessionResume => &["previous_max_iterations", "new_max_iterations"],
        Event::SessionEnd => &["reason"],
        Event::RunStarted => &["prompt"],
        Event::RunCompleted => &["result_text", "turns", "usage"],
        Event::RunFailed => &["error", "error_class"],
        Event::UserPromptSubmit => &["prompt", "source", "attachments"],
        Event::UserPromptAccepted => &["prompt", "committed_len"],
        Event::UserInputRequested => &["message"],
        Event::TurnPolicy
        | Event::PromptContext
        | Event::PromptContextPlanned
        | Event::ToolSelection
        | Event::PromptCompile => PLANNING,
        Event::PromptCompiled => &["section_ids", "token_estimate"],
        Event::TurnStart => &["iteration", "is_subagent"],
        Event::PreLlmRequest => &[
            "model",
            "model_provider",
            "message_count",
            "messages",
            "max_tokens",
            "temperature",
            "provider_params",
            "iteration",
            "attempt",
        ],
        Event::PostLlmResponse => {
            &["assistant_text", "tool_call_names", "stop_reason", "usage", "model", "cost", "error"]
        }
        Event::PreToolUse => &[],
        Event::PermissionRequest => &["suggestions"],
        Event::PermissionDecided => &["approval_decision", "approval_source"],
        Event::PostToolUse => &["tool_response", "is_error", "content_blocks", "duration_ms"],
        Event::PostToolUseFailure => &["error", "is_interrupt", "duration_ms"],
        Event::PostToolBatch => &["results"],
        Event::TurnBoundary => &["reason", "continues_so_far", "voluntary"],
        Event::Stop => {
            &["stop_reason", "last_assistant_message", "stop_hook_active", "continues_so_far"]
        }
        Event::SubagentStart => &["parent_session_id", "prompt"],
        Event::SubagentStop => {
            &["parent_session_id", "last_assistant_message", "stop_hook_active", "continues_so_far"]
        }
        Event::AgentSwitch => &["from_agent", "to_agent", "switch_kind"],
        Event::PreCompact => &[
            "trigger",
            "token_estimate",
            "threshold",
            "context_limit",
            "custom_instructions",
            "summary",
        ],
        Event::PostCompact => &["tokens_before", "tokens_after", "summary"],
        Event::MaxIterations => &["max_iterations"],
        Event::Notification => &["level", "message", "title", "notification_type"],
        Event::ConfigChange => &["source", "file_path"],
        Event::WorktreeCreate => &["path", "branch", "source_dir"],
        // What the embedder's own events hold is not known here.
        _ => return None,
    })
}

/// All fields that an envelope of the event can have; none where they are not known.
pub(crate) fn of(event: Event) -> Option<Vec<&'static str>> {
    let call = if event.contract().tool { CALL } else { &[] };
    Some([HEADER, call, own(event)?].concat())
}

/// What is wrong with a pointer at these events: the field where it begins is in no envelope of one
/// of them, or of all of them where it may be missing.
pub(crate) fn problem(pointer: &str, optional: bool, events: &[Event]) -> Option<String> {
    let first = pointer.strip_prefix('/')?.split('/').next()?;
    let first = first.replace("~1", "/").replace("~0", "~");
    let known: Vec<(Event, Vec<&str>)> =
        events.iter().filter_map(|event| Some((*event, of(*event)?))).collect();
    let lacks = |(_, fields): &&(Event, Vec<&str>)| !fields.contains(&first.as_str());
    let missing = known.iter().find(lacks);
    // At an event of the embedder anything may be there.
    let somewhere = known.len() < events.len() || known.iter().any(|known| !lacks(&known));
    let (event, fields) = missing.filter(|_| !(optional && somewhere))?;
    if somewhere && !optional {
        return Some(format!(
            "`{pointer}`: an envelope of `{event}` has no `{first}`: write \"{pointer}?\" where it \
             may be missing"
        ));
    }
    let hint = match nearest(&first, fields) {
        Some(near) => format!("; did you mean `/{near}`?"),
        None if fields.contains(&"tool_input") && !pointer.starts_with("/tool_input") => {
            format!("; what is in the input of the tool begins with `/tool_input{pointer}`")
        }
        None => {
            format!("; there are {}", fields.get(HEADER.len()..).unwrap_or_default().join(", "))
        }
    };
    Some(format!("`{pointer}`: an envelope of `{event}` has no `{first}`{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_begins_at_a_field_of_the_event() {
        let at = |pointer: &str, optional, events: &[Event]| {
            problem(pointer, optional, events).unwrap_or_default()
        };
        let (before, after) = (Event::PreToolUse, Event::PostToolUse);
        for good in ["/tool_name", "/tool_input/command", "/cwd", "/host/team", "/safety"] {
            assert_eq!(at(good, false, &[before, after]), "", "{good}");
        }
        assert!(at("/tool_inptu", false, &[before]).contains("did you mean `/tool_input`?"));
        assert!(at("/command", false, &[before]).contains("`/tool_input/command`"));
        assert!(at("/tool_response", false, &[before, after]).contains("\"/tool_response?\""));
        assert_eq!(at("/tool_response", true, &[before, after]), "");
        assert!(at("/tool_response", true, &[before]).contains("pre_tool_use"));
        assert_eq!(at("/anything", false, &[Event::Custom]), "");
        assert_eq!(at("/a~1b", false, &[]), "");
        assert!(at("/a~1b", false, &[before]).contains("has no `a/b`"));
    }
}
