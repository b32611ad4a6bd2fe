//! What a hook wanted to change, told to someone who can: the agent cannot do it for itself.

use hookgate_contract::dialect::HostStep;
use hookgate_contract::patch_field;
use serde_json::Value;

/// Says how an action should be that is denied because the agent cannot change it.
pub(super) fn change(agent: &str, step: &HostStep, field: &str, value: &Value) -> String {
    match field {
        patch_field::TOOL_INPUT => call(step, value),
        patch_field::PROMPT => format!("send this prompt instead: {}", text_of(value)),
        _ => format!("a hook must change `{field}` first, which {agent} cannot do here"),
    }
}

/// Says with which arguments a tool should be called.
fn call(step: &HostStep, wanted: &Value) -> String {
    let old = step.envelope.get(patch_field::TOOL_INPUT).and_then(Value::as_object);
    let changed: Vec<_> = match (old, wanted.as_object()) {
        (Some(old), Some(new)) if old.keys().all(|key| new.contains_key(key)) => {
            new.iter().filter(|(key, value)| old.get(*key) != Some(*value)).collect()
        }
        _ => Vec::new(),
    };
    match changed.as_slice() {
        [(key, Value::String(text))] => {
            format!("call the tool again with this `{key}` instead: {text}")
        }
        _ => format!("call the tool again with these arguments instead: {wanted}"),
    }
}

/// Returns a value as the text that a model reads.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
