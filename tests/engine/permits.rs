//! Promise: a clearance that crosses a process boundary is good for one use, for a short time, and
//! for exactly the call that was evaluated.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use hookgate_test_support as support;

use std::time::Duration;

use hookgate::contract::payload::{Provenance, Safety, ToolCall};
use hookgate::engine::permit::{IssueErrorReason, Permit, PermitError, Revocation, Terms};
use hookgate::step::Running;
use hookgate::{
    Engine, Event, Gate, Generation, HandlerTable, Hook, HookEngine, Noop, StepContext, ToolUse,
    Verdict,
};
use serde_json::{Value, json};
use support::{bash, call, context, engine, sync};

async fn permit(engine: &Engine, good_for: Duration) -> (Permit, Running) {
    let Gate::Cleared(tool) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    engine.issue(tool, &context(), good_for).unwrap()
}

/// As long as a permit may be good: an interpreter that looks for undefined behaviour takes minutes for a test.
const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_permit_is_good_once() {
    let engine = Engine::without_hooks();
    let (permit, running) = permit(&engine, HOUR).await;
    // It crosses a process boundary as JSON.
    let permit: Permit = serde_json::from_str(&serde_json::to_string(&permit).unwrap()).unwrap();
    assert_eq!(engine.redeem(&permit, &call("ls"), &context()), Ok(()));
    assert_eq!(engine.redeem(&permit, &call("ls"), &context()), Err(PermitError::Used));
    let ran = running.finish(Ok::<_, String>("done elsewhere"));
    assert!(engine.dispatch(ran, &context()).await.cleared().is_some());
}

#[tokio::test]
async fn one_changed_byte_is_refused_and_the_permit_is_kept() {
    let engine = Engine::without_hooks();
    let (permit, _running) = permit(&engine, HOUR).await;
    for other in [call("lS"), call("ls "), ToolCall::new("bash", json!({"command": "ls"}))] {
        assert_eq!(engine.redeem(&permit, &other, &context()), Err(PermitError::Changed));
    }
    assert_eq!(engine.redeem(&permit, &call("ls"), &context()), Ok(()));
}

#[tokio::test]
async fn an_altered_permit_is_refused() {
    let engine = Engine::without_hooks();
    let (permit, _running) = permit(&engine, HOUR).await;
    let changes: [fn(&mut Permit); 17] = [
        |permit| permit.serial += 1,
        |permit| permit.session_id = "another".into(),
        |permit| permit.agent_id = Some("another".into()),
        |permit| permit.agent_type = Some("another".into()),
        |permit| permit.cwd = Some("/".into()),
        |permit| permit.tool_use_id = Some("another".into()),
        |permit| permit.tool_category = Some("another".into()),
        |permit| permit.safety = Some(Safety::ReadOnly),
        |permit| permit.provenance = Some(Provenance::new("mcp")),
        |permit| permit.across_swaps = true,
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
        assert_eq!(engine.redeem(&altered, &call("ls"), &context()), Err(PermitError::Signature));
    }
    assert_eq!(
        Engine::without_hooks().redeem(&permit, &call("ls"), &context()),
        Err(PermitError::Signature)
    );
}

/// A call of which everything is known that a condition can decide on.
fn full_call() -> ToolCall {
    let mut full = call("ls").tool_use_id("toolu_1").tool_category("shell");
    full.safety = Some(Safety::ReadOnly);
    full.provenance = Some(Box::new(Provenance::new("builtin")));
    full
}

fn of_agent(session_id: &str) -> StepContext<'_> {
    StepContext::new(session_id).agent("a-1", "reviewer").cwd("/work").step_id("step-1")
}

fn full_context() -> StepContext<'static> {
    of_agent(context().session_id)
}

#[tokio::test]
async fn a_permit_is_bound_to_all_that_a_guard_can_decide_on() {
    let engine = Engine::without_hooks();
    let cleared = engine.dispatch(ToolUse::from(full_call()), &full_context()).await.cleared();
    let (permit, _running) = engine.issue(cleared.unwrap(), &full_context(), HOUR).unwrap();
    let other_calls: [fn(&mut ToolCall); 9] = [
        |call| call.tool_name = "Read".into(),
        |call| call.tool_input = json!({"command": "ls", "timeout": 1}),
        |call| call.tool_use_id = Some("toolu_2".into()),
        |call| call.tool_category = Some("danger".into()),
        |call| call.tool_category = None,
        |call| call.safety = Some(Safety::Destructive),
        |call| call.safety = None,
        |call| call.provenance = Some(Box::new(Provenance::new("mcp"))),
        |call| call.provenance = None,
    ];
    for (number, change) in other_calls.into_iter().enumerate() {
        let mut other = full_call();
        change(&mut other);
        let redeemed = engine.redeem(&permit, &other, &full_context());
        assert_eq!(redeemed, Err(PermitError::Changed), "change {number}");
    }
    let other_contexts = [
        (full_context().cwd("/"), PermitError::Changed),
        (full_context().agent("a-2", "reviewer"), PermitError::OtherSession),
        (full_context().agent("a-1", "writer"), PermitError::OtherSession),
        (context(), PermitError::OtherSession),
        (of_agent("another"), PermitError::OtherSession),
        (full_context().step_id("step-2"), PermitError::OtherStep),
    ];
    for (other, error) in other_contexts {
        assert_eq!(engine.redeem(&permit, &full_call(), &other), Err(error), "{other:?}");
    }
    // Folder, step and id of the call are compared if they are presented.
    let mut without_id = full_call();
    without_id.tool_use_id = None;
    let bare = context().agent("a-1", "reviewer");
    assert_eq!(engine.redeem(&permit, &without_id, &bare), Ok(()));
}

