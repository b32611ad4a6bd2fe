//! Reads the verdict from the answer of a service.
//!
//! The checks come in this order, and the first that fails gives the failure its class: the status,
//! the echo of the request id, the encoding, the body. Each is there because something other than
//! the service may answer with status 200: a login page of a proxy, a load balancer with a
//! maintenance text, a cache with the answer to another request.
//!
//! Whatever is wrong, an ask, a deny or a halt that can be read from what arrived of the body goes
//! along with the failure as *salvaged*, so damage on the way never turns a deny into something
//! weaker.

use hookgate_contract::dialect::{ScriptCall, ScriptOutput};
use hookgate_contract::{Failure, FailureClass, Invocation, Reply, Verdict};
use hookgate_net::BodyEnd;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use http::{Response, StatusCode};
use hyper::body::Incoming;

use crate::body::AnswerBody;
use crate::header_names;
use crate::status::status_failure;

/// What an answer must be like.
#[derive(Clone, Copy)]
pub(crate) struct ExpectedAnswer<'a> {
    /// How many bytes the body may have.
    pub(crate) limit: usize,
    /// The id of the request, if the answer must carry it.
    pub(crate) request_id: Option<&'a str>,
    /// Whether status 204 (no opinion) is a failure.
    pub(crate) silence_fails: bool,
    /// What was asked in the form of another agent: the answer is in its form then.
    pub(crate) asked: Option<&'a ScriptCall<'a>>,
    /// The call that is answered.
    pub(crate) invocation: Invocation<'a>,
}

/// Reads the verdict from an answer.
///
/// # Errors
/// The failure of the class that the crate page names, with the decision that was salvaged.
pub(crate) async fn read_reply(
    mut response: Response<Incoming>,
    expected: ExpectedAnswer<'_>,
) -> Reply {
    let ExpectedAnswer { limit, invocation, .. } = expected;
    if let Err(failure) = check_head(&response, expected.request_id) {
        // Its class is known; its body is read for a decision only.
        let salvaged = AnswerBody::salvage(&mut response, limit, invocation).await;
        return Err(failure.with_salvaged(salvaged));
    }
    let status = response.status();
    let is_json = is_json(response.headers());
    let body = AnswerBody::read(&mut response, limit, invocation).await;
    check_end(&body, limit)
        .and_then(|()| match expected.asked {
            Some(asked) => read_foreign(asked, &body.bytes),
            None if body.bytes.iter().all(u8::is_ascii_whitespace) => {
                read_silence(status, expected.silence_fails)
            }
            None if !is_json => Err(malformed("the answer is not of the type application/json")),
            None => Verdict::parse(&body.bytes),
        })
        .map_err(|failure| {
            let salvaged = failure.salvaged.max(body.salvaged());
            failure.with_salvaged(salvaged)
        })
}

fn check_head(response: &Response<Incoming>, request_id: Option<&str>) -> Result<(), Failure> {
    if let Some(failure) = status_failure(response.status()) {
        return Err(failure);
    }
    check_request_id(response.headers(), request_id)?;
    check_encoding(response.headers())?;
    if response.status() == StatusCode::PARTIAL_CONTENT {
        return Err(malformed(
            "the service sent a part of its answer (206) although none was asked for",
        ));
    }
    Ok(())
}

fn check_end(body: &AnswerBody<'_>, limit: usize) -> Result<(), Failure> {
    match body.end {
        Some(BodyEnd::Whole) => Ok(()),
        Some(BodyEnd::TooLong) => Err(Failure::new(
            FailureClass::Oversize,
            format!("the answer has more than {limit} bytes: raise limits.output"),
        )),
        _ => Err(Failure::new(
            FailureClass::Malformed,
            format!("the answer broke off after {} bytes", body.bytes.len()),
        )),
    }
}

/// Reads the answer of a service that was written for an agent. What silence and plain text mean is for
/// the dialect to say; but text of which it makes nothing may come from another than the service, such
/// as the login page of a proxy.
fn read_foreign(asked: &ScriptCall<'_>, body: &[u8]) -> Reply {
    let verdict = asked.reply(&ScriptOutput::new(0, body, ""))?;
    let body = body.trim_ascii();
    let says_something = verdict.parts().is_some_and(|parts| {
        let decides = parts.decision.is_some() || parts.answer.is_some();
        decides || !parts.patch.is_empty() || !parts.context.is_empty()
    });
    if body.is_empty() || body.starts_with(b"{") || says_something {
        return Ok(verdict);
    }
    Err(malformed("the answer is text that means nothing here: answer one JSON object"))
}

/// Reads an answer without a body. An answer that broke off before its first byte can look like
/// one, so a service without an opinion must say so: by status 204 or `{}`.
fn read_silence(status: StatusCode, silence_fails: bool) -> Reply {
    if status != StatusCode::NO_CONTENT {
        return Err(malformed("the answer is empty: for no opinion answer {} or status 204"));
    }
    if silence_fails {
        return Err(malformed("the service answered 204, and `silence` is \"failure\": answer {}"));
    }
    Ok(Verdict::none())
}

fn check_request_id(headers: &HeaderMap, request_id: Option<&str>) -> Result<(), Failure> {
    let Some(expected) = request_id else { return Ok(()) };
    match headers.get(header_names::REQUEST_ID) {
        Some(echo) if echo == expected => Ok(()),
        Some(_) => Err(malformed("the answer is one to another request (x-hookgate-request-id)")),
        None => Err(malformed("the answer has no x-hookgate-request-id: send that of the request")),
    }
}

fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    if encodings.all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    Err(malformed("the answer is compressed, which was not asked for (content-encoding)"))
}

/// Whether an answer is declared as JSON, or does not declare its type.
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
