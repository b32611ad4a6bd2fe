//! Builds the builtins of the tests and invokes them.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_builtin::{
    BlastRadius, CallClass, CallClasses, ChangedPaths, Changes, Deeds, Host, Marks,
};
use hookgate_contract::StepId;
use hookgate_contract::payload::{AnyPayload, Safety};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{BuildContext, Event};
use hookgate_contract::{
    BuiltHandler, Contract, Envelope, Handler, Invocation, Layer, Reply, StepContext, Truth,
};
use serde_json::Value;

/// Builds a builtin, or tells what is wrong with its settings.
pub(crate) fn build(name: &str, settings: &Value) -> Result<BuiltHandler, String> {
    build_at(name, settings, &[])
}

/// Builds a builtin for a hook of these events.
pub(crate) fn build_at(
    name: &str,
    settings: &Value,
    events: &[Event],
) -> Result<BuiltHandler, String> {
    build_in(name, settings, events, Path::new("/"), &Host::new())
}

/// Builds a builtin of a config in this folder, for a host that knows more than the step.
pub(crate) fn build_in(
    name: &str,
    settings: &Value,
    events: &[Event],
    base: &Path,
    host: &Host,
) -> Result<BuiltHandler, String> {
    build_with(name, settings, &BuildContext::new(base, 1024).at(events), host)
}

/// Builds a builtin in this context.
pub(crate) fn build_with(
    name: &str,
    settings: &Value,
    context: &BuildContext<'_>,
    host: &Host,
) -> Result<BuiltHandler, String> {
    let doc = hookgate_builtin::builtin(name).unwrap();
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let built = doc.build(&mut settings, context, host);
    let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
    match built {
        Some(built) if errors.is_empty() => Ok(built),
        Some(_) => Err(errors.join("; ")),
        None => {
            assert!(!errors.is_empty(), "{name} was not built and gives no reason");
            Err(errors.join("; "))
        }
    }
}

pub(crate) fn invoke(built: &BuiltHandler, payload: &dyn AnyPayload) -> Reply {
    invoke_in(built, payload, "session-1", false)
}

pub(crate) fn invoke_in(
    built: &BuiltHandler,
    payload: &dyn AnyPayload,
    session: &str,
    rejudge: bool,
) -> Reply {
    let context = StepContext::new(session).turn(3).cwd("/srv/ledger");
    let id = step_id(rejudge);
    let id = StepId::new(Some(&id), String::new);
    let mut envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    if rejudge {
        envelope = envelope.rejudge();
    }
    match &built.handler {
        Handler::Sync(handler) => handler.handle(Invocation::new("hook", &envelope)),
        Handler::Async(_) => unreachable!("all builtins answer at once"),
    }
}

/// Returns the id of a new step, or that of the last one.
pub(crate) fn step_id(last: bool) -> String {
    thread_local!(static STEPS: Cell<u64> = const { Cell::new(0) });
    STEPS.set(STEPS.get() + u64::from(!last));
    format!("step-{}", STEPS.get())
}

pub(crate) fn supports(built: &BuiltHandler, contract: &Contract) -> bool {
    built.supports.is_none_or(|supports| supports(contract).is_ok())
}

/// A host for which the session has the mark `tested`, calls write what they name as `path` and delete what they
/// name as `remove`, and two calls do the same if they write the same.
pub(crate) fn full_host() -> Host {
    Host::new()
        .marks(Arc::new(Tested))
        .changes(Arc::new(NamedPath))
        .deeds(Arc::new(SamePath))
        .call_classes(Arc::new(ByPath))
        .http(hookgate_http::build)
}

struct ByPath;

impl CallClasses for ByPath {
    fn class_of(&self, step: &Envelope<'_>) -> Option<CallClass> {
        let path = step.payload().tool()?.tool_input.get("remove")?.as_str()?;
        let reason = format!("it deletes `{path}`");
        Some(CallClass::new(Safety::Destructive, BlastRadius::Project, "delete", reason))
    }
}

struct SamePath;

impl Deeds for SamePath {
    fn denied(&self, step: &Envelope<'_>) -> Option<Value> {
        step.payload().tool()?.tool_input.get("path").cloned()
    }

    fn repeats(&self, step: &Envelope<'_>, denied: &Value) -> bool {
        self.denied(step).as_ref() == Some(denied)
    }
}

struct Tested;

impl Marks for Tested {
    fn is_marked(&self, _: &Envelope<'_>, _: Layer, mark: &str, after: Option<&str>) -> Truth {
        match (mark, after) {
            ("tested", None | Some("edited")) => Truth::True,
            ("unknown", _) => Truth::Unknown,
            _ => Truth::False,
        }
    }
}

struct NamedPath;

impl Changes for NamedPath {
    fn changes(&self, step: &Envelope<'_>) -> ChangedPaths {
        let input = step.payload().tool().map(|call| &call.tool_input);
        let text = |key| input.and_then(|input| input.get(key)?.as_str());
        let path = |key| text(key).map(PathBuf::from).into_iter().collect();
        let changed = ChangedPaths::new(path("path"), path("remove"))
            .access(path("chmod"))
            .filled(path("unpack"))
            .touched(path("name"));
        let changed = match text("loosens") {
            Some(how) => changed.loosens(how),
            None => changed,
        };
        match text("unclear") {
            Some(why) => changed.unclear(why),
            None => changed,
        }
    }
}

/// Invokes a builtin in a folder, whether it waits or not.
pub(crate) fn invoke_at(
    built: &BuiltHandler,
    payload: &dyn AnyPayload,
    folder: &Path,
    turn: u64,
) -> Reply {
    let cwd = folder.to_str().unwrap();
    let context = StepContext::new("session/1").turn(turn).cwd(cwd);
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    let reply = built.handler.invoke(Invocation::new("hook", &envelope));
    tokio::runtime::Runtime::new().unwrap().block_on(reply)
}
