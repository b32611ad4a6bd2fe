//! Builds the builtins of the tests and invokes them.

use std::path::Path;

use hookgate_builtin::Host;
use hookgate_contract::{BuildContext, Event};
use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuiltHandler, Contract, Envelope, Handler, Invocation, Reply, StepContext,
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
    let doc = hookgate_builtin::builtin(name).unwrap();
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let context = BuildContext::new(base, 1024).at(events);
    let built = doc.build(&mut settings, &context, host);
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
    let id = StepId::new(Some("step-1"), String::new);
    let mut envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    if rejudge {
        envelope = envelope.rejudge();
    }
    match &built.handler {
        Handler::Sync(handler) => handler.handle(Invocation::new("hook", &envelope)),
        Handler::Async(_) => unreachable!("all builtins answer at once"),
    }
}

pub(crate) fn supports(built: &BuiltHandler, contract: &Contract) -> bool {
    built.supports.is_none_or(|supports| supports(contract).is_ok())
}
