//! An engine as a service, behind the layers of tower.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "these are tests")]

use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::payload::UserPromptSubmit;
use hookgate::{Engine, Event, Gate, HandlerTable, Hook, ToolUse, Verdict};
use hookgate_tower::GateService;
use tower::{Service, ServiceBuilder, ServiceExt};

fn engine(hook: Hook) -> Arc<Engine> {
    Arc::new(Engine::new(HandlerTable::builder().insert(hook).build().unwrap()))
}

#[tokio::test]
async fn steps_of_all_types_go_through_it() {
    let hook = Hook::sync("no", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    let mut gate = GateService::new((engine(hook), "s"));
    let prompt = gate.call(UserPromptSubmit::new("hello")).await.unwrap();
    assert!(prompt.is_cleared());
    let denied = gate.call(ToolUse::propose("Bash", "{}").unwrap()).await.unwrap();
    assert!(matches!(denied, Gate::Denied(denied) if denied.reason() == "no"));
}

#[tokio::test]
async fn it_can_be_buffered_and_shed() {
    let hook = Hook::sync("ask", |_| Ok(Verdict::ask("?"))).event(Event::PreToolUse);
    let gate = GateService::new((engine(hook), "s"));
    let gate = ServiceBuilder::new().buffer(8).load_shed().concurrency_limit(1).service(gate);
    let step = ToolUse::propose("Bash", "{}").unwrap();
    assert!(matches!(gate.oneshot(step).await.unwrap(), Gate::Asked(_)));
}

#[tokio::test]
async fn a_step_that_takes_too_long_is_gone() {
    let hook =
        Hook::async_fn("slow", |_| Box::pin(std::future::pending())).event(Event::PreToolUse);
    let gate = GateService::new((engine(hook), "s"));
    let gate = ServiceBuilder::new().timeout(Duration::from_millis(20)).service(gate);
    let step = ToolUse::propose("Bash", "{}").unwrap();
    assert!(gate.oneshot(step).await.is_err());
}

#[tokio::test]
async fn a_scope_is_a_session_with_hooks_of_its_own() {
    let none = Hook::sync("none", |_| Ok(Verdict::none())).event(Event::PreToolUse);
    let no = Hook::sync("no", |call| Ok(Verdict::deny(call.envelope.value()?["cwd"].to_string())));
    let scope = engine(none).scope("s").hook(no.event(Event::PreToolUse)).cwd("/srv/ledger");
    let step = ToolUse::propose("Bash", "{}").unwrap();
    let denied = GateService::new(scope.open().unwrap()).oneshot(step).await.unwrap();
    assert!(matches!(denied, Gate::Denied(denied) if denied.reason() == r#""/srv/ledger""#));
}
