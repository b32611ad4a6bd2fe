//! `--agent`: limits on what the agent does not say. Coding agents tell their hooks no tokens and no costs; a `limit`
//! reads them in the transcript, and not every agent writes them there.

use hookgate::{HandlerTable, HookSpec};
use serde_json::Value;

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;

/// The agents that write the tokens of a session into its transcript, or tell them with each response.
const SAY_TOKENS: &[&str] =
    &["claude", "codex", "gemini", "qwen", "docker-agent", "meerkat", "defect"];

/// The agents that tell what a response has cost.
const SAY_COST: &[&str] = &["docker-agent"];

/// Returns the limits that this agent gives no figures for.
pub(super) fn of(texts: &mut Texts, table: &HandlerTable, agent: &str) -> Vec<Entry> {
    let limits = table.specs().filter_map(|hook| Some((hook, measured(hook)?)));
    let unmeasured = limits.filter(|(_, what)| !says(agent, what));
    unmeasured
        .map(|(hook, what)| {
            let (file, text) = texts.of(hook.origin());
            Entry {
                code: "unmeasured",
                level: Level::Warning,
                file,
                at: Some(position(
                    text,
                    hook.origin().span_of("builtin").unwrap_or_default().start,
                )),
                message: format!(
                    "the hook `{}` cannot count with {agent}, which does not say its {what}",
                    hook.id()
                ),
                help: Some("limit calls or time: `of = \"calls\"` or `of = \"time\"`".to_owned()),
            }
        })
        .collect()
}

/// Returns what a hook counts, if it is a limit on tokens or on costs.
fn measured(hook: &HookSpec) -> Option<&'static str> {
    let settings = hook.settings();
    let text = |key: &str| settings.get(key).and_then(Value::as_str);
    if hook.kind() != "builtin" || text("name") != Some("limit") {
        return None;
    }
    ["tokens", "cost"].into_iter().find(|what| text("of") == Some(what))
}

fn says(agent: &str, what: &str) -> bool {
    let saying = if what == "cost" { SAY_COST } else { SAY_TOKENS };
    saying.contains(&agent)
}

#[cfg(test)]
mod tests {
    use super::{SAY_COST, SAY_TOKENS, says};
    use crate::agents::dialect_of as agent;

    #[test]
    fn each_agent_of_the_lists_is_known() {
        for name in SAY_TOKENS.iter().chain(SAY_COST) {
            assert_eq!(agent(name).ok().map(|dialect| dialect.name()), Some(*name));
        }
        assert!(agent("claud").is_err());
        assert!(says("codex", "tokens") && !says("codex", "cost") && !says("cursor", "tokens"));
    }
}
