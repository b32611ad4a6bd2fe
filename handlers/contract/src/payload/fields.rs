//! The names of the fields of each payload, for conditions that are checked before there is one.

use crate::event::Event;

const PLANNING: &[&str] =
    &["input_text", "model", "model_provider", "plan", "tool_names", "policies", "contexts"];

/// The names of the fields that the payload of an event can have; none for [`Event::Custom`], whose
/// payload is the embedder's.
#[must_use]
pub const fn fields(event: Event) -> &'static [&'static str] {
    match event {
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
        Event::PreToolUse => {
            &["tool_name", "tool_use_id", "tool_input", "tool_category", "safety", "provenance"]
        }
        Event::PermissionRequest => &[
            "tool_name",
            "tool_use_id",
            "tool_input",
            "tool_category",
            "safety",
            "provenance",
            "suggestions",
        ],
        Event::PermissionDecided => &[
            "tool_name",
            "tool_use_id",
            "tool_input",
            "tool_category",
            "safety",
            "provenance",
            "approval_decision",
            "approval_source",
        ],
        Event::PostToolUse => &[
            "tool_name",
            "tool_use_id",
            "tool_input",
            "tool_category",
            "safety",
            "provenance",
            "tool_response",
            "is_error",
            "content_blocks",
            "duration_ms",
        ],
        Event::PostToolUseFailure => &[
            "tool_name",
            "tool_use_id",
            "tool_input",
            "tool_category",
            "safety",
            "provenance",
            "error",
            "is_interrupt",
            "duration_ms",
        ],
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
        Event::Custom => &[],
    }
}
