//! Hooks that are services: `http = { url = "https://hooks.example.com/policy" }`.
//!
//! The service gets the envelope by POST and answers with the verdict in the body:
//!
//! | answer | means |
//! |---|---|
//! | 2xx | the body is the verdict; `{}` is no opinion |
//! | 204 | no opinion, unless `silence = "failure"` |
//! | any other 2xx without a body | `malformed`: it may have broken off |
//! | 401, 403 | it refused the credentials: `auth` |
//! | any other status, redirects too | `http_status` |
//! | no JSON, an encoding, too many headers, an answer that breaks off | `malformed` |
//! | more than `limits.output` | `oversize` |
//! | no connection, no name, no trust | `unreachable` |
//! | an address that the hook may not reach | `untrusted` |
//!
//! Whatever is wrong with an answer, an ask, a deny or a halt that can be made out in what came of its
//! body stands: the failure counts as no less.
//!
//! # Settings
//! * `url`: https; http only for a host that `allow_loopback` or `allow_private` names.
//! * `env`: the variables that may stand in `headers`.
//! * `headers`: a table; `${NAME}` in a value is the value of the variable.
//! * `hmac`: `{ env = "SECRET" }` signs time and body; `header` names another header for it.
//! * `request_id`: sends `x-hookgate-request-id`, which the answer must carry too.
//! * `connect_timeout`: 3 s unless it says otherwise. The deadline of the whole call is the hook's.
//! * `idempotent`: a call that found no connection is tried a second time.
//! * `silence`: with `"failure"` a 204 is a failure too, for a service that must always answer.
//!   `"abstain"` is the default.
//! * `allow_loopback`, `allow_private`: `host:port` that may stand for such an address.
//! * `ca_file`: trusts the authorities in this PEM file, and no others.
//! * `client_cert`, `client_key`: PEM files; the service sees who calls.
//! * `pin`: `sha256:` and 64 hex digits, or several: the SHA-256 of the public key of the service
//!   (its SubjectPublicKeyInfo), which it must have beside a certificate that is trusted.
//! * `proxy`: `"env"` for that of the environment, or a URL; none unless asked for.
//!
//! # Requests
//! They are HTTP/1.1 and carry `x-hookgate-hook` and `x-hookgate-event`. A signed one carries
//! `x-hookgate-timestamp`, the seconds since 1970, and `x-hookgate-signature`: `sha256=` and the
//! HMAC-SHA256, in hex, of the timestamp, a full stop and the body.
//!
//! # Where requests may go
//! To public addresses, and there with https only. Not to loopback and private ones unless an opt-in names host and port, and
//! never to link-local ones (where clouds keep credentials), multicast, reserved ranges, and IPv6
//! that stands for an IPv4 address. With plain http a name must resolve to an address of the sort that
//! was opted in, never to a public one. A name is resolved when a connection is made, each address is
//! checked, and the connection goes to one that was checked. Through a proxy, it is the proxy that
//! resolves names.
//!
//! # Secrets
//! Values of listed variables stand in no error, reason or message that comes from a handler.

mod address;
mod answer;
mod body;
mod client;
mod endpoint;
mod fault;
mod headers;
mod hex;
mod http;
mod names;
mod pin;
mod recipe;
mod resolve;
mod signature;
mod tls;
mod variables;

use std::sync::LazyLock;

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, HandlerKind};

pub use http::Http;
pub use resolve::{Lookup, LookupFuture};

/// The kind under which these handlers stand in a config.
pub const KIND: &str = "http";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Builds a handler that asks a service.
pub fn build(settings: &mut Settings<'_>, surroundings: &BuildContext<'_>) -> Option<BuiltHandler> {
    Http::default().build(settings, surroundings)
}
