//! The events of an agent, and what they are here.

use std::sync::Arc;

use hookgate_contract::dialect::{Dialect, HostEffect};
use hookgate_contract::{Contract, Event, EventKind, Posture, Role};

use super::agent::Agent;
use super::matcher::{Rules, Style, Subject};

/// An event of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// The events of ours that it is.
    pub(super) ours: Vec<&'static str>,
    /// What the agent does with an answer.
    effects: Vec<HostEffect>,
}

const RESULTS: &[&str] = &["post_tool_use", "post_tool_use_failure"];

/// Returns the dialect of an agent.
pub(super) fn dialect(agent: Agent) -> Option<Arc<dyn Dialect>> {
    let mut all = crate::every().into_iter();
    all.find(|dialect| dialect.name() == agent.name())
}

/// Returns an event of an agent.
pub(super) fn find(agent: Agent, name: &str) -> Option<Known> {
    let dialect = dialect(agent)?;
    let event = dialect.event(name)?;
    let ours = match (agent, name) {
        (Agent::Gemini, "AfterTool")
        | (Agent::DockerAgent, "post_tool_use" | "tool_response_transform")
        | (Agent::Meerkat, "post_tool_execution")
        | (Agent::Defect, "after_tool_apply") => RESULTS.to_vec(),
        _ => vec![event.ours],
    };
    Some(Known { ours, effects: event.effects.to_vec() })
}

/// Tells whether a step of an event would be told as another one: the agent has an earlier event that is
/// the same one of ours.
pub(super) fn is_ambiguous(agent: Agent, name: &str) -> bool {
    let Some(dialect) = dialect(agent) else { return false };
    let Some(event) = dialect.event(name) else { return false };
    dialect
        .events()
        .iter()
        .find(|other| other.ours == event.ours)
        .is_some_and(|first| first != event)
}

/// Returns the names of all events of an agent.
pub(super) fn names(agent: Agent) -> Vec<&'static str> {
    let dialect = dialect(agent);
    dialect.iter().flat_map(|dialect| dialect.events().iter().map(|event| event.name)).collect()
}

/// Returns the event that a wrong name most likely means: the same letters in another case, or the name
/// that another agent has for it.
pub(super) fn meant(agent: Agent, name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let all = names(agent);
    if let Some(same) = all.iter().copied().find(|known| plain(known) == plain(name)) {
        return Some(same);
    }
    let others = Agent::ALL.into_iter().filter(|other| *other != agent);
    let same = |other| {
        let known = names(other).into_iter().find(|known| plain(known) == plain(name))?;
        find(other, known)
    };
    let ours = others.filter_map(same).find_map(|known| known.ours.first().copied())?;
    all.into_iter().find(|known| find(agent, known).is_some_and(|known| known.ours.contains(&ours)))
}

impl Known {
    /// Whether the agent does this with an answer.
    pub(super) fn can(&self, effect: HostEffect) -> bool {
        self.effects.contains(&effect)
    }

    fn contracts(&self) -> impl Iterator<Item = &'static Contract> {
        self.ours.iter().filter_map(|name| Event::from_name(name)).map(Event::contract)
    }

    /// Whether something can be refused here that has not happened yet.
    pub(super) fn is_gate(&self) -> bool {
        self.contracts().any(|contract| contract.kind == EventKind::Gate && contract.deny())
            && self.fails_closed()
    }

    /// Whether a guard that fails counts as a deny here.
    pub(super) fn fails_closed(&self) -> bool {
        self.contracts().any(|contract| contract.default_posture(Role::Guard) == Posture::Deny)
    }

    /// Whether a hook can deny at all these events.
    pub(super) fn takes_deny(&self) -> bool {
        let mut contracts = self.contracts().peekable();
        contracts.peek().is_some() && contracts.all(Contract::deny)
    }

    /// Whether hooks can only watch.
    pub(super) fn is_watched(&self) -> bool {
        let mut contracts = self.contracts().peekable();
        contracts.peek().is_some() && contracts.all(|contract| contract.kind == EventKind::Observe)
    }

    /// Whether conditions on the tool may stand here.
    pub(super) fn has_tool(&self) -> bool {
        let mut contracts = self.contracts().peekable();
        contracts.peek().is_some() && contracts.all(|contract| contract.tool)
    }

    pub(super) fn is(&self, ours: &str) -> bool {
        self.ours.contains(&ours)
    }
}

