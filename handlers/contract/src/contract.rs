//! What a verdict may say at each event: one static record per event, the single source for
//! parsing, checks, schemas and documentation.

mod events;

use crate::contribution::ContributionKind;
use crate::event::Event;
use crate::failure::Posture;
use crate::role::Role;
use crate::verdict::VerdictDecision;
pub use events::CONTRACTS;

/// What an event is for; it decides what a hook can do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// Something is about to happen and may be refused.
    Gate,
    /// Something has happened; its result may be rewritten or withheld, not undone.
    Result,
    /// Context may be added.
    Context,
    /// Typed contributions are taken.
    Contribute,
    /// Nothing may be said, only watched.
    Observe,
}

impl EventKind {
    /// The name used in listings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Result => "result",
            Self::Context => "context",
            Self::Contribute => "contribute",
            Self::Observe => "observe",
        }
    }
}

/// The JSON type of a field that a patch may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonType {
    /// A string.
    Text,
    /// Any value but null.
    Json,
    /// An object.
    Object,
    /// A whole number that is not negative.
    Count,
    /// A finite number.
    Number,
    /// true or false.
    Flag,
    /// An array.
    List,
    /// An array of strings.
    Names,
}

impl JsonType {
    /// Tells whether a value has this shape.
    #[must_use]
    pub fn admits(self, value: &serde_json::Value) -> bool {
        use serde_json::Value;
        match self {
            Self::Text => value.is_string(),
            Self::Json => !value.is_null(),
            Self::Object => value.is_object(),
            Self::Count => value.is_u64(),
            Self::Number => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Names => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        }
    }

    /// The shape in words, for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Json => "a value other than null",
            Self::Object => "an object",
            Self::Count => "a whole number, 0 or more",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::List => "an array",
            Self::Names => "an array of strings",
        }
    }
}

/// One field that a patch may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatchField {
    /// The name on the wire.
    pub name: &'static str,
    /// The type that a value must have.
    pub shape: JsonType,
    /// Whether `null` clears the field.
    pub nullable: bool,
}

/// What a verdict may say at one event.
///
/// The contracts of the built-in events are in [`CONTRACTS`]; an embedder writes that of its own
/// event with [`Contract::custom`].
///
/// ```
/// use hookgate_contract::{Contract, EventKind, VerdictDecision};
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate).may_ask();
/// assert!(DEPLOY.allows(VerdictDecision::Deny) && DEPLOY.allows(VerdictDecision::Ask) && !DEPLOY.allows(VerdictDecision::Halt));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contract {
    /// The name of the event on the wire.
    pub name: &'static str,
    /// The event.
    pub event: Event,
    /// What the event is for.
    pub kind: EventKind,
    /// Whether a hook can ask the user here.
    pub ask: bool,
    /// Whether a hook can stop the whole run here.
    pub halt: bool,
    /// Whether a hook can add context here.
    pub context: bool,
    /// Whether a rewriter can supply the result itself, so that the step does not run.
    pub answer: bool,
    /// Whether the step is about a tool.
    pub tool: bool,
    /// The fields that a patch may set, in the order in which they are applied.
    pub patch: &'static [PatchField],
    /// The contributions that are taken here.
    pub contributions: &'static [ContributionKind],
    /// Whether the failure of a guard lets the step go on by default, although it could be denied.
    pub fails_open: bool,
    /// What happens here, in a sentence.
    pub about: &'static str,
    /// What the runtime does on a deny.
    pub on_deny: &'static str,
}

impl Contract {
    /// The contract of an event `x.<name>` of the embedder: nothing but what the kind gives.
    #[must_use]
    pub const fn custom(name: &'static str, kind: EventKind) -> Self {
        Self::new(Event::Custom, name, kind, "an event of the embedder", "the step does not happen")
    }

    const fn new(
        event: Event,
        name: &'static str,
        kind: EventKind,
        about: &'static str,
        on_deny: &'static str,
    ) -> Self {
        Self {
            name,
            event,
            kind,
            ask: false,
            halt: false,
            context: matches!(kind, EventKind::Context),
            answer: false,
            tool: false,
            patch: &[],
            contributions: match kind {
                EventKind::Observe => &[],
                _ => ContributionKind::ANYWHERE,
            },
            fails_open: false,
            about,
            on_deny,
        }
    }

    /// Lets hooks ask the user.
    #[must_use]
    pub const fn may_ask(mut self) -> Self {
        self.ask = true;
        self
    }

    /// Lets hooks stop the run.
    #[must_use]
    pub const fn may_halt(mut self) -> Self {
        self.halt = true;
        self
    }

    /// Lets hooks add context.
    #[must_use]
    pub const fn takes_context(mut self) -> Self {
        self.context = true;
        self
    }

