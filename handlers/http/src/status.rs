//! The failure that a status code means, with advice for the person who set up the service.

use hookgate_contract::{Failure, FailureClass};
use http::StatusCode;

/// Returns the failure that a status means, or `None` for 2xx.
///
/// 401 and 403 are failures of the class `auth`, all others `http_status`. Redirects are failures
/// too: following one would send the step to a URL that no config names.
pub(crate) fn status_failure(status: StatusCode) -> Option<Failure> {
    if status.is_success() {
        return None;
    }
    let class = match status.as_u16() {
        401 | 403 => FailureClass::Auth,
        _ => FailureClass::HttpStatus,
    };
    let detail = format!("status {}: {}", status.as_u16(), advice(status.as_u16()));
    Some(Failure::new(class, detail))
}

const fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "the service refused the credentials",
        300..=399 => "redirects are not followed: name the last URL",
        404 | 410 => "nothing is there: is the path of `url` right?",
        405 => "the service takes no POST there",
        407 => "the proxy wants credentials",
        408 | 504 => "the service was too slow for its gateway",
        413 => "the step is larger than the service takes",
        415 => "the service does not take application/json",
        429 => "the service gets too many requests",
        400..=499 => "the service did not accept the request",
        502 | 503 => "the service is not running behind its gateway",
        _ => "the service failed: see its log",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_not_a_failure_and_credentials_have_a_class_of_their_own() {
        let class = |code| {
            let failure = status_failure(StatusCode::from_u16(code).unwrap());
            failure.map(|failure| failure.class)
        };
        assert_eq!([class(200), class(204), class(299)], [None; 3]);
        assert_eq!([class(401), class(403)], [Some(FailureClass::Auth); 2]);
        for code in [100, 302, 400, 404, 429, 500, 503, 599] {
            assert_eq!(class(code), Some(FailureClass::HttpStatus), "{code}");
        }
    }
}
