//! A request to a model, as hooks read and leave it.

use async_openai::types::chat::CreateChatCompletionRequest;
use hookgate::contract::payload::{PostLlmResponse, PreLlmRequest};
use hookgate::{Cleared, Denied, Gate, Halted, HookEngine, StepContext};
use serde_json::{Map, Value};

const MODEL: &str = "model";
const MESSAGES: &str = "messages";
const TEMPERATURE: &str = "temperature";
const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// A request that hooks have cleared or answered.
#[derive(Debug)]
pub enum JudgedRequest {
    /// It is to be sent, as the hooks have left it.
    Send(Box<CreateChatCompletionRequest>),
    /// A hook has answered: it is not to be sent. The answer is dispatched as any other is.
    Answered(Box<PostLlmResponse>),
}

/// Why a request is not to be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// A hook has denied it.
    #[error(transparent)]
    Denied(Box<Denied<PreLlmRequest>>),
    /// A hook has halted the run.
    #[error(transparent)]
    Halted(Box<Halted<PreLlmRequest>>),
    /// No hook can judge it, or what hooks have made of it cannot be sent.
    #[error(transparent)]
    Request(#[from] RequestProblem),
}

/// Why a request cannot be judged, or what hooks have made of it cannot be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestProblem {
    /// A field is there twice.
    #[error("the request says `{0}` twice: leave out one of the two")]
    Twice(&'static str),
    /// async-openai cannot read it.
    #[error("the request cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// async-openai has no place for something in it.
    #[error("the request has something that cannot be sent: `{0}`")]
    Lost(String),
}

/// Has the hooks judge a request. For a step with more in it, such as the attempt, there is [`propose`].
///
/// # Errors
/// A [`Refused`]: the request is not to be sent.
pub async fn judge_request<E: HookEngine + ?Sized>(
    engine: &E,
    context: &StepContext<'_>,
    request: CreateChatCompletionRequest,
) -> Result<JudgedRequest, Refused> {
    match engine.dispatch(propose(&request)?, context).await {
        Gate::Cleared(cleared) => Ok(JudgedRequest::Send(Box::new(read_back(cleared, request)?))),
        Gate::Answered(answer) => Ok(JudgedRequest::Answered(Box::new(answer))),
        Gate::Denied(denied) => Err(Refused::Denied(Box::new(denied))),
        Gate::Halted(halted) => Err(Refused::Halted(Box::new(halted))),
    }
}

/// Makes the step of a request.
///
/// # Errors
/// A [`RequestProblem`].
pub fn propose(request: &CreateChatCompletionRequest) -> Result<PreLlmRequest, RequestProblem> {
    let mut fields = written(request)?;
    let messages = fields.remove(MESSAGES);
    let count = messages.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
    fields.remove(MODEL);
    let mut step = PreLlmRequest::new(request.model.clone(), count as u64);
    step.messages = messages;
    step.temperature = fields.remove(TEMPERATURE).and_then(|number| number.as_f64());
    step.max_tokens = fields.remove(max_tokens(&fields)?).and_then(|number| number.as_u64());
    step.provider_params = (!fields.is_empty()).then_some(fields);
    Ok(step)
}

/// Makes the request of what hooks have left of the step that was proposed for it.
///
/// # Errors
/// A [`RequestProblem`]: the request is not to be sent.
pub fn read_back(
    cleared: Cleared<PreLlmRequest>,
    proposed: CreateChatCompletionRequest,
) -> Result<CreateChatCompletionRequest, RequestProblem> {
    let PreLlmRequest { model, messages, max_tokens: most, temperature, provider_params, .. } =
        cleared.into_payload();
    let before = written(&proposed)?;
    let max_tokens = max_tokens(&before)?;
    let mut fields = provider_params.unwrap_or_default();
    for (name, value) in [
        (MODEL, Some(Value::String(model))),
        (MESSAGES, messages),
        (TEMPERATURE, temperature.map(Value::from)),
        (max_tokens, most.map(Value::from)),
    ] {
        if fields.contains_key(name) {
            return Err(RequestProblem::Twice(name));
        }
        fields.extend(value.map(|value| (name.to_owned(), value)));
    }
    if fields == before {
        return Ok(proposed);
    }
    self::max_tokens(&fields)?;
    let wanted = Value::Object(fields);
    let request = serde_json::from_value(wanted.clone())?;
    match lost(&wanted, &Value::Object(written(&request)?), "") {
        Some(path) => Err(RequestProblem::Lost(path)),
        None => Ok(request),
    }
}

/// Writes a request. By way of a text, since 0.7 in 32 bits would be 0.699999988079071 in 64.
fn written(request: &CreateChatCompletionRequest) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_str(&serde_json::to_string(request)?)
}

/// Returns in which field a request says how many tokens the answer may have.
fn max_tokens(fields: &Map<String, Value>) -> Result<&'static str, RequestProblem> {
    match (fields.contains_key(MAX_TOKENS), fields.contains_key(MAX_COMPLETION_TOKENS)) {
        (true, true) => Err(RequestProblem::Twice(MAX_TOKENS)),
        (true, false) => Ok(MAX_TOKENS),
        _ => Ok(MAX_COMPLETION_TOKENS),
    }
}

/// Returns the path to the first value that is not in what would be sent, or is only there.
fn lost(wanted: &Value, sent: &Value, path: &str) -> Option<String> {
    match (wanted, sent) {
        (Value::Object(wanted), Value::Object(sent)) => {
            let null = &Value::Null;
            let keys = wanted.keys().chain(sent.keys().filter(|key| !wanted.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let both = (wanted.get(key).unwrap_or(null), sent.get(key).unwrap_or(null));
                lost(both.0, both.1, &format!("{path}/{key}"))
            })
        }
        (Value::Array(wanted), Value::Array(sent)) if wanted.len() == sent.len() => {
            let mut pairs = wanted.iter().zip(sent).enumerate();
            pairs.find_map(|(at, (wanted, sent))| lost(wanted, sent, &format!("{path}/{at}")))
        }
        (Value::Number(wanted), Value::Number(sent)) if wanted.is_f64() || sent.is_f64() => {
            // async-openai has most numbers in 32 bits.
            #[expect(clippy::cast_possible_truncation, reason = "it is what async-openai does")]
            let [wanted, sent] = [wanted, sent].map(|number| number.as_f64().map(|n| n as f32));
            (wanted != sent).then(|| path.to_owned())
        }
        _ => (wanted != sent).then(|| path.to_owned()),
    }
}
