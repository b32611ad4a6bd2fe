//! `hookgate serve`: hosts in any language have their steps judged here. One protocol, JSON-RPC 2.0 with one object a
//! line, over whatever carries bytes: [`stdio`] for the host that has started this process, [`socket`] for all programs
//! of the user.
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
mod limits;
mod lines;
mod method;
mod methods;
mod outbox;
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

pub(crate) use limits::Limits;
pub(crate) use schema::schema;
pub(crate) use service::Service;
pub(crate) use socket::{Listening, listen};
pub(crate) use stdio::stdio;

/// The version of the protocol.
const PROTOCOL: u64 = 1;
