//! What hooks say of a result.

use hookgate::{Event, Hook, Verdict};
use rmcp::model::{CallToolResponse, ElicitRequestParams, GetTaskParams, InputRequest};
use serde_json::json;

use crate::support::{
    before, call, connect, engine, error_of, judged, once, params, redact, refusal, text, yes,
};

#[tokio::test]
async fn a_result_is_what_hooks_have_left_of_it() {
    let (server, _) = judged(engine(redact()));
    let client = connect(server, yes()).await;
    assert_eq!(text(&call(&client, "read").await), "the key is ***");
    let rows = call(&client, "rows").await;
    assert_eq!(rows.structured_content, Some(json!({ "key": "***" })));
    assert_eq!(text(&rows), r#"{"key":"***"}"#);
    assert_eq!(refusal(&call(&client, "fail").await), "no file ***");
    let broken = client.call_tool(params("break", &json!({}))).await;
    assert_eq!(error_of(broken).message, "broken at ***");
}

#[tokio::test]
async fn without_an_opinion_a_result_stays_as_it_is() {
    let (server, _) = judged(engine([before(Verdict::allow)]));
    let client = connect(server, yes()).await;
    assert_eq!(text(&call(&client, "read").await), "the key is hunter2");
    assert_eq!(call(&client, "rows").await.structured_content, Some(json!({ "key": "hunter2" })));
    let broken = client.call_tool(params("break", &json!({}))).await;
    assert_eq!(error_of(broken).message, "broken at hunter2");
}

#[tokio::test]
async fn a_denied_result_is_withheld() {
    let quiet = Hook::sync("quiet", |_| Ok(Verdict::deny("secret")));
    let quiet = quiet.events([Event::PostToolUse, Event::PostToolUseFailure]);
    let (server, calls) = judged(engine([quiet]));
    let client = connect(server, yes()).await;
    for tool in ["read", "rows", "fail", "break", "greet", "task"] {
        let response = once(&client, params(tool, &json!({}))).await;
        let CallToolResponse::Complete(result) = response else { panic!("{tool} {response:?}") };
        assert_eq!(refusal(&result), "withheld by quiet: secret", "{tool}");
        assert_eq!((result.content.len(), result.structured_content), (1, None), "{tool}");
    }
    assert_eq!(calls.lock().unwrap().len(), 6);
}

#[tokio::test]
async fn what_hooks_add_for_the_model_stands_behind_the_result() {
    let note = before(|| Verdict::none().context("it is a copy"));
    let (server, _) = judged(engine([note]));
    let result = call(&connect(server, yes()).await, "read").await;
    let texts: Vec<_> = result.content.iter().map(|block| &block.as_text().unwrap().text).collect();
    assert_eq!(texts, ["the key is hunter2", "it is a copy"]);
}

#[tokio::test]
async fn what_a_tool_asks_for_is_judged_as_a_result_is() {
    let rename = Hook::sync("rename", |call| {
        let step = String::from_utf8(call.envelope.bytes()?.to_vec()).unwrap();
        let step = step.replace("your name?", "who are you?");
        let step: serde_json::Value = serde_json::from_str(&step).unwrap();
        Ok(Verdict::none().patch("tool_response", step["tool_response"].clone()))
    });
    let (server, _) = judged(engine([rename.event(Event::PostToolUse)]));
    let client = connect(server, yes()).await;
    let CallToolResponse::InputRequired(asks) = once(&client, params("greet", &json!({}))).await
    else {
        panic!("it asks")
    };
    assert_eq!(asks.request_state.as_deref(), Some("mine"));
    let InputRequest::Elicitation(form) = &asks.input_requests.unwrap()["name"] else { panic!() };
    let ElicitRequestParams::FormElicitationParams { message, .. } = &form.params else { panic!() };
    assert_eq!(message, "who are you?");
}

#[tokio::test]
async fn a_task_does_not_take_a_result_past_the_hooks() {
    let (server, calls) = judged(engine(redact()));
    let client = connect(server, yes()).await;
    let CallToolResponse::Complete(result) = once(&client, params("task", &json!({}))).await else {
        panic!("a task was begun")
    };
    assert!(refusal(&result).contains("task"));
    assert_eq!(calls.lock().unwrap().len(), 1);
    // The tools of the test panic if they are asked for it.
    let error = client.get_task(GetTaskParams::new("t1")).await.unwrap_err();
    assert!(error.to_string().contains("tasks/get"), "{error}");
}
