//! Promise: a mark counts for the layer that sets it and those below, never for one above.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::sync::Arc;

use hookgate_conditions::{Conditions, MemoryHistory, SessionMarks, SystemClock};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    BuiltCondition, ConditionContext, ConditionKind, Envelope, Layer, StepContext, StepId, Truth,
};
use serde_json::json;

/// Calls some code with a step of the session.
fn at<T>(step: &str, run: impl FnOnce(&Envelope<'_>) -> T) -> T {
    let call = ToolCall::new("Bash", json!({"command": "make check"}));
    let context = StepContext::new("session-1");
    let id = StepId::new(Some(step), String::new);
    run(&Envelope::new(&call, &context, &id, 1, 1 << 20))
}

fn build(kinds: &[ConditionKind], layer: Layer, name: &str) -> BuiltCondition {
    let kind = kinds.iter().find(|kind| kind.name() == name).unwrap();
    let context = ConditionContext::new(Path::new("/")).of_hook("hook").in_layer(layer);
    kind.build(&json!("tested"), &context).unwrap()
}

#[test]
fn a_mark_counts_for_its_own_layer_and_those_below() {
    for (number, setting) in Layer::ALL.into_iter().enumerate() {
        let history = Arc::new(MemoryHistory::new());
        let kinds = Conditions::new(history.clone()).kinds();
        let marks = SessionMarks::new(history, Arc::new(SystemClock));
        let mark = build(&kinds, setting, "mark");
        at("step-1", |step| mark.condition().held(step, Truth::True));
        for (other, testing) in Layer::ALL.into_iter().enumerate() {
            let marked = build(&kinds, testing, "marked");
            let expected = Truth::from(other >= number);
            let found = at("step-2", |step| marked.condition().hold(step));
            assert_eq!(found, expected, "set by {setting}, tested by {testing}");
            let found = at("step-2", |step| marks.is_marked(step, testing, "tested", None));
            assert_eq!(found, expected, "set by {setting}, required by {testing}");
            // What the present step sets is not seen yet, by none of them.
            let found = at("step-1", |step| marks.is_marked(step, testing, "tested", None));
            assert_eq!(found, Truth::False, "set by {setting}, required by {testing}");
            let warnings = marked.condition().warnings();
            let below = warnings.iter().any(|warning| warning.contains("below this one"));
            assert_eq!(below, other < number, "{warnings:?}");
        }
    }
}
