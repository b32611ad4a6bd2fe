//! `health`: whether steps are judged.

use std::sync::Arc;

use hookgate::Generation;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::caller::Caller;
use super::super::error::CallError;
use super::super::service::Service;
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
    let why = caller.enforcing_host().err().map(|error| error.to_string());
    Ok(Health::new(&caller.service, why))
}

impl Health {
    /// Returns whether a server judges steps, of which `why` says why not.
    pub(crate) fn new(service: &Service, why: Option<String>) -> Self {
        let ending = service.is_ending().then(|| "the server is about to end".to_owned());
        let why = ending.or(why);
        Self { ok: why.is_none(), why, generation: service.engine.table().generation() }
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "HTTP is not served there"))]
    pub(crate) const fn is_ok(&self) -> bool {
        self.ok
    }
}
