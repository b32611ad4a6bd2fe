//! What hooks ask, and how a client answers.

use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::Role;
use hookgate::testing::Captured;
use hookgate::{Engine, Event, HandlerTable, Hook, Outcome, Verdict};
use rmcp::model::{CallToolRequestParams, CallToolResponse, InputResponses, ProtocolVersion};
use rmcp::service::ClientLifecycleMode;
use serde_json::{Value, json};

use crate::support::{
    Client, before, call, connect, connect_as, engine, judged, once, params, refusal, text, user,
    without_forms, yes,
};

fn ask() -> Hook {
    before(|| Verdict::ask("sure?"))
}

/// Calls a tool and returns the state of the question that comes back.
async fn state_of(client: &Client, call: CallToolRequestParams) -> String {
    let CallToolResponse::InputRequired(asks) = once(client, call).await else { panic!() };
    asks.request_state.unwrap()
}

fn approved(call: CallToolRequestParams, state: &str) -> CallToolRequestParams {
    let answer = json!({ "action": "accept", "content": { "approve": true } });
    let answers = InputResponses::from([("hookgate".to_owned(), answer)]);
    call.with_request_state(state).with_input_responses(answers)
}

async fn complete(client: &Client, call: CallToolRequestParams) -> rmcp::model::CallToolResult {
    match once(client, call).await {
        CallToolResponse::Complete(result) => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_a_user_approves_runs_once() {
    let (server, calls) = judged(engine([ask()]));
    let user = yes();
    let client = connect(server, user.clone()).await;
    assert_eq!(text(&call(&client, "deploy").await), r#"{"to":"prod"}"#);
    assert_eq!(calls.lock().unwrap().len(), 1);
    let shown = user.shown.lock().unwrap().join("");
    assert!(shown.starts_with("sure?\n\ntool_name: deploy\n"), "{shown}");
    assert!(shown.contains("tool_input.to: prod"), "{shown}");
}

#[tokio::test]
async fn what_a_user_does_not_approve_does_not_run() {
    for says in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": { "approve": false } }),
        json!({ "action": "accept", "content": { "approve": "true" } }),
        json!({ "action": "decline", "content": { "approve": true } }),
    ] {
        let captured = Captured::new();
        let table = HandlerTable::builder().insert(ask()).build().unwrap();
        let engine = Engine::new(table).with_recorder(captured.clone());
        let (server, calls) = judged(Arc::new(engine));
        let result = call(&connect(server, user(says)).await, "deploy").await;
        assert_eq!(refusal(&result), "denied by the user: the user did not approve it");
        assert_eq!(calls.lock().unwrap().len(), 0);
        assert_eq!(
            captured.outcomes(),
            [Outcome::Ask, Outcome::Deny],
            "what the user said is recorded"
        );
    }
}

#[tokio::test]
async fn a_state_is_good_for_one_answer() {
    let (server, calls) = judged(engine([ask()]));
    let client = connect(server, yes()).await;
    let deploy = || params("deploy", &json!({ "to": "prod" }));
    let state = state_of(&client, deploy()).await;
    assert_eq!(complete(&client, approved(deploy(), &state)).await.is_error, Some(false));
    let again = complete(&client, approved(deploy(), &state)).await;
    assert!(refusal(&again).contains("resumed before"), "{again:?}");
    assert_eq!(calls.lock().unwrap().len(), 1);

    // One that was refused is used up as well.
    let state = state_of(&client, deploy()).await;
    complete(&client, deploy().with_request_state(&*state)).await;
    refusal(&complete(&client, approved(deploy(), &state)).await);
    assert_eq!(calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_state_that_the_client_has_changed_is_refused() {
    let (server, calls) = judged(engine([ask()]));
    let client = connect(server, yes()).await;
    let deploy = || params("deploy", &json!({ "to": "staging" }));
    let state = state_of(&client, deploy()).await;
    for forged in [
        state.replace("staging", "prod"),
        state.replacen("sure?", "fine?", 1),
        "hookgate:{}".to_owned(),
        "hookgate:".to_owned(),
    ] {
        assert_ne!(forged, state);
        refusal(&complete(&client, approved(deploy(), &forged)).await);
    }
    assert_eq!(calls.lock().unwrap().len(), 0);
    // It was not used up by those.
    assert_eq!(complete(&client, approved(deploy(), &state)).await.is_error, Some(false));
}

#[tokio::test]
async fn what_was_asked_about_runs_and_not_what_stands_in_the_second_call() {
    let (server, calls) = judged(engine([ask()]));
    let client = connect(server, yes()).await;
    let state = state_of(&client, params("deploy", &json!({ "to": "staging" }))).await;
    let other = approved(params("deploy", &json!({ "to": "prod" })), &state);
    assert_eq!(text(&complete(&client, other).await), r#"{"to":"staging"}"#);
    let state = state_of(&client, params("deploy", &json!({}))).await;
    refusal(&complete(&client, approved(params("erase", &json!({})), &state)).await);
    assert_eq!(calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_question_is_about_the_call_as_hooks_have_left_it() {
    let patch =
        Hook::sync("trash", |_| Ok(Verdict::none().patch("tool_input", json!({ "to": "trash" }))));
    let patch = patch.event(Event::PreToolUse).role(Role::Rewrite);
    let (server, _) = judged(engine([patch, ask()]));
    let user = yes();
    let client = connect(server, user.clone()).await;
    assert_eq!(text(&call(&client, "move").await), r#"{"to":"trash"}"#);
    assert!(user.shown.lock().unwrap()[0].contains("tool_input.to: trash"));
}

#[tokio::test]
async fn a_question_ends() {
    let (server, calls) = judged(engine([ask()]));
    let client = connect(server.questions_good_for(Duration::ZERO), yes()).await;
    let state = state_of(&client, params("deploy", &json!({}))).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let late = complete(&client, approved(params("deploy", &json!({})), &state)).await;
    assert!(refusal(&late).contains("expired"), "{late:?}");
    assert_eq!(calls.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_client_that_cannot_ask_its_user_is_told_so() {
    let newest =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (user, lifecycle) in [(yes(), ClientLifecycleMode::Initialize), (without_forms(), newest)] {
        let (server, calls) = judged(engine([ask().tool("deploy")]));
        let client = connect_as(server, user, lifecycle.clone()).await;
        let refused = call(&client, "deploy").await;
        assert_eq!(refusal(&refused), "nobody can be asked: sure?");
        assert_eq!(calls.lock().unwrap().len(), 0);
        // An older client knows no types of results.
        let is_old = lifecycle == ClientLifecycleMode::Initialize;
        for result in [refused, call(&client, "other").await] {
            assert_eq!(result.result_type.is_none(), is_old, "{result:?}");
        }
    }
}

#[tokio::test]
async fn what_a_tool_asks_for_is_carried_over_the_question_of_a_hook() {
    let (server, calls) = judged(engine([ask()]));
    let user = yes();
    let client = connect(server, user.clone()).await;
    assert_eq!(text(&call(&client, "greet").await), "hello Ada");
    // Each round is judged, so each asks.
    let shown = user.shown.lock().unwrap();
    let firsts: Vec<&str> = shown.iter().map(|text| text.lines().next().unwrap()).collect();
    assert_eq!(firsts, ["sure?", "your name?", "sure?"]);
    let calls = calls.lock().unwrap();
    let states: Vec<_> = calls.iter().map(|call| call.request_state.as_deref()).collect();
    assert_eq!(states, [None, Some("mine")]);
    let names: Vec<Value> = calls.iter().map(|call| json!(call.input_responses)).collect();
    assert_eq!(names[0], Value::Null, "the answer to our question is not the tool's");
    assert_eq!(names[1], json!({ "name": { "action": "accept", "content": { "name": "Ada" } } }));
}
