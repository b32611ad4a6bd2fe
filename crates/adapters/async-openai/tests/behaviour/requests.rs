//! A request, before it is sent.

use async_openai::types::chat::CreateChatCompletionRequest;
use hookgate::contract::Role;
use hookgate::{Event, Hook, StepContext, Verdict};
use hookgate_async_openai::{JudgedRequest, Refused, RequestProblem, judge_request};
use serde_json::{Value, json};

use crate::support::{Server, engine, request};

fn patch(fields: &Value) -> Hook {
    let fields = fields.as_object().unwrap().clone();
    let fields: Vec<_> = fields.into_iter().map(|(name, value)| (&*name.leak(), value)).collect();
    let hook = Hook::sync("patch", move |_| {
        let patched = fields.clone().into_iter();
        Ok(patched.fold(Verdict::none(), |said, (name, value)| said.patch(name, value)))
    });
    hook.event(Event::PreLlmRequest).role(Role::Rewrite)
}

/// Has a hook judge a request, and sends it if it was cleared. Returns what has arrived, or why it was not sent.
async fn send(hook: Hook, request: CreateChatCompletionRequest) -> Result<Value, Refused> {
    let server = Server::start(Vec::new()).await;
    let judged = judge_request(&engine([hook]), &StepContext::new("s"), request).await;
    if let Ok(JudgedRequest::Send(request)) = judged {
        server.client.chat().create(*request).await.unwrap();
        let mut arrived = std::mem::take(&mut *server.arrived.lock().unwrap());
        assert_eq!(arrived.len(), 1);
        return Ok(arrived.remove(0));
    }
    assert_eq!(*server.arrived.lock().unwrap(), Vec::<Value>::new());
    match judged {
        Err(refused) => Err(refused),
        judged => panic!("{judged:?}"),
    }
}

#[tokio::test]
async fn a_request_arrives_as_hooks_have_changed_it() {
    let messages = json!([{ "role": "user", "content": "hello" }]);
    let hook = patch(&json!({ "model": "small", "messages": messages, "temperature": 0.25,
        "provider_params": { "top_p": 0.5, "stop": ["x"] } }));
    let arrived = send(hook, request(&json!({ "seed": 7, "temperature": 1.5 }))).await.unwrap();
    assert_eq!(
        arrived,
        json!({ "model": "small", "messages": messages, "temperature": 0.25, "top_p": 0.5, "stop": ["x"] })
    );
}

