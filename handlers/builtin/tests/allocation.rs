//! Promise: a handler without an opinion does not allocate. A program of its own: if another test
//! listens to what is traced, `audit` has something to do.
#![allow(clippy::unreachable, clippy::unwrap_used, reason = "a test may fail")]

#[path = "behaviour/support.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod support;

use hookgate_contract::StepId;
use hookgate_contract::payload::{AnyPayload, PostToolUse, ToolCall};
use hookgate_contract::{Envelope, Handler, Invocation, StepContext};
use serde_json::{Value, json};

use support::build;

/// How often a builtin allocates for a step about which it has no opinion, once it is warm.
fn allocations(name: &str, settings: &Value, payload: &dyn AnyPayload) -> u64 {
    let Handler::Sync(handler) = build(name, settings).unwrap().handler else { unreachable!() };
    let context = StepContext::new("session-1");
    let id = StepId::new(None, || "made".into());
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    let invocation = Invocation::new("hook", &envelope);
    let quiet = || assert!(handler.handle(invocation).unwrap().parts().is_none());
    quiet();
    allocation_counter::measure(quiet).count_total
}

#[test]
fn a_handler_without_an_opinion_does_not_allocate() {
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let result = PostToolUse::new(call.clone(), json!({"rows": ["fine", {"n": 1}]}));
    assert_eq!(allocations("audit", &json!({}), &call), 0);
    assert_eq!(allocations("max_iterations", &json!({"limit": 9}), &call), 0);
    assert_eq!(allocations("redact_secrets", &json!({"tool_input": true}), &call), 0);
    assert_eq!(allocations("redact_secrets", &json!({}), &result), 0);
}
