//! Reads conditions and asks them about steps.
#![allow(dead_code, reason = "no test uses all of it")]

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use hookgate_conditions::{Conditions, MemoryHistory};
use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::{
    BuiltCondition, ConditionContext, ConditionKind, Envelope, StepContext, StepId, Truth,
};
use serde_json::{Value, json};

/// Returns the kinds, with a clock that shows this moment.
pub(crate) fn kinds_at(now: SystemTime) -> Vec<ConditionKind> {
    Conditions::new(Arc::new(MemoryHistory::new())).clock(move || now).kinds()
}

/// Builds a condition from its value.
pub(crate) fn build(
    kinds: &[ConditionKind],
    name: &str,
    value: &Value,
) -> Result<BuiltCondition, Vec<String>> {
    let kind = kinds.iter().find(|kind| kind.name() == name).unwrap();
    let context = ConditionContext::new(Path::new("/")).of_hook("hook");
    kind.build(value, &context).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// Builds a condition with the clock of the machine.
pub(crate) fn condition(name: &str, value: &Value) -> BuiltCondition {
    build(&kinds_at(SystemTime::now()), name, value)
        .unwrap_or_else(|errors| panic!("{value}: {errors:?}"))
}

/// Returns what is wrong with a value.
pub(crate) fn refused(name: &str, value: &Value) -> String {
    let built = build(&kinds_at(SystemTime::now()), name, value);
    built.map_or_else(|errors| errors.join("\n"), |_| panic!("{name} = {value} was taken"))
}

/// Calls some code with the envelope of a payload.
pub(crate) fn at<T>(
    payload: &dyn AnyPayload,
    context: &StepContext<'_>,
    run: impl FnOnce(&Envelope<'_>) -> T,
) -> T {
    let id = StepId::new(Some("step-1"), String::new);
    run(&Envelope::new(payload, context, &id, 1, 1 << 20))
}

/// Asks a condition about a tool call in a folder.
pub(crate) fn ask(condition: &BuiltCondition, input: Value, cwd: Option<&str>) -> (Truth, String) {
    let call = ToolCall::new("Bash", input);
    let context = StepContext::new("session-1").turn(4);
    let context = cwd.map_or(context, |cwd| context.cwd(cwd));
    at(&call, &context, |step| {
        (condition.condition().hold(step), condition.condition().explain(step))
    })
}

/// Asks a condition about some tool call.
pub(crate) fn ask_any(condition: &BuiltCondition) -> (Truth, String) {
    ask(condition, json!({"command": "ls"}), Some("/"))
}
