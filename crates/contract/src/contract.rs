//! What a verdict may say at each event: one static record for each.
//!
//! The engine checks every verdict against the contract of its event, the config checks roles and
//! postures against it, and `hookgate events` prints it. A rule that holds at some events only is a
//! field of the contract, so that no code outside of the list of events names an event.

mod builtin;
mod patch;

use crate::contribution::ContributionKind;
use crate::decision::VerdictDecision;
use crate::event::Event;
use crate::failure::Posture;
use crate::role::Role;
pub use builtin::{CONTRACTS, CUSTOM};
pub use patch::PatchField;

crate::name_enum! {
    /// What an event is for; it decides what a hook can do there.
    #[non_exhaustive]
    pub enum EventKind {
        /// Something is about to happen and may be refused.
        Gate = "gate",
        /// Something has happened; its result may be rewritten or withheld, not undone.
        Result = "result",
        /// Context may be added.
        Context = "context",
        /// Typed contributions are taken.
        Contribute = "contribute",
        /// The event can only be watched.
        Observe = "observe",
    }
}

/// What a verdict may say at one event.
///
/// The contracts of the built-in events are [`CONTRACTS`]; an embedder writes the contract of its
/// own event with [`Contract::custom`], and adds to it what else hooks may do there.
///
/// ```
/// use hookgate_contract::{Contract, EventKind, VerdictDecision};
///
/// static DEPLOY: Contract =
///     Contract::custom("x.deploy", EventKind::Gate).about("a release goes out").may_ask();
/// assert!(DEPLOY.allows(VerdictDecision::Deny) && DEPLOY.allows(VerdictDecision::Ask));
/// assert!(!DEPLOY.allows(VerdictDecision::Halt));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Whether the event can be denied only so many times in a row (`[limits] stop_denials`), so
    /// that hooks cannot keep an agent running for ever.
    pub limits_denials: bool,
    /// Whether an allow is an approval, which only a hook with `may_allow` can give.
    pub allow_approves: bool,
    /// Whether the session ends with the event: the engine then forgets what it keeps of it.
    pub ends_session: bool,
    /// What happens here, as a clause: `a tool is about to run`.
    pub about: &'static str,
    /// What the runtime does after a deny, as a clause; empty if the event cannot be denied.
    pub on_deny: &'static str,
}

/// Setters of the rules, each of which is a flag.
macro_rules! rules {
    ($($(#[$doc:meta])* $setter:ident: $flag:ident,)*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $setter(mut self) -> Self {
            self.$flag = true;
            self
        }
    )* };
}

impl Contract {
    /// Describes an event `x.<name>` of the embedder, which takes what its kind gives.
    /// A gate and a result can be denied, at a context event context can be added, and at all but an
    /// observed event a verdict may allow and contribute.
    #[must_use]
    pub const fn custom(name: &'static str, kind: EventKind) -> Self {
        Self::new(Event::Custom, name, kind)
            .about("an event of the embedder")
            .on_deny("the step does not happen")
    }

    const fn new(event: Event, name: &'static str, kind: EventKind) -> Self {
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
            limits_denials: false,
            allow_approves: false,
            ends_session: false,
            about: "",
            on_deny: "",
        }
    }

    /// Returns whether another contract is of the same event and lets a verdict say the same. What both say
    /// about it in prose does not count.
    ///
    /// ```
    /// use hookgate_contract::{Contract, EventKind};
    ///
    /// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
    /// assert!(DEPLOY.has_rules_of(&DEPLOY.about("a release goes out")));
    /// assert!(!DEPLOY.has_rules_of(&Contract::custom("x.deploy", EventKind::Context)));
    /// ```
    #[must_use]
    pub fn has_rules_of(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || Self { about: self.about, on_deny: self.on_deny, ..*other } == *self
    }

    /// Says what happens here, as a clause.
    #[must_use]
    pub const fn about(mut self, clause: &'static str) -> Self {
        self.about = clause;
        self
    }

    /// Says what the runtime does after a deny, as a clause.
    #[must_use]
    pub const fn on_deny(mut self, clause: &'static str) -> Self {
        self.on_deny = clause;
        self
    }

    /// Names the fields that a patch may set.
    #[must_use]
    pub const fn takes_patch(mut self, fields: &'static [PatchField]) -> Self {
        self.patch = fields;
        self
    }

    /// Names the contributions that are taken, in place of those that the kind gives.
    #[must_use]
    pub const fn takes_contributions(mut self, kinds: &'static [ContributionKind]) -> Self {
        self.contributions = kinds;
        self
    }

    rules! {
        /// Lets hooks ask the user.
        may_ask: ask,
        /// Lets hooks stop the run.
        may_halt: halt,
        /// Lets hooks add context.
        takes_context: context,
        /// Lets rewriters supply the result.
        takes_answer: answer,
        /// Says that the step is about a tool: [`Payload::tool`](crate::payload::Payload::tool) then
        /// names it, and hooks can select by tool.
        about_tool: tool,
        /// Lets the step go on by default when a guard fails.
        fails_open: fails_open,
        /// Bounds how many times in a row the event can be denied.
        limits_denials: limits_denials,
        /// Makes an allow an approval, which only a hook with `may_allow` can give.
        allow_approves: allow_approves,
        /// Says that the session ends with the event.
        ends_session: ends_session,
    }

    /// Tells whether a hook can deny here.
    #[must_use]
    pub const fn deny(&self) -> bool {
        matches!(self.kind, EventKind::Gate | EventKind::Result)
    }

    /// Tells whether a verdict may hold this decision here.
    #[must_use]
    pub const fn allows(&self, decision: VerdictDecision) -> bool {
        match decision {
            VerdictDecision::Allow => !matches!(self.kind, EventKind::Observe),
            VerdictDecision::Ask => self.ask,
            VerdictDecision::Deny => self.deny(),
            VerdictDecision::Halt => self.halt,
        }
    }

    /// Returns the decision that comes nearest to one that was salvaged from a failed hook, without
    /// being weaker: an `ask` or `halt` that does not exist here is a deny. `None` if the event
    /// cannot be denied either.
    #[must_use]
    pub const fn nearest(&self, decision: VerdictDecision) -> Option<VerdictDecision> {
        if self.allows(decision) {
            Some(decision)
        } else if self.deny() && !matches!(decision, VerdictDecision::Allow) {
            Some(VerdictDecision::Deny)
        } else {
            None
        }
    }

    /// Returns the field that a patch may set under this name.
    #[must_use]
    pub fn patch_field(&self, name: &str) -> Option<&'static PatchField> {
        self.patch.iter().find(|field| field.name == name)
    }

    /// Tells whether a hook can have this role here.
    #[must_use]
    pub const fn takes_role(&self, role: Role) -> bool {
        match role {
            Role::Observe => true,
            Role::Guard => !matches!(self.kind, EventKind::Observe),
            Role::Rewrite => !self.patch.is_empty() || self.answer,
        }
    }

    /// Returns the role of a hook that names none and whose handler declares none.
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

    /// Tells whether a failed hook can count as `posture` here.
    #[must_use]
    pub const fn takes_posture(&self, posture: Posture) -> bool {
        match posture {
            Posture::Deny => self.deny(),
            Posture::Ask => self.ask,
            Posture::Allow => true,
        }
    }

    /// Returns what a failed hook counts as if its definition does not say.
    #[must_use]
    pub const fn default_posture(&self, role: Role) -> Posture {
        match role {
            Role::Guard | Role::Rewrite if self.deny() && !self.fails_open => Posture::Deny,
            _ => Posture::Allow,
        }
    }
}

