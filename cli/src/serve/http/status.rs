//! The status of an error. It is never a 200, for clients that look no further.

use axum::http::StatusCode;

use super::super::error::Code;

/// Returns the status of an error.
pub(super) const fn of(code: Code) -> StatusCode {
    match code {
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::TooMany => StatusCode::TOO_MANY_REQUESTS,
        Code::DeadlinePassed => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_REQUEST,
    }
}
