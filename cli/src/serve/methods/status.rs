//! `status`: which table is in force, and what is going on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hookgate::{ConfigHash, Generation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::PROTOCOL;
use super::super::caller::Caller;
use super::super::error::CallError;

/// No parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What is going on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Status {
    /// The version of the protocol.
    protocol: u64,
    /// The version of hookgate.
    hookgate: &'static str,
    /// The table in force.
    generation: Generation,
    /// What it is made of.
    config_hash: ConfigHash,
    /// How many hooks it has.
    hooks: usize,
    /// Events that must be guarded and are not: each of their steps is denied.
    unguarded: Vec<String>,
    /// Connections.
    callers: usize,
    /// Sessions.
    sessions: usize,
    /// Requests at work.
    in_flight: usize,
    /// Overrides that were refused.
    overrides_refused: u64,
    /// How long the server has been running, in milliseconds.
    uptime_ms: u64,
}

pub(crate) fn call(caller: &Arc<Caller>, _: Nothing) -> Result<Status, CallError> {
    caller.host()?;
    let service = &caller.service;
    let table = service.engine.table();
    Ok(Status {
        protocol: PROTOCOL,
        hookgate: env!("CARGO_PKG_VERSION"),
        generation: table.generation(),
        config_hash: table.config_hash(),
        hooks: table.len(),
        unguarded: table.unguarded().into_iter().map(|(event, _)| event.to_owned()).collect(),
        callers: service.callers(),
        sessions: service.sessions.count(),
        // ORDERING: a figure.
        in_flight: service.in_flight.load(Ordering::Relaxed),
        overrides_refused: service.counts.refusals(),
        uptime_ms: u64::try_from(service.uptime().as_millis()).unwrap_or(u64::MAX),
    })
}
