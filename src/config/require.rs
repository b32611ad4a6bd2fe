//! `[require]`: what must be guarded.
//!
//! ```toml
//! [require]
//! events = ["pre_tool_use"]       # some hook must enforce there
//! hooks = ["no-force-push"]       # this hook must be there, and enforce
//! # And this one just as it is now: without `sha256` right, `hookgate check` says the hash.
//! # hooks = ["no-force-push", { id = "no-secrets", sha256 = "3f0c…" }]
//! ```
//!
//! A hook counts that is of the layer of this file or of one above, whatever its id: what a layer below writes is no
//! guard of this one.
//!
//! The requirement is compared with the hooks of the same file at once, so that a mistyped id, or
//! an event at which nothing can be denied, is an error with a position. A requirement that can be
//! met, but is not, is a warning: the table is put in force, and every step of the event is denied.

use std::collections::HashMap;
use std::ops::Range;

use hookgate_contract::Event;
use hookgate_contract::settings::{NodeValue, SettingError, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;

use super::events::select_events;
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::spans::item_spans;
use crate::require::Require;
use crate::table::{HookSpec, MOST_HINTS};

/// Reads what must be guarded. A hook whose events could not all be read is not reported as one
/// that cannot guard: the event that is missing may be the one at which it can.
pub(super) fn read_require(
    reader: &mut Reader<'_>,
    mut settings: Settings<'_>,
    hooks: &[HookSpec],
) -> Require {
    let mut require = Require::default();
    let events = settings.one_or_more("events").unwrap_or_default();
    let spans = item_spans(&mut settings, "events");
    for (name, span) in events.into_iter().zip(spans) {
        for event in required_events(reader, name, &span) {
            require = require.named(event);
        }
    }
    let asked = read_hooks(&mut settings);
    let mut by_id: HashMap<&str, &HookSpec> = HashMap::new();
    for hook in hooks {
        by_id.entry(hook.id().as_str()).or_insert(hook);
    }
    let known: Vec<_> = hooks.iter().map(|hook| hook.id().as_str()).collect();
    // Each hint compares an id with all others.
    let mut hints = MOST_HINTS;
    for Asked { id, definition, span } in asked {
        let Some(hook) = by_id.get(id) else {
            let known = if hints > 0 { known.as_slice() } else { &[] };
            hints = hints.saturating_sub(1);
            let near = Suggestion::nearest(id, known);
            reader.error(span, ConfigProblem::RequiredHook { id: id.to_owned(), near });
            continue;
        };
        if !hook.events().iter().any(|selector| can_deny(reader, selector.name())) {
            if hook.has_all_events() {
                reader.error(span, ConfigProblem::NotGuardable(id.to_owned()));
            }
            continue;
        }
        require = require.hook_of(id, reader.layer);
        if let Some((written, span)) = definition {
            let found = hook.definition_hash();
            match format!("sha256:{written}").parse() {
                Ok(meant) if meant == found => require = require.definition(id, meant),
                _ => {
                    let found = found.to_string().replace("sha256:", "");
                    let id = id.to_owned();
                    reader.error(span, ConfigProblem::RequiredDefinition { id, found });
                }
            }
        }
    }
    reader.finish(settings);
    require
}

/// A hook that is asked for.
struct Asked<'a> {
    id: &'a str,
    /// The hash of its definition as it is written, with its place.
    definition: Option<(&'a str, Range<usize>)>,
    span: Range<usize>,
}

/// Reads the hooks: an id, a table with an id and the hash of its definition, or a list of these.
fn read_hooks<'a>(settings: &mut Settings<'a>) -> Vec<Asked<'a>> {
    let Some(node) = settings.node("hooks") else { return Vec::new() };
    let items = match &node.value {
        NodeValue::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut asked = Vec::new();
    for item in items {
        let span = item.span.clone();
        match &item.value {
            NodeValue::Text(id) => asked.push(Asked { id, definition: None, span }),
            NodeValue::Table(_) => {
                let mut table = Settings::new(item);
                let id = table.required_text("id");
                let hash = table.required_text("sha256");
                let definition = hash.map(|hash| (hash, table.span_of("sha256")));
                settings.absorb(table.finish());
                if let Some(id) = id {
                    asked.push(Asked { id, definition, span });
                }
            }
            _ => {
                let expected = "an id, a table { id = \"…\", sha256 = \"…\" }, or a list of these";
                let problem =
                    SettingProblem::Type { key: "hooks".to_owned(), expected, found: item.kind() };
                settings.absorb([SettingError { span, problem }]);
            }
        }
    }
    asked
}

/// Returns the events that a name selects, as far as they can be guarded, and reports the others.
fn required_events(reader: &mut Reader<'_>, name: &str, span: &Range<usize>) -> Vec<String> {
    let Some(selectors) = select_events(reader, name, span) else { return Vec::new() };
    if !reader.check_registered(name, span.clone()) {
        return Vec::new();
    }
    let mut events = Vec::new();
    for selector in &selectors {
        let event = selector.name().to_owned();
        if can_deny(reader, &event) {
            events.push(event);
        } else {
            reader.error(span.clone(), ConfigProblem::NotGuardable(event));
        }
    }
    events
}

/// Returns whether a step of an event can be denied; an event whose contract is not known may be a
/// gate.
fn can_deny(reader: &Reader<'_>, event: &str) -> bool {
    match Event::from_name(event) {
        Some(known) if known != Event::Custom => known.contract().deny(),
        _ => reader.registered(event).is_none_or(|contract| contract.deny()),
    }
}
