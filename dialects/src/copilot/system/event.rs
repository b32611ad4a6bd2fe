//! The events of Copilot, each of which has one name or two: the spelling chooses the envelope.

use serde_json::{Map, Value};

/// How the name of an event is written in a config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `preToolUse`: the fields of the envelope are camelCase.
    Camel,
    /// `PreToolUse`: the fields are snake_case, and tools have the names of Claude Code.
    Pascal,
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopilotEvent {
    SessionStart,
    SessionEnd,
    UserPromptSubmitted,
    UserPromptTransformed,
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    AgentStop,
    SubagentStart,
    SubagentStop,
    ErrorOccurred,
    PreCompact,
    Notification,
}

use CopilotEvent as E;

/// Each event with its two names.
const NAMES: &[(CopilotEvent, &str, &str)] = &[
    (E::SessionStart, "sessionStart", "SessionStart"),
    (E::SessionEnd, "sessionEnd", "SessionEnd"),
    (E::UserPromptSubmitted, "userPromptSubmitted", "UserPromptSubmit"),
    (E::UserPromptTransformed, "userPromptTransformed", "UserPromptTransformed"),
    (E::PreToolUse, "preToolUse", "PreToolUse"),
    (E::PermissionRequest, "permissionRequest", "PermissionRequest"),
    (E::PostToolUse, "postToolUse", "PostToolUse"),
    (E::PostToolUseFailure, "postToolUseFailure", "PostToolUseFailure"),
    (E::AgentStop, "agentStop", "Stop"),
    (E::SubagentStart, "subagentStart", "SubagentStart"),
    (E::SubagentStop, "subagentStop", "SubagentStop"),
    (E::ErrorOccurred, "errorOccurred", "ErrorOccurred"),
    (E::PreCompact, "preCompact", "PreCompact"),
    (E::Notification, "notification", "Notification"),
];

impl CopilotEvent {
    /// Reads a name as it stands in a config. The case of the letters counts.
    pub(super) fn from_name(name: &str) -> Option<(Self, Spelling)> {
        NAMES.iter().find_map(|&(event, camel, pascal)| {
            if name == camel {
                Some((event, Spelling::Camel))
            } else if name == pascal {
                Some((event, Spelling::Pascal))
            } else {
                None
            }
        })
    }

    /// Tells what an envelope is about. `told` is what the host says; an envelope in camelCase has no
    /// field for it, so that otherwise its fields must do.
    pub(super) fn of_envelope(told: Option<&str>, input: &Map<String, Value>) -> Option<Self> {
        let named = told.or_else(|| input.get("hook_event_name").and_then(Value::as_str));
        match named {
            Some(name) => Self::from_name(name).map(|(event, _)| event),
            None => Self::from_fields(input),
        }
    }

    /// Tells an event by the fields that only its envelope has.
    fn from_fields(input: &Map<String, Value>) -> Option<Self> {
        let has = |field: &str| input.contains_key(field);
        let event = if has("toolResult") {
            E::PostToolUse
        } else if has("toolName") && has("error") {
            E::PostToolUseFailure
        } else if has("toolInput") {
            E::PermissionRequest
        } else if has("toolName") {
            E::PreToolUse
        } else if has("transformedPrompt") {
            E::UserPromptTransformed
        } else if has("prompt") {
            E::UserPromptSubmitted
        } else if has("errorContext") {
            E::ErrorOccurred
        } else if has("trigger") {
            E::PreCompact
        } else if has("notification_type") {
            E::Notification
        } else if has("stopReason") && has("agentName") {
            E::SubagentStop
        } else if has("stopReason") {
            E::AgentStop
        } else if has("agentName") {
            E::SubagentStart
        } else if has("source") {
            E::SessionStart
        } else if has("reason") {
            E::SessionEnd
        } else {
            return None;
        };
        Some(event)
    }

    /// Tells whether the event happens where no user is: the cloud agent has all permissions, and nobody
    /// to notify.
    pub(super) const fn happens_in_the_cloud(self) -> bool {
        !matches!(self, E::PermissionRequest | E::Notification)
    }

    /// Tells whether an answer can grant something, so that it may not come over an open connection.
    pub(super) const fn grants(self) -> bool {
        matches!(self, E::PreToolUse | E::PermissionRequest)
    }

    /// Returns the fields that a matcher is tested against, in both spellings; empty if the event has no
    /// matcher.
    pub(super) const fn matched_fields(self) -> &'static [&'static str] {
        match self {
            E::PreToolUse | E::PermissionRequest | E::PostToolUse => &["toolName", "tool_name"],
            E::SubagentStart => &["agentName", "agent_name"],
            E::PreCompact => &["trigger"],
            E::Notification => &["notification_type", "notificationType"],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> Option<CopilotEvent> {
        CopilotEvent::of_envelope(None, value.as_object().unwrap())
    }

    #[test]
    fn an_envelope_without_a_name_is_known_by_its_fields() {
        assert_eq!(of(json!({"toolName": "bash", "toolArgs": {}})), Some(E::PreToolUse));
        assert_eq!(of(json!({"toolName": "bash", "toolInput": {}})), Some(E::PermissionRequest));
        assert_eq!(of(json!({"toolName": "bash", "toolResult": {}})), Some(E::PostToolUse));
        assert_eq!(of(json!({"toolName": "bash", "error": "x"})), Some(E::PostToolUseFailure));
        assert_eq!(of(json!({"stopReason": "end_turn"})), Some(E::AgentStop));
        assert_eq!(of(json!({"stopReason": "x", "agentName": "a"})), Some(E::SubagentStop));
        assert_eq!(of(json!({"cwd": "/"})), None);
    }

    #[test]
    fn what_the_host_says_goes_first_and_the_case_counts() {
        let input = json!({"toolName": "bash", "toolArgs": {}});
        let told = |name| CopilotEvent::of_envelope(Some(name), input.as_object().unwrap());
        assert_eq!(told("permissionRequest"), Some(E::PermissionRequest));
        assert_eq!(told("Stop"), Some(E::AgentStop));
        assert_eq!(told("pretooluse"), None);
    }
}
