//! What is asked of a model and what comes back, whatever client carries it.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hookgate_contract::{Failure, FailureClass};
use serde_json::Value;

use crate::target::Target;

/// How an answer is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sampling {
    /// None: as the server likes.
    pub(crate) temperature: Option<f64>,
    pub(crate) seed: Option<i64>,
    pub(crate) max_tokens: u32,
}

/// How a server is held to the form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    /// By a JSON schema.
    Schema,
    /// It answers some JSON object.
    JsonObject,
    /// Not at all.
    Text,
}

impl Format {
    pub(crate) const NAMES: &[&str] = &["schema", "json_object", "text"];

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "schema" => Some(Self::Schema),
            "json_object" => Some(Self::JsonObject),
            "text" => Some(Self::Text),
            _ => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::JsonObject => "json_object",
            Self::Text => "text",
        }
    }

    /// What to try where a server does not know this one.
    pub(crate) const fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Text),
            Self::Text => None,
        }
    }
}

/// One request.
pub(crate) struct Request<'a> {
    pub(crate) target: &'a Target,
    pub(crate) sampling: &'a Sampling,
    /// Which of several samples this is: each has a seed of its own.
    pub(crate) sample: u32,
    /// How many rules are answered at once.
    pub(crate) rules: u32,
    pub(crate) format: Format,
    pub(crate) schema: &'a Value,
    pub(crate) system: &'a str,
    pub(crate) user: &'a str,
    /// How many bytes the answer may have.
    pub(crate) most: usize,
}

/// What a model said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) content: String,
    pub(crate) refused: bool,
    /// It ran out of tokens.
    pub(crate) cut: bool,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

impl Completion {
    /// Reads the body of an answer. Servers differ in all but a few fields, so nothing else is
    /// looked at.
    pub(crate) fn read(body: &Value) -> Option<Self> {
        let choice = body.pointer("/choices/0")?;
        let message = choice.get("message")?;
        let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
        let refusal = message.get("refusal").and_then(Value::as_str).unwrap_or_default();
        let count = |name: &str| {
            body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64)
        };
        Some(Self {
            content: text_of(message.get("content")),
            refused: !refusal.is_empty() || finish == "content_filter",
            cut: finish == "length",
            prompt_tokens: count("prompt_tokens").unwrap_or(0),
            completion_tokens: count("completion_tokens").unwrap_or(0),
        })
    }
}

/// A content is a text, or a list of parts with texts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// A request that came to nothing. It holds nothing of what the server said but a short name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallError {
    pub(crate) class: FailureClass,
    pub(crate) detail: String,
    pub(crate) status: Option<u16>,
    pub(crate) retry_after: Option<Duration>,
}

impl CallError {
    pub(crate) fn new(class: FailureClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), status: None, retry_after: None }
    }

    /// Whether the same request may succeed a little later.
    pub(crate) fn passes(&self) -> bool {
        match self.class {
            FailureClass::Unreachable | FailureClass::Overloaded => true,
            FailureClass::HttpStatus => self.status.is_some_and(|status| status >= 500),
            _ => false,
        }
    }

    /// Whether another model may be asked instead. Not where the key is wrong: that must be seen.
    pub(crate) const fn moves_on(&self) -> bool {
        matches!(
            self.class,
            FailureClass::Unreachable | FailureClass::Overloaded | FailureClass::HttpStatus
        )
    }

    /// Whether the server may not have known the format of the answer.
    pub(crate) const fn refuses_format(&self) -> bool {
        matches!(self.status, Some(400 | 415 | 422 | 501))
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(error.class, error.detail)
    }
}

/// Who carries requests. The crate that does so changes often, so nothing else knows it.
pub(crate) trait ModelClient: Send + Sync {
    fn complete<'a>(&'a self, request: Request<'a>)
    -> BoxFuture<'a, Result<Completion, CallError>>;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn servers_differ() {
        let read = |body: Value| Completion::read(&body);
        let plain = read(json!({"choices": [{"message": {"content": "x"}}]})).unwrap();
        assert_eq!(plain, Completion { content: "x".into(), ..Completion::default() });
        let parts = json!([{"type": "text", "text": "a"}, {"type": "other"}, {"text": "b"}]);
        let odd = json!({
            "choices": [{"finish_reason": "eos", "message": {"content": parts, "refusal": null}}],
            "service_tier": "on_demand",
            "usage": {"prompt_tokens": 3, "completion_tokens": -1},
        });
        let odd = read(odd).unwrap();
        assert_eq!((odd.content.as_str(), odd.prompt_tokens, odd.completion_tokens), ("ab", 3, 0));
        let refused = json!({"choices": [{"message": {"content": null, "refusal": "no"}}]});
        assert!(read(refused).unwrap().refused);
        let cut = json!({"choices": [{"finish_reason": "length", "message": {"content": "{"}}]});
        assert!(read(cut).unwrap().cut);
        for nothing in [json!({}), json!([]), json!({"choices": []}), json!({"choices": [{}]})] {
            assert_eq!(read(nothing), None);
        }
    }
}
