//! The headers of the protocol between hookgate and a service.
//!
//! Their names begin with `x-hookgate-`. A config may not set one of them, nor a header that frames
//! the message: with a second `content-length` or `transfer-encoding` a proxy on the way could read
//! another body than the service does (request smuggling).

/// The id of the hook that is invoked.
pub(crate) const HOOK: &str = "x-hookgate-hook";
/// The event of the step, such as `pre_tool_use`.
pub(crate) const EVENT: &str = "x-hookgate-event";
/// A random id of the request, which its answer must carry too.
pub(crate) const REQUEST_ID: &str = "x-hookgate-request-id";
/// The key of a run that is done later, the same each time that it is tried.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// When the request was signed, in seconds since 1970.
pub(crate) const TIMESTAMP: &str = "x-hookgate-timestamp";
/// The signature of timestamp and body.
pub(crate) const SIGNATURE: &str = "x-hookgate-signature";

/// Headers that frame the message, or that would change the answer into something that is not read.
const FRAMING: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Returns why a config may not set a header of this name, which must be in lower case.
pub(crate) fn why_reserved(name: &str) -> Option<&'static str> {
    if name.starts_with("x-hookgate-") {
        Some("hookgate sets x-hookgate-* itself")
    } else if FRAMING.contains(&name) {
        Some("hookgate sets it itself")
    } else {
        None
    }
}
