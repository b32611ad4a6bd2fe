//! The events of Copilot, each of which has one name or two: the spelling chooses the envelope.

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
