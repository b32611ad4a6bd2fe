//! The eight points of an agent's life, and what a context has at each.

use hookgate_contract::Event;
use hookgate_contract::name_enum;

name_enum! {
    /// A point in an agent's life at which interceptors are asked.
    ///
    /// ```
    /// use hookgate_agent_hooks::InterceptionPoint;
    ///
    /// let point = InterceptionPoint::from_name("pre_tool_call").unwrap();
    /// assert!(point.may_transform() && point.may_ask());
    /// assert!(!InterceptionPoint::AgentShutdown.may_transform());
    /// ```
    #[derive(PartialOrd, Ord)]
    pub enum InterceptionPoint {
        /// A session begins, before its first input.
        AgentStartup = "agent_startup",
        /// A request comes in.
        Input = "input",
        /// The model is about to be called.
        PreModelCall = "pre_model_call",
        /// The model has answered.
        PostModelCall = "post_model_call",
        /// A tool is about to run.
        PreToolCall = "pre_tool_call",
        /// A tool has run.
        PostToolCall = "post_tool_call",
        /// The answer is about to go to the caller.
        Output = "output",
        /// The session has ended.
        AgentShutdown = "agent_shutdown",
    }
}

/// A member that a context must have, and which of its own members it must have; without any, the
/// member counts whole.
pub(crate) type Member = (&'static str, &'static [&'static str]);

/// What every context has.
pub(crate) const CORE: &[Member] = &[
    ("spec", &[]),
    ("interception_point", &[]),
    ("timestamp", &[]),
    ("sequence", &[]),
    ("agent", &["id", "framework"]),
    ("session", &["id"]),
    ("target", &[]),
];

impl InterceptionPoint {
    /// Tells whether a verdict may change the target here.
    #[must_use]
    pub const fn may_transform(self) -> bool {
        !matches!(self, Self::AgentStartup | Self::AgentShutdown)
    }

    /// Tells whether a person can be asked here, so that an approval can lift a deny. Elsewhere a
    /// liftable deny stands.
    #[must_use]
    pub const fn may_ask(self) -> bool {
        matches!(self, Self::Input | Self::PreToolCall)
    }

    /// Returns the events of the engine that are this point: a tool that fails has one of its own.
    #[must_use]
    pub const fn events(self) -> &'static [Event] {
        match self {
            Self::AgentStartup => &[Event::RunStarted],
            Self::Input => &[Event::UserPromptSubmit],
            Self::PreModelCall => &[Event::PreLlmRequest],
            Self::PostModelCall => &[Event::PostLlmResponse],
            Self::PreToolCall => &[Event::PreToolUse],
            Self::PostToolCall => &[Event::PostToolUse, Event::PostToolUseFailure],
            Self::Output => &[Event::RunCompleted],
            Self::AgentShutdown => &[Event::SessionEnd],
        }
    }

    /// Returns the point of an event of the engine, if it is one.
    #[must_use]
    pub fn of_event(name: &str) -> Option<Self> {
        let is = |point: &Self| point.events().iter().any(|event| event.name() == name);
        Self::ALL.into_iter().find(is)
    }

    /// What a context has at this point beside the core.
    pub(crate) const fn members(self) -> &'static [Member] {
        match self {
            Self::AgentStartup => &[("agent_init", &["tools_registered"])],
            Self::Input => &[("input", &["content", "role"])],
            Self::PreModelCall => &[("model", &["id"]), ("messages", &[])],
            Self::PostModelCall => {
                &[("model", &["id"]), ("response", &["content", "tool_calls", "finish_reason"])]
            }
            Self::PreToolCall => &[("tool_call", &["id", "name", "args"])],
            Self::PostToolCall => {
                &[("tool_call", &["id", "name", "args"]), ("tool_result", &["value", "is_error"])]
            }
            Self::Output => &[("output", &["content"])],
            Self::AgentShutdown => &[("summary", &["reason"])],
        }
    }

    /// Where the target is: a member of the context, and perhaps a member of that.
    pub(crate) const fn target(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::AgentStartup => ("agent_init", None),
            Self::Input => ("input", None),
            Self::PreModelCall => ("messages", None),
            Self::PostModelCall => ("response", None),
            Self::PreToolCall => ("tool_call", Some("args")),
            Self::PostToolCall => ("tool_result", Some("value")),
            Self::Output => ("output", None),
            Self::AgentShutdown => ("summary", None),
        }
    }
}
