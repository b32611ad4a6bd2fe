//! From the settings of a hook to its handler.

use std::sync::Arc;

use hookgate_contract::files::Files;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_contract::{BuildContext, BuiltHandler, Contract, EffectsFn, Role, VerdictDecision};

use crate::context::ContextFields;
use crate::handler::CedarHandler;
use crate::policies::{NamedText, Policies};
use crate::uid::{UidSource, type_name};

/// Builds a handler, with the effects that the host knows.
pub(crate) fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    effects: Option<Arc<EffectsFn>>,
) -> Option<BuiltHandler> {
    let mut files = Files::at(context.base);
    let policies = read_policies(settings, &mut files);
    let principal =
        read_uid(settings, "principal", context, || Some(UidSource::Agent(type_name("Agent")?)));
    let action = read_uid(settings, "action", context, || {
        Some(UidSource::ToolOrEvent(type_name("Action")?))
    });
    let resource = read_uid(settings, "resource", context, || {
        Some(UidSource::Subject(type_name("Resource")?))
    });
    let fields = read_context(settings);
    let reason = settings.text("reason").map(str::to_owned);
    let handler = CedarHandler {
        policies: policies?,
        principal: principal?,
        action: action?,
        resource: resource?,
        context: fields?,
        reason,
        effects,
    };
    let (identity, sources) = files.finish();
    let mut built = BuiltHandler::from_sync(handler).role(Role::Guard).supports(can_deny).heavy();
    built.sources = sources;
    Some(built.identity(identity))
}

/// Reads `policies`, `schema` and `entities`.
fn read_policies(settings: &mut Settings<'_>, files: &mut Files<'_>) -> Option<Policies> {
    if !settings.has("policies") {
        settings.missing("policies");
    }
    let names = settings.one_or_more("policies");
    let schema = read_file(settings, "schema", files);
    let entities = read_file(settings, "entities", files);
    let (names, schema, entities) = (names?, schema?, entities?);
    if names.is_empty() {
        settings.invalid("policies", "it names no file");
        return None;
    }
    let made = Policies::new(schema.as_ref(), entities.as_ref());
    let mut policies = made.map_err(|(key, problem)| settings.invalid(key, problem)).ok()?;
    let mut complete = true;
    for name in names {
        let problems = match files.read(name) {
            Ok(text) => policies.add_file(&(name.to_owned(), text)).err().unwrap_or_default(),
            Err(problem) => vec![problem],
        };
        complete &= problems.is_empty();
        for problem in problems {
            settings.invalid("policies", problem);
        }
    }
    if complete && policies.set.is_empty() {
        settings.invalid("policies", "there is no policy: each step would be denied");
        return None;
    }
    complete.then_some(policies)
}

/// Reads the file that a setting names. The outer `None` says that it cannot be read, the inner one
/// that the setting is not there.
fn read_file(
    settings: &mut Settings<'_>,
    key: &'static str,
    files: &mut Files<'_>,
) -> Option<Option<NamedText>> {
    if !settings.has(key) {
        return Some(None);
    }
    let name = settings.text(key)?;
    match files.read(name) {
        Ok(text) => Some(Some((name.to_owned(), text))),
        Err(problem) => {
            settings.invalid(key, problem);
            None
        }
    }
}

fn read_uid(
    settings: &mut Settings<'_>,
    key: &'static str,
    context: &BuildContext<'_>,
    default: impl FnOnce() -> Option<UidSource>,
) -> Option<UidSource> {
    if !settings.has(key) {
        return default();
    }
    let read = UidSource::read(settings.text(key)?, context.events);
    read.map_err(|problem| settings.invalid(key, problem)).ok()
}

/// Reads `context`: a table of pointers.
fn read_context(settings: &mut Settings<'_>) -> Option<ContextFields> {
    let Some(node) = settings.node("context") else { return Some(ContextFields(None)) };
    let NodeValue::Table(entries) = &node.value else {
        settings.invalid("context", format!("it must be a table, not {}", node.kind()));
        return None;
    };
    let mut fields = Vec::new();
    for entry in entries {
        match &entry.node.value {
            NodeValue::Text(pointer) if pointer.starts_with('/') => {
                fields.push((entry.key.clone(), pointer.clone()));
            }
            _ => settings.invalid(
                "context",
                format!("`{}` must be a pointer into the envelope: `/tool_input/path`", entry.key),
            ),
        }
    }
    (fields.len() == entries.len()).then_some(ContextFields(Some(fields)))
}

fn can_deny(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Deny) { Ok(()) } else { Err("nothing can be denied here") }
}
