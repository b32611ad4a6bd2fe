//! `health`: whether steps are judged.

use std::sync::Arc;

use hookgate::Generation;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::caller::Caller;
use super::super::error::CallError;
use super::status::Nothing;

/// Whether steps are judged.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Whether the next step of this host would be judged.
    ok: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The table in force.
    generation: Generation,
}

pub(crate) fn call(caller: &Arc<Caller>, _: Nothing) -> Result<Health, CallError> {
    caller.host()?;
    let why = match caller.enforcing_host() {
        _ if caller.service.is_ending() => Some("the server is about to end".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    let generation = caller.service.engine.table().generation();
    Ok(Health { ok: why.is_none(), why, generation })
}
