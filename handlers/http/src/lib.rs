//! Hooks that are services: `http = { url = "https://hooks.example.com/policy" }`.
//!
//! Use it when the decision is made elsewhere: one policy service for many hosts, a service in
//! another language, an approval system. A call costs a round trip (about a millisecond within a
//! data centre), so a rule that needs no service is better a builtin, and a program on the same
//! machine is better a `command` in worker mode.
//!
//! # A call
//! The service gets the [envelope](hookgate_contract::Envelope) of the step by POST and answers
//! with a [verdict](hookgate_contract::Verdict). This example is both sides of it:
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpListener;
//!
//! use hookgate_contract::StepId;
//! use hookgate_contract::payload::ToolCall;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_contract::{BuildContext, Envelope, Handler, Invocation, StepContext, Verdict};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! // A service that denies everything, in a dozen lines.
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let authority = listener.local_addr()?.to_string();
//! let service = std::thread::spawn(move || {
//!     let (mut connection, _) = listener.accept().unwrap();
//!     let mut request = [0; 4096];
//!     let length = connection.read(&mut request).unwrap();
//!     let verdict = r#"{"decision":"deny","reason":"not on Fridays"}"#;
//!     let length_of_body = verdict.len();
//!     let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
//!     write!(connection, "{head} {length_of_body}\r\n\r\n{verdict}").unwrap();
//!     String::from_utf8_lossy(&request[..length]).into_owned()
//! });
//!
//! // The settings, as hooks.toml has them:
//! // http = { url = "http://127.0.0.1:PORT/policy", allow_loopback = ["127.0.0.1:PORT"] }
//! let node = Node::from_json(&serde_json::json!({
//!     "url": format!("http://{authority}/policy"),
//!     "allow_loopback": [authority],
//! }));
//! let mut settings = Settings::new(&node);
//! let built = hookgate_http::build(&mut settings, &BuildContext::new("".as_ref(), 64 * 1024));
//! let Handler::Async(handler) = built.unwrap().handler else { unreachable!() };
//!
//! let call = ToolCall::new("Bash", serde_json::json!({"command": "make deploy"}));
//! let context = StepContext::new("session-1");
//! let id = StepId::new(Some("step-1"), String::new);
//! let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
//! let verdict = handler.handle(Invocation::new("policy", &envelope)).await.unwrap();
//! assert_eq!(verdict, Verdict::deny("not on Fridays"));
//!
//! let request = service.join().unwrap();
//! assert!(request.starts_with("POST /policy HTTP/1.1\r\n"));
//! assert!(request.contains("x-hookgate-hook: policy\r\n"));
//! assert!(request.contains("x-hookgate-event: pre_tool_use\r\n"));
//! # Ok(())
//! # }
//! ```
//!
//! # Settings
//!
#![doc = include_str!("settings.md")]
//!
//! Paths are relative to the folder of the config. A key that is not listed is an error.
//!
//! ```toml
//! [[hook]]
//! id = "policy"
//! event = "pre_tool_use"
//! timeout = "2s"
//! on_failure = "deny"
//! http = { url = "https://hooks.example.com/policy", env = ["POLICY_TOKEN"], headers = { authorization = "Bearer ${POLICY_TOKEN}" }, hmac = { env = "POLICY_SECRET" } }
//! ```
//!
//! # What is sent
//! One POST over HTTP/1.1 with the envelope as its body, the same bytes for all hooks of the step.
//!
//! | header | value |
//! |---|---|
//! | `content-type`, `accept` | `application/json` |
//! | `accept-encoding` | `identity`: a compressed answer is refused |
//! | `user-agent` | `hookgate/` and the version |
//! | `x-hookgate-hook` | the id of the hook, which is not in the envelope |
//! | `x-hookgate-event` | the event, such as `pre_tool_use`; also in the envelope |
//! | `x-hookgate-request-id` | with `request_id`: 32 hex digits, new for each step |
//! | `idempotency-key` | of a run that is done later: the same each time that it is tried |
//! | `x-hookgate-timestamp` | with `hmac`: seconds since 1970 |
//! | `x-hookgate-signature` | with `hmac`: `sha256=` and 64 hex digits |
//!
//! The headers of the setting `headers` come in addition. It cannot set `x-hookgate-*`, nor what
//! frames the message (`host`, `content-length`, `transfer-encoding`, …).
//!
//! # The signature
//! It is the HMAC-SHA256, under the secret, of the timestamp, a full stop and the body. A service
//! computes it again over the bytes that it received (before parsing them), compares in constant
//! time, and refuses timestamps that are more than a few minutes away:
//!
//! ```
//! use hmac_sha256::HMAC;
//!
//! // x-hookgate-timestamp: 1700000000
//! // x-hookgate-signature: sha256=d7aa5ef4f68e7e53…
//! let (timestamp, body) = ("1700000000", r#"{"a":1}"#);
//! let sent = "d7aa5ef4f68e7e5306c28aafcb017fe001546aa8bc444c47ae5230e11990bb1e";
//!
//! let tag: [u8; 32] = data_encoding::HEXLOWER.decode(sent.as_bytes())?.try_into().unwrap();
//! let signed = format!("{timestamp}.{body}");
//! assert!(HMAC::verify(&signed, b"it-is-a-secret", &tag));
//! assert!(!HMAC::verify("1700000001.{\"a\":1}", b"it-is-a-secret", &tag));
//! # Ok::<(), data_encoding::DecodeError>(())
//! ```
//!
//! The same in a shell:
//! `printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac it-is-a-secret`.
//!
//! # What an answer means
//!
//! | answer | result |
//! |---|---|
//! | 2xx with a body | the body is the verdict; `{}` is no opinion |
//! | 204 | no opinion; with `silence = "failure"` it is `malformed` |
//! | any other 2xx without a body | `malformed`: it may have broken off |
//! | 401, 403; a TLS alert about the client certificate | `auth` |
//! | any other status, redirects too | `http_status` |
//! | not JSON, compressed, partial (206), wrong request id, too many headers, broken off | `malformed` |
//! | more than `limits.output` bytes | `oversize` |
//! | no connection, no address, no trust, closed before the answer | `unreachable` |
//! | an address that the hook may not reach | `untrusted` |
//! | no tokio runtime, no random numbers | `spawn` |
//!
//! The names on the right are the [classes](hookgate_contract::FailureClass) of failures. What a
//! failure counts as (deny, ask, allow) is the posture of the hook. Whatever is wrong with an
//! answer, an ask, a deny or a halt that can be read from what arrived of its body is kept: the
//! failure counts as no less.
//!
//! # Time-outs, retries and cancellation
//! The deadline of the whole call is the `timeout` of the hook, which the engine enforces;
//! `connect_timeout` only bounds the connection, so that a dead host is noticed early. If the
//! deadline passes or the dispatch is cancelled, the future is dropped and its connection is
//! closed. The service may go on working on a request that it has received.
//!
//! Nothing is sent twice, since a service may count calls. `idempotent = true` allows one second
//! attempt, 50 ms later, if no connection was made, which is the case while a service restarts. A
//! request that was sent is never repeated.
//!
//! # Where requests may go
//!
//! | address | `https` | `http` |
//! |---|---|---|
//! | public | yes | no |
//! | loopback | with `allow_loopback` | with `allow_loopback` |
//! | private, shared (100.64.0.0/10) | with `allow_private` | with `allow_private` |
//! | link-local, metadata services, multicast, reserved, IPv6 that embeds IPv4 | never | never |
//!
//! A config that came with a repository can therefore not make the host talk to its own database or
//! to the credentials service of a cloud (SSRF), unless it names them in plain sight. A name is
//! resolved when a connection is made; each address is checked, and the connection goes to an
//! address that passed, so a name that changes between check and use (DNS rebinding) gains nothing.
//! Through a proxy, it is the proxy that resolves names, and these rules do not hold there.
//!
//! # Secrets
//! The values of listed variables, and whatever looks like a secret
//! ([`hookgate_secrets`]), are taken out of every reason, message and error that this handler
//! returns. URLs are not shown either: errors name `host:port`.

