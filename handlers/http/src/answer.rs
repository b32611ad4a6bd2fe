//! What the answer of a service means.

use hookgate_contract::{Failure, FailureClass, Invocation, Reply, Verdict};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};

use crate::body::{self, Body, End};
use crate::names;

/// What is expected of an answer.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// How many bytes it may have.
    pub(crate) most: usize,
    /// The number of the request, where the answer must carry it.
    pub(crate) request_id: Option<&'a str>,
    /// Whether silence (204) is a failure.
    pub(crate) must_speak: bool,
    /// The question that it answers.
    pub(crate) invocation: Invocation<'a>,
}

/// The verdict in an answer. Whatever is wrong with the answer, an ask, a deny or a halt that can be
/// made out in what came of its body stands.
pub(crate) async fn reply(mut response: Response, expected: Expected<'_>) -> Reply {
    let status = response.status();
    let wrong = refused(status)
        .or_else(|| check_request(response.headers(), expected.request_id).err())
        .or_else(|| check_encoding(response.headers()).err());
    if let Some(failure) = wrong {
        // Of a class of its own already: its body only says whether something stands.
        let stands = body::glance(&mut response, expected.most, expected.invocation).await;
        return Err(failure.with_salvaged(stands));
    }
    if status == StatusCode::PARTIAL_CONTENT {
        let stands = body::glance(&mut response, expected.most, expected.invocation).await;
        let failure =
            malformed("the service sent a part of its answer (206): nobody asked for one");
        return Err(failure.with_salvaged(stands));
    }
    let is_json = is_json(response.headers());
    let body = body::read(&mut response, expected.most, expected.invocation).await;
    check_whole(&body, expected.most)
        .and_then(|()| match body.bytes.iter().all(u8::is_ascii_whitespace) {
            true => silence(status, expected.must_speak),
            // Something on the way, such as a login page, answers with 200 too.
            false if !is_json => Err(malformed("the answer is not of the type application/json")),
            false => Verdict::parse(&body.bytes),
        })
        .map_err(|failure| {
            let stands = failure.salvaged.max(body.salvaged());
            failure.with_salvaged(stands)
        })
}

fn check_whole(body: &Body<'_>, most: usize) -> Result<(), Failure> {
    let (class, detail) = match body.end {
        End::Whole => return Ok(()),
        End::TooLong => (
            FailureClass::Oversize,
            format!("the answer has more than {most} bytes: raise limits.output"),
        ),
        End::BrokenOff | End::Pending => (
            FailureClass::Malformed,
            format!("the answer broke off after {} bytes", body.bytes.len()),
        ),
    };
    Err(Failure::new(class, detail))
}

/// What an answer without a body means. An answer that broke off before its first byte can look like
/// one, so a service that has no opinion says so.
fn silence(status: StatusCode, must_speak: bool) -> Reply {
    if status != StatusCode::NO_CONTENT {
        return Err(malformed("the answer is empty: for no opinion answer {} or status 204"));
    }
    if must_speak {
        return Err(malformed("the service said nothing, and `silence` is \"failure\": answer {}"));
    }
    Ok(Verdict::none())
}

fn refused(status: StatusCode) -> Option<Failure> {
    if status.is_success() {
        return None;
    }
    let (class, hint) = match status.as_u16() {
        401 | 403 => (FailureClass::Auth, "the service refused the credentials"),
        300..=399 => (FailureClass::HttpStatus, "redirects are not followed: name the last URL"),
        404 | 410 => (FailureClass::HttpStatus, "nothing is there: is the path of `url` right?"),
        405 => (FailureClass::HttpStatus, "the service takes no POST there"),
        407 => (FailureClass::HttpStatus, "the proxy wants credentials"),
        408 | 504 => (FailureClass::HttpStatus, "the service was too slow for its gateway"),
        413 => (FailureClass::HttpStatus, "the step is larger than the service takes"),
        415 => (FailureClass::HttpStatus, "the service takes no application/json"),
        429 => (FailureClass::HttpStatus, "the service is asked too often"),
        400..=499 => (FailureClass::HttpStatus, "the service did not accept the request"),
        502 | 503 => (FailureClass::HttpStatus, "the service is not running behind its gateway"),
        _ => (FailureClass::HttpStatus, "the service failed: see its log"),
    };
    Some(Failure::new(class, format!("status {}: {hint}", status.as_u16())))
}

fn check_request(headers: &HeaderMap, request_id: Option<&str>) -> Result<(), Failure> {
    let Some(expected) = request_id else { return Ok(()) };
    match headers.get(names::REQUEST_ID) {
        Some(echo) if echo == expected => Ok(()),
        Some(_) => Err(malformed("the answer is one to another request (x-hookgate-request-id)")),
        None => Err(malformed("the answer has no x-hookgate-request-id: send that of the request")),
    }
}

fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    let plain = |value: &&[u8]| value.eq_ignore_ascii_case(b"identity");
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter().map(|value| value.as_bytes());
    if encodings.all(|value| plain(&value)) {
        return Ok(());
    }
    Err(malformed("the answer is compressed, which nobody asked for (content-encoding)"))
}

/// Whether the answer says that it is JSON, or does not say what it is.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return true };
    let Ok(text) = value.to_str() else { return false };
    let name = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(name.as_str(), "application/json" | "text/json")
        || (name.starts_with("application/") && name.ends_with("+json"))
}

fn malformed(detail: &'static str) -> Failure {
    Failure::new(FailureClass::Malformed, detail)
}
