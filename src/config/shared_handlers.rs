//! `[handler.NAME]`: a handler that is named once, with what it may do, and used by several hooks.
//!
//! ```toml
//! [handler.memory]
//! command = { argv = ["./memory.py"], mode = "worker" }
//! capabilities = { contributes = ["prompt_context"], events = ["prompt_context"], sends = [] }
//!
//! [[hook]]
//! id = "recall"
//! event = "prompt_context"
//! handler = "memory"
//! ```
//!
//! It is built once, so all hooks that name it share its process, its connections and its caches. What it may do
//! is its manifest: a hook at another event is a mistake, and so is a contribution of another kind.

use std::borrow::Cow;

use hookgate_contract::contribution::ContributionKind;
use hookgate_contract::quote::Quoted;
use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{BuildContext, Capabilities, Event, is_custom_name};

use super::handler::{HANDLER, handler_settings, read_handler};
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::shared_handler::SharedHandler;
use crate::table::EventSelector;

const CAPABILITIES: &str = "capabilities";

/// Reads the handlers of a file into the reader, where its hooks find them.
pub(super) fn read_shared_handlers(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    hooks: &[Cow<'_, Node>],
    context: &BuildContext<'_>,
) {
    let Some(table) = settings.table(HANDLER) else { return };
    let others: Vec<(&str, &Node)> =
        table.entries().iter().map(|entry| (entry.key.as_str(), &entry.node)).collect();
    for entry in table.entries() {
        let used_at = events_of_users(&entry.key, hooks, &others, others.len());
        let handler = read_shared(reader, &entry.key, &entry.node, &used_at, context);
        let key_span = entry.key_span.clone();
        reader.handlers.insert(entry.key.clone(), SharedHandler { key_span, ..handler });
    }
}

/// Returns the events at which a handler is used, by hooks or by handlers that are another name for it: at most so many
/// one after the other.
fn events_of_users(
    name: &str,
    hooks: &[Cow<'_, Node>],
    others: &[(&str, &Node)],
    most: usize,
) -> Vec<Event> {
    let names_it = |node: &Node| {
        let named = Settings::new(node).one_or_more(HANDLER).unwrap_or_default();
        named == [name]
    };
    let mut events: Vec<Event> = Vec::new();
    for hook in hooks.iter().filter(|hook| names_it(hook)) {
        let mut settings = Settings::new(hook);
        let written = settings.one_or_more("event").unwrap_or_default();
        let selected = written.into_iter().filter_map(EventSelector::named).flatten();
        events.extend(selected.map(|on| Event::from_name(on.name()).unwrap_or(Event::Custom)));
    }
    if most > 0 {
        for (other, _) in others.iter().filter(|(other, node)| *other != name && names_it(node)) {
            events.extend(events_of_users(other, hooks, others, most - 1));
        }
    }
    events.sort_unstable();
    events.dedup();
    events
}

fn read_shared(
    reader: &mut Reader<'_>,
    name: &str,
    node: &Node,
    used_at: &[Event],
    context: &BuildContext<'_>,
) -> SharedHandler {
    let mut settings = Settings::new(node);
    let capabilities = read_capabilities(reader, &mut settings);
    let named = capabilities.as_ref().and_then(|declared| declared.events.as_ref());
    let events =
        named.into_iter().flatten().map(|name| Event::from_name(name).unwrap_or(Event::Custom));
    let mut events: Vec<Event> = events.collect();
    // What a handler is checked for depends on where it is asked.
    if events.is_empty() {
        events.extend(used_at);
    }
    let context = context.of_hook(name).at(&events);
    let is_table = matches!(node.value, NodeValue::Table(_));
    let read = if is_table { read_handler(reader, &mut settings, &context) } else { None };
    reader.finish(settings);
    let kind = read.as_ref().map(|read| read.kind.clone()).unwrap_or_default();
    // One that names another is made of what that is made of.
    let named = read.as_ref().and_then(|read| Some(read.shared.as_ref()?.1.clone()));
    let settings = named.unwrap_or_else(|| handler_settings(node, &kind));
    let built = read.map(|read| match capabilities {
        Some(declared) => read.built.capabilities(declared),
        None => read.built,
    });
    SharedHandler { kind, built, settings, key_span: 0..0, is_used: false }
}

/// Warns of handlers that no hook uses.
pub(super) fn warn_of_unused(reader: &mut Reader<'_>) {
    let unused = reader.handlers.iter().filter(|(_, shared)| !shared.is_used);
    let unused: Vec<_> =
        unused.map(|(name, shared)| (name.clone(), shared.key_span.clone())).collect();
    for (name, span) in unused {
        reader.warn(span, ConfigProblem::UnusedHandler(name));
    }
}

/// Reads the manifest of a handler.
fn read_capabilities(reader: &mut Reader<'_>, settings: &mut Settings<'_>) -> Option<Capabilities> {
    let mut table = settings.table(CAPABILITIES)?;
    let mut declared = Capabilities::new();
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
    if let Some(names) = table.one_or_more("contributes") {
        let known = ContributionKind::ALL.map(ContributionKind::name);
        let mut kinds = Vec::new();
        for name in names {
            match ContributionKind::from_name(name) {
                Some(kind) => kinds.push(kind),
                None => table.invalid("contributes", unknown(name, &known)),
            }
        }
        declared = declared.contributes(kinds);
    }
    if let Some(names) = table.one_or_more("events") {
        let known = Event::NAMED.map(Event::name);
        for name in &names {
            let span = table.span_of("events");
            if is_custom_name(name) {
                reader.check_registered(name, span);
            } else if !known.contains(name) {
                let near = Suggestion::nearest(name, &known);
                reader.error(span, ConfigProblem::UnknownEvent { name: (*name).to_owned(), near });
            }
        }
        declared = declared.event_names(names);
    }
    if let Some(needs) = table.one_or_more("needs") {
        declared = declared.needs(owned(needs));
    }
    if let Some(sends) = table.one_or_more("sends") {
        declared = declared.sends(owned(sends));
    }
    settings.absorb(table.finish());
    Some(declared)
}

fn unknown(name: &str, known: &[&'static str]) -> String {
    let near = Suggestion::nearest(name, known);
    format!("`{}` is not one of {}{near}", Quoted(name), known.join(", "))
}

/// Returns the problem of `[handler]` that holds the settings of one handler, as below a hook.
pub(super) fn nameless(node: &Node, kinds: &[String]) -> Option<SettingProblem> {
    let NodeValue::Table(entries) = &node.value else { return None };
    let entry = entries.iter().find(|entry| {
        entry.key == "kind"
            || kinds.contains(&entry.key)
            || super::keys::KINDS.contains(&&*entry.key)
    })?;
    let problem = format!(
        "`{}` is no name of a handler: write `[handler.NAME]` for one that several hooks use, and \
         `[hook.handler]` below a `[[hook]]` for its own",
        Quoted(&entry.key)
    );
    Some(SettingProblem::Invalid { key: HANDLER.to_owned(), problem })
}
