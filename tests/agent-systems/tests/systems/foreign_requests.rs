//! The requests of foreign hooks go where the config says, and nowhere else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::any;
use hookgate_agent_systems::claude::ClaudeSystem;
use hookgate_agent_systems::foreign::{
    ForeignHooks, ForeignVerdict, HookStatus, Host, Layer, Outcome, Services,
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

const DENY: &str = r#"{"decision": "block", "reason": "the service says no"}"#;

async fn serve(app: Router) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    port
}

async fn ask(url: &str) -> (Outcome, HookStatus) {
    let handler = json!({"type": "http", "url": url, "timeout": 5});
    let layer = Layer {
        name: "project".to_owned(),
        file: "settings.json".to_owned(),
        content: json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}),
    };
    let host = Host { interactive: true, ..Host::default() };
    let hooks = ForeignHooks::load(Arc::new(ClaudeSystem), &[layer], host, Services::default());
    let step = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
    let step: Map<String, Value> = step.as_object().unwrap().clone();
    let run = hooks.run("PreToolUse", &step).await;
    (run.outcome.clone(), run.runs[0].result.status.clone())
}

#[tokio::test]
async fn an_answer_decides() {
    let port = serve(Router::new().fallback(any(|| async { DENY }))).await;
    let (outcome, status) = ask(&format!("http://localhost:{port}/")).await;
    assert_eq!((outcome.verdict, status), (ForeignVerdict::Deny, HookStatus::Blocked));
    assert_eq!(outcome.reason.as_deref(), Some("the service says no"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let other = serve(Router::new().fallback(any(move || async move {
        counter.fetch_add(1, Ordering::SeqCst);
        DENY
    })))
    .await;
    let location = format!("http://127.0.0.1:{other}/");
    let redirect = any(move || async move { (StatusCode::FOUND, [("location", location)]) });
    let port = serve(Router::new().fallback(redirect)).await;
    let (outcome, status) = ask(&format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(outcome.verdict, ForeignVerdict::None);
    assert_eq!(status, HookStatus::Error("the service answered with status 302".to_owned()));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn no_hook_is_sent_to_the_credentials_of_a_cloud() {
    for url in ["http://169.254.169.254/latest", "http://[::ffff:169.254.169.254]/"] {
        let (_, status) = ask(url).await;
        let HookStatus::Error(why) = status else { panic!("{url}: {status:?}") };
        assert!(why.contains("no hook is sent there"), "{url}: {why}");
    }
}