#[tokio::test]
async fn a_request_that_no_hook_changes_arrives_as_it_was() {
    let fields = json!({
        "temperature": 0.7, "top_p": 0.9, "max_completion_tokens": 50, "seed": 9_007_199_254_740_993_i64,
        "tools": [{ "type": "function", "function": { "name": "f", "parameters": { "type": "object" } } }],
        "logit_bias": { "17": -100 }, "metadata": { "a": "b" }, "tool_choice": "auto",
        "messages": [
            { "role": "system", "content": "be brief" },
            { "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "http://x/y" } }] },
            { "role": "assistant", "tool_calls": [{ "id": "1", "type": "function", "function": { "name": "f", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "1", "content": "done" },
        ],
    });
    let plain = Server::start(Vec::new()).await;
    plain.client.chat().create(request(&fields)).await.unwrap();
    let without_hooks = plain.arrived.lock().unwrap().remove(0);
    let allow = Hook::sync("allow", |_| Ok(Verdict::allow())).event(Event::PreLlmRequest);
    assert_eq!(send(allow, request(&fields)).await.unwrap(), without_hooks);
    // Also if it is written anew, because something else in it was changed.
    let renamed = send(patch(&json!({ "model": "small" })), request(&fields)).await.unwrap();
    let mut expected = without_hooks;
    expected["model"] = json!("small");
    assert_eq!(renamed, expected);
}

#[tokio::test]
async fn a_denied_or_halted_request_does_not_arrive() {
    let no = Hook::sync("no", |_| Ok(Verdict::deny("too dear"))).event(Event::PreLlmRequest);
    let refused = send(no, request(&json!({}))).await.unwrap_err();
    assert!(matches!(refused, Refused::Denied(_)));
    assert_eq!(refused.to_string(), "denied by no: too dear");
    let stop = Hook::sync("stop", |_| Ok(Verdict::halt("spent"))).event(Event::PreLlmRequest);
    assert!(matches!(send(stop, request(&json!({}))).await, Err(Refused::Halted(_))));
}

#[tokio::test]
async fn hooks_read_all_fields() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Value::Null));
    let into = seen.clone();
    let look = Hook::sync("look", move |call| {
        *into.lock().unwrap() = call.envelope.value()?.clone();
        Ok(Verdict::none())
    });
    let fields = json!({ "temperature": 0.7, "max_tokens": 50, "top_p": 0.9, "user": "ada" });
    send(look.event(Event::PreLlmRequest), request(&fields)).await.unwrap();
    let step = seen.lock().unwrap();
    assert_eq!(
        [&step["model"], &step["message_count"], &step["temperature"], &step["max_tokens"]],
        [&json!("m"), &json!(1), &json!(0.7), &json!(50)]
    );
    assert_eq!(step["messages"], json!([{ "role": "user", "content": "hi" }]));
    assert_eq!(step["provider_params"], json!({ "top_p": 0.9, "user": "ada" }));
}

#[tokio::test]
async fn the_limit_of_tokens_stays_in_the_field_that_it_was_in() {
    for (fields, name) in [
        (json!({ "max_tokens": 50 }), "max_tokens"),
        (json!({ "max_completion_tokens": 50 }), "max_completion_tokens"),
        (json!({}), "max_completion_tokens"),
    ] {
        let arrived = send(patch(&json!({ "max_tokens": 9 })), request(&fields)).await.unwrap();
        let both = (arrived.get("max_tokens"), arrived.get("max_completion_tokens"));
        assert_eq!(arrived[name], 9);
        assert!(both.0.is_none() || both.1.is_none(), "{arrived}");
    }
    let both = json!({ "max_tokens": 50, "max_completion_tokens": 50 });
    let refused = send(patch(&json!({ "max_tokens": 9 })), request(&both)).await;
    assert!(matches!(refused, Err(Refused::Request(RequestProblem::Twice("max_tokens")))));
}

#[tokio::test]
async fn what_cannot_be_sent_as_hooks_have_left_it_is_not_sent() {
    for (patched, words) in [
        (json!({ "provider_params": { "top_k": 4 } }), "`/top_k`"),
        (json!({ "provider_params": { "model": "large" } }), "`model` twice"),
        (json!({ "provider_params": { "max_tokens": 9 } }), "`max_tokens` twice"),
        (json!({ "provider_params": { "max_completion_tokens": 9 } }), "`max_tokens` twice"),
        (json!({ "provider_params": { "top_p": "much" } }), "cannot be read"),
        (json!({ "messages": [{ "role": "wizard", "content": "hi" }] }), "cannot be read"),
        (
            json!({ "messages": [{ "role": "user", "content": "hi", "mood": "good" }] }),
            "`/messages/0/mood`",
        ),
        (json!({ "max_tokens": 5_000_000_000_u64 }), "cannot be read"),
    ] {
        let refused = send(patch(&patched), request(&json!({ "max_tokens": 50 }))).await;
        let Err(Refused::Request(problem)) = refused else { panic!("{patched} {refused:?}") };
        assert!(problem.to_string().contains(words), "{patched}: {problem}");
    }
}

#[tokio::test]
async fn a_hook_can_answer_in_the_place_of_the_model() {
    let cache = Hook::sync("cache", |_| Ok(Verdict::none().answer("from the cache", false)));
    let engine = engine([cache.event(Event::PreLlmRequest).role(Role::Rewrite)]);
    let judged = judge_request(&engine, &StepContext::new("s"), request(&json!({}))).await.unwrap();
    let JudgedRequest::Answered(answer) = judged else { panic!("{judged:?}") };
    assert_eq!(answer.assistant_text, "from the cache");
}
