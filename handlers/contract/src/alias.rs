//! The names that other systems give to the events, accepted wherever a config names an event.

use crate::event::Event;
use crate::failure::Posture;
use crate::role::Role;

/// A name of another system.
///
/// Where that name means more or less than an event of ours, the alias stands for several events,
/// brings a role, or adds a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// The foreign name.
    pub name: &'static str,
    /// Who calls it so.
    pub system: &'static str,
    /// The events that it stands for.
    pub events: &'static [Event],
    /// The role of a hook that names none.
    pub role: Option<Role>,
    /// What a failure of a program or service counts as that says nothing about it.
    pub posture: Option<Posture>,
    /// A field of the payload, as a JSON pointer, and the value that it must have.
    pub condition: Option<(&'static str, &'static str)>,
}

impl Alias {
    const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// A failure lets the step pass there: the script was written for that.
    const fn open(mut self) -> Self {
        self.posture = Some(Posture::Allow);
        self
    }

    const fn only(mut self, pointer: &'static str, value: &'static str) -> Self {
        self.condition = Some((pointer, value));
        self
    }
}

/// The alias of a foreign name.
///
/// ```
/// use hookgate_contract::{Event, Role, alias};
///
/// let alias = alias::resolve("tool_input_transform").unwrap();
/// assert_eq!((alias.events, alias.role), (&[Event::PreToolUse][..], Some(Role::Rewrite)));
/// ```
#[must_use]
pub fn resolve(name: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.name == name)
}

const MEERKAT: &str = "meerkat";
const DOCKER: &str = "docker agent";
const DEFECT: &str = "defect";
const PIONEER: &str = "pioneer";
const CLAUDE: &str = "claude, codex";
const GEMINI: &str = "gemini";

const BOTH_RESULTS: &[Event] = &[Event::PostToolUse, Event::PostToolUseFailure];

const fn is(system: &'static str, name: &'static str, events: &'static [Event]) -> Alias {
    Alias { name, system, events, role: None, posture: None, condition: None }
}

