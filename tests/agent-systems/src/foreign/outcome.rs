//! What the agent does after its hooks have answered.

use serde_json::{Map, Value};

/// What the answers of hooks mean for the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ForeignVerdict {
    /// No opinion: the action takes its usual way.
    #[default]
    None,
    /// The action is approved.
    Allow,
    /// The user is asked.
    Ask,
    /// The decision is put off (Claude Code with `-p`).
    Defer,
    /// The action does not happen.
    Deny,
    /// The action has happened, and the model gets a text about it.
    Feedback,
    /// The agent does not stop.
    KeepGoing,
}

/// Who sees a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The model.
    Model,
    /// The user.
    User,
    /// Nobody.
    Nobody,
}

/// How the run of one hook ended, in the eyes of its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookStatus {
    /// It answered, or had nothing to say.
    Ok,
    /// It blocked.
    Blocked,
    /// It stopped the agent.
    Stopped,
    /// It failed, and the action goes on.
    Error(String),
    /// It failed in the sense of Codex, and the action goes on.
    Failed(String),
    /// It took too long, and the action goes on.
    Timeout(String),
    /// What it said has no effect.
    Ignored,
    /// It was not started.
    Skipped(String),
}

/// What one hook came to.
#[derive(Debug, Clone, PartialEq)]
pub struct HookResult {
    /// How its run ended.
    pub status: HookStatus,
    /// What it means for the action.
    pub verdict: ForeignVerdict,
    /// Why.
    pub reason: Option<String>,
    /// Who sees the reason.
    pub reason_to: Option<Audience>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// The changed arguments, whole.
    pub updated_input: Option<Value>,
    /// The changed result.
    pub updated_output: Option<Value>,
    /// Whether the agent stops.
    pub halt: bool,
    /// Why it stops.
    pub halt_reason: Option<String>,
    /// Whether the turn ends.
    pub ends_turn: bool,
    /// A text for the user.
    pub system_message: Option<String>,
    /// What else its user sees, such as stderr.
    pub shown_to_user: Option<String>,
    /// What only this event knows (the path of a work tree, an answer to a form, …).
    pub effect: Map<String, Value>,
    /// The event of its hook, and the layer; whoever runs it fills them in.
    pub event: String,
    /// See `event`: in some agents the answer of a stronger layer goes before others.
    pub layer: String,
    /// When it finished, counted from the start of the event: the last of several rewrites counts in
    /// some agents.
    pub finished: std::time::Duration,
}

impl HookResult {
    /// Makes the result of a hook without an opinion.
    #[must_use]
    pub fn new(status: HookStatus) -> Self {
        Self {
            status,
            verdict: ForeignVerdict::None,
            reason: None,
            reason_to: None,
            context: Vec::new(),
            updated_input: None,
            updated_output: None,
            halt: false,
            halt_reason: None,
            ends_turn: false,
            system_message: None,
            shown_to_user: None,
            effect: Map::new(),
            event: String::new(),
            layer: String::new(),
            finished: std::time::Duration::ZERO,
        }
    }
}

/// What the agent does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// What it means for the action.
    pub verdict: ForeignVerdict,
    /// Why.
    pub reason: Option<String>,
    /// Who sees the reason.
    pub reason_to: Option<Audience>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// Whether a text was too long, so that it went to a file and the model sees its beginning.
    pub context_spilled: bool,
    /// The changed arguments.
    pub updated_input: Option<Value>,
    /// The changed result.
    pub updated_output: Option<Value>,
    /// Whether the agent stops.
    pub halt: bool,
    /// Why it stops.
    pub halt_reason: Option<String>,
    /// Whether the turn ends.
    pub ends_turn: bool,
    /// Texts for the user.
    pub system_message: Option<String>,
    /// What else its user sees.
    pub shown_to_user: Option<String>,
    /// What only this event knows.
    pub effect: Map<String, Value>,
}
