//! `--agent`: hooks that give context at an event where this agent shows its model none.

use hookgate::contract::dialect::{Dialect, HostEffect};
use hookgate::effects::Manifests;
use hookgate::{Event, HandlerTable, HookSpec};

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;
use crate::unreached::Reach;

/// Returns the hooks whose context gets nowhere at an event. One that may give context among other things is not told:
/// most guards never do.
pub(super) fn of(
    texts: &mut Texts,
    table: &HandlerTable,
    manifests: &Manifests,
    dialect: &dyn Dialect,
) -> Vec<Entry> {
    let reach = Reach { dialect, manifests, called_at: None };
    let lost = table.specs().filter_map(|hook| Some((hook, lost_at(hook, &reach)?)));
    lost.map(|(hook, event)| {
        let (file, text) = texts.of(hook.origin());
        let at = hook.origin().span_of("event").or_else(|| hook.origin().span_of("id"));
        Entry {
            code: "undelivered",
            level: Level::Warning,
            file,
            at: Some(position(text, at.unwrap_or_default().start)),
            message: format!(
                "the context of the hook `{}` is undelivered with {} at `{event}`: {} shows its model none there",
                hook.id(),
                dialect.name(),
                dialect.title()
            ),
            help: Some("write it for an event at which the agent takes context: see docs/agents.md".to_owned()),
        }
    })
    .collect()
}

/// Returns the first event at which the agent calls the hook and takes no context.
fn lost_at(hook: &HookSpec, reach: &Reach<'_>) -> Option<String> {
    let events = hook.events().iter().map(|event| event.name());
    let mut lost = events.filter(|ours| {
        let meant = Event::from_name(ours).is_some_and(|event| hook.means_context_at(event));
        let native = reach.native(ours);
        meant && !native.is_empty() && !native.iter().any(|event| event.can(HostEffect::Context))
    });
    lost.next().map(str::to_owned)
}
