//! `session.begin` and `session.end`.

use std::sync::Arc;

use hookgate::HookId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::caller::Caller;
use super::super::error::CallError;

/// A session that begins. Without it, a session begins with its first step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    /// Its name, of 1 to 256 bytes.
    session: String,
    /// Whether it outlives this connection: then every connection may use it, until it is ended.
    #[serde(default)]
    lasting: bool,
}

/// A session that has begun.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Begun {
    /// Its name.
    session: String,
    /// The ids of the hooks that callers have added to it.
    added: Vec<String>,
}

/// A session that ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    /// Its name.
    session: String,
}

/// A session that has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Ended {
    /// Its name.
    session: String,
    /// The hooks of the session that have failed, each with how often.
    failures: Vec<(HookId, u64)>,
    /// How many patches of background hooks nobody has taken.
    untaken: usize,
}

pub(crate) async fn begin(caller: &Arc<Caller>, params: Begin) -> Result<Begun, CallError> {
    caller.host()?;
    let session = caller.begin(&params.session, params.lasting)?;
    let state = session.state.read().await;
    let id = |hook: &serde_json::Map<String, serde_json::Value>| {
        hook.get("id").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    Ok(Begun { session: params.session, added: state.added.iter().map(id).collect() })
}

pub(crate) async fn end(caller: &Arc<Caller>, params: End) -> Result<Ended, CallError> {
    caller.host()?;
    let sessions = &caller.service.sessions;
    let session = sessions.known(&params.session, caller.id)?;
    let ended = sessions.end(&session).await;
    Ok(Ended { session: ended.session_id, failures: ended.failures, untaken: ended.untaken.len() })
}
