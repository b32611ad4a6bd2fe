//! `hello`: the host says what it can enforce.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookgate::contract::quote::Quoted;
use hookgate::contract::suggest::Suggestion;
use hookgate::contract::{Event, is_custom_name};
use hookgate::{ConfigHash, Generation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::PROTOCOL;
use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::{Host, Power, Unenforced, unenforced};

/// What a host says of itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hello {
    /// The version of the protocol: 1.
    protocol: u64,
    /// The program.
    client: Client,
    /// The events that the host fires: `pre_tool_use`, `x.deploy`. It judges and tells no others.
    events: BTreeSet<String>,
    /// What the host does if a verdict asks for it.
    enforces: BTreeSet<Power>,
    /// The ids of guards that this host cannot enforce, and that are not to keep it from working.
    #[serde(default)]
    accept_unenforced: BTreeSet<String>,
}

/// A program that calls.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// Its name.
    name: String,
    /// Its version.
    version: String,
}

/// What is in force.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Greeting {
    /// The version of the protocol.
    protocol: u64,
    /// The version of hookgate.
    hookgate: &'static str,
    /// The table in force.
    generation: Generation,
    /// What it is made of.
    config_hash: ConfigHash,
    /// The hooks that this host does not enforce: guards that it has accepted as such, and hooks that guard nothing.
    unenforced: Vec<Unenforced>,
}

pub(crate) fn call(caller: &Arc<Caller>, params: Hello) -> Result<Greeting, CallError> {
    let Hello { protocol, client, events, enforces, accept_unenforced } = params;
    if protocol != PROTOCOL {
        let message = format!("protocol {protocol} is not known, only {PROTOCOL}");
        return Err(CallError::new(Code::UnsupportedProtocol, message));
    }
    events.iter().try_for_each(|event| check_event(event))?;
    tracing::debug!(target: "hookgate::serve", caller = caller.id, client.name, client.version, "hello");
    let host = Host { events, enforces, accepted: accept_unenforced };
    let table = caller.service.engine.table();
    let refused = host.refused_for(&table);
    if !refused.is_empty() {
        return Err(unenforced(&refused));
    }
    let unenforced = host.unenforced(&table);
    caller.greeted(host);
    Ok(Greeting {
        protocol: PROTOCOL,
        hookgate: env!("CARGO_PKG_VERSION"),
        generation: table.generation(),
        config_hash: table.config_hash(),
        unenforced,
    })
}

fn check_event(name: &str) -> Result<(), CallError> {
    if Event::from_name(name).is_some() || is_custom_name(name) {
        return Ok(());
    }
    let names: Vec<_> = Event::NAMED.into_iter().map(Event::name).collect();
    let near = Suggestion::nearest(name, &names);
    let message = format!("`events`: there is no event `{}`{near}", Quoted(name));
    Err(CallError::new(Code::InvalidParams, message))
}
