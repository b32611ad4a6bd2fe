use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::prompt::{prompt_field, set_prompt};
use super::{FieldRef, Payload, put, text_of};
use crate::contract::Contract;
use crate::event::Event;
use crate::patch_field;

/// A run begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunStarted {
    /// What the run is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl RunStarted {
    /// A run that begins with this prompt.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: Some(prompt.into()) }
    }
}

impl Payload for RunStarted {
    fn contract(&self) -> &'static Contract {
        Event::RunStarted.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        prompt_field(self.prompt.as_deref(), name)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        set_prompt(self.prompt.get_or_insert_default(), name, value)
    }
}

/// A run is done and its text goes to the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCompleted {
    /// The text.
    pub result_text: String,
    /// How many turns it took.
    pub turns: u64,
    /// Tokens, as the provider counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
}

impl RunCompleted {
    /// A run that is done with this text.
    #[must_use]
    pub fn new(result_text: impl Into<String>, turns: u64) -> Self {
        Self { result_text: result_text.into(), turns, usage: None }
    }
}

impl Payload for RunCompleted {
    fn contract(&self) -> &'static Contract {
        Event::RunCompleted.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == patch_field::RESULT_TEXT).then_some(FieldRef::Text(&self.result_text))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != patch_field::RESULT_TEXT {
            return None;
        }
        put(&mut self.result_text, text_of(value)?, patch_field::RESULT_TEXT)
    }
}

/// A run has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFailed {
    /// What went wrong.
    pub error: String,
    /// What kind of error it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
}

impl RunFailed {
    /// A run that has failed with this error.
    #[must_use]
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), error_class: None }
    }
}

impl Payload for RunFailed {
    fn contract(&self) -> &'static Contract {
        Event::RunFailed.contract()
    }
}