mod answer;
mod authority;
mod body;
mod client;
mod endpoint;
mod error;
mod factory;
mod handler;
mod header_names;
mod headers;
mod proxy;
mod service;
mod settings;
mod signature;
mod spki_pin;
mod status;
mod tls;
mod variables;

use std::sync::LazyLock;

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, HandlerKind};

pub use factory::HttpFactory;
pub use hookgate_net::{Lookup, LookupFuture};
pub use service::{Service, ServiceAnswer};
pub use settings::SETTINGS;

/// The key of these handlers in a config.
pub const KIND: &str = "http";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Builds a handler that calls a service, with the resolver and the variables of the system.
///
/// Returns `None` if the settings are wrong; all that is wrong is then noted in them. See
/// [`HttpFactory`] for other sources.
///
/// ```
/// use hookgate_contract::BuildContext;
/// use hookgate_contract::settings::{Node, Settings};
///
/// // A config must not reach the credentials service of a cloud.
/// let node = Node::from_json(&serde_json::json!({"url": "http://169.254.169.254/latest"}));
/// let mut settings = Settings::new(&node);
/// assert!(hookgate_http::build(&mut settings, &BuildContext::new("".as_ref(), 1024)).is_none());
/// assert_eq!(
///     settings.finish()[0].to_string(),
///     "`url`: `169.254.169.254` is a link-local address: no hook may go there",
/// );
/// ```
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    HttpFactory::default().build(settings, context)
}
