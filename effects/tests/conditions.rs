//! Conditions on effects: what they mean, what they say, and what is wrong with them in a file.

use hookgate::config::{Loader, VerifyMode};
use hookgate_contract::payload::{ToolCall, ToolUse};
use hookgate_contract::{Condition, ConditionContext, Envelope, StepContext, StepId, Truth};
use hookgate_effects::conditions;
use hookgate_test_support::registry;
use serde_json::{Value, json};

/// The answer, the explanation and the subject of a condition at a call in `/home/u/proj`.
fn ask(key: &str, value: &Value, tool: &str, input: Value) -> (Truth, String, Option<String>) {
    let kinds = conditions::kinds_at_home(Some("/home/u".into()));
    let kind = kinds.iter().find(|kind| kind.name() == key).unwrap();
    let built = kind.build(value, &ConditionContext::new("/home/u/conf".as_ref())).unwrap();
    let call = ToolUse::new(ToolCall::new(tool, input));
    let context = StepContext::new("s").cwd("/home/u/proj");
    let id = StepId::new(Some("step"), String::new);
    let step = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let condition: &dyn Condition = &**built.condition();
    (condition.hold(&step), condition.explain(&step), condition.subject(&step))
}

fn holds(key: &str, value: &Value, tool: &str, input: Value) -> Truth {
    ask(key, value, tool, input).0
}

fn bash(key: &str, value: &Value, command: &str) -> Truth {
    holds(key, value, "Bash", json!({"command": command}))
}
