//! `/rpc`: the methods, one request a body.

use std::sync::Arc;

use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::frame::{self, Id, Request};
use super::super::method::{self, Answer};
use super::super::service::Working;
use super::callers::{HEADER, Using};
use super::shared::Shared;
use super::{body, status};

/// Answers a request.
pub(super) async fn post(State(shared): State<Arc<Shared>>, request: HttpRequest) -> Response {
    match shared.callers.find(request.headers()) {
        Ok(Some(using)) => known(&using, request).await,
        Ok(None) => unnamed(&shared, request).await,
        Err(error) => refuse(&shared, &Id::None, &error),
    }
}

/// Ends a caller.
pub(super) async fn delete(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    match shared.callers.end(&headers).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refuse(&shared, &Id::None, &error),
    }
}

/// Answers a caller that has said `hello`.
async fn known(using: &Using, request: HttpRequest) -> Response {
    let caller = &using.named.caller;
    let answered = async {
        // Before the body is read, so that of bodies, too, there are only so many.
        let _at_work = using.named.place().await.map_err(|error| (Id::None, error))?;
        let request = read(caller, request).await?;
        Ok(method::answer(Arc::clone(caller), request).await)
    };
    let answered: Result<Answer, (Id, CallError)> = tokio::select! {
        answered = answered => answered,
        error = using.named.ended() => Err((Id::None, error)),
    };
    respond(answered.unwrap_or_else(|(id, error)| method::refuse(caller, &id, &error)))
}

/// Answers who has no id yet: `hello` gives it one.
async fn unnamed(shared: &Shared, request: HttpRequest) -> Response {
    let service = &shared.service;
    let Ok(_place) = shared.unnamed.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let Some(place) = service.place() else {
        let message = "the server has as many callers as it takes";
        return refuse(shared, &Id::None, &CallError::new(Code::TooMany, message));
    };
    let _working = Working::new(service);
    let caller = Arc::new(Caller::new(place.id, Arc::clone(service), None));
    let answer = match read(&caller, request).await {
        Ok(request) => method::answer(Arc::clone(&caller), request).await,
        Err((id, error)) => method::refuse(&caller, &id, &error),
    };
    // Only `hello` has let it in.
    if answer.error.is_some() || caller.host().is_err() {
        return respond(answer);
    }
    let id = shared.callers.add(caller, place);
    let id = id.and_then(|id| HeaderValue::try_from(id).map_err(std::io::Error::other));
    match id {
        Ok(id) => ([(HeaderName::from_static(HEADER), id)], respond(answer)).into_response(),
        Err(error) => refuse(shared, &Id::None, &CallError::new(Code::Internal, error.to_string())),
    }
}

async fn read(caller: &Caller, request: HttpRequest) -> Result<Request, (Id, CallError)> {
    let bytes = body::read(request).await.map_err(|error| (Id::None, error))?;
    Request::parse(&bytes, caller.service.integers())
}

/// Returns the response of an error, which is counted.
pub(super) fn refuse(shared: &Shared, id: &Id, error: &CallError) -> Response {
    shared.service.counts.failed(error.code());
    respond(Answer { line: frame::refusal(id, error), error: Some(error.code()) })
}

fn respond(answer: Answer) -> Response {
    let status = answer.error.map_or(StatusCode::OK, status::of);
    (status, [(CONTENT_TYPE, "application/json")], answer.line).into_response()
}
