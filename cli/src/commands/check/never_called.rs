//! `--agent`: hooks that this agent never calls.

use hookgate::HandlerTable;
use hookgate::contract::dialect::Dialect;
use hookgate::effects::Manifests;

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;
use crate::unreached::Reach;

/// Returns the hooks whose events or tools the agent does not have.
pub(super) fn of(
    texts: &mut Texts,
    table: &HandlerTable,
    manifests: &Manifests,
    dialect: &dyn Dialect,
) -> Vec<Entry> {
    let reach = Reach { dialect, manifests, called_at: None };
    let never = table.specs().filter_map(|hook| Some((hook, reach.why_never(hook)?)));
    never
        .map(|(hook, why)| {
            let (file, text) = texts.of(hook.origin());
            let key = if why.contains(" tool ") { "tool" } else { "event" };
            let at = hook.origin().span_of(key).or_else(|| hook.origin().span_of("id"));
            Entry {
                code: "never_called",
                level: Level::Warning,
                file,
                at: Some(position(text, at.unwrap_or_default().start)),
                message: format!(
                    "the hook `{}` never runs with {}: {why}",
                    hook.id(),
                    dialect.name()
                ),
                help: Some(
                    "write it for an event and a tool that the agent has: see docs/agents.md"
                        .to_owned(),
                ),
            }
        })
        .collect()
}
