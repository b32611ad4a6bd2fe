//! `GET /health` and `GET /metrics`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::super::frame::Id;
use super::super::methods::health::Health;
use super::super::methods::metrics;
use super::rpc::refuse;
use super::shared::Shared;

/// Says whether steps are judged: those of the caller that is named, those that come as OPA is asked, or any at all.
pub(super) async fn health(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let why = match shared.callers.find(&headers) {
        Ok(Some(using)) => using.named.caller.enforcing_host().err(),
        Ok(None) => shared.opa.as_ref().and_then(|opa| opa.enforces().err()),
        Err(error) => return refuse(&shared, &Id::None, &error),
    };
    let health = Health::new(&shared.service, why.map(|error| error.to_string()));
    let status = if health.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(health)).into_response()
}

/// Returns figures as OpenMetrics.
pub(super) async fn open_metrics(State(shared): State<Arc<Shared>>) -> Response {
    let figures = metrics::figures(&shared.service);
    ([(CONTENT_TYPE, figures.content_type)], figures.text).into_response()
}
