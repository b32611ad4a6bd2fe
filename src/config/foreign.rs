//! What was written for another hook system: its names of events, its programs.
//!
//! The names of other systems are accepted for events. But a *program* that was written for another
//! system reads and prints that system's JSON: it may print a deny that hookgate reads as silence.
//! So a command or service at an event with a foreign name is warned of, unless its settings name a
//! dialect.
//!
//! What a failure counts as follows the other system as well. There a script that crashes after a
//! tool has run withholds nothing, so neither does it here, and the notes of the hook say so.

use hookgate_contract::settings::{NodeValue, SettingEntry, Settings};
use hookgate_contract::{EventKind, Posture};

use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::envelope::alias;
use crate::table::EventSelector;

/// Warns of each event that is named as another hook system names it.
pub(super) fn warn_of_foreign_events(reader: &mut Reader<'_>, settings: &mut Settings<'_>) {
    let Some(node) = settings.node("event") else { return };
    let items = match &node.value {
        NodeValue::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for item in items {
        let NodeValue::Text(name) = &item.value else { continue };
        let Some(alias) = alias::resolve(name) else { continue };
        let events = alias.events.iter().map(|event| event.name()).collect();
        let problem =
            ConfigProblem::ForeignEvent { name: name.clone(), system: alias.system, events };
        reader.warn(item.span.clone(), problem);
    }
}

/// Returns whether a handler of this kind may have been written for another hook system.
pub(super) fn is_foreign(kind: &str) -> bool {
    matches!(kind, "command" | "http")
}

/// Returns whether the settings of the handler say which system's JSON it reads and prints.
pub(super) fn speaks_dialect(settings: &Settings<'_>) -> bool {
    let has = |entry: &SettingEntry| match &entry.node.value {
        NodeValue::Table(entries) => entries.iter().any(|entry| entry.key == "dialect"),
        _ => false,
    };
    settings
        .entries()
        .iter()
        .any(|entry| (is_foreign(&entry.key) || entry.key == "handler") && has(entry))
}

/// Describes what a failure does to results, for the notes of a hook that sets neither role nor
/// posture: scripts of other systems often only log there.
pub(super) fn failing_results(events: &[EventSelector]) -> Option<String> {
    let results = events.iter().filter(|on| {
        on.without_role().is_some_and(|event| event.contract().kind == EventKind::Result)
    });
    let (open, closed): (Vec<_>, Vec<_>) =
        results.partition(|on| on.posture() == Some(Posture::Allow));
    let names =
        |these: &[&EventSelector]| these.iter().map(|on| on.name()).collect::<Vec<_>>().join(", ");
    match (closed.as_slice(), open.as_slice()) {
        ([], []) => None,
        ([], open) => Some(format!("a failure lets the result pass at {}", names(open))),
        (closed, _) => Some(format!(
            "a failure withholds the result at {}: set `role = \"observe\"` or `on_failure` \
             if it should not",
            names(closed)
        )),
    }
}
