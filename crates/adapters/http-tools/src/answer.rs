//! What is said over HTTP of a call that does not go on.

use bytes::Bytes;
use hookgate::Decision;
use hookgate::approval::ParkProblem;
use hookgate::step::InputError;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

/// Why a request is refused without a hook that has denied it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The host names no session for it.
    #[error("the request names no session")]
    NoSession,
    /// The last segment of the path is no plain name, or there is a query.
    #[error("the path must end with the plain name of a tool, without a query")]
    NoTool,
    /// The body is too long, or did not come.
    #[error("the body is too long, or broke off")]
    Body,
    /// The body is no text in UTF-8.
    #[error("the body is no text in UTF-8, so no hook can judge it")]
    NoText,
    /// The body is no JSON that every reader understands alike.
    #[error(transparent)]
    Arguments(#[from] InputError),
    /// The question cannot be kept.
    #[error("the question cannot be kept: {0}")]
    Park(ParkProblem),
    /// The host does not keep the question.
    #[error("the question was not kept: {0}")]
    Questions(String),
    /// There is no approved question of this number for this tool and session.
    #[error("there is no approved question of this number for this call")]
    NoApproval,
}

impl Refusal {
    pub(crate) fn answer(&self) -> Response<Full<Bytes>> {
        let status = match self {
            Self::Body => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Park(_) | Self::Questions(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoApproval => StatusCode::CONFLICT,
            _ => StatusCode::BAD_REQUEST,
        };
        json_answer(status, &json!({ "outcome": "refused", "reason": self.to_string() }))
    }
}

/// Answers with what was decided.
pub(crate) fn decided(status: StatusCode, decision: &Decision) -> Response<Full<Bytes>> {
    let (outcome, by) = (decision.outcome.name(), &decision.by);
    json_answer(status, &json!({ "outcome": outcome, "by": by, "reason": decision.reason }))
}

pub(crate) fn json_answer(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(body.to_string()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
