//! Promise: a clearance that crosses a process boundary is good for one use, for a short time, and
//! for exactly the call that was judged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use std::time::Duration;

use hookgate::contract::payload::ToolCall;
use hookgate::permit::{Permit, PermitError};
use hookgate::step::Running;
use hookgate::{Engine, Gate, HookEngine};
use serde_json::json;
use support::{bash, call, context};

async fn permit(engine: &Engine, good_for: Duration) -> (Permit, Running) {
    let Gate::Cleared(tool) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    engine.issue(tool, good_for).unwrap()
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_permit_is_good_once() {
    let engine = Engine::default();
    let (permit, running) = permit(&engine, MINUTE).await;
    // It crosses a process boundary as JSON.
    let permit: Permit = serde_json::from_str(&serde_json::to_string(&permit).unwrap()).unwrap();
    assert_eq!(engine.redeem(&permit, &call("ls")), Ok(()));
    assert_eq!(engine.redeem(&permit, &call("ls")), Err(PermitError::Used));
    let ran = running.finish(Ok::<_, String>("done elsewhere"));
    assert!(engine.dispatch(ran, &context()).await.cleared().is_some());
}

#[tokio::test]
async fn one_changed_byte_is_refused_and_the_permit_is_kept() {
    let engine = Engine::default();
    let (permit, _running) = permit(&engine, MINUTE).await;
    for other in [call("lS"), call("ls "), ToolCall::new("bash", json!({"command": "ls"}))] {
        assert_eq!(engine.redeem(&permit, &other), Err(PermitError::Changed));
    }
    assert_eq!(engine.redeem(&permit, &call("ls")), Ok(()));
}

#[tokio::test]
async fn an_altered_permit_is_refused() {
    let engine = Engine::default();
    let (permit, _running) = permit(&engine, MINUTE).await;
    let altered = [
        Permit { id: "another".into(), ..permit.clone() },
        Permit { tool_name: "Write".into(), ..permit.clone() },
        Permit { expires: permit.expires + 1, ..permit.clone() },
        Permit { generation: permit.generation + 1, ..permit.clone() },
        Permit { digest: permit.digest.replace(['0', '1'], "2"), ..permit.clone() },
        Permit { signature: String::new(), ..permit.clone() },
    ];
    for altered in altered {
        assert_eq!(engine.redeem(&altered, &call("ls")), Err(PermitError::Signature));
    }
    assert_eq!(Engine::default().redeem(&permit, &call("ls")), Err(PermitError::Signature));
}

#[tokio::test]
async fn a_permit_expires() {
    let engine = Engine::default();
    let (permit, _running) = permit(&engine, Duration::ZERO).await;
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(engine.redeem(&permit, &call("ls")), Err(PermitError::Expired));
}
