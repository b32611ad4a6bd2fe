//! What is asked of a model, whatever client carries it.
//!
//! The body of a request has as few parameters as possible: `model`, two messages, `stream`, the limit
//! of tokens, and `temperature`, `seed` and `response_format` if they are set. Servers of open models
//! refuse what they do not know, and each further parameter would shut out some of them.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::error::CallError;
use super::partial_reply::PartialReply;
use crate::answer::completion::Completion;
use crate::answer::response_format::ResponseFormat;
use crate::parameter::{Parameter, Parameters};
use crate::settings::endpoint::Endpoint;
use crate::settings::sampling::Sampling;

/// The content of a request, which is the same at every attempt and for every model.
pub(crate) struct Chat<'a> {
    pub(crate) system: &'a str,
    pub(crate) user: &'a str,
    /// The JSON Schema of the answer.
    pub(crate) schema: &'a Value,
    /// Which of several samples this is. Each has a seed of its own.
    pub(crate) sample: u32,
    /// How many rules are answered at once. Each has `max_tokens` tokens.
    pub(crate) rules: u32,
}

/// One request to one model.
pub(crate) struct Request<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) sampling: &'a Sampling,
    pub(crate) format: ResponseFormat,
    /// The parameters that this model is known to refuse.
    pub(crate) refused: Parameters,
    pub(crate) chat: &'a Chat<'a>,
    /// How many bytes the reply may have.
    pub(crate) max_reply: usize,
    /// Receives the bytes of the reply as they arrive.
    pub(crate) partial: PartialReply,
}

impl Request<'_> {
    /// Returns the body of the request, as OpenAI's chat completions define it.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({
            "model": self.endpoint.model,
            "messages": [
                {"role": "system", "content": self.chat.system},
                {"role": "user", "content": self.chat.user},
            ],
            "stream": false,
        });
        let mut set = |name: &str, value: Value| {
            if let Some(body) = body.as_object_mut() {
                body.insert(name.to_owned(), value);
            }
        };
        let Sampling { temperature, seed, max_tokens } = *self.sampling;
        let tokens = u64::from(max_tokens).saturating_mul(u64::from(self.chat.rules));
        for parameter in self.sent() {
            let value = match parameter {
                Parameter::Temperature => temperature.map(Value::from),
                Parameter::Seed => {
                    seed.map(|seed| seed.saturating_add(i64::from(self.chat.sample)).into())
                }
                Parameter::MaxTokens | Parameter::MaxCompletionTokens => Some(tokens.into()),
            };
            if let Some(value) = value {
                set(parameter.name(), value);
            }
        }
        if let Some(format) = self.response_format() {
            set("response_format", format);
        }
        body
    }

    /// Returns the parameters that are sent if they are set: all but those that are refused.
    ///
    /// OpenAI has renamed the limit of tokens and its newer models refuse the old name; other servers know
    /// only the old one, and some pass it on to a model that refuses it. Then the other name is tried.
    pub(crate) fn sent(&self) -> impl Iterator<Item = Parameter> {
        let names = [Parameter::MaxTokens, Parameter::MaxCompletionTokens];
        let [old, new] = names;
        let limit = match self.endpoint.base_url.starts_with("https://api.openai.com") {
            true => [new, old],
            false => names,
        };
        let is_taken = |parameter: &Parameter| !self.refused.has(*parameter);
        let limit = limit.into_iter().find(is_taken);
        [Parameter::Temperature, Parameter::Seed].into_iter().filter(is_taken).chain(limit)
    }

    /// Returns the parameter that holds the server to a form of answer, or `None` for plain text.
    fn response_format(&self) -> Option<Value> {
        match self.format {
            ResponseFormat::Schema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": "judgement", "strict": true, "schema": self.chat.schema},
            })),
            ResponseFormat::JsonObject => Some(json!({"type": "json_object"})),
            ResponseFormat::Text => None,
        }
    }
}

/// Carries requests. It is a trait so that only one file knows the crate that does it, which changes
/// often.
pub(crate) trait ModelClient: Send + Sync {
    /// Sends one request, without retries.
    fn complete<'a>(&'a self, request: Request<'a>)
    -> BoxFuture<'a, Result<Completion, CallError>>;
}
