//! One hook at one event, as it is listed.

use std::collections::BTreeSet;

use hookgate::table::Listed;
use hookgate::{Event, HandlerTable, HookSpec, Role};

use super::filter::Filter;
use crate::hook_standing::{HookStanding, Standing};

/// One hook at one event.
pub(super) struct Row<'t> {
    /// The event; of a hook that is off all of those that are wanted.
    pub(super) events: Vec<&'t str>,
    pub(super) spec: &'t HookSpec,
    /// Its number in the order of the event, from 1, with all that the event decides about it; `None` if it is
    /// off.
    pub(super) called: Option<(usize, Listed<'t>)>,
    /// Whether `hookgate hook` calls it.
    pub(super) standing: HookStanding,
    /// Whether the text of a model is not shown before it has judged the whole.
    pub(super) wants_whole_text: bool,
}

/// Returns the hooks that are wanted, in the order of their calls, event by event; those that are off come
/// last.
pub(super) fn rows<'t>(
    table: &'t HandlerTable,
    standing: &Standing,
    filter: &Filter<'_>,
) -> Vec<Row<'t>> {
    let whole = table.hooks_of_whole_text(Event::PostLlmResponse);
    let wants_whole_text = |hook: &Listed<'_>| {
        hook.event == Event::PostLlmResponse.name() && whole.contains(hook.id())
    };
    let called = numbered(table).into_iter().filter(|(_, hook)| filter.takes(hook));
    let called = called.map(|(number, hook)| Row {
        events: vec![hook.event],
        spec: hook.spec(),
        wants_whole_text: wants_whole_text(&hook),
        called: Some((number, hook)),
        standing: standing.of_hook(hook.spec()),
    });
    let off = switched_off(table).filter_map(|spec| {
        let events = spec.events().iter().filter(|on| filter.takes_off(spec, on));
        let events: Vec<&str> = events.map(|on| on.name()).collect();
        let row = Row {
            events,
            spec,
            called: None,
            standing: HookStanding::InForce,
            wants_whole_text: false,
        };
        (!row.events.is_empty()).then_some(row)
    });
    called.chain(off).collect()
}

/// Returns the hooks that are off: they are in the config, but called at no event.
fn switched_off(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    let listed: BTreeSet<_> = table.listing().map(|hook| hook.id()).collect();
    table.specs().filter(move |spec| !listed.contains(spec.id()))
}

/// Returns the hooks with their number in the order of their event, from 1. Observers are called
/// after the decision, so they come last.
fn numbered(table: &HandlerTable) -> Vec<(usize, Listed<'_>)> {
    let listed: Vec<_> = table.listing().collect();
    let events = listed.chunk_by(|one, next| one.event == next.event);
    events
        .flat_map(|hooks| {
            let (observers, deciders): (Vec<_>, Vec<_>) =
                hooks.iter().copied().partition(|hook| hook.role() == Role::Observe);
            (1..).zip(deciders.into_iter().chain(observers))
        })
        .collect()
}