/// Returns what a matcher of an event is tested against.
pub(super) fn subject(agent: Agent, event: &str, known: &Known) -> Subject {
    use Agent::{Claude, Codex, Copilot, Cursor, Defect, DockerAgent, Gemini, Kimi, Meerkat, Qwen};
    match (agent, event) {
        (Claude | Qwen, "PostToolBatch" | "UserPromptSubmit" | "Stop")
        | (
            Claude,
            "MessageDisplay" | "TaskCreated" | "TaskCompleted" | "TeammateIdle" | "CwdChanged",
        )
        | (Claude, "WorktreeCreate" | "WorktreeRemove")
        | (Codex, "UserPromptSubmit" | "Stop" | "Interrupt")
        | (Gemini, "BeforeAgent" | "AfterAgent" | "BeforeModel" | "AfterModel")
        | (Gemini, "BeforeToolSelection" | "Notification")
        | (Cursor, "sessionStart" | "sessionEnd" | "preCompact" | "workspaceOpen")
        | (Meerkat | Defect, _) => Subject::Nothing,
        (Cursor, "beforeShellExecution" | "afterShellExecution") => Subject::CommandLine,
        (Copilot, "postToolUseFailure" | "PostToolUseFailure") => Subject::Nothing,
        (Claude | Codex | Qwen, "SubagentStart" | "SubagentStop")
        | (Cursor, "subagentStart" | "subagentStop")
        | (Copilot, "subagentStart" | "SubagentStart") => Subject::AgentType,
        (_, _) if known.has_tool() => Subject::Tool,
        (Claude | Codex | Gemini | Qwen, "SessionStart") => Subject::Field("/source"),
        (Claude, "ConfigChange") => Subject::Field("/source"),
        (Claude | Codex | Gemini | Qwen, "SessionEnd") => Subject::Field("/reason"),
        (Claude | Codex | Qwen, "PreCompact")
        | (Gemini, "PreCompress")
        | (Copilot, "preCompact" | "PreCompact") => Subject::Field("/trigger"),
        (Claude | Qwen, "Notification") | (Copilot, "notification" | "Notification") => {
            Subject::Field("/notification_type")
        }
        (Copilot, _) => Subject::Nothing,
        (Kimi | DockerAgent, _) => Subject::Untranslatable,
        _ => Subject::Untranslatable,
    }
}

/// Returns how an agent reads the matchers of an event.
pub(super) fn rules(agent: Agent, event: &str) -> Rules {
    let rules = |style, all, trims| Rules { style, all, trims };
    match agent {
        Agent::Claude => {
            let also = if matches!(event, "FileChanged" | "StopFailure") { "" } else { " ,-" };
            let names = Style::NamesOrPart { also, separators: &['|', ','], trims: true };
            rules(names, &["", "*"], false)
        }
        Agent::Codex => {
            let names = Style::NamesOrPart { also: "", separators: &['|'], trims: false };
            rules(names, &["", "*"], false)
        }
        Agent::Gemini if matches!(event, "SessionStart" | "SessionEnd" | "PreCompress") => {
            rules(Style::Exact, &["", "*"], true)
        }
        Agent::Gemini => rules(Style::Part, &["", "*"], true),
        Agent::Qwen => rules(Style::Whole, &["", "*"], true),
        Agent::Cursor => rules(Style::Part, &["", "*"], false),
        Agent::Copilot if matches!(event, "PreToolUse" | "PermissionRequest") => {
            rules(Style::Whole, &["", "*", "**"], true)
        }
        Agent::Copilot => rules(Style::Whole, &[], false),
        Agent::Kimi => rules(Style::Part, &[""], false),
        _ => rules(Style::Whole, &["", "*"], false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_one_of_ours() {
        for agent in Agent::ALL {
            assert!(!names(agent).is_empty(), "{agent}");
            for name in names(agent) {
                for ours in find(agent, name).unwrap().ours {
                    let known = Event::from_name(ours).is_some() || ours.starts_with("x.");
                    assert!(known, "{agent} {name}: {ours}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_name_is_understood() {
        assert_eq!(meant(Agent::Claude, "preToolUse"), Some("PreToolUse"));
        assert_eq!(meant(Agent::Gemini, "PreToolUse"), Some("BeforeTool"));
        assert_eq!(meant(Agent::Claude, "BeforeTool"), Some("PreToolUse"));
        assert_eq!(meant(Agent::Cursor, "PreToolUse"), Some("preToolUse"));
        assert_eq!(meant(Agent::Codex, "pre_tool_use"), Some("PreToolUse"));
        assert_eq!(meant(Agent::Claude, "Sometimes"), None);
    }
}
