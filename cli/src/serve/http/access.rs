//! Who is answered: who has the token, and has named this server. Everything passes here first.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::tls::Certificate;
use crate::bearer_token::BearerToken;

/// Who is answered.
pub(super) struct Access {
    pub(super) token: BearerToken,
    pub(super) certificate: Option<Certificate>,
}

/// Lets a request through, or answers it.
pub(super) async fn check(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    // First, so that who has no token learns nothing about the server.
    if !access.has_token(headers) {
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    if !access.is_named_by(headers, request.uri().authority()) {
        let why = "`host` must be a loopback name, or a name of the certificate\n";
        return (StatusCode::MISDIRECTED_REQUEST, why).into_response();
    }
    // A program has none: what sends it is a page in a browser.
    if headers.contains_key(ORIGIN) {
        let why = "requests of pages in a browser, which have an `origin`, are not answered\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    next.run(request).await
}

impl Access {
    fn has_token(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (given.next(), given.next()) else { return false };
        self.token.admits(value.as_bytes())
    }

    /// Tells whether a request is for this server. A page whose name leads here (DNS rebinding) sends the name.
    fn is_named_by(&self, headers: &HeaderMap, target: Option<&Authority>) -> bool {
        let mut given = headers.get_all(HOST).iter();
        let (Some(value), None) = (given.next(), given.next()) else { return false };
        let Ok(host) = Authority::try_from(value.as_bytes()) else { return false };
        let is_ours = |name: &Authority| {
            !name.as_str().contains('@')
                && (is_loopback(name.host())
                    || self.certificate.as_ref().is_some_and(|of| of.is_for(name.host())))
        };
        is_ours(&host) && target.is_none_or(is_ours)
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
