//! What hooks say of a call.

use std::sync::Arc;

use hookgate::contract::Role;
use hookgate::{Event, Hook, Verdict};
use serde_json::{Value, json};

use crate::support::{before, call, connect, engine, judged, params, refusal, text, yes};

#[tokio::test]
async fn a_cleared_tool_runs_with_its_arguments() {
    let (server, calls) = judged(engine([before(Verdict::allow)]));
    let client = connect(server, yes()).await;
    let result = call(&client, "deploy").await;
    assert_eq!((text(&result), result.is_error), (r#"{"to":"prod"}"#, Some(false)));
    assert_eq!(calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_denied_tool_does_not_run_and_the_model_reads_why() {
    let (server, calls) = judged(engine([before(|| Verdict::deny("not today")).tool("deploy")]));
    let client = connect(server, yes()).await;
    assert_eq!(refusal(&call(&client, "deploy").await), "denied by guard: not today");
    assert_eq!(calls.lock().unwrap().len(), 0);
    assert_eq!(text(&call(&client, "other").await), r#"{"to":"prod"}"#);
}

#[tokio::test]
async fn a_halt_and_a_closed_engine_are_said_as_well() {
    let halting = engine([before(|| Verdict::halt("spent"))]);
    let (server, calls) = judged(halting);
    assert_eq!(
        refusal(&call(&connect(server, yes()).await, "deploy").await),
        "halted by guard: spent"
    );
    assert_eq!(calls.lock().unwrap().len(), 0);

    let closed = engine([before(Verdict::allow)]);
    closed.close(std::time::Duration::ZERO).await;
    let (server, calls) = judged(closed);
    let result = call(&connect(server, yes()).await, "deploy").await;
    assert!(refusal(&result).contains("closed"), "{result:?}");
    assert_eq!(calls.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_tool_runs_with_what_a_hook_has_made_of_its_arguments() {
    let patch = before(|| Verdict::none().patch("tool_input", json!({ "to": "staging" })));
    let (server, calls) = judged(engine([patch.role(Role::Rewrite)]));
    let client = connect(server, yes()).await;
    assert_eq!(text(&call(&client, "deploy").await), r#"{"to":"staging"}"#);
    assert_eq!(json!(calls.lock().unwrap()[0].arguments), json!({ "to": "staging" }));
}

#[tokio::test]
async fn a_hook_can_answer_in_the_place_of_a_tool() {
    let cache = before(|| Verdict::none().answer("from the cache", false)).role(Role::Rewrite);
    let (server, calls) = judged(engine([cache]));
    assert_eq!(text(&call(&connect(server, yes()).await, "deploy").await), "from the cache");
    assert_eq!(calls.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn hooks_read_from_which_server_a_tool_is() {
    let seen = Arc::new(std::sync::Mutex::new(Value::Null));
    let into = seen.clone();
    let look = Hook::sync("look", move |call| {
        *into.lock().unwrap() = serde_json::from_slice(call.envelope.bytes()?).unwrap();
        Ok(Verdict::none())
    });
    let (server, _) = judged(engine([look.event(Event::PreToolUse)]));
    call(&connect(server, yes()).await, "deploy").await;
    let step = seen.lock().unwrap();
    assert_eq!(step["provenance"], json!({ "kind": "mcp", "source_id": "tools" }));
    assert_eq!((&step["session_id"], &step["tool_name"]), (&json!("s"), &json!("deploy")));
}

#[tokio::test]
async fn arguments_that_readers_would_read_differently_are_refused() {
    let (server, calls) = judged(engine([before(Verdict::allow)]));
    let client = connect(server, yes()).await;
    let big = params("deploy", &json!({ "id": 9_007_199_254_740_993_u64 }));
    assert!(refusal(&client.call_tool(big).await.unwrap()).contains("cannot be used"));
    assert_eq!(calls.lock().unwrap().len(), 0);
}
