use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FieldRef, Payload, put, text_of};
use crate::contract::Contract;
use crate::event::Event;
use crate::patch_field;

/// A request is about to go to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreLlmRequest {
    /// The model.
    pub model: String,
    /// Who serves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// How many messages the conversation has.
    pub message_count: u64,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Value>,
    /// How many tokens the answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Parameters that only this provider knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_params: Option<Map<String, Value>>,
    /// Which call of the turn this is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
    /// Which try this is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
}

impl PreLlmRequest {
    /// A request to a model, with a conversation of so many messages.
    #[must_use]
    pub fn new(model: impl Into<String>, message_count: u64) -> Self {
        Self {
            model: model.into(),
            model_provider: None,
            message_count,
            messages: None,
            max_tokens: None,
            temperature: None,
            provider_params: None,
            iteration: None,
            attempt: None,
        }
    }
}

impl Payload for PreLlmRequest {
    fn contract(&self) -> &'static Contract {
        Event::PreLlmRequest.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match name {
            patch_field::MODEL => Some(FieldRef::Text(&self.model)),
            patch_field::MAX_TOKENS => self.max_tokens.map(|n| FieldRef::Owned(n.into())),
            patch_field::TEMPERATURE => self.temperature.map(|n| FieldRef::Owned(n.into())),
            patch_field::PROVIDER_PARAMS => {
                self.provider_params.as_ref().map(|map| FieldRef::Owned(Value::Object(map.clone())))
            }
            patch_field::MESSAGES => self.messages.as_ref().map(FieldRef::Json),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        match name {
            patch_field::MODEL => put(&mut self.model, text_of(value)?, patch_field::MODEL),
            patch_field::MAX_TOKENS => {
                put(&mut self.max_tokens, value.as_u64(), patch_field::MAX_TOKENS)
            }
            patch_field::TEMPERATURE => {
                put(&mut self.temperature, value.as_f64(), patch_field::TEMPERATURE)
            }
            patch_field::PROVIDER_PARAMS => {
                let params = match value {
                    Value::Object(map) => Some(map),
                    _ => None,
                };
                put(&mut self.provider_params, params, patch_field::PROVIDER_PARAMS)
            }
            patch_field::MESSAGES => {
                self.message_count = value.as_array()?.len() as u64;
                put(&mut self.messages, Some(value), patch_field::MESSAGES)
            }
            _ => None,
        }
    }
}

/// The model has answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostLlmResponse {
    /// The text.
    pub assistant_text: String,
    /// The tools that it calls.
    pub tool_call_names: Vec<String>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Tokens, as the provider counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost; absent where nobody knows the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl PostLlmResponse {
    /// An answer of the model that calls these tools.
    #[must_use]
    pub fn new(assistant_text: impl Into<String>, tool_call_names: Vec<String>) -> Self {
        Self {
            assistant_text: assistant_text.into(),
            tool_call_names,
            stop_reason: None,
            usage: None,
            model: None,
            cost: None,
            error: None,
        }
    }
}

impl Payload for PostLlmResponse {
    fn contract(&self) -> &'static Contract {
        Event::PostLlmResponse.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == patch_field::ASSISTANT_TEXT).then_some(FieldRef::Text(&self.assistant_text))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != patch_field::ASSISTANT_TEXT {
            return None;
        }
        put(&mut self.assistant_text, text_of(value)?, patch_field::ASSISTANT_TEXT)
    }
}
