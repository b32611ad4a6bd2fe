//! `[require]`: what must be guarded.
//!
//! ```toml
//! [require]
//! events = ["pre_tool_use"]       # some hook must enforce there
//! hooks = ["no-force-push"]       # this hook must be there, and enforce
//! ```
//!
//! The requirement is compared with the hooks of the same file at once, so that a mistyped id, or
//! an event at which nothing can be denied, is an error with a position. A requirement that can be
//! met, but is not, is a warning: the table is put in force, and every step of the event is denied.

use std::collections::HashMap;
use std::ops::Range;

use hookgate_contract::Event;
use hookgate_contract::settings::Settings;
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
    let ids = settings.one_or_more("hooks").unwrap_or_default();
    let spans = item_spans(&mut settings, "hooks");
    let mut by_id: HashMap<&str, &HookSpec> = HashMap::new();
    for hook in hooks {
        by_id.entry(hook.id().as_str()).or_insert(hook);
    }
    let known: Vec<_> = hooks.iter().map(|hook| hook.id().as_str()).collect();
    // Each hint compares an id with all others.
    let mut hints = MOST_HINTS;
    for (id, span) in ids.into_iter().zip(spans) {
        let Some(hook) = by_id.get(id) else {
            let known = if hints > 0 { known.as_slice() } else { &[] };
            hints = hints.saturating_sub(1);
            let near = Suggestion::nearest(id, known);
            reader.error(span, ConfigProblem::RequiredHook { id: id.to_owned(), near });
            continue;
        };
        if hook.events().iter().any(|selector| can_deny(reader, selector.name())) {
            require = require.hook(id);
        } else if hook.has_all_events() {
            reader.error(span, ConfigProblem::NotGuardable(id.to_owned()));
        }
    }
    reader.finish(settings);
    require
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
