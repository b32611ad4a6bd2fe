//! Who is let in: pages of another origin are not, whatever name leads them here, and nobody without the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::site::Site;

/// What the page may load and do: what is its own, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What every answer says, refusals included.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// How a request is said to come from a page of this origin, or from none.
const OWN_SITES: [&str; 2] = ["same-origin", "none"];

/// Lets only requests pass that a page of this server makes, or a person.
pub(super) async fn own_origin(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match is_own(request.headers(), site.port) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, "this host or origin is not served\n").into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Lets only requests pass that show the token.
pub(super) async fn token(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let shown = only(request.headers(), &AUTHORIZATION);
    match shown.is_some_and(|shown| site.token.admits(shown.as_bytes())) {
        true => next.run(request).await,
        false => {
            let why =
                "the token is missing or wrong: open the URL that `hookgate ui` has printed\n";
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], why).into_response()
        }
    }
}

/// Whether a request names this server, and comes from a page of it or from none.
///
/// A name that somebody else lets point here (DNS rebinding) makes his page one of the same origin for the browser, and
/// shows in `Host`.
fn is_own(headers: &HeaderMap, port: u16) -> bool {
    let host = only(headers, &HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_here = ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}"));
    let is_from_here = match (headers.contains_key(ORIGIN), only(headers, &ORIGIN)) {
        (false, _) => true,
        (true, Some(origin)) => origin.as_bytes() == format!("http://{host}").as_bytes(),
        (true, None) => false,
    };
    // A person may come from anywhere, such as the file of `--open`. What he gets has no data.
    let is = |name: &str, values: &[&str]| {
        let mut said = headers.get_all(name).iter();
        said.all(|said| values.iter().any(|value| value.as_bytes() == said.as_bytes()))
    };
    let says = |name: &str, value: &str| headers.contains_key(name) && is(name, &[value]);
    let is_visit = says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document");
    is_here && is_from_here && (is_visit || is("sec-fetch-site", &OWN_SITES))
}

/// Returns a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_pages_are_let_in() {
        let is_own = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            is_own(&headers, 7777)
        };
        let host = ("host", "127.0.0.1:7777");
        assert!(is_own(&[host]) && is_own(&[("host", "localhost:7777")]));
        assert!(is_own(&[host, ("origin", "http://127.0.0.1:7777")]));
        assert!(is_own(&[host, ("sec-fetch-site", "none")]));
        let (visit, document) = (("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"));
        assert!(is_own(&[host, ("sec-fetch-site", "cross-site"), visit, document]));
        for wrong in [
            &[][..],
            &[host, ("sec-fetch-site", "cross-site"), visit],
            &[host, ("sec-fetch-site", "cross-site"), visit, ("sec-fetch-dest", "iframe")],
            &[host, ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")],
            &[("host", "evil.example:7777")],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:7778")],
            &[("host", "127.0.0.1:7777.evil.example")],
            &[host, host],
            &[host, ("origin", "null")],
            &[host, ("origin", "http://localhost:7777")],
            &[host, ("origin", "https://127.0.0.1:7777")],
            &[host, ("origin", "http://127.0.0.1:7777"), ("origin", "http://127.0.0.1:7777")],
            &[host, ("sec-fetch-site", "cross-site")],
            &[host, ("sec-fetch-site", "same-site")],
        ] {
            assert!(!is_own(wrong), "{wrong:?}");
        }
    }
}
