//! `hookgate serve`: hosts in any language have their steps judged here. One protocol, JSON-RPC 2.0 with one object a
//! line, over whatever carries bytes: [`stdio`] for the host that has started this process, [`socket`] for all programs
//! of the user, [`http`] for those that have a token.
//!
//! What a method says and takes is a file of [`methods`]; [`method`] is their list. [`connection`] reads and answers, and
//! does not know where its bytes come from.

mod asked_steps;
mod caller;
mod connection;
mod counts;
mod error;
mod frame;
mod host;
#[cfg(not(target_os = "linux"))]
#[path = "serve/http/absent.rs"]
mod http;
#[cfg(target_os = "linux")]
mod http;
mod http_error;
mod http_settings;
mod limits;
mod lines;
mod meerkat_entries;
mod method;
mod methods;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "HTTP is not served there"))]
mod opa_answer;
mod openapi;
mod openrpc;
mod outbox;
#[cfg(target_os = "linux")]
mod own_file;
mod schema;
mod service;
mod sessions;
#[cfg(not(target_os = "linux"))]
#[path = "serve/socket/absent.rs"]
mod socket;
#[cfg(target_os = "linux")]
mod socket;
mod stdio;
mod told;
mod verdict;

pub(crate) use http::{HttpListening, listen_http};
pub(crate) use http_error::HttpError;
pub(crate) use http_settings::HttpSettings;
pub(crate) use limits::Limits;
pub(crate) use openapi::openapi;
pub(crate) use openrpc::openrpc;
pub(crate) use schema::schema;
pub(crate) use service::Service;
pub(crate) use socket::{Listening, listen};
pub(crate) use stdio::stdio;

/// The version of the protocol.
const PROTOCOL: u64 = 1;
