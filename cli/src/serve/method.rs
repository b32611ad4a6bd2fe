//! The methods: their names, and which file answers.

use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::caller::Caller;
use super::error::{CallError, Code};
use super::frame::{self, Id, Request};
use super::methods::{
    ask, batch, events, health, hello, judge, metrics, observe, overrides, replace, session, status,
};
use hookgate::contract::quote;
use hookgate::contract::suggest::Suggestion;

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Hello,
    Judge,
    JudgeBatch,
    Observe,
    AskAnswer,
    Override,
    SessionBegin,
    SessionEnd,
    Replace,
    Status,
    Health,
    Metrics,
    Events,
}

impl Method {
    /// Every method.
    pub(crate) const ALL: [Self; 13] = [
        Self::Hello,
        Self::Judge,
        Self::JudgeBatch,
        Self::Observe,
        Self::AskAnswer,
        Self::Override,
        Self::SessionBegin,
        Self::SessionEnd,
        Self::Replace,
        Self::Status,
        Self::Health,
        Self::Metrics,
        Self::Events,
    ];

    /// Returns the name on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Judge => "judge",
            Self::JudgeBatch => "judge_batch",
            Self::Observe => "observe",
            Self::AskAnswer => "ask.answer",
            Self::Override => "override",
            Self::SessionBegin => "session.begin",
            Self::SessionEnd => "session.end",
            Self::Replace => "replace",
            Self::Status => "status",
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::Events => "events",
        }
    }

    /// Returns what it does, in a sentence.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Hello => "The host says what it can enforce. It comes before every other method.",
            Self::Judge => "Judges a step before it happens, or a result before it is shown.",
            Self::JudgeBatch => "Judges several steps; a bad one fails alone.",
            Self::Observe => "Tells of an event that nothing can stop.",
            Self::AskAnswer => "Answers a question for a person.",
            Self::Override => "Adds hooks to a session, or takes out those that were added so.",
            Self::SessionBegin => "Begins a session; one that lasts outlives its connection.",
            Self::SessionEnd => "Ends a session, with the hooks that were added to it.",
            Self::Replace => "Puts other hooks in force, where the operator permits it.",
            Self::Status => "Says which table is in force, and what is going on.",
            Self::Health => "Says whether steps are judged.",
            Self::Metrics => "Returns figures as OpenMetrics.",
            Self::Events => "Has the server tell every decision from now on.",
        }
    }

    fn from_name(name: &str) -> Result<Self, CallError> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let near = Suggestion::nearest(name, &names);
            let name = quote::Quoted(name);
            CallError::new(Code::UnknownMethod, format!("there is no method `{name}`{near}"))
        })
    }
}

/// What a request is answered with.
pub(super) struct Answer {
    /// The line.
    pub(super) line: Vec<u8>,
    /// The code, if it is an error.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "HTTP asks for it"))]
    pub(super) error: Option<Code>,
}

/// Answers a request. It may be polled by any thread.
pub(super) fn answer(
    caller: Arc<Caller>,
    request: Request,
) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
    Box::pin(call(caller, request))
}

async fn call(caller: Arc<Caller>, request: Request) -> Answer {
    let Request { id, method, params } = request;
    let method = match Method::from_name(&method) {
        Ok(method) => method,
        Err(error) => return refuse(&caller, &id, &error),
    };
    let c = &caller;
    match method {
        Method::Hello => reply(c, &id, params, async |p| hello::call(c, p)).await,
        Method::Judge => reply(c, &id, params, async |p| judge::call(c, p).await).await,
        Method::JudgeBatch => reply(c, &id, params, async |p| batch::call(c, p).await).await,
        Method::Observe => reply(c, &id, params, async |p| observe::call(c, p).await).await,
        Method::AskAnswer => reply(c, &id, params, async |p| ask::call(c, p).await).await,
        Method::Override => reply(c, &id, params, async |p| overrides::call(c, p).await).await,
        Method::SessionBegin => reply(c, &id, params, async |p| session::begin(c, p).await).await,
        Method::SessionEnd => reply(c, &id, params, async |p| session::end(c, p).await).await,
        Method::Replace => reply(c, &id, params, async |p| replace::call(c, p).await).await,
        Method::Status => reply(c, &id, params, async |p| status::call(c, p)).await,
        Method::Health => reply(c, &id, params, async |p| health::call(c, p)).await,
        Method::Metrics => reply(c, &id, params, async |p| metrics::call(c, p)).await,
        Method::Events => reply(c, &id, params, async |p| events::call(c, p)).await,
    }
}

/// Reads the parameters, calls the method, and writes what it returns.
async fn reply<P, R>(
    caller: &Caller,
    id: &Id,
    params: Map<String, Value>,
    call: impl AsyncFnOnce(P) -> Result<R, CallError>,
) -> Answer
where
    P: DeserializeOwned,
    R: Serialize,
{
    let params = serde_json::from_value(Value::Object(params)).map_err(|error| {
        CallError::new(
            Code::InvalidParams,
            format!("`params`: {}", quote::message(&error.to_string())),
        )
    });
    let result = match params {
        Ok(params) => call(params).await,
        Err(error) => Err(error),
    };
    match result {
        Ok(result) => Answer { line: frame::success(id, &result), error: None },
        Err(error) => refuse(caller, id, &error),
    }
}

/// Returns the answer that is an error, which is counted.
pub(super) fn refuse(caller: &Caller, id: &Id, error: &CallError) -> Answer {
    caller.service.counts.failed(error.code());
    Answer { line: frame::refusal(id, error), error: Some(error.code()) }
}
