//! `override`: hooks that a caller adds to a session of its own. They may only tighten.
//!
//! They are called after the hooks of the operator, cannot take one of these away, and their allow approves nothing: that
//! is the way of a [`Scope`](hookgate::Scope). What a caller may use is a list of builtins that do nothing but decide. A
//! program would run with the rights of the server, a request would leave with its secrets, a judge would spend its money:
//! none of them is taken from a caller.

use std::sync::Arc;

use hookgate::config::{ConfigErrors, Loader, Overrides};
use hookgate::contract::quote::Quoted;
use hookgate::scope::ScopeError;
use hookgate::{Engine, Generation, Registry, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::unenforced;
use super::super::limits::ADDED;
use super::super::meerkat_entries;
use super::super::told::Told;
use crate::config::mistake_json;

/// The builtins that callers may use: they decide or say something, and do nothing else.
///
/// No rewriter is among them: what it takes out of a step, the operator's conditions would not find any more.
const FOR_CALLERS: [&str; 8] = [
    "add_context",
    "add_date",
    "ask",
    "deny",
    "limit",
    "max_iterations",
    "repeated_denials",
    "require",
];

/// The key by which a hook marks the session.
const MARK: &str = "mark";

/// Hooks of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Override {
    /// The session.
    session: String,
    /// Hooks to add, each as a `[[hook]]` of hooks.toml. One of an id that was added before takes its place.
    #[serde(default)]
    hooks: Vec<Map<String, Value>>,
    /// Hooks to add in the words of Meerkat, in the place of `hooks`: the `entries` of its `hooks_override`.
    #[serde(default)]
    entries: Vec<Map<String, Value>>,
    /// Ids of hooks to take out: only of those that were added to this session so.
    #[serde(default)]
    disable: Vec<String>,
}

/// What is in force in the session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Overridden {
    /// The ids of the hooks that were added; in verdicts they are `scope/<id>`.
    added: Vec<String>,
    /// The table of the operator that they are added to.
    generation: Generation,
}

pub(crate) async fn call(caller: &Arc<Caller>, params: Override) -> Result<Overridden, CallError> {
    let session = params.session.clone();
    let changed = change(caller, params).await;
    if let Err(error) = &changed
        && error.code() == Code::OverrideRefused
    {
        let why = error.to_string();
        tracing::warn!(target: "hookgate::serve", caller = caller.id, session, why, "an override was refused");
        caller.service.tell(|| Told::Refused { method: "override".to_owned(), session, why });
    }
    changed
}

async fn change(caller: &Arc<Caller>, params: Override) -> Result<Overridden, CallError> {
    let Override { session, mut hooks, entries, disable } = params;
    if !hooks.is_empty() && !entries.is_empty() {
        let message = "`hooks` and `entries` say the same in two ways: send one of them";
        return Err(CallError::new(Code::InvalidParams, message));
    }
    let host = caller.enforcing_host()?;
    if hooks.len() + entries.len() > ADDED {
        return Err(too_many());
    }
    for entry in &entries {
        hooks.push(meerkat_entries::hook(entry)?);
    }
    let session = caller.session(&session)?;
    let mut state = session.state.write().await;
    if !caller.service.sessions.has(&session) {
        let message = "the session has ended meanwhile: nothing was added";
        return Err(CallError::new(Code::UnknownSession, message));
    }
    let mut added = state.added.clone();
    for id in &disable {
        let before = added.len();
        added.retain(|hook| hook.get("id").and_then(Value::as_str) != Some(id));
        if added.len() == before {
            let id = Quoted(id);
            return Err(refuse(format!(
                "`{id}` was not added to this session: only what was is taken out"
            )));
        }
    }
    for hook in hooks {
        let id = check(&hook)?.to_owned();
        added.retain(|earlier| earlier.get("id").and_then(Value::as_str) != Some(&id));
        added.push(hook);
    }
    if added.len() > ADDED {
        return Err(too_many());
    }
    let (engine, registry) =
        (Arc::clone(&caller.service.engine), Arc::clone(&caller.service.registry));
    let (name, folder) = (Arc::clone(&session.name), caller.service.folder.clone());
    let entries = added.clone();
    let opened = spawn_blocking(move || open(&engine, &registry, &name, &entries, &folder)).await;
    let scope = opened.map_err(|error| CallError::new(Code::Internal, error.to_string()))??;
    let refused = host.refused_for(&scope.table());
    if !refused.is_empty() {
        return Err(unenforced(&refused));
    }
    let ids = added.iter().filter_map(|hook| hook.get("id")?.as_str().map(str::to_owned)).collect();
    let generation = scope.table().generation();
    state.scope = scope;
    state.added = added;
    Ok(Overridden { added: ids, generation })
}

