//! A request to the model, and its answer.

use serde_json::{Map, Value};

use super::{FieldRef, ToolCall, put, text_of};
use crate::patch_field;

payload! {
    /// A request is about to go to the model.
    struct PreLlmRequest {
        /// The model.
        model: String,
        /// The provider that serves it.
        optional model_provider: String,
        /// How many messages the conversation has.
        message_count: u64,
        /// The conversation.
        optional messages: Value,
        /// How many tokens the answer may have.
        optional max_tokens: u64,
        /// The sampling temperature.
        optional temperature: f64,
        /// Parameters that only this provider knows.
        optional provider_params: Map<String, Value>,
        /// Which call of the turn this is, from 1.
        optional iteration: u64,
        /// Which attempt at the call this is, from 1.
        optional attempt: u64,
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

payload! {
    /// The model has answered.
    struct PostLlmResponse {
        /// The text.
        assistant_text: String,
        /// The tools that it calls.
        tool_call_names: Vec<String>,
        /// The same calls with ids and arguments, if the host gives them: [`PostLlmResponse::calls`].
        optional tool_calls: Vec<ToolCall>,
        /// Why it ended.
        optional stop_reason: String,
        /// Tokens, as the provider counts them.
        optional usage: Value,
        /// The model.
        optional model: String,
        /// What it cost; absent if the price is not known.
        optional cost: f64,
        /// What went wrong.
        optional error: String,
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

impl PostLlmResponse {
    /// Adds the calls of tools, with their ids and arguments, and the names of their tools.
    ///
    /// A call that comes in fragments is gathered first: no hook can judge half of one.
    ///
    /// ```
    /// use hookgate_contract::payload::{PostLlmResponse, ToolCall};
    /// use serde_json::json;
    ///
    /// let push = ToolCall::new("Bash", json!({"command": "git push"}));
    /// let answer = PostLlmResponse::new("I push it.", Vec::new()).calls(vec![push]);
    /// assert_eq!(answer.tool_call_names, ["Bash"]);
    /// ```
    #[must_use]
    pub fn calls(mut self, calls: Vec<ToolCall>) -> Self {
        self.tool_call_names = calls.iter().map(|call| call.tool_name.clone()).collect();
        self.tool_calls = (!calls.is_empty()).then_some(calls);
        self
    }
}
