//! `POST /v1/data/hookgate`: a step, as OPA is asked about it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::super::opa_answer::{ALLOW, OpaRefusal};
use super::shared::Shared;
use super::status;

/// Answers a request.
pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let Some(opa) = &shared.opa else { return StatusCode::NOT_FOUND.into_response() };
    match opa.answer(&path, request).await {
        Ok(answer) if path == ALLOW => {
            let (id, allow) = (answer.decision_id, answer.result.allow);
            Json(json!({"decision_id": id, "result": allow})).into_response()
        }
        Ok(answer) => Json(answer).into_response(),
        Err(error) => {
            shared.service.counts.failed(error.code());
            let status = status::of(error.code());
            let is_theirs = status == StatusCode::BAD_REQUEST;
            (status, Json(OpaRefusal::new(&error, is_theirs))).into_response()
        }
    }
}