#[tokio::test]
async fn a_permit_is_not_issued_in_another_session() {
    let silent = || engine([sync("silent", |_| Ok(Verdict::none()))]);
    let speaks = || engine([sync("speaks", |_| Ok(Verdict::none().context("mind")))]);
    for engine in [silent(), speaks()] {
        let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
        let other = StepContext::new("another session");
        let refused = engine.issue(cleared, &other, HOUR).unwrap_err();
        assert_eq!(refused.reason(), IssueErrorReason::OtherSession);
        assert!(engine.issue(refused.into_step(), &context(), HOUR).is_ok());
    }
}

#[tokio::test]
async fn a_swap_of_the_hooks_ends_permits_and_another_swap_does_not() {
    let engine = Engine::without_hooks();
    engine
        .edit(|table| {
            table.insert(sync("looks", |_| Ok(Verdict::none())));
        })
        .unwrap();
    let (kept, _running) = permit(&engine, HOUR).await;
    let (ended, _running) = permit(&engine, HOUR).await;
    let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let at_stop = Hook::sync("at-stop", |_| Ok(Verdict::deny("no"))).event(Event::Stop);
    engine
        .edit(|table| {
            table.insert(at_stop.clone());
        })
        .unwrap();
    assert_eq!(engine.generation(), 3);
    assert_eq!(engine.redeem(&kept, &call("ls"), &context()), Ok(()));

    let (across, _running) = {
        let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
        engine.issue(cleared, &context(), Terms::new(HOUR).across_swaps()).unwrap()
    };
    engine.swap(denying().table().as_ref().clone());
    assert_eq!(engine.redeem(&ended, &call("ls"), &context()), Err(PermitError::Outdated));
    assert_eq!(engine.redeem(&across, &call("ls"), &context()), Ok(()));
    let refused = engine.issue(cleared, &context(), HOUR).unwrap_err();
    assert_eq!(refused.reason(), IssueErrorReason::Outdated);
}

#[tokio::test]
async fn a_permit_can_be_revoked() {
    let engine = Engine::without_hooks();
    let issue = async |session| {
        let context = StepContext::new(session);
        let cleared = engine.dispatch(bash("ls"), &context).await.cleared().unwrap();
        engine.issue(cleared, &context, HOUR).unwrap().0
    };
    let redeem =
        |permit: &Permit| engine.redeem(permit, &call("ls"), &StepContext::new(&permit.session_id));
    let [a, b, c, d] = [issue("s").await, issue("s").await, issue("t").await, issue("u").await];
    engine.revoke(Revocation::Permit(&a.id));
    assert_eq!(redeem(&a), Err(PermitError::Revoked));
    engine.revoke(Revocation::Session("s"));
    assert_eq!(redeem(&b), Err(PermitError::Revoked));
    // What is issued later is not touched, nor is another session.
    assert_eq!(redeem(&issue("s").await), Ok(()));
    assert_eq!(redeem(&c), Ok(()));
    engine.revoke(Revocation::Permit(&c.id));
    assert_eq!(redeem(&c), Err(PermitError::Used));
    engine.revoke(Revocation::All);
    assert_eq!(redeem(&d), Err(PermitError::Revoked));
    let e = issue("u").await;
    engine.forget_session("u");
    assert_eq!(redeem(&e), Err(PermitError::Revoked));
    // Many of them, so that the expired ones are forgotten: none of these is.
    let mut many = Vec::new();
    for _ in 0..300 {
        many.push(issue("many").await);
    }
    many.iter().for_each(|permit| assert_eq!(redeem(permit), Ok(())));
    many.iter().for_each(|permit| assert_eq!(redeem(permit), Err(PermitError::Used)));
    assert_eq!(redeem(&b), Err(PermitError::Revoked));
}

#[tokio::test]
async fn a_permit_is_good_for_an_hour_at_most() {
    assert_eq!(Terms::LONGEST, Duration::from_secs(3600));
    let engine = Engine::without_hooks();
    let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let refused = engine.issue(cleared, &context(), Duration::MAX).unwrap_err();
    assert_eq!(refused.reason(), IssueErrorReason::TooLong);
    assert!(engine.issue(refused.into_step(), &context(), Terms::LONGEST).is_ok());
}

