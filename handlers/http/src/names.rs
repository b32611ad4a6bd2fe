//! The headers of the protocol.

/// The hook that asks.
pub(crate) const HOOK: &str = "x-hookgate-hook";
/// The event of the step.
pub(crate) const EVENT: &str = "x-hookgate-event";
/// A number of the request, which its answer must carry too.
pub(crate) const REQUEST_ID: &str = "x-hookgate-request-id";
/// When the request was signed.
pub(crate) const TIMESTAMP: &str = "x-hookgate-timestamp";
/// The signature.
pub(crate) const SIGNATURE: &str = "x-hookgate-signature";

/// Why a config may not set a header of this name; lower case.
pub(crate) fn refuse(name: &str) -> Option<&'static str> {
    // What frames the message, and what makes the answer something that would not be read.
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
    if name.starts_with("x-hookgate-") {
        Some("hookgate sets x-hookgate-* itself")
    } else if FRAMING.contains(&name) {
        Some("hookgate sets it itself")
    } else {
        None
    }
}
