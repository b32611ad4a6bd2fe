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
    assert_eq!(allocations("rewrite", &json!({"regex": "npm", "replace": "pnpm"}), &call), 0);
    assert_eq!(allocations("rewrite", &json!({"from": "npm", "to": "pnpm"}), &call), 0);
    assert_eq!(allocations("limit_large_tool_results", &json!({}), &result), 0);
    for of in ["calls", "tokens", "cost"] {
        assert_eq!(allocations("limit", &json!({"of": of, "over": 9}), &call), 0);
    }
    assert_eq!(allocations("limit", &json!({"of": "time", "over": "1h"}), &call), 0);
}

/// What a fixed reason costs is the verdict itself: its parts and the reason.
#[test]
fn a_fixed_reason_costs_no_more_than_its_verdict() {
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let Handler::Sync(handler) = build("deny", &json!({"reason": "no"})).unwrap().handler else {
        unreachable!()
    };
    let context = StepContext::new("session-1");
    let id = StepId::new(None, || "made".into());
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let deny = || drop(handler.handle(Invocation::new("hook", &envelope)));
    let verdict = hookgate_contract::Verdict::deny("no");
    let copied = allocation_counter::measure(|| drop(verdict.clone())).count_total;
    assert_eq!(allocation_counter::measure(deny).count_total, copied);
}
