//! Tools of a real axum server on loopback, with hooks around them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "these are tests"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::routing::post;
use axum::{Json, Router};
use hookgate::approval::Parked;
use hookgate::contract::Role;
use hookgate::{Engine, Event, HandlerTable, Hook, Verdict};
use hookgate_http_tools::{Questions, ToolLayer};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

#[derive(Default)]
struct Kept(Mutex<HashMap<String, (Parked, bool)>>);

impl Questions for Kept {
    fn keep(&self, parked: Parked) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().unwrap().insert(parked.request().id.clone(), (parked, false));
        Ok(())
    }

    fn take_approved(&self, number: &str) -> Option<Parked> {
        let mut kept = self.0.lock().unwrap();
        kept.get(number)
            .is_some_and(|(_, approved)| *approved)
            .then(|| kept.remove(number).unwrap().0)
    }
}

struct Server {
    address: String,
    ran: Arc<AtomicUsize>,
    kept: Arc<Kept>,
}

impl Server {
    async fn start() -> Self {
        let at = |id: &str, tool: &str, answer: fn() -> Verdict| {
            Hook::sync(id, move |_| Ok(answer())).event(Event::PreToolUse).tool(tool)
        };
        let patch =
            at("safe", "move", || Verdict::none().patch("tool_input", json!({"to": "trash"})));
        let withhold = Hook::sync("quiet", |_| Ok(Verdict::deny("secret")))
            .event(Event::PostToolUse)
            .tool("read");
        let table = HandlerTable::builder()
            .insert(at("no", "rm", || Verdict::deny("no rm")))
            .insert(at("confirm", "deploy", || Verdict::ask("sure?")))
            .insert(patch.role(Role::Rewrite))
            .insert(withhold)
            .build();
        let engine = Arc::new(Engine::new(table.unwrap()));
        let (ran, kept) = (Arc::new(AtomicUsize::new(0)), Arc::new(Kept::default()));
        let session = move |head: &http::request::Parts| {
            Some((engine.clone(), head.headers.get("x-session")?.to_str().ok()?.to_owned()))
        };
        let layer =
            ToolLayer::new(session).questions(kept.clone(), Duration::from_secs(60)).at_most(1000);
        let counter = ran.clone();
        let tool = post(async move |Json(body): Json<Value>| {
            counter.fetch_add(1, Ordering::SeqCst);
            Json(json!({ "ran": body }))
        });
        let app = Router::new().route("/tools/{name}", tool).layer(layer);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, ran, kept }
    }

    async fn call(&self, tool: &str, body: &str, approval: Option<&str>) -> (u16, Value) {
        let request = http::Request::post(format!("http://{}/tools/{tool}", self.address));
        let mut request =
            request.header("x-session", "s").header("content-type", "application/json");
        if let Some(number) = approval {
            request = request.header(ToolLayer::APPROVAL, number);
        }
        self.send(request.body(Full::from(body.to_owned())).unwrap()).await
    }

    async fn send(&self, request: http::Request<Full<bytes::Bytes>>) -> (u16, Value) {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let answer = client.request(request).await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn a_cleared_tool_runs_with_its_arguments() {
    let server = Server::start().await;
    assert_eq!(server.call("echo", r#"{"a":1}"#, None).await, (200, json!({"ran": {"a": 1}})));
    assert_eq!(server.ran(), 1);
}

#[tokio::test]
async fn a_denied_tool_does_not_run() {
    let server = Server::start().await;
    let (status, body) = server.call("rm", "{}", None).await;
    assert_eq!((status, &body["reason"], &body["by"]), (403, &json!("no rm"), &json!(["no"])));
    assert_eq!(server.ran(), 0);
}

#[tokio::test]
async fn a_tool_runs_with_what_a_hook_has_made_of_its_arguments() {
    let server = Server::start().await;
    assert_eq!(server.call("move", r#"{"to":"/"}"#, None).await.1, json!({"ran": {"to": "trash"}}));
}

#[tokio::test]
async fn a_denied_result_is_withheld() {
    let server = Server::start().await;
    let (status, body) = server.call("read", r#"{"path":"key"}"#, None).await;
    assert_eq!((status, &body["reason"], body.get("ran")), (403, &json!("secret"), None));
    assert_eq!(server.ran(), 1);
}

#[tokio::test]
async fn a_question_is_kept_and_what_was_asked_about_runs_once_when_it_is_approved() {
    let server = Server::start().await;
    let (status, body) = server.call("deploy", r#"{"to":"prod"}"#, None).await;
    assert_eq!((status, &body["question"]), (202, &json!("sure?")));
    let number = body["approval"].as_str().unwrap().to_owned();
    assert_eq!(server.call("deploy", "{}", Some(&number)).await.0, 409, "nobody has approved it");
    assert_eq!(server.ran(), 0);
    server.kept.0.lock().unwrap().get_mut(&number).unwrap().1 = true;
    // The body of the second call counts for nothing: what was asked about runs.
    let (status, body) = server.call("deploy", r#"{"to":"moon"}"#, Some(&number)).await;
    assert_eq!((status, body), (200, json!({"ran": {"to": "prod"}})));
    assert_eq!(server.call("deploy", "{}", Some(&number)).await.0, 409, "it was used");
    assert_eq!(server.ran(), 1);
}

#[tokio::test]
async fn an_approval_is_of_one_tool() {
    let server = Server::start().await;
    let (_, body) = server.call("deploy", "{}", None).await;
    let number = body["approval"].as_str().unwrap();
    server.kept.0.lock().unwrap().get_mut(number).unwrap().1 = true;
    assert_eq!(server.call("rm", "{}", Some(number)).await.0, 409);
    assert_eq!(server.ran(), 0);
}

#[tokio::test]
async fn what_no_hook_can_judge_is_refused() {
    let server = Server::start().await;
    for (tool, body, status) in [
        ("r%6d", "{}", 400),
        ("echo?rm=1", "{}", 400),
        ("echo", r#"{"a":1,"a":2}"#, 400),
        ("echo", "", 400),
        ("echo", &format!("\"{}\"", "x".repeat(1000)), 413),
    ] {
        assert_eq!(server.call(tool, body, None).await.0, status, "{tool} {body}");
    }
    let without = http::Request::post(format!("http://{}/tools/echo", server.address));
    assert_eq!(server.send(without.body(Full::from("{}")).unwrap()).await.0, 400, "no session");
    assert_eq!(server.ran(), 0);
}
