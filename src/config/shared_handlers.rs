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

use hookgate_contract::contribution::ContributionKind;
use hookgate_contract::quote::Quoted;
use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{BuildContext, Capabilities, Event, is_custom_name};

use super::handler::{HANDLER, handler_settings, read_handler};
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::shared_handler::SharedHandler;

const CAPABILITIES: &str = "capabilities";

/// Reads the handlers of a file into the reader, where its hooks find them.
pub(super) fn read_shared_handlers(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
) {
    let Some(table) = settings.table(HANDLER) else { return };
    for entry in table.entries() {
        let handler = read_shared(reader, &entry.key, &entry.node, context);
        let key_span = entry.key_span.clone();
        reader.handlers.insert(entry.key.clone(), SharedHandler { key_span, ..handler });
    }
}

fn read_shared(
    reader: &mut Reader<'_>,
    name: &str,
    node: &Node,
    context: &BuildContext<'_>,
) -> SharedHandler {
    let mut settings = Settings::new(node);
    let capabilities = read_capabilities(reader, &mut settings);
    let named = capabilities.as_ref().and_then(|declared| declared.events.as_ref());
    let events =
        named.into_iter().flatten().map(|name| Event::from_name(name).unwrap_or(Event::Custom));
    let events: Vec<Event> = events.collect();
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