#[tokio::test]
async fn a_permit_expires() {
    let engine = Engine::without_hooks();
    let (permit, _running) = permit(&engine, Duration::ZERO).await;
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(engine.redeem(&permit, &call("ls"), &context()), Err(PermitError::Expired));
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
        engine.issue(cleared, &context(), HOUR).map(|_| ()).map_err(|error| error.reason());
    assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
    let cleared = Noop.dispatch(bash("rm -rf /"), &context()).await.cleared().unwrap();
    let refused =
        engine.issue(cleared, &context(), HOUR).map(|_| ()).map_err(|error| error.reason());
    assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
}

#[tokio::test]
async fn a_clearance_of_another_engine_gets_no_permit_and_its_permit_is_refused() {
    let (ours, other) = (denying(), Engine::without_hooks());
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
            ours.issue(cleared, &context(), HOUR).map(|_| ()).map_err(|error| error.reason());
        assert_eq!(refused, Err(IssueErrorReason::OtherEngine));
    }
    let (permit, _running) = permit(&other, HOUR).await;
    assert_eq!(ours.redeem(&permit, &call("ls"), &context()), Err(PermitError::Signature));
    assert_eq!(other.redeem(&permit, &call("ls"), &context()), Ok(()));
}

#[tokio::test]
async fn what_an_engine_has_asked_about_is_not_approved_at_another_of_the_same_generation() {
    let asking = || engine([sync("ask", |_| Ok(Verdict::ask("sure?")))]);
    let (ours, strict, open) = (asking(), denying(), Engine::without_hooks());
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
    assert!(ours.issue(cleared, &context(), HOUR).is_ok());
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
        let engine = Engine::without_hooks();
        for _ in 0..3 {
            engine.swap(HandlerTable::empty());
        }
        let table = hooks.into_iter().collect::<hookgate::table::TableBuilder>();
        assert_eq!(engine.swap(table.build().unwrap()), 5);
        let cleared = cleared_by_each_path(&engine, &context()).await;
        for _ in 0..4 {
            engine.swap(HandlerTable::empty());
        }
        for (path, cleared) in cleared {
            let terms = Terms::new(HOUR).across_swaps();
            let (permit, _) = engine.issue(cleared, &context(), terms).unwrap();
            assert_eq!([permit.generation, engine.generation()], [5, 9], "{path}");
            assert_eq!(engine.redeem(&permit, &call("ls"), &context()), Ok(()), "{path}");
        }
    }
}

#[tokio::test]
async fn a_permit_names_the_step_that_was_evaluated() {
    let reads = |invocation: hookgate::Invocation<'_>| {
        Ok(Verdict::none().context(invocation.envelope.step_id()))
    };
    let named = context().step_id("step-7");
    for engine in [Engine::without_hooks(), engine([sync("reads", reads)])] {
        for (path, cleared) in cleared_by_each_path(&engine, &named).await {
            let (permit, _) = engine.issue(cleared, &named, HOUR).unwrap();
            assert_eq!(permit.step_id, "step-7", "{path}");
        }
    }
    // A name that was made for a hook, or for the report.
    let engine = engine([sync("reads", reads)]);
    let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let seen = cleared.decision().unwrap().context[0].clone();
    assert_eq!(engine.issue(cleared, &context(), HOUR).unwrap().0.step_id, seen);
    let (gate, report) = Engine::without_hooks().dispatch_reported(bash("ls"), &context()).await;
    assert!(gate.cleared().unwrap().decision().is_none());
    assert!(report.step_id.is_some());
    let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    let (permit, _) = engine.issue(gate.cleared().unwrap(), &context(), HOUR).unwrap();
    assert_eq!(Some(permit.step_id), report.step_id);
    // A permit is not sold under another name.
    let cleared = engine.dispatch(bash("ls"), &named).await.cleared().unwrap();
    let other = context().step_id("step-8");
    assert_eq!(
        engine.issue(cleared, &other, HOUR).map(|_| ()).map_err(|error| error.reason()),
        Err(IssueErrorReason::OtherStep)
    );
}

#[tokio::test]
async fn a_permit_fits_the_same_call_however_another_process_writes_it() {
    let engine = Engine::without_hooks();
    let propose = |text: &str| ToolUse::propose("Bash", text).unwrap();
    let cleared = engine.pass(propose(r#"{"b":[1.0,1e2],"a":"\u00e9"}"#)).unwrap();
    let (permit, _) = engine.issue(cleared, &context(), HOUR).unwrap();
    let call = |input: Value| ToolCall::new("Bash", input);
    let other = call(json!({"a": "e", "b": [1, 100]}));
    assert_eq!(engine.redeem(&permit, &other, &context()), Err(PermitError::Changed));
    // SHA-256 of {"a":"é","b":[1,100]}, as any implementation of RFC 8785 finds it.
    assert_eq!(permit.digest, "ffd2feddaf1af62963ed6256dcc78cf321bf4d5ca6279009aedbbb489d41ab69");
    assert_eq!(
        engine.redeem(&permit, &call(json!({"a": "\u{e9}", "b": [1, 100]})), &context()),
        Ok(())
    );
}
