//! The events of an agent, and what it does with an answer at each.

use crate::name_enum;

use crate::event::Event;

name_enum! {
    /// Something that an agent may do with the answer of a hook.
    #[non_exhaustive]
    pub enum HostEffect {
        /// It does not take the action. After the action: it hides the result from the model.
        Deny = "deny",
        /// It asks its user.
        Ask = "ask",
        /// It takes the action without asking its user.
        Allow = "allow",
        /// It uses the changed arguments, prompt or request.
        Rewrite = "rewrite",
        /// It uses the changed result.
        RewriteResult = "rewrite_result",
        /// It takes a result in place of the action.
        Answer = "answer",
        /// It goes on working, with the reason as feedback.
        KeepGoing = "keep_going",
        /// It shows the model a text.
        Context = "context",
        /// It shows its user a text.
        Message = "message",
        /// It ends the turn or the session.
        Halt = "halt",
    }
}

/// An event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostEvent {
    /// Its name, as the agent writes it.
    pub name: &'static str,
    /// The event of ours that it is: `pre_tool_use`, or `x.claude.file_changed` if there is no other.
    pub ours: &'static str,
    /// What the agent does with an answer.
    pub effects: &'static [HostEffect],
    /// What a deny means here, as a clause; empty if there is none.
    pub on_deny: &'static str,
    /// What is impossible or surprising here, as sentences; empty if nothing is.
    pub note: &'static str,
    /// What becomes of plain text that a script prints in place of an object, as a clause without a verb: `context for
    /// the model`; empty if nothing does, or if that is not known.
    pub plain_text: &'static str,
    /// Its fields that have another name in our payload: theirs, and ours.
    pub fields: &'static [(&'static str, &'static str)],
}

impl HostEvent {
    /// Describes an event.
    #[must_use]
    pub const fn new(
        name: &'static str,
        ours: &'static str,
        effects: &'static [HostEffect],
    ) -> Self {
        Self { name, ours, effects, on_deny: "", note: "", plain_text: "", fields: &[] }
    }

    /// Says what a deny means.
    #[must_use]
    pub const fn on_deny(mut self, text: &'static str) -> Self {
        self.on_deny = text;
        self
    }

    /// Says what is impossible or surprising.
    #[must_use]
    pub const fn note(mut self, text: &'static str) -> Self {
        self.note = text;
        self
    }

    /// Says what becomes of plain text that a script prints.
    #[must_use]
    pub const fn plain_text(mut self, text: &'static str) -> Self {
        self.plain_text = text;
        self
    }

    /// Names the fields that have another name in our payload: theirs, and ours.
    #[must_use]
    pub const fn fields(mut self, fields: &'static [(&'static str, &'static str)]) -> Self {
        self.fields = fields;
        self
    }

    /// Tells whether a step must not happen here that could not be judged: the agent obeys a deny, and
    /// the event is not one that goes on after a failure (a stop that is refused for ever, say).
    #[must_use]
    pub fn fails_closed(&self) -> bool {
        let fails_open =
            Event::from_name(self.ours).is_some_and(|event| event.contract().fails_open);
        self.can(HostEffect::Deny) && !fails_open
    }

    /// Tells whether the agent does this with an answer.
    #[must_use]
    pub fn can(&self, effect: HostEffect) -> bool {
        self.effects.contains(&effect)
    }
}
