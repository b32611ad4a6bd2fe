//! What is asked of a model and what comes back, whatever client carries it.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hookgate_contract::{Failure, FailureClass, VerdictDecision};
use serde_json::Value;

use crate::heard::Part;
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
    /// Where the bytes of the answer are put as they come.
    pub(crate) part: Part,
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
    /// looked at; but what is looked at must say that there is one answer, and that it is whole.
    pub(crate) fn read(body: &Value) -> Result<Self, CallError> {
        let no_completion = || wrong("the server's answer is no chat completion");
        if body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(wrong("the server's answer has an `error` beside what it says"));
        }
        let choices = body.get("choices").and_then(Value::as_array).ok_or_else(no_completion)?;
        let [choice] = choices.as_slice() else {
            return Err(match choices.len() {
                0 => no_completion(),
                _ => wrong("the server's answer has several `choices`, and one was asked for"),
            });
        };
        let message = choice.get("message").filter(|message| message.is_object());
        let message = message.ok_or_else(no_completion)?;
        let ended = Ended::read(choice.get("finish_reason"))?;
        let refusal = match message.get("refusal") {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => return Err(wrong("the `refusal` of the server's answer is no text")),
        };
        let calls = message.get("tool_calls").and_then(Value::as_array);
        if calls.is_some_and(|calls| !calls.is_empty()) {
            return Err(wrong("the model calls a tool, and there are none"));
        }
        let (content, declined) = text_of(message.get("content"))?;
        let count = |name: &str| {
            body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64)
        };
        Ok(Self {
            content,
            refused: refusal || declined || ended == Ended::Filtered,
            cut: ended == Ended::Cut,
            prompt_tokens: count("prompt_tokens").unwrap_or(0),
            completion_tokens: count("completion_tokens").unwrap_or(0),
        })
    }
}

/// How a model ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Done,
    Cut,
    Filtered,
}

impl Ended {
    /// Reads a `finish_reason`. One that is not known may mean that something is missing.
    fn read(reason: Option<&Value>) -> Result<Self, CallError> {
        match reason {
            None | Some(Value::Null) => Ok(Self::Done),
            Some(Value::String(reason)) => match reason.as_str() {
                // The latter are what servers of open models say.
                "stop" | "eos" | "eos_token" | "end_turn" => Ok(Self::Done),
                "length" | "max_tokens" => Ok(Self::Cut),
                "content_filter" => Ok(Self::Filtered),
                _ => Err(wrong("the model did not end by itself (`finish_reason`)")),
            },
            Some(_) => Err(wrong("the `finish_reason` of the server's answer is no text")),
        }
    }
}

fn wrong(detail: &'static str) -> CallError {
    CallError::new(FailureClass::Malformed, detail)
}

/// A content is a text, or a list of parts with texts. Also whether a part of it is a refusal.
fn text_of(content: Option<&Value>) -> Result<(String, bool), CallError> {
    let no_text = || wrong("the content of the server's answer is no text");
    let parts = match content {
        None | Some(Value::Null) => return Ok((String::new(), false)),
        Some(Value::String(text)) => return Ok((text.clone(), false)),
        Some(Value::Array(parts)) => parts,
        Some(_) => return Err(no_text()),
    };
    let (mut all, mut declined) = (String::new(), false);
    for part in parts {
        match part.get("type").and_then(Value::as_str) {
            None | Some("text" | "output_text") => {
                all.push_str(part.get("text").and_then(Value::as_str).ok_or_else(no_text)?);
            }
            Some("refusal") => declined = true,
            // What a model thought before it answered is no part of the answer.
            Some(_) => {}
        }
    }
    Ok((all, declined))
}

/// A request that came to nothing. It holds nothing of what the server said but a short name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallError {
    pub(crate) class: FailureClass,
    pub(crate) detail: String,
    pub(crate) status: Option<u16>,
    pub(crate) retry_after: Option<Duration>,
    /// The ask or deny that is written in what came all the same.
    pub(crate) salvaged: Option<VerdictDecision>,
}

impl CallError {
    pub(crate) fn new(class: FailureClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), status: None, retry_after: None, salvaged: None }
    }

    /// Keeps the decision that is written in what came.
    pub(crate) fn with_salvaged(mut self, word: Option<VerdictDecision>) -> Self {
        self.salvaged = self.salvaged.max(word);
        self
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
        Self::new(error.class, error.detail).with_salvaged(error.salvaged)
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
            assert_eq!(read(nothing).unwrap_err().class, FailureClass::Malformed);
        }
    }

    #[test]
    fn an_answer_that_says_that_something_is_wrong_with_it_is_refused() {
        let says = |choice: Value| Completion::read(&json!({"choices": [choice]}));
        let message = || json!({"content": "x"});
        for reason in ["error", "tool_calls", "function_call", "abort", "", "STOP"] {
            let choice = json!({"finish_reason": reason, "message": message()});
            assert!(says(choice).is_err(), "{reason}");
        }
        for reason in [json!(1), json!({"type": "stop"})] {
            assert!(says(json!({"finish_reason": reason, "message": message()})).is_err());
        }
        for (reason, cut, refused) in [
            ("max_tokens", true, false),
            ("length", true, false),
            ("content_filter", false, true),
            ("stop", false, false),
        ] {
            let said = says(json!({"finish_reason": reason, "message": message()})).unwrap();
            assert_eq!((said.cut, said.refused), (cut, refused), "{reason}");
        }
        for refusal in [json!(true), json!(["no"]), json!({"reason": "no"}), json!(0)] {
            let message = json!({"content": "x", "refusal": refusal});
            assert!(says(json!({"message": message})).is_err());
        }
        let parts = json!([{"type": "refusal", "refusal": "no"}, {"type": "text", "text": "x"}]);
        assert!(says(json!({"message": {"content": parts}})).unwrap().refused);
        let calls = json!({"content": "x", "tool_calls": [{"id": "1"}]});
        assert!(says(json!({"message": calls})).is_err());
        assert!(says(json!({"message": {"content": "x", "tool_calls": []}})).is_ok());
        assert!(says(json!({"message": {"content": {"text": "x"}}})).is_err());
        let choice = json!({"message": message()});
        for more in [
            json!({"error": {"message": "overloaded"}, "choices": [choice]}),
            json!({"error": "", "choices": [choice]}),
            json!({"choices": [choice, choice]}),
        ] {
            assert!(Completion::read(&more).is_err(), "{more}");
        }
        assert!(Completion::read(&json!({"error": null, "choices": [choice]})).is_ok());
    }
}