/// Tells whether a handler makes sense at an event, and if not, why.
pub type Supports = fn(&Contract) -> Result<(), &'static str>;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::JsonType;

    #[test]
    fn the_contract_of_an_event_is_at_its_index() {
        for (index, contract) in CONTRACTS.iter().enumerate() {
            assert_eq!(contract.event.index(), index, "{}", contract.name);
            assert_eq!(contract.event.name(), contract.name);
            assert_eq!(Event::from_name(contract.name), Some(contract.event));
            assert_eq!(contract.deny(), !contract.on_deny.is_empty(), "{}", contract.name);
            assert!(!contract.limits_denials || contract.deny(), "{}", contract.name);
        }
        assert_eq!(Event::Custom.contract().name, "x.*");
    }

    #[test]
    fn rules_of_single_events_are_fields_of_their_contract() {
        let names = |rule: fn(&Contract) -> bool| -> Vec<_> {
            CONTRACTS.iter().filter(|c| rule(c)).map(|c| c.name).collect()
        };
        assert_eq!(names(|c| c.limits_denials), ["stop", "subagent_stop"]);
        assert_eq!(names(|c| c.allow_approves), ["permission_request"]);
        assert_eq!(names(|c| c.ends_session), ["session_end"]);
        assert_eq!(names(|c| c.fails_open), ["stop", "subagent_stop", "pre_compact"]);
    }

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

    #[test]
    fn rules_are_what_a_verdict_may_say_and_not_how_that_is_told() {
        let plain = Contract::custom("x.a", EventKind::Gate);
        assert!(plain.has_rules_of(&plain.about("b").on_deny("c")));
        assert!(plain.about("b").on_deny("c").has_rules_of(&plain));
        assert!(!plain.has_rules_of(&plain.may_ask()));
        assert!(!plain.has_rules_of(&Contract::custom("x.b", EventKind::Gate)));
    }

    #[test]
    fn what_a_broken_hook_has_said_becomes_no_weaker() {
        let nearest = |event: Event, said| event.contract().nearest(said);
        let [ask, deny, halt, allow] = [
            VerdictDecision::Ask,
            VerdictDecision::Deny,
            VerdictDecision::Halt,
            VerdictDecision::Allow,
        ];
        assert_eq!(nearest(Event::PreToolUse, ask), Some(ask));
        assert_eq!(nearest(Event::SubagentStop, halt), Some(deny));
        assert_eq!(nearest(Event::SubagentStop, ask), Some(deny));
        for said in [ask, deny, halt] {
            assert_eq!(nearest(Event::SessionEnd, said), None, "{said}");
        }
        // An allow is no reason to deny.
        let contract = Contract { kind: EventKind::Observe, ..*Event::SubagentStop.contract() };
        assert_eq!(contract.nearest(allow), None);
    }

    #[test]
    fn a_role_needs_something_that_it_can_do() {
        let takes = |event: Event| {
            [Role::Observe, Role::Guard, Role::Rewrite]
                .map(|role| event.contract().takes_role(role))
        };
        assert_eq!(takes(Event::PreToolUse), [true, true, true]);
        assert_eq!(takes(Event::SubagentStop), [true, true, false]);
        assert_eq!(takes(Event::SessionEnd), [true, false, false]);
    }

    #[test]
    fn a_field_admits_its_type_and_null_only_if_that_clears_it() {
        let field = PatchField::new("a", JsonType::Count);
        let admitted = |field: PatchField| {
            [json!(1), json!(null), json!("1")].map(|value| field.admits(&value))
        };
        assert_eq!(admitted(field), [true, false, false]);
        assert_eq!(admitted(field.nullable()), [true, true, false]);
    }
}
