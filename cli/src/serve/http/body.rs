//! What a request brings.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use axum::http::StatusCode;
use tokio::time::timeout;

use super::super::error::{CallError, Code};

/// How long a body may take to come in.
const TIME: Duration = Duration::from_secs(30);

/// Reads the body of a request, which the routes bound.
///
/// # Errors
/// It is too large, or does not come in whole.
pub(super) async fn read(request: Request) -> Result<Bytes, CallError> {
    let read = timeout(TIME, Bytes::from_request(request, &())).await;
    let read = read.map_err(|_| {
        CallError::new(Code::ParseError, format!("the body did not come in within {TIME:?}"))
    })?;
    read.map_err(|rejected| match rejected.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            CallError::new(Code::TooLarge, "the body is larger than 16 MiB")
        }
        _ => CallError::new(Code::ParseError, "the body did not come in whole"),
    })
}
