//! The names that other systems give to the events, accepted wherever a config names an event.
//!
//! A hook that was written for another agent runtime keeps its event names. In an envelope only our
//! own names are taken: there the sender is a host of hookgate.

use hookgate_contract::{Event, Posture, Role};

/// A name of another system, and what it means here.
///
/// If the name means more or less than one event of ours, the alias names several events, brings a
/// role, or adds a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alias {
    /// The foreign name.
    pub name: &'static str,
    /// The system that uses it.
    pub system: &'static str,
    /// The events that it means.
    pub events: &'static [Event],
    /// The role of a hook that names none.
    pub role: Option<Role>,
    /// What a failure of a program or service counts as if the hook does not say.
    pub posture: Option<Posture>,
    /// A field of the payload, as a JSON pointer, and the value that it must have.
    pub condition: Option<(&'static str, &'static str)>,
}

impl Alias {
    /// Gives the role of a hook that names none.
    const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Lets the step pass on a failure: scripts for this name were written for that.
    const fn failing_open(mut self) -> Self {
        self.posture = Some(Posture::Allow);
        self
    }

    /// Restricts the alias to steps with this value.
    const fn only(mut self, pointer: &'static str, value: &'static str) -> Self {
        self.condition = Some((pointer, value));
        self
    }
}

/// Returns the alias of a foreign name, or `None` if no system uses it.
///
/// ```
/// use hookgate::envelope::alias;
/// use hookgate::{Event, Role};
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
const INPUT: &[Event] = &[Event::RuntimeInput];
const PEER: &[Event] = &[Event::PeerMessage];

const fn alias(system: &'static str, name: &'static str, events: &'static [Event]) -> Alias {
    Alias { name, system, events, role: None, posture: None, condition: None }
}

