use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FieldRef, Payload, put, text_of};
use crate::contract::Contract;
use crate::event::Event;
use crate::patch_field;

/// Where a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PromptSource {
    /// The user begins a turn.
    #[default]
    User,
    /// The user speaks into a turn that is under way.
    Steering,
    /// A prompt that waited for the turn to end.
    Followup,
    /// The runtime lets the agent go on.
    Continuation,
    /// Something that ran in the background.
    Background,
}

/// A prompt comes in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserPromptSubmit {
    /// The text.
    pub prompt: String,
    /// Where it comes from.
    #[serde(default)]
    pub source: PromptSource,
    /// What came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<Value>>,
}

impl UserPromptSubmit {
    /// A prompt of the user.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), source: PromptSource::User, attachments: None }
    }
}

impl Payload for UserPromptSubmit {
    fn contract(&self) -> &'static Contract {
        Event::UserPromptSubmit.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        prompt_field(Some(&self.prompt), name)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        set_prompt(&mut self.prompt, name, value)
    }
}

pub(super) fn prompt_field<'a>(prompt: Option<&'a str>, name: &str) -> Option<FieldRef<'a>> {
    if name == patch_field::PROMPT { prompt.map(FieldRef::Text) } else { None }
}

/// Replaces a prompt, or puts a paragraph before or after it.
pub(super) fn set_prompt(prompt: &mut String, name: &str, value: Value) -> Option<&'static str> {
    let text = text_of(value)?;
    let whole = match name {
        patch_field::PROMPT => text,
        patch_field::PREPEND => format!("{text}\n\n{prompt}"),
        patch_field::APPEND => format!("{prompt}\n\n{text}"),
        _ => return None,
    };
    put(prompt, whole, patch_field::PROMPT)
}

/// A prompt has been taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserPromptAccepted {
    /// The text.
    pub prompt: String,
    /// How many messages the conversation has now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_len: Option<u64>,
}

impl UserPromptAccepted {
    /// A prompt that has been taken.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), committed_len: None }
    }
}

impl Payload for UserPromptAccepted {
    fn contract(&self) -> &'static Contract {
        Event::UserPromptAccepted.contract()
    }
}

/// The agent waits for its user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserInputRequested {
    /// What it wants to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Payload for UserInputRequested {
    fn contract(&self) -> &'static Contract {
        Event::UserInputRequested.contract()
    }
}

/// What is known while a turn is planned and its prompt is put together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Planning {
    /// What the turn is about.
    pub input_text: String,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who serves the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The plan of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
    /// The tools on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_names: Option<Vec<String>>,
    /// The policies gathered so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policies: Option<Value>,
    /// The context gathered so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Value>,
}

impl Planning {
    /// The planning of a turn that is about this.
    #[must_use]
    pub fn new(input_text: impl Into<String>) -> Self {
        Self { input_text: input_text.into(), ..Self::default() }
    }
}

/// The policy of a turn is gathered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TurnPolicy(pub Planning);

impl Payload for TurnPolicy {
    fn contract(&self) -> &'static Contract {
        Event::TurnPolicy.contract()
    }
}

/// The context of a prompt is gathered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PromptContext(pub Planning);

impl Payload for PromptContext {
    fn contract(&self) -> &'static Contract {
        Event::PromptContext.contract()
    }
}

/// The context of a prompt is gathered, once the turn is planned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PromptContextPlanned(pub Planning);

impl Payload for PromptContextPlanned {
    fn contract(&self) -> &'static Contract {
        Event::PromptContextPlanned.contract()
    }
}

/// The tools of a turn are chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ToolSelection(pub Planning);

impl Payload for ToolSelection {
    fn contract(&self) -> &'static Contract {
        Event::ToolSelection.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        let names = self.0.tool_names.as_ref().filter(|_| name == patch_field::TOOL_NAMES)?;
        Some(FieldRef::Owned(names.iter().cloned().collect()))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        let Value::Array(names) = value else { return None };
        if name != patch_field::TOOL_NAMES {
            return None;
        }
        let names = names.into_iter().filter_map(text_of).collect();
        put(&mut self.0.tool_names, Some(names), patch_field::TOOL_NAMES)
    }
}

/// The sections of a prompt are gathered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PromptCompile(pub Planning);

impl Payload for PromptCompile {
    fn contract(&self) -> &'static Contract {
        Event::PromptCompile.contract()
    }
}

/// A prompt has been put together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptCompiled {
    /// Its sections, in order.
    pub section_ids: Vec<String>,
    /// About how many tokens it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_estimate: Option<u64>,
}

impl Payload for PromptCompiled {
    fn contract(&self) -> &'static Contract {
        Event::PromptCompiled.contract()
    }
}
