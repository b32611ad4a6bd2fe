//! The interception points of an agent, by name.

use std::fmt;

use crate::contract::{CONTRACTS, CUSTOM, Contract};

/// An interception point. The name on the wire is snake_case: `pre_tool_use`.
///
/// All events that an embedder defines itself (`x.<name>`) share [`Event::Custom`]; which one is
/// meant stands in their contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each event is described by its contract, see `Contract::about`")]
pub enum Event {
    SessionStart,
    SessionResume,
    SessionEnd,
    RunStarted,
    RunCompleted,
    RunFailed,
    UserPromptSubmit,
    UserPromptAccepted,
    UserInputRequested,
    TurnPolicy,
    TurnStart,
    PromptContext,
    PromptContextPlanned,
    ToolSelection,
    PromptCompile,
    PromptCompiled,
    PreLlmRequest,
    PostLlmResponse,
    PreToolUse,
    PermissionRequest,
    PermissionDecided,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    TurnBoundary,
    Stop,
    SubagentStart,
    SubagentStop,
    AgentSwitch,
    PreCompact,
    PostCompact,
    MaxIterations,
    Notification,
    ConfigChange,
    WorktreeCreate,
    Custom,
}

impl Event {
    /// How many events there are, [`Event::Custom`] included.
    pub const COUNT: usize = {
        let count = Self::Custom as usize + 1;
        assert!(count <= 64, "the armed set is one word");
        count
    };

    /// The place of this event in arrays that are indexed by event.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The bit of this event in a set of events.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }

    /// What a verdict may say at this event.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "the index is checked just before")]
    pub const fn contract(self) -> &'static Contract {
        if self.index() < CONTRACTS.len() { &CONTRACTS[self.index()] } else { &CUSTOM }
    }

    /// The canonical name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.contract().name
    }

    /// The event of a canonical name. Aliases are another matter: see [`crate::alias::resolve`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        CONTRACTS.iter().find(|contract| contract.name == name).map(|contract| contract.event)
    }

    /// All events that have a name of their own, in the order of a session.
    pub fn all() -> impl Iterator<Item = Self> {
        CONTRACTS.iter().map(|contract| contract.event)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Tells whether a name is that of an event which an embedder defines: `x.` and at least one
/// character out of `a-z 0-9 _ . -`.
#[must_use]
pub fn is_custom_name(name: &str) -> bool {
    name.strip_prefix("x.").is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_of_an_event_is_at_its_index() {
        for (index, contract) in CONTRACTS.iter().enumerate() {
            assert_eq!(contract.event.index(), index, "{}", contract.name);
            assert_eq!(Event::from_name(contract.name), Some(contract.event));
        }
        assert_eq!(CONTRACTS.len() + 1, Event::COUNT);
    }

    #[test]
    fn custom_names() {
        assert!(is_custom_name("x.deploy"));
        assert!(is_custom_name("x.my-app.deploy_2"));
        for bad in ["x.", "deploy", "x.Deploy", "x.a b", "y.deploy"] {
            assert!(!is_custom_name(bad), "{bad}");
        }
    }
}