/// All aliases, grouped by system.
///
/// ```
/// use hookgate::envelope::alias::ALIASES;
///
/// let claude = ALIASES.iter().filter(|alias| alias.system == "claude, codex");
/// assert!(claude.clone().count() > 10);
/// assert!(claude.clone().any(|alias| alias.condition == Some(("/approval_decision", "deny"))));
/// ```
pub static ALIASES: &[Alias] = &[
    alias(MEERKAT, "pre_tool_execution", &[Event::PreToolUse]),
    alias(MEERKAT, "post_tool_execution", BOTH_RESULTS),
    alias(MEERKAT, "runtime_input_accepted", INPUT).only("/outcome", "accepted"),
    alias(MEERKAT, "runtime_input_rejected", INPUT).only("/outcome", "rejected"),
    alias(MEERKAT, "runtime_input_deduplicated", INPUT).only("/outcome", "deduplicated"),
    alias(MEERKAT, "peer_ingress_committed", PEER).only("/direction", "in"),
    alias(MEERKAT, "peer_egress_committed", PEER).only("/direction", "out"),
    alias(DOCKER, "on_session_resume", &[Event::SessionResume]),
    alias(DOCKER, "on_error", &[Event::RunFailed]),
    alias(DOCKER, "user_followup_submit", &[Event::UserPromptSubmit]).only("/source", "followup"),
    alias(DOCKER, "user_steering_messages_submit", &[Event::UserPromptSubmit])
        .only("/source", "steering"),
    alias(DOCKER, "on_user_input", &[Event::UserInputRequested]),
    alias(DOCKER, "before_llm_call", &[Event::PreLlmRequest]),
    alias(DOCKER, "after_llm_call", &[Event::PostLlmResponse]),
    alias(DOCKER, "tool_guard", &[Event::PreToolUse]).role(Role::Guard),
    alias(DOCKER, "tool_input_transform", &[Event::PreToolUse]).role(Role::Rewrite),
    alias(DOCKER, "on_tool_approval_decision", &[Event::PermissionDecided]),
    alias(DOCKER, "tool_response_transform", BOTH_RESULTS).role(Role::Rewrite),
    alias(DOCKER, "turn_end", &[Event::TurnBoundary]).role(Role::Observe),
    alias(DOCKER, "on_agent_switch", &[Event::AgentSwitch]),
    alias(DOCKER, "before_compaction", &[Event::PreCompact]),
    alias(DOCKER, "after_compaction", &[Event::PostCompact]),
    alias(DOCKER, "on_max_iterations", &[Event::MaxIterations]),
    alias(DEFECT, "after_session_enter", &[Event::SessionStart]),
    alias(DEFECT, "before_ingest", &[Event::UserPromptSubmit]),
    alias(DEFECT, "after_ingest", &[Event::UserPromptAccepted]),
    alias(DEFECT, "after_turn_enter", &[Event::TurnStart]),
    alias(DEFECT, "before_generate", &[Event::PreLlmRequest]),
    alias(DEFECT, "after_generate", &[Event::PostLlmResponse]),
    alias(DEFECT, "before_tool_apply", &[Event::PreToolUse]),
    alias(DEFECT, "before_permission", &[Event::PermissionRequest]),
    alias(DEFECT, "after_permission", &[Event::PermissionDecided]),
    alias(DEFECT, "after_tool_apply", BOTH_RESULTS).failing_open(),
    alias(DEFECT, "after_tool_batch", &[Event::PostToolBatch]),
    alias(DEFECT, "before_turn_end", &[Event::Stop]),
    alias(DEFECT, "before_compact", &[Event::PreCompact]),
    alias(DEFECT, "after_compact", &[Event::PostCompact]),
    alias(PIONEER, "turn.pre_policy", &[Event::TurnPolicy]),
    alias(PIONEER, "runtime.turn_pre_context", &[Event::TurnStart]),
    alias(PIONEER, "turn.pre_prompt_context", &[Event::PromptContext]),
    alias(PIONEER, "turn.post_preflight_prompt_context", &[Event::PromptContextPlanned]),
    alias(PIONEER, "turn.pre_tool_materialization", &[Event::ToolSelection]),
    alias(PIONEER, "turn.pre_prompt_compile", &[Event::PromptCompile]),
    alias(PIONEER, "turn.post_prompt_compile", &[Event::PromptCompiled]),
    alias(PIONEER, "turn.post_turn", &[Event::TurnBoundary]).role(Role::Observe),
    alias(PIONEER, "turn.pre_compaction", &[Event::PreCompact]),
    alias(CLAUDE, "SessionStart", &[Event::SessionStart]),
    alias(CLAUDE, "SessionEnd", &[Event::SessionEnd]),
    alias(CLAUDE, "StopFailure", &[Event::RunFailed]),
    alias(CLAUDE, "UserPromptSubmit", &[Event::UserPromptSubmit]),
    alias(CLAUDE, "PreToolUse", &[Event::PreToolUse]),
    alias(CLAUDE, "PermissionRequest", &[Event::PermissionRequest]),
    alias(CLAUDE, "PermissionDenied", &[Event::PermissionDecided])
        .only("/approval_decision", "deny"),
    alias(CLAUDE, "PostToolUse", &[Event::PostToolUse]).failing_open(),
    alias(CLAUDE, "PostToolUseFailure", &[Event::PostToolUseFailure]).failing_open(),
    alias(CLAUDE, "PostToolBatch", &[Event::PostToolBatch]),
    alias(CLAUDE, "Stop", &[Event::Stop]),
    alias(CLAUDE, "SubagentStart", &[Event::SubagentStart]),
    alias(CLAUDE, "SubagentStop", &[Event::SubagentStop]),
    alias(CLAUDE, "PreCompact", &[Event::PreCompact]),
    alias(CLAUDE, "PostCompact", &[Event::PostCompact]),
    alias(CLAUDE, "Notification", &[Event::Notification]),
    alias(CLAUDE, "ConfigChange", &[Event::ConfigChange]),
    alias(CLAUDE, "WorktreeCreate", &[Event::WorktreeCreate]),
    alias(GEMINI, "BeforeAgent", &[Event::UserPromptSubmit]),
    alias(GEMINI, "AfterAgent", &[Event::Stop]),
    alias(GEMINI, "BeforeModel", &[Event::PreLlmRequest]),
    alias(GEMINI, "AfterModel", &[Event::PostLlmResponse]),
    alias(GEMINI, "BeforeToolSelection", &[Event::ToolSelection]),
    alias(GEMINI, "BeforeTool", &[Event::PreToolUse]),
    alias(GEMINI, "AfterTool", BOTH_RESULTS).failing_open(),
    alias(GEMINI, "PreCompress", &[Event::PreCompact]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_unique_and_is_not_an_event_of_ours() {
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
