//! Promise: a clearance that crosses a process boundary is good for one use, for a short time, and
//! for exactly the call that was evaluated.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use hookgate_test_support as support;

use std::time::Duration;

use hookgate::contract::payload::ToolCall;
use hookgate::engine::permit::{IssueErrorReason, Permit, PermitError};
use hookgate::step::Running;
use hookgate::{
    Engine, Gate, Generation, HandlerTable, HookEngine, Noop, StepContext, ToolUse, Verdict,
};
use serde_json::{Value, json};
use support::{bash, call, context, engine, sync};

async fn permit(engine: &Engine, good_for: Duration) -> (Permit, Running) {
    let Gate::Cleared(tool) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    engine.issue(tool, &context(), good_for).unwrap()
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
    let changes: [fn(&mut Permit); 7] = [
        |permit| permit.id = "another".into(),
        |permit| permit.step_id = "another".into(),
        |permit| permit.tool_name = "Write".into(),
        |permit| permit.expires += 1,
        |permit| permit.generation = Generation::new(permit.generation.get() + 1),
        |permit| permit.digest = permit.digest.replace(['0', '1'], "2"),
        |permit| permit.signature = String::new(),
    ];
    for change in changes {
        let mut altered = permit.clone();
        change(&mut altered);
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

fn denying() -> Engine {
    engine([sync("no", |_| Ok(Verdict::deny("no")))])
}

#[tokio::test]
async fn a_clearance_without_an_engine_gets_no_permit() {
    let engine = denying();
    let Ok(cleared) = Noop.pass(bash("rm -rf /")) else { panic!() };
    assert!(!cleared.is_cleared_by(&engine) && cleared.is_cleared_by(&Noop));
    let refused =
        engine.issue(cleared, &context(), MINUTE).map(|_| ()).map_err(|error| error.reason());
    assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
    let cleared = Noop.dispatch(bash("rm -rf /"), &context()).await.cleared().unwrap();
    let refused =
        engine.issue(cleared, &context(), MINUTE).map(|_| ()).map_err(|error| error.reason());
    assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
}

#[tokio::test]
async fn a_clearance_of_another_engine_gets_no_permit_and_its_permit_is_refused() {
    let (ours, other) = (denying(), Engine::default());
    // Both are at generation 1.
    assert_eq!(ours.generation(), other.generation());
    for reported in [false, true] {
        let cleared = if reported {
            other.dispatch_reported(bash("rm -rf /"), &context()).await.0.cleared().unwrap()
        } else {
            other.pass(bash("rm -rf /")).unwrap()
        };
        assert!(cleared.is_cleared_by(&other));
        let refused =
            ours.issue(cleared, &context(), MINUTE).map(|_| ()).map_err(|error| error.reason());
        assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
    }
    let (permit, _running) = permit(&other, MINUTE).await;
    assert_eq!(ours.redeem(&permit, &call("ls")), Err(PermitError::Signature));
    assert_eq!(other.redeem(&permit, &call("ls")), Ok(()));
}

#[tokio::test]
async fn what_an_engine_has_asked_about_is_not_approved_at_another_of_the_same_generation() {
    let asking = || engine([sync("ask", |_| Ok(Verdict::ask("sure?")))]);
    let (ours, strict, open) = (asking(), denying(), Engine::default());
    let ask = async || match ours.dispatch(bash("rm -rf /"), &context()).await {
        Gate::Asked(asked) => asked,
        _ => panic!(),
    };
    assert_eq!([ours.generation(), strict.generation(), open.generation()], [1, 1, 1]);
    // Another engine evaluates for itself.
    let Gate::Denied(denied) = ask().await.approve(&strict, &context()).await else { panic!() };
    assert_eq!(denied.decision().by, ["no"]);
    let Gate::Asked(_) = ask().await.approve(&asking(), &context()).await else { panic!() };
    let Gate::Cleared(cleared) = ask().await.approve(&open, &context()).await else { panic!() };
    assert!(cleared.is_cleared_by(&open) && !cleared.is_cleared_by(&ours));
    // An engine without hooks cannot approve for one that has asked.
    let Gate::Denied(denied) = ask().await.approve(&Noop, &context()).await else { panic!() };
    assert_eq!(denied.decision().by, ["hookgate"]);
    // The one that has asked.
    let Gate::Cleared(cleared) = ask().await.approve(&ours, &context()).await else { panic!() };
    assert!(cleared.is_cleared_by(&ours));
    assert!(ours.issue(cleared, &context(), MINUTE).is_ok());
}

/// Clears a step by each path that leads to a clearance.
async fn cleared_by_each_path(engine: &Engine, context: &StepContext<'_>) -> Vec<Cleared> {
    let mut all = vec![
        ("dispatch", engine.dispatch(bash("ls"), context).await.cleared().unwrap()),
        ("reported", engine.dispatch_reported(bash("ls"), context).await.0.cleared().unwrap()),
    ];
    if let Ok(cleared) = engine.pass(bash("ls")) {
        all.push(("pass", cleared));
    }
    all
}

type Cleared = (&'static str, ToolUse<hookgate::Cleared>);

#[tokio::test]
async fn a_permit_names_the_generation_that_evaluated_and_not_that_of_its_sale() {
    let waits = support::waiting("waits", |_| Box::pin(async { Ok(Verdict::none()) }));
    let hooks = [
        vec![],
        vec![sync("silent", |_| Ok(Verdict::none()))],
        vec![sync("other-tool", |_| Ok(Verdict::none())).tool("Write")],
        vec![sync("speaks", |_| Ok(Verdict::none().context("mind")))],
        vec![waits],
    ];
    for hooks in hooks {
        let engine = Engine::default();
        for _ in 0..3 {
            engine.swap(HandlerTable::default());
        }
        let table = hooks.into_iter().collect::<hookgate::table::TableBuilder>();
        assert_eq!(engine.swap(table.build().unwrap()), 5);
        let cleared = cleared_by_each_path(&engine, &context()).await;
        for _ in 0..4 {
            engine.swap(HandlerTable::default());
        }
        for (path, cleared) in cleared {
            let (permit, _) = engine.issue(cleared, &context(), MINUTE).unwrap();
            assert_eq!([permit.generation, engine.generation()], [5, 9], "{path}");
        }
    }
}

#[tokio::test]
async fn a_permit_names_the_step_that_was_evaluated() {
    let reads = |invocation: hookgate::Invocation<'_>| {
        Ok(Verdict::none().context(invocation.envelope.step_id()))
    };
    let named = context().step_id("step-7");
    for engine in [Engine::default(), engine([sync("reads", reads)])] {
        for (path, cleared) in cleared_by_each_path(&engine, &named).await {
            let (permit, _) = engine.issue(cleared, &named, MINUTE).unwrap();
            assert_eq!(permit.step_id, "step-7", "{path}");
        }
    }
    // A name that was made for a hook, or for the report.
    let engine = engine([sync("reads", reads)]);
    let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let seen = cleared.decision().unwrap().context[0].clone();
    assert_eq!(engine.issue(cleared, &context(), MINUTE).unwrap().0.step_id, seen);
    let (gate, report) = Engine::default().dispatch_reported(bash("ls"), &context()).await;
    assert!(gate.cleared().unwrap().decision().is_none());
    assert!(report.step_id.is_some());
    let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    let (permit, _) = engine.issue(gate.cleared().unwrap(), &context(), MINUTE).unwrap();
    assert_eq!(Some(permit.step_id), report.step_id);
    // A permit is not sold under another name.
    let cleared = engine.dispatch(bash("ls"), &named).await.cleared().unwrap();
    let other = context().step_id("step-8");
    assert_eq!(
        engine.issue(cleared, &other, MINUTE).map(|_| ()).map_err(|error| error.reason()),
        Err(IssueErrorReason::OtherStep)
    );
}

#[tokio::test]
async fn a_permit_fits_the_same_call_however_another_process_writes_it() {
    let engine = Engine::default();
    let propose = |text: &str| ToolUse::propose("Bash", text).unwrap();
    let cleared = engine.pass(propose(r#"{"b":[1.0,1e2],"a":"\u00e9"}"#)).unwrap();
    let (permit, _) = engine.issue(cleared, &context(), MINUTE).unwrap();
    let call = |input: Value| ToolCall::new("Bash", input);
    let other = call(json!({"a": "e", "b": [1, 100]}));
    assert_eq!(engine.redeem(&permit, &other), Err(PermitError::Changed));
    // SHA-256 of {"a":"é","b":[1,100]}, as any implementation of RFC 8785 finds it.
    assert_eq!(permit.digest, "ffd2feddaf1af62963ed6256dcc78cf321bf4d5ca6279009aedbbb489d41ab69");
    assert_eq!(engine.redeem(&permit, &call(json!({"a": "\u{e9}", "b": [1, 100]}))), Ok(()));
}
