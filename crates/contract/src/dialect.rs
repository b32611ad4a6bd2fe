//! How an agent talks to its hooks: the envelope that it sends, the answer that it obeys, and what it
//! cannot do.
//!
//! Each coding agent has a form of its own. A [`Dialect`] maps it both ways:
//!
//! ```text
//! the agent calls hookgate:   its envelope ──read──▶ HostStep ──▶ engine ──▶ HostDecision ──answer──▶ HostAnswer
//! hookgate calls a script     our envelope ──write─▶ ScriptInput ──▶ script ──▶ ScriptOutput ──reply──▶ verdict
//! that was written for it:
//! ```
//!
//! Both are total: whatever comes in, something definite comes out. What the agent cannot do is data
//! ([`HostEvent::effects`]), so that a page, `hookgate doctor` and the answer itself say the same.

mod answer;
mod call;
mod event;
mod script;
mod tool;

use std::fmt;

use serde_json::{Map, Value};

use crate::handler::Reply;

pub use answer::{HostAnswer, HostDecision, Loss};
pub use call::{ScriptAgent, ScriptCall};
pub use event::{HostEffect, HostEvent};
pub use script::{ScriptInput, ScriptOutput};
pub use tool::{HostTool, ToolArgument, ToolKind};

/// An envelope that cannot be read as one of this agent's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DialectError {
    /// The envelope does not say its event, and nobody else does.
    #[error("the envelope does not name its event (`{field}`)")]
    NoEvent {
        /// The field that the agent names it in.
        field: &'static str,
    },
    /// The agent has no event of this name.
    #[error("{agent} has no event `{name}`")]
    UnknownEvent {
        /// The agent.
        agent: &'static str,
        /// The name.
        name: String,
    },
    /// A field of the envelope is missing, or is of another type.
    #[error("{event}: `{field}` must be {expected}")]
    Field {
        /// The event, as the agent names it.
        event: String,
        /// The field.
        field: String,
        /// What it must be, in words.
        expected: &'static str,
    },
    /// Our envelope is about an event that the agent does not have.
    #[error("{agent} has no event for `{event}`")]
    NoCounterpart {
        /// The agent.
        agent: &'static str,
        /// Our event.
        event: String,
    },
}

/// A step that an agent sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HostStep {
    /// The event of the agent.
    pub event: &'static HostEvent,
    /// The step as an envelope of ours, with `hook_event_name`. What has no field of ours is under `host`.
    pub envelope: Map<String, Value>,
    /// What the agent sent, as it came: an answer may have to give whole objects back.
    pub native: Map<String, Value>,
}

impl HostStep {
    /// Makes a step.
    #[must_use]
    pub const fn new(
        event: &'static HostEvent,
        envelope: Map<String, Value>,
        native: Map<String, Value>,
    ) -> Self {
        Self { event, envelope, native }
    }
}

/// The form in which one agent talks to its hooks.
pub trait Dialect: fmt::Debug + Send + Sync {
    /// Returns the name, as in `hookgate hook --agent NAME` and `dialect = "NAME"`: `claude`.
    fn name(&self) -> &'static str;

    /// Returns the name for people: `Claude Code`.
    fn title(&self) -> &'static str;

    /// Returns the events of the agent, and what it does with an answer at each.
    fn events(&self) -> &'static [HostEvent];

    /// Reads an envelope of the agent. `event` is the name of the event if the command line gives it;
    /// what the envelope itself says goes first.
    ///
    /// # Errors
    /// If it is no envelope of the agent. The caller refuses the step with [`Dialect::refuse`].
    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError>;

    /// Says a decision in the form that the agent obeys. What the agent cannot do becomes the nearest
    /// stricter thing that it can, and is listed in [`HostAnswer::losses`].
    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer;

    /// Refuses a step that could not be judged: its envelope cannot be read, its event is not known, or
    /// hookgate itself failed. `event` is its name as far as it is known. At an event that does not
    /// [fail closed](HostEvent::fails_closed) it is the neutral answer, with the reason for people.
    ///
    /// What most agents obey is an exit status of 2 with a text on stderr and nothing on stdout.
    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        HostAnswer::refusal(event.and_then(|name| self.event(name)), reason)
    }

    /// Writes an envelope of ours as the agent would send it to a script.
    ///
    /// # Errors
    /// [`DialectError::NoCounterpart`] if the agent has no such event.
    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError>;

    /// Reads what a script answered that was written for the agent.
    ///
    /// A script that the agent itself would let pass after a failure has failed here: the posture of the
    /// hook says what that counts as.
    ///
    /// # Errors
    /// A failure of the script, which counts as the posture of its hook says.
    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply;

    /// Tells whether a script is asked once about a step, because the protocol says so: see
    /// [`BuiltHandler::once`](crate::BuiltHandler::once).
    fn asks_once(&self) -> bool {
        false
    }

    /// Returns the tools of the agent that others have as well: a script that was written for it is told of
    /// their calls under its names.
    fn tools(&self) -> &'static [HostTool] {
        &[]
    }

    /// Tells whether the agent has this of its tools at one of its events: an agent may name its tools in
    /// the style of the event.
    fn calls_tool(&self, _event: &str, _tool: &str) -> bool {
        true
    }

    /// Returns the event of a name of the agent.
    fn event(&self, name: &str) -> Option<&'static HostEvent> {
        self.events().iter().find(|event| event.name == name)
    }
}