    /// Lets rewriters supply the result.
    #[must_use]
    pub const fn takes_answer(mut self) -> Self {
        self.answer = true;
        self
    }

    /// Names the fields that a patch may set.
    #[must_use]
    pub const fn takes_patch(mut self, fields: &'static [PatchField]) -> Self {
        self.patch = fields;
        self
    }

    /// Names the contributions that are taken, in place of those of the kind.
    #[must_use]
    pub const fn takes_contributions(mut self, kinds: &'static [ContributionKind]) -> Self {
        self.contributions = kinds;
        self
    }

    const fn about_tool(mut self) -> Self {
        self.tool = true;
        self
    }

    const fn failing_open(mut self) -> Self {
        self.fails_open = true;
        self
    }

    /// Whether a hook can deny here.
    #[must_use]
    pub const fn deny(&self) -> bool {
        matches!(self.kind, EventKind::Gate | EventKind::Result)
    }

    /// Whether a decision may be spoken here.
    #[must_use]
    pub const fn allows(&self, word: VerdictDecision) -> bool {
        match word {
            VerdictDecision::Allow => !matches!(self.kind, EventKind::Observe),
            VerdictDecision::Ask => self.ask,
            VerdictDecision::Deny => self.deny(),
            VerdictDecision::Halt => self.halt,
        }
    }

    /// The decision that comes nearest to one that a failed hook spoke, without being weaker where
    /// the event can express that: an `ask` or `halt` that does not exist here is a deny.
    #[must_use]
    pub const fn nearest(&self, word: VerdictDecision) -> Option<VerdictDecision> {
        if self.allows(word) {
            Some(word)
        } else if self.deny() && !matches!(word, VerdictDecision::Allow) {
            Some(VerdictDecision::Deny)
        } else {
            None
        }
    }

    /// The field that a patch may set under this name.
    #[must_use]
    pub fn patch_field(&self, name: &str) -> Option<&'static PatchField> {
        self.patch.iter().find(|field| field.name == name)
    }

    /// Whether a hook can have this role here.
    #[must_use]
    pub const fn takes_role(&self, role: Role) -> bool {
        match role {
            Role::Observe => true,
            Role::Guard => !matches!(self.kind, EventKind::Observe),
            Role::Rewrite => !self.patch.is_empty() || self.answer,
        }
    }

    /// The role of a hook that names none and whose handler declares none.
    #[must_use]
    pub const fn default_role(&self) -> Role {
        match self.kind {
            EventKind::Observe => Role::Observe,
            EventKind::Result => {
                if self.patch.is_empty() {
                    Role::Guard
                } else {
                    Role::Rewrite
                }
            }
            EventKind::Gate | EventKind::Context | EventKind::Contribute => Role::Guard,
        }
    }

    /// Whether a failed hook can count as `posture` here.
    #[must_use]
    pub const fn takes_posture(&self, posture: Posture) -> bool {
        match posture {
            Posture::Deny => self.deny(),
            Posture::Ask => self.ask,
            Posture::Allow => true,
        }
    }

    /// What a failed hook counts as when it says nothing about that.
    #[must_use]
    pub const fn default_posture(&self, role: Role) -> Posture {
        match role {
            Role::Guard | Role::Rewrite if self.deny() && !self.fails_open => Posture::Deny,
            _ => Posture::Allow,
        }
    }
}

/// The contract of an `x.*` event that nobody registered, as the command line meets it: a gate
/// that may also ask, halt and take context.
pub static CUSTOM: Contract =
    Contract::custom("x.*", EventKind::Gate).may_ask().may_halt().takes_context();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ask_exists_at_four_events() {
        let asking: Vec<_> = CONTRACTS.iter().filter(|c| c.ask).map(|c| c.name).collect();
        assert_eq!(
            asking,
            ["user_prompt_submit", "pre_tool_use", "permission_request", "config_change"]
        );
    }

    #[test]
    fn a_default_posture_is_one_that_the_event_can_take() {
        for contract in &CONTRACTS {
            for role in [Role::Observe, Role::Guard, Role::Rewrite] {
                assert!(
                    contract.takes_posture(contract.default_posture(role)),
                    "{}",
                    contract.name
                );
            }
            assert!(contract.takes_role(contract.default_role()), "{}", contract.name);
        }
    }

    #[test]
    fn a_crashed_hook_keeps_no_agent_running() {
        for event in [Event::Stop, Event::SubagentStop, Event::PreCompact] {
            assert_eq!(event.contract().default_posture(Role::Guard), Posture::Allow);
        }
        assert_eq!(Event::PreToolUse.contract().default_posture(Role::Guard), Posture::Deny);
        assert_eq!(Event::PreToolUse.contract().default_posture(Role::Observe), Posture::Allow);
    }
}
