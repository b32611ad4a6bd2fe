//! A context of what a step says that was not made of one: interceptors then judge the steps of any
//! agent.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::context::SPEC;
use crate::point::InterceptionPoint;

/// The framework that such contexts name.
const FRAMEWORK: &str = "hookgate";

/// Returns what a context has beside its target. The steps of other agents are not numbered: their
/// number is the time in microseconds, which rises as well.
pub(crate) fn members_of(
    point: InterceptionPoint,
    envelope: &Map<String, Value>,
) -> Map<String, Value> {
    let text =
        |name: &str| envelope.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let field = |name: &str| envelope.get(name).cloned().unwrap_or_default();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut members = json!({
        "spec": SPEC,
        "interception_point": point.name(),
        "timestamp": jiff::Timestamp::now().to_string(),
        "sequence": i64::try_from(since.as_micros()).unwrap_or_default(),
        "agent": {"id": text("agent_id").unwrap_or("agent"), "framework": FRAMEWORK},
        "session": {"id": text("session_id").unwrap_or("session"), "turn": field("turn")},
    });
    let call = || json!({"id": text("tool_use_id").unwrap_or("call"), "name": field("tool_name")});
    let own = match point {
        InterceptionPoint::AgentStartup => json!({"agent_init": {"tools_registered": []}}),
        InterceptionPoint::Input => json!({"input": {"role": "user"}}),
        InterceptionPoint::PreModelCall => json!({"model": {}}),
        InterceptionPoint::PostModelCall => {
            let names = envelope.get("tool_call_names").and_then(Value::as_array);
            let names = names.into_iter().flatten();
            let calls: Vec<Value> = names.map(|name| json!({"name": name, "args": {}})).collect();
            json!({
                "model": {"id": field("model")},
                "response": {"tool_calls": calls, "finish_reason": text("stop_reason").unwrap_or("stop")},
            })
        }
        InterceptionPoint::PreToolCall => json!({"tool_call": call()}),
        InterceptionPoint::PostToolCall => {
            let failed = envelope.contains_key("error");
            json!({"tool_call": call(), "tool_result": {"is_error": failed}})
        }
        InterceptionPoint::Output => json!({"output": {}}),
        InterceptionPoint::AgentShutdown => json!({"summary": {"reason": reason(text("reason"))}}),
    };
    if let (Value::Object(members), Value::Object(own)) = (&mut members, own) {
        members.extend(own);
    }
    match members {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The standard knows three reasons for the end of a session.
fn reason(ours: Option<&str>) -> &str {
    match ours {
        Some("error" | "failed") => "error",
        Some("cancelled" | "canceled" | "interrupted") => "cancelled",
        _ => "completed",
    }
}
