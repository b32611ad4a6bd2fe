//! The events of Codex, and what differs between them.

use serde_json::{Map, Value};

use super::matcher;

/// An event of Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PostCompact,
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    SubagentStart,
    SubagentStop,
    Stop,
    Interrupt,
}

/// What text on stdout means that is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    /// The model reads it.
    Context,
    /// Nothing.
    Ignored,
    /// The run failed.
    Failure,
}

/// All events, in no order that matters.
const ALL: [Event; 12] = [
    Event::PreToolUse,
    Event::PermissionRequest,
    Event::PostToolUse,
    Event::PreCompact,
    Event::PostCompact,
    Event::SessionStart,
    Event::SessionEnd,
    Event::UserPromptSubmit,
    Event::SubagentStart,
    Event::SubagentStop,
    Event::Stop,
    Event::Interrupt,
];

impl Event {
    /// Finds an event by its name. Names are compared letter by letter.
    pub(super) fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|event| event.name() == name)
    }

    /// Returns the event that an envelope is about.
    pub(super) fn of(input: &Map<String, Value>) -> Option<Self> {
        Self::named(input.get("hook_event_name")?.as_str()?)
    }

    /// Returns its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::Interrupt => "Interrupt",
        }
    }

    /// Returns its name in the keys of recorded reviews: `pre_tool_use`.
    pub(super) fn key(self) -> String {
        let mut key = String::new();
        for sign in self.name().chars() {
            if sign.is_ascii_uppercase() && !key.is_empty() {
                key.push('_');
            }
            key.push(sign.to_ascii_lowercase());
        }
        key
    }

    /// Returns its name in the report of a JSON that Codex cannot use.
    pub(super) const fn json_label(self) -> &'static str {
        match self {
            Self::PreToolUse => "pre-tool-use",
            Self::PermissionRequest => "permission-request",
            Self::PostToolUse => "post-tool-use",
            Self::PreCompact => "PreCompact hook",
            Self::PostCompact => "PostCompact hook",
            Self::SessionStart => "session start",
            Self::SessionEnd => "session end",
            Self::UserPromptSubmit => "user prompt submit",
            Self::SubagentStart => "subagent start",
            Self::SubagentStop => "subagent stop hook",
            Self::Stop => "stop hook",
            Self::Interrupt => "interrupt hook",
        }
    }

    /// Returns what a hook must say on stderr when it exits with 2. `None` if 2 is a failure like any other.
    pub(super) const fn exit_two(self) -> Option<&'static str> {
        match self {
            Self::PreToolUse | Self::UserPromptSubmit => Some("a blocking reason"),
            Self::PermissionRequest => Some("a denial reason"),
            Self::PostToolUse => Some("feedback"),
            Self::Stop | Self::SubagentStop => Some("a continuation prompt"),
            _ => None,
        }
    }

    /// Returns what plain text means.
    pub(super) const fn plain(self) -> Plain {
        match self {
            Self::SessionStart | Self::SubagentStart | Self::UserPromptSubmit => Plain::Context,
            Self::Stop | Self::SubagentStop | Self::Interrupt => Plain::Failure,
            _ => Plain::Ignored,
        }
    }

    /// Returns whether hooks may add text for the model.
    pub(super) const fn takes_context(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::SessionStart
                | Self::SubagentStart
                | Self::UserPromptSubmit
        )
    }

    /// Returns whether the agent is about to go, so that hooks have a few seconds only.
    pub(super) const fn is_hurried(self) -> bool {
        matches!(self, Self::SessionEnd | Self::Interrupt)
    }

    /// Returns whether it has a matcher at all.
    pub(super) const fn has_matcher(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop | Self::Interrupt)
    }

    /// Returns what a matcher is compared with: the tool and its other names, or one field.
    pub(super) fn matched(self, input: &Map<String, Value>) -> Vec<&str> {
        let field = match self {
            Self::PreToolUse | Self::PermissionRequest | Self::PostToolUse => "tool_name",
            Self::PreCompact | Self::PostCompact => "trigger",
            Self::SessionStart => "source",
            Self::SessionEnd => "reason",
            Self::SubagentStart | Self::SubagentStop => "agent_type",
            Self::UserPromptSubmit | Self::Stop | Self::Interrupt => return Vec::new(),
        };
        let Some(value) = input.get(field).and_then(Value::as_str) else { return Vec::new() };
        let mut names = vec![value];
        if field == "tool_name" {
            names.extend(matcher::aliases(value));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, Event};

    #[test]
    fn each_event_is_found_by_its_name_and_by_no_other_spelling() {
        for event in ALL {
            assert_eq!(Event::named(event.name()), Some(event));
            assert_eq!(Event::named(&event.key()), None);
        }
        assert_eq!(Event::PreToolUse.key(), "pre_tool_use");
    }
}