/// Makes the session anew with these hooks. The one before is not ended: what is kept of it is kept.
fn open(
    engine: &Arc<Engine>,
    registry: &Registry,
    session: &Arc<str>,
    hooks: &[Map<String, Value>],
    folder: &std::path::Path,
) -> Result<Scope, CallError> {
    let builder = engine.scope(Arc::clone(session));
    if hooks.is_empty() {
        return builder.open().map_err(wrong);
    }
    let text = json!({ "entries": hooks }).to_string();
    let overrides = Overrides::parse("override", &text, folder).map_err(mistakes)?;
    builder.overlay(&Loader::new(registry), overrides).open().map_err(wrong)
}

/// Returns the id of a hook that a caller may add.
fn check(hook: &Map<String, Value>) -> Result<&str, CallError> {
    let Some(id) = hook.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return Err(CallError::new(Code::InvalidParams, "a hook of `hooks` has no `id`"));
    };
    let shown = Quoted(id);
    let builtin = match hook.get("builtin") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Object(settings)) => settings.get("name").and_then(Value::as_str),
        _ => None,
    };
    match builtin {
        Some(name) if FOR_CALLERS.contains(&name) => {}
        Some(name) => {
            let name = Quoted(name);
            return Err(refuse(format!(
                "the builtin `{name}` of `{shown}` is for the config of the operator: a caller has {}",
                FOR_CALLERS.join(", ")
            )));
        }
        None => {
            return Err(refuse(format!(
                "`{shown}` is no builtin: programs, requests and judges of a session stand in the config of the operator"
            )));
        }
    }
    // The operator's hooks read what is marked as his own.
    if hook.values().any(sets_mark) || hook.contains_key(MARK) {
        return Err(refuse(format!("`{MARK}` of `{shown}` is for the config of the operator")));
    }
    match hook.get("may_allow") {
        None | Some(Value::Bool(false)) => Ok(id),
        Some(_) => Err(refuse(format!(
            "`may_allow` of `{shown}` would loosen: a caller's allow approves nothing"
        ))),
    }
}

/// Returns whether a mark is set anywhere in a value.
fn sets_mark(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key(MARK) || fields.values().any(sets_mark),
        Value::Array(values) => values.iter().any(sets_mark),
        _ => false,
    }
}

fn too_many() -> CallError {
    CallError::new(Code::TooMany, format!("a session adds at most {ADDED} hooks"))
}

fn refuse(message: String) -> CallError {
    CallError::new(Code::OverrideRefused, message)
}

fn wrong(error: ScopeError) -> CallError {
    match error {
        ScopeError::Overlay(errors) => mistakes(errors),
        other => CallError::new(Code::InvalidConfig, other.to_string()),
    }
}

/// The error of hooks that have mistakes.
pub(super) fn mistakes(errors: ConfigErrors) -> CallError {
    let listed: Vec<Value> = errors.errors().iter().map(mistake_json).collect();
    CallError::new(Code::InvalidConfig, errors.to_string()).with("mistakes", listed)
}
