//! Where in a hook a mistake is that was found when the table was built.
//!
//! The table knows the hook and the key; the pattern, the pointer or the id that is wrong is somewhere
//! below it. It is looked for only after a mistake, so a file without one pays nothing.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingEntry};

use crate::table::{BuildProblem, EventSelector};

/// Returns the hook that takes up a span of the file.
pub(super) fn hook_at<'n>(root: &'n Node, span: &Range<usize>) -> Option<&'n Node> {
    let NodeValue::List(hooks) = &entry(root, "hook")?.node.value else { return None };
    hooks.iter().find(|hook| hook.span == *span)
}

/// Returns the part of the file from the hook around a place to the next hook.
pub(super) fn hook_around(root: &Node, place: &Range<usize>) -> Option<Range<usize>> {
    let NodeValue::List(hooks) = &entry(root, "hook")?.node.value else { return None };
    let next = hooks.partition_point(|hook| hook.span.start <= place.start);
    let start = hooks.get(next.checked_sub(1)?)?.span.start;
    let end = hooks.get(next).map_or(usize::MAX, |hook| hook.span.start);
    Some(start..end)
}

/// Returns the span of what is wrong with a hook: the pattern or name that the problem is about, or
/// the value of the key. `None` if the hook does not have the key.
pub(super) fn span_of_problem(
    hook: &Node,
    key: &str,
    problem: &BuildProblem,
) -> Option<Range<usize>> {
    let value = &entry(hook, key)?.node;
    let found = match problem {
        BuildProblem::Match(error) => find(value, &|text| error.is_about(text)),
        BuildProblem::MissingDependency { id, .. }
        | BuildProblem::DisabledDependency(id)
        | BuildProblem::UnrelatedDependency(id)
        | BuildProblem::AfterObserver(id)
        | BuildProblem::LaterDependency(id)
        | BuildProblem::AfterBackground(id) => find(value, &|text| text == id),
        BuildProblem::DuplicateEvent(event) => last_of_event(value, event),
        BuildProblem::Unfit { event, .. } | BuildProblem::NoTool { event } if key == "event" => {
            last_of_event(value, event)
        }
        _ => None,
    };
    Some(found.unwrap_or_else(|| value.span.clone()))
}

/// Returns the span of a text or key below a value of a hook; that of the value if there is none.
pub(super) fn span_below(hook: &Node, key: &str, text: &str) -> Option<Range<usize>> {
    let value = &entry(hook, key)?.node;
    Some(find(value, &|found| found == text).unwrap_or_else(|| value.span.clone()))
}

/// Returns the value of a key of a table.
pub(super) fn value_of<'n>(table: &'n Node, key: &str) -> Option<&'n Node> {
    entry(table, key).map(|entry| &entry.node)
}

fn entry<'n>(table: &'n Node, key: &str) -> Option<&'n SettingEntry> {
    let NodeValue::Table(entries) = &table.value else { return None };
    entries.iter().find(|entry| entry.key == key)
}

/// Returns the span of the first text or key that is meant.
fn find(node: &Node, is_meant: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    match &node.value {
        NodeValue::Text(text) => is_meant(text).then(|| node.span.clone()),
        NodeValue::List(items) => items.iter().find_map(|item| find(item, is_meant)),
        NodeValue::Table(entries) => entries.iter().find_map(|entry| {
            if is_meant(&entry.key) {
                Some(entry.key_span.clone())
            } else {
                find(&entry.node, is_meant)
            }
        }),
        _ => None,
    }
}

/// Returns the span of the last name that selects an event.
fn last_of_event(value: &Node, event: &str) -> Option<Range<usize>> {
    let NodeValue::List(items) = &value.value else { return None };
    let selects = |item: &&Node| match &item.value {
        NodeValue::Text(name) => EventSelector::named(name)
            .is_some_and(|selected| selected.iter().any(|selector| selector.name() == event)),
        _ => false,
    };
    items.iter().rev().find(selects).map(|item| item.span.clone())
}
