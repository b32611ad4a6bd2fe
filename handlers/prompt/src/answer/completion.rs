//! The reply of a server as OpenAI's chat completions define it, reduced to what a judge needs.
//!
//! Servers differ in all but a few fields, so nothing else is looked at. What is looked at has to say
//! that there is one answer and that it is whole: a second choice, an error beside the answer, a tool
//! call or an unknown `finish_reason` makes the reply malformed. Otherwise the half of a deny could be
//! read as an allow.
//!
//! | `finish_reason` | means |
//! |---|---|
//! | absent, null, `stop`, `eos`, `eos_token`, `end_turn` | the model is done |
//! | `length`, `max_tokens` | it ran out of tokens |
//! | `content_filter` | a filter refused the answer |
//! | anything else | malformed |

use serde_json::Value;

/// Why a reply of a server is not a usable chat completion. The text quotes nothing of the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CompletionError(pub(crate) &'static str);

/// The text of a model and how it ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) content: String,
    /// Whether the model, or a filter of the server, declined to answer.
    pub(crate) refused: bool,
    /// Whether the model ran out of tokens.
    pub(crate) cut: bool,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

impl Completion {
    /// Reads the body of a reply. Token counts that are missing or negative count as 0.
    ///
    /// # Errors
    /// Says which part of the body does not have the form of a whole chat completion.
    pub(crate) fn read(body: &Value) -> Result<Self, CompletionError> {
        let no_completion = || CompletionError("the server's answer is not a chat completion");
        if body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(CompletionError("the server's answer has an `error` beside its content"));
        }
        let choices = body.get("choices").and_then(Value::as_array).ok_or_else(no_completion)?;
        let [choice] = choices.as_slice() else {
            return Err(match choices.len() {
                0 => no_completion(),
                _ => CompletionError(
                    "the server's answer has several `choices`, and one was requested",
                ),
            });
        };
        let message = choice.get("message").filter(|message| message.is_object());
        let message = message.ok_or_else(no_completion)?;
        let end = EndReason::read(choice.get("finish_reason"))?;
        let refusal = match message.get("refusal") {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => {
                return Err(CompletionError("the `refusal` of the server's answer is not a text"));
            }
        };
        let calls = message.get("tool_calls").and_then(Value::as_array);
        if calls.is_some_and(|calls| !calls.is_empty()) {
            return Err(CompletionError("the model calls a tool, and there are none"));
        }
        let (content, declined) = read_content(message.get("content"))?;
        let count = |name: &str| {
            body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64)
        };
        Ok(Self {
            content,
            refused: refusal || declined || end == EndReason::Filtered,
            cut: end == EndReason::Cut,
            prompt_tokens: count("prompt_tokens").unwrap_or(0),
            completion_tokens: count("completion_tokens").unwrap_or(0),
        })
    }
}

/// Why a model stopped: the field `finish_reason`.
#[derive(PartialEq, Eq)]
enum EndReason {
    Done,
    Cut,
    Filtered,
}

impl EndReason {
    /// Reads a `finish_reason`. An unknown one is an error: it may mean that something is missing.
    fn read(reason: Option<&Value>) -> Result<Self, CompletionError> {
        match reason {
            None | Some(Value::Null) => Ok(Self::Done),
            Some(Value::String(reason)) => match reason.as_str() {
                // The latter three come from servers of open models.
                "stop" | "eos" | "eos_token" | "end_turn" => Ok(Self::Done),
                "length" | "max_tokens" => Ok(Self::Cut),
                "content_filter" => Ok(Self::Filtered),
                _ => Err(CompletionError("the model did not end by itself (`finish_reason`)")),
            },
            Some(_) => {
                Err(CompletionError("the `finish_reason` of the server's answer is not a text"))
            }
        }
    }
}

/// Reads a content, which is a text or a list of parts with texts. Also returns whether one of the
/// parts is a refusal.
fn read_content(content: Option<&Value>) -> Result<(String, bool), CompletionError> {
    let not_text = || CompletionError("the content of the server's answer is not a text");
    let parts = match content {
        None | Some(Value::Null) => return Ok((String::new(), false)),
        Some(Value::String(text)) => return Ok((text.clone(), false)),
        Some(Value::Array(parts)) => parts,
        Some(_) => return Err(not_text()),
    };
    let (mut all, mut declined) = (String::new(), false);
    for part in parts {
        match part.get("type").and_then(Value::as_str) {
            None | Some("text" | "output_text") => {
                all.push_str(part.get("text").and_then(Value::as_str).ok_or_else(not_text)?);
            }
            Some("refusal") => declined = true,
            // The thoughts of a model before its answer are not a part of it.
            Some(_) => {}
        }
    }
    Ok((all, declined))
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
        for empty in [json!({}), json!([]), json!({"choices": []}), json!({"choices": [{}]})] {
            assert!(read(empty).is_err());
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
            let read = says(json!({"finish_reason": reason, "message": message()})).unwrap();
            assert_eq!((read.cut, read.refused), (cut, refused), "{reason}");
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
