//! The names of the payload fields that a patch may set.
#![expect(missing_docs, reason = "a name says what it names")]

pub const APPEND: &str = "append";
pub const ASSISTANT_TEXT: &str = "assistant_text";
pub const CUSTOM_INSTRUCTIONS: &str = "custom_instructions";
pub const ERROR: &str = "error";
pub const IS_ERROR: &str = "is_error";
pub const MAX_TOKENS: &str = "max_tokens";
pub const MESSAGES: &str = "messages";
pub const MODEL: &str = "model";
pub const PREPEND: &str = "prepend";
pub const PROMPT: &str = "prompt";
pub const PROVIDER_PARAMS: &str = "provider_params";
pub const RESULT_TEXT: &str = "result_text";
pub const SUMMARY: &str = "summary";
pub const TEMPERATURE: &str = "temperature";
pub const TOOL_INPUT: &str = "tool_input";
pub const TOOL_NAMES: &str = "tool_names";
pub const TOOL_RESPONSE: &str = "tool_response";
