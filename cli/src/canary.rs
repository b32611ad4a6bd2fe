//! A step that is denied whatever the policy says: `hookgate doctor` sends it through the config of an
//! agent, to see whether the agent would obey. And the step itself, which `hookgate certify` sends to single hooks.

use std::path::Path;

use hookgate::contract::Verdict;
use hookgate::contract::dialect::Dialect;
use hookgate::{Event, HandlerTable, Hook, Mode, Role};
use serde_json::{Map, Value, json};

use crate::kinds::manifests;
use crate::terminal::phrase::count;
use crate::unreached::{Reach, begins_later};

/// The variable that makes `hookgate hook` take a step for a canary. Whoever sets it can only deny.
pub(crate) const VARIABLE: &str = "HOOKGATE_CANARY";

/// How the reason of the deny begins. What follows says how many hooks would have judged the step.
pub(crate) const SIGN: &str = "hookgate canary: ";

/// What follows if no hook of the policy is enforced at the event: the command answers, and guards nothing.
pub(crate) const NO_HOOK: &str = "no hook is enforced";

/// How the reason begins instead if a hook at the event has a mistake. What follows says which.
pub(crate) const SIGN_OF_MISTAKE: &str = "hookgate canary, a hook is set aside: ";

/// The result of the tool, which the agent must not show to its model.
pub(crate) const RESULT: &str = "the song of a canary";

/// Returns an envelope for an event in a folder, at events about a tool with this call; `None` if there is no canary for
/// the event.
pub(crate) fn envelope(
    event: &str,
    tool: &str,
    input: &Value,
    folder: &Path,
) -> Option<Map<String, Value>> {
    let call = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "canary" });
    let extra = match event {
        "pre_tool_use" | "permission_request" => json!({}),
        "post_tool_use" => json!({ "tool_response": RESULT }),
        "post_tool_use_failure" => json!({ "error": "a canary" }),
        "user_prompt_submit" => json!({ "prompt": "a canary" }),
        "pre_llm_request" => json!({ "model": "canary", "message_count": 1,
            "messages": [{ "role": "user", "content": "a canary" }] }),
        "post_llm_response" => json!({ "assistant_text": "a canary", "tool_call_names": [] }),
        "pre_compact" => json!({ "trigger": "manual" }),
        "config_change" => json!({ "source": "project_settings" }),
        _ => return None,
    };
    let mut envelope = json!({ "hook_event_name": event, "session_id": "canary", "cwd": folder });
    let parts = if event.contains("tool_use") || event == "permission_request" {
        vec![call, extra]
    } else {
        vec![extra]
    };
    let envelope = envelope.as_object_mut()?;
    for part in parts {
        let Value::Object(part) = part else { continue };
        envelope.extend(part);
    }
    Some(std::mem::take(envelope))
}

/// Tells whether this process judges a canary.
pub(crate) fn is_sent() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty())
}

/// Returns a table that denies every step at an event, if anything can be denied there. The policy was
/// loaded, so it is in force; its hooks are not called, since nothing has happened. Only hooks count that can refuse a
/// step of this agent now. `problem` says why one of them
/// would fail.
pub(crate) fn deny_all_table(
    policy: &HandlerTable,
    event: &str,
    problem: Option<&str>,
    dialect: &dyn Dialect,
) -> HandlerTable {
    let Some(event) = Event::from_name(event) else { return HandlerTable::empty() };
    let manifests = manifests(policy);
    let reach = Reach { dialect, manifests: &manifests, called_at: None };
    let enforcing: Vec<_> = policy
        .listing()
        .filter(|listed| listed.event == event.name() && listed.mode() == Mode::Enforce)
        .filter(|listed| listed.role() != Role::Observe && begins_later(listed.spec()).is_none())
        .filter(|listed| reach.why_never(listed.spec()).is_none())
        .collect();
    let set_aside = enforcing.iter().find_map(|listed| listed.spec().why_set_aside());
    let reason = match set_aside.or(problem) {
        Some(why) => format!("{SIGN_OF_MISTAKE}{why}"),
        None if enforcing.is_empty() => format!("{SIGN}{NO_HOOK}"),
        None => format!("{SIGN}{}", count(enforcing.len(), "hook")),
    };
    let deny = Hook::sync("hookgate-canary", move |_| Ok(Verdict::deny(reason.as_str())));
    HandlerTable::builder()
        .insert(deny.event(event))
        .build()
        .unwrap_or_else(|_| HandlerTable::empty())
}
