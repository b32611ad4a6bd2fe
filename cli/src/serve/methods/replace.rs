//! `replace`: other hooks, in one step, where the operator permits it.

use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::engine::SwapError;
use hookgate::{ConfigHash, Generation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::Unenforced;
use super::overrides::mistakes;

/// A config that is to be in force.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replace {
    /// The text of a hooks.toml. Relative paths in it begin at the folder of the server.
    toml: String,
    /// Only if the table of this generation is still in force.
    #[serde(default)]
    if_generation: Option<Generation>,
}

/// The config that is in force now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Replaced {
    /// The new table.
    generation: Generation,
    /// What it is made of.
    config_hash: ConfigHash,
    /// The hooks of it that this host does not enforce. If guards are among them, nothing is judged for it until it
    /// has said `hello` again.
    unenforced: Vec<Unenforced>,
}

pub(crate) async fn call(caller: &Arc<Caller>, params: Replace) -> Result<Replaced, CallError> {
    let host = caller.host()?;
    let service = Arc::clone(&caller.service);
    if !service.allows_replace {
        let message = "the operator has not permitted it: `hookgate serve --allow-replace` does";
        return Err(CallError::new(Code::NotPermitted, message));
    }
    let put = move || {
        let in_force = service.engine.table();
        let loader = Loader::new(&service.registry).allow_unverified().keeping(&in_force);
        let loaded = loader.parse("replace", &params.toml, &service.folder).map_err(mistakes)?;
        let hash = loaded.table.config_hash();
        let generation = match params.if_generation {
            None => service.engine.swap(loaded.table),
            Some(expected) => service.engine.swap_if(expected, loaded.table).map_err(changed)?,
        };
        Ok::<_, CallError>((generation, hash))
    };
    let put = spawn_blocking(put).await;
    let (generation, config_hash) =
        put.map_err(|error| CallError::new(Code::Internal, error.to_string()))??;
    let unenforced = host.unenforced(&caller.service.engine.table());
    Ok(Replaced { generation, config_hash, unenforced })
}

fn changed(error: SwapError) -> CallError {
    let message = format!("generation {} is in force, not {}", error.found(), error.expected());
    CallError::new(Code::GenerationChanged, message).with("generation", error.found())
}
