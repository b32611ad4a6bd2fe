//! Whether what hooks count can be counted here: in the state folder, and with what the agent says.

use hookgate::HandlerTable;
use hookgate::contract::dialect::Dialect;
use hookgate::matcher::MatchSpec;
use hookgate::table::HookSpec;
use serde_json::{Map, Value};

use super::state::State;

/// The facts in which agents name the file of a session, which says what the model has taken.
const TRANSCRIPTS: [&str; 2] = ["transcript_path", "transcriptPath"];

/// Where an envelope has the facts of its host.
const FACTS: &str = "host";

/// The agents whose transcripts say how many tokens a session has used: docs/limits.md says where. None of
/// them says what it cost.
const TELL_TOKENS: [&str; 4] = ["claude", "codex", "gemini", "qwen"];

/// The conditions that remember.
const CONDITIONS: [&str; 3] = ["count", "mark", "marked"];

/// Says in a step of an agent that tells nothing of what its model takes that there is no transcript: a limit of
/// tokens or of money fails then, where it would else count nothing for ever.
pub(super) fn tell_usage(
    envelope: &mut Map<String, Value>,
    table: &HandlerTable,
    dialect: &dyn Dialect,
) {
    let is_named =
        |facts: &Map<String, Value>| TRANSCRIPTS.iter().any(|key| facts.contains_key(*key));
    let facts = envelope.get(FACTS).and_then(Value::as_object);
    if tells_responses(dialect)
        || is_named(envelope)
        || facts.is_some_and(is_named)
        || !table.specs().any(|hook| limited_usage(hook).is_some())
    {
        return;
    }
    let facts = envelope.entry(FACTS).or_insert_with(|| Value::Object(Map::new()));
    if let Some(facts) = facts.as_object_mut() {
        facts.insert(TRANSCRIPTS[0].to_owned(), Value::Null);
    }
}

/// Says why a hook of a table that counts something could not do it here.
pub(super) fn problem(
    table: &HandlerTable,
    state: &State,
    dialect: &dyn Dialect,
) -> Option<String> {
    let unknown = table.specs().find_map(|hook| {
        let of = limited_usage(hook)?;
        let is_told =
            tells_responses(dialect) || (of == "tokens" && TELL_TOKENS.contains(&dialect.name()));
        (!is_told).then(|| {
            format!(
                "`{}` limits {of}, which {} tells nobody: see docs/limits.md",
                hook.id(),
                dialect.name()
            )
        })
    });
    if unknown.is_some() || !table.specs().any(remembers) {
        return unknown;
    }
    let error = state.try_out().err()?;
    Some(format!("what hooks count and remember cannot be kept: {error}"))
}

/// Tells whether the agent calls its hooks about each response of its model.
fn tells_responses(dialect: &dyn Dialect) -> bool {
    dialect.events().iter().any(|event| event.ours == "post_llm_response")
}

/// Returns what a builtin `limit` counts that only the host can say: `tokens` or `cost`.
fn limited_usage(hook: &HookSpec) -> Option<&str> {
    let settings = hook.settings();
    let is_limit = settings.get("name").and_then(Value::as_str) == Some("limit");
    let of = settings.get("of").and_then(Value::as_str)?;
    (hook.kind() == "builtin" && is_limit && ["tokens", "cost"].contains(&of)).then_some(of)
}

fn remembers(hook: &HookSpec) -> bool {
    hook.keeps_state() || has_history(hook.matcher())
}

fn has_history(spec: &MatchSpec) -> bool {
    spec.registered.iter().any(|condition| CONDITIONS.contains(&condition.key()))
        || spec.any.iter().flatten().chain(&spec.not).any(has_history)
}