/// All aliases.
pub static ALIASES: &[Alias] = &[
    is(MEERKAT, "pre_tool_execution", &[Event::PreToolUse]),
    is(MEERKAT, "post_tool_execution", BOTH_RESULTS),
    is(DOCKER, "on_session_resume", &[Event::SessionResume]),
    is(DOCKER, "on_error", &[Event::RunFailed]),
    is(DOCKER, "user_followup_submit", &[Event::UserPromptSubmit]).only("/source", "followup"),
    is(DOCKER, "user_steering_messages_submit", &[Event::UserPromptSubmit])
        .only("/source", "steering"),
    is(DOCKER, "on_user_input", &[Event::UserInputRequested]),
    is(DOCKER, "before_llm_call", &[Event::PreLlmRequest]),
    is(DOCKER, "after_llm_call", &[Event::PostLlmResponse]),
    is(DOCKER, "tool_guard", &[Event::PreToolUse]).role(Role::Guard),
    is(DOCKER, "tool_input_transform", &[Event::PreToolUse]).role(Role::Rewrite),
    is(DOCKER, "on_tool_approval_decision", &[Event::PermissionDecided]),
    is(DOCKER, "tool_response_transform", BOTH_RESULTS).role(Role::Rewrite),
    is(DOCKER, "turn_end", &[Event::TurnBoundary]).role(Role::Observe),
    is(DOCKER, "on_agent_switch", &[Event::AgentSwitch]),
    is(DOCKER, "before_compaction", &[Event::PreCompact]),
    is(DOCKER, "after_compaction", &[Event::PostCompact]),
    is(DOCKER, "on_max_iterations", &[Event::MaxIterations]),
    is(DEFECT, "after_session_enter", &[Event::SessionStart]),
    is(DEFECT, "before_ingest", &[Event::UserPromptSubmit]),
    is(DEFECT, "after_ingest", &[Event::UserPromptAccepted]),
    is(DEFECT, "after_turn_enter", &[Event::TurnStart]),
    is(DEFECT, "before_generate", &[Event::PreLlmRequest]),
    is(DEFECT, "after_generate", &[Event::PostLlmResponse]),
    is(DEFECT, "before_tool_apply", &[Event::PreToolUse]),
    is(DEFECT, "before_permission", &[Event::PermissionRequest]),
    is(DEFECT, "after_permission", &[Event::PermissionDecided]),
    is(DEFECT, "after_tool_apply", BOTH_RESULTS).open(),
    is(DEFECT, "after_tool_batch", &[Event::PostToolBatch]),
    is(DEFECT, "before_turn_end", &[Event::Stop]),
    is(DEFECT, "before_compact", &[Event::PreCompact]),
    is(DEFECT, "after_compact", &[Event::PostCompact]),
    is(PIONEER, "turn.pre_policy", &[Event::TurnPolicy]),
    is(PIONEER, "runtime.turn_pre_context", &[Event::TurnStart]),
    is(PIONEER, "turn.pre_prompt_context", &[Event::PromptContext]),
    is(PIONEER, "turn.post_preflight_prompt_context", &[Event::PromptContextPlanned]),
    is(PIONEER, "turn.pre_tool_materialization", &[Event::ToolSelection]),
    is(PIONEER, "turn.pre_prompt_compile", &[Event::PromptCompile]),
    is(PIONEER, "turn.post_prompt_compile", &[Event::PromptCompiled]),
    is(PIONEER, "turn.post_turn", &[Event::TurnBoundary]).role(Role::Observe),
    is(PIONEER, "turn.pre_compaction", &[Event::PreCompact]),
    is(CLAUDE, "SessionStart", &[Event::SessionStart]),
    is(CLAUDE, "SessionEnd", &[Event::SessionEnd]),
    is(CLAUDE, "StopFailure", &[Event::RunFailed]),
    is(CLAUDE, "UserPromptSubmit", &[Event::UserPromptSubmit]),
    is(CLAUDE, "PreToolUse", &[Event::PreToolUse]),
    is(CLAUDE, "PermissionRequest", &[Event::PermissionRequest]),
    is(CLAUDE, "PermissionDenied", &[Event::PermissionDecided]).only("/approval_decision", "deny"),
    is(CLAUDE, "PostToolUse", &[Event::PostToolUse]).open(),
    is(CLAUDE, "PostToolUseFailure", &[Event::PostToolUseFailure]).open(),
    is(CLAUDE, "PostToolBatch", &[Event::PostToolBatch]),
    is(CLAUDE, "Stop", &[Event::Stop]),
    is(CLAUDE, "SubagentStart", &[Event::SubagentStart]),
    is(CLAUDE, "SubagentStop", &[Event::SubagentStop]),
    is(CLAUDE, "PreCompact", &[Event::PreCompact]),
    is(CLAUDE, "PostCompact", &[Event::PostCompact]),
    is(CLAUDE, "Notification", &[Event::Notification]),
    is(CLAUDE, "ConfigChange", &[Event::ConfigChange]),
    is(CLAUDE, "WorktreeCreate", &[Event::WorktreeCreate]),
    is(GEMINI, "BeforeAgent", &[Event::UserPromptSubmit]),
    is(GEMINI, "AfterAgent", &[Event::Stop]),
    is(GEMINI, "BeforeModel", &[Event::PreLlmRequest]),
    is(GEMINI, "AfterModel", &[Event::PostLlmResponse]),
    is(GEMINI, "BeforeToolSelection", &[Event::ToolSelection]),
    is(GEMINI, "BeforeTool", &[Event::PreToolUse]),
    is(GEMINI, "AfterTool", BOTH_RESULTS).open(),
    is(GEMINI, "PreCompress", &[Event::PreCompact]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_unique_and_no_event_of_ours() {
        for (index, alias) in ALIASES.iter().enumerate() {
            assert!(Event::from_name(alias.name).is_none(), "{}", alias.name);
            assert!(
                !ALIASES[..index].iter().any(|other| other.name == alias.name),
                "{}",
                alias.name
            );
            for event in alias.events {
                if let Some(role) = alias.role {
                    assert!(event.contract().takes_role(role), "{}", alias.name);
                }
            }
        }
    }
}
