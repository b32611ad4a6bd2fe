//! A decision, and the answer that an agent gets.

use serde_json::{Map, Value};

use super::event::{HostEffect, HostEvent};
use crate::decision::VerdictDecision;
use crate::verdict::Answer;

/// What was decided about a step, as far as an agent can be told.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct HostDecision<'a> {
    /// The decision; `None` if no hook had an opinion.
    pub decision: Option<VerdictDecision>,
    /// Why.
    pub reason: Option<&'a str>,
    /// The fields of our payload that were changed, with their last values.
    pub patch: &'a Map<String, Value>,
    /// The result that a hook supplied in place of the step.
    pub answer: Option<&'a Answer>,
    /// Texts for the model.
    pub context: &'a [String],
    /// Texts for the user.
    pub messages: &'a [String],
}

impl<'a> HostDecision<'a> {
    /// Makes a decision without anything beside it.
    #[must_use]
    pub const fn new(
        decision: Option<VerdictDecision>,
        reason: Option<&'a str>,
        patch: &'a Map<String, Value>,
    ) -> Self {
        Self { decision, reason, patch, answer: None, context: &[], messages: &[] }
    }

    /// Adds the result in place of the step.
    #[must_use]
    pub const fn answer(mut self, answer: Option<&'a Answer>) -> Self {
        self.answer = answer;
        self
    }

    /// Adds texts for the model and for the user.
    #[must_use]
    pub const fn texts(mut self, context: &'a [String], messages: &'a [String]) -> Self {
        self.context = context;
        self.messages = messages;
        self
    }
}

/// Something that was decided and that the agent cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What it cannot do.
    pub effect: HostEffect,
    /// What happens instead, as a sentence.
    pub instead: String,
}

impl Loss {
    /// Describes a loss.
    #[must_use]
    pub fn new(effect: HostEffect, instead: impl Into<String>) -> Self {
        Self { effect, instead: instead.into() }
    }
}

/// How a hook command ends, so that the agent does what was decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostAnswer {
    /// What goes to stdout, whole: one JSON object, or nothing.
    pub stdout: String,
    /// What goes to stderr.
    pub stderr: String,
    /// The exit status.
    pub exit: u8,
    /// What was decided and cannot be done.
    pub losses: Vec<Loss>,
}

impl HostAnswer {
    /// Says nothing: the agent goes on as if there were no hook.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// Answers with one JSON object and the exit status 0.
    #[must_use]
    pub fn json(object: &Value) -> Self {
        Self { stdout: object.to_string(), ..Self::default() }
    }

    /// Says no by the exit status 2, with the reason on stderr.
    #[must_use]
    pub fn exit_2(reason: &str) -> Self {
        // Some agents take an empty text for a failure of the hook.
        let reason = if reason.trim().is_empty() { "denied by a hook" } else { reason };
        Self { stderr: reason.to_owned(), exit: 2, ..Self::default() }
    }

    /// Makes the refusal that most agents obey: [`exit_2`](Self::exit_2), or silence with the reason for people
    /// at an event that does not [fail closed](HostEvent::fails_closed). An event that is not known does.
    #[must_use]
    pub fn refusal(event: Option<&HostEvent>, reason: &str) -> Self {
        match event {
            Some(event) if !event.fails_closed() => Self::silent().note(reason),
            _ => Self::exit_2(reason),
        }
    }

    /// Adds a text on stderr, for people and logs.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.stderr = text.into();
        self
    }

    /// Adds what cannot be done.
    #[must_use]
    pub fn lose(mut self, loss: Loss) -> Self {
        self.losses.push(loss);
        self
    }
}
