//! Promise: an engine that is closed refuses what comes, waits for what has begun, and says what was left.

use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::payload::{SessionEnd, Stop};
use hookgate::recorder::Channel;
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, Outcome, Role, StepContext, Verdict,
};
use tokio::sync::Notify;

use crate::support::{Log, bash, call, context, engine, sync, waiting};

const SOON: Duration = Duration::from_secs(20);

/// A guard that waits until it is told to go on.
fn held(go_on: &Arc<Notify>) -> Hook {
    let go_on = Arc::clone(go_on);
    waiting("held", move |_| {
        let go_on = Arc::clone(&go_on);
        Box::pin(async move {
            go_on.notified().await;
            Ok(Verdict::none())
        })
    })
    .timeout(Duration::from_secs(60))
}

#[tokio::test]
async fn every_step_that_comes_later_is_refused_also_by_later_tables() {
    let (channel, mut records) = Channel::waiting(16);
    let engine = Arc::new(Engine::without_hooks().with_recorder(channel));
    let scope = engine.scope("s").open().unwrap();
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared(), "the control");
    records.try_next().unwrap();
    let closed = engine.close(SOON).await;
    assert!(closed.is_clean() && engine.is_closed());

    let refuses = async |what: &str| {
        let Gate::Denied(denied) = engine.dispatch(bash("ls"), &context()).await else {
            panic!("{what}")
        };
        let text = "denied by hookgate: the engine is closed: the program is about to end";
        assert_eq!(denied.feedback(), text, "{what}");
        assert!(engine.pass(bash("ls")).is_err(), "{what}");
    };
    refuses("at once").await;
    let gate = scope.dispatch(bash("ls"), &scope.context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny, "in a scope");
    let opened = engine.scope("other").open().unwrap();
    let gate = opened.dispatch(bash("ls"), &opened.context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny, "in a scope that is opened later");
    engine.swap(HandlerTable::empty());
    refuses("after a swap").await;
    engine.edit(|table| _ = table.insert(sync("allows", |_| Ok(Verdict::allow())))).unwrap();
    refuses("after an edit").await;
    let report = std::iter::from_fn(|| records.try_next()).last().unwrap().report;
    assert_eq!((report.decision, &*report.by[0]), (Outcome::Deny, "hookgate"));
    assert!(report.votes.is_empty(), "no hook is called");

    // A copy of its table is as good as before in another engine.
    let other = Engine::new(HandlerTable::clone(&engine.table()));
    assert!(other.dispatch(bash("ls"), &context()).await.is_cleared());
}

#[tokio::test]
async fn what_cannot_be_refused_is_still_told_and_an_agent_may_stop() {
    let log = Log::default();
    let seen = log.clone();
    let audit = Hook::sync("audit", move |_| {
        seen.push("ended");
        Ok(Verdict::none())
    });
    let engine = engine([audit.event(Event::SessionEnd)]);
    let _ = engine.close(SOON).await;
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), &context()).await;
    assert_eq!(log.take(), ["ended"]);
    assert!(engine.dispatch(Stop::default(), &context()).await.is_cleared());
}

#[tokio::test]
async fn what_has_begun_is_waited_for() {
    let go_on = Arc::new(Notify::new());
    let engine = Arc::new(engine([held(&go_on)]));
    let begun = tokio::spawn({
        let engine = Arc::clone(&engine);
        async move { engine.dispatch(bash("ls"), &context()).await.is_cleared() }
    });
    tokio::task::yield_now().await;
    let late = engine.close(Duration::from_millis(20)).await;
    assert_eq!((late.dispatches, late.is_clean()), (1, false));
    assert!(serde_json::to_string(&late).unwrap().contains(r#""dispatches":1"#));

    let closing = tokio::spawn({
        let engine = Arc::clone(&engine);
        async move { engine.close(SOON).await }
    });
    tokio::task::yield_now().await;
    go_on.notify_waiters();
    assert!(closing.await.unwrap().is_clean());
    assert!(begun.await.unwrap(), "it was evaluated by the table that it began with");
}

#[tokio::test]
async fn background_calls_end_too_and_later_ones_are_dropped() {
    let log = Log::default();
    let seen = log.clone();
    let audit = waiting("audit", move |_| {
        let seen = seen.clone();
        Box::pin(async move {
            tokio::task::yield_now().await;
            seen.push("audited");
            Ok(Verdict::none())
        })
    });
    let engine = engine([audit.role(Role::Observe).background(true)]);
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
    let closed = engine.close(SOON).await;
    assert_eq!((closed.background.finished, closed.background.pending), (1, 0));
    assert_eq!(log.take(), ["audited"]);
}

/// What puts another copy of the table in force does not open it again.
#[tokio::test]
async fn nothing_opens_it_again() {
    let refused = async |engine: &Engine| {
        assert!(engine.is_closed());
        engine.dispatch(bash("ls"), &context()).await.outcome() == Outcome::Deny
    };
    let start = || Arc::new(Engine::without_hooks());
    let (ended, promoted, later) = (start(), start(), start());
    let shadow = |engine: &Arc<Engine>| engine.shadow(HandlerTable::empty(), 8, |_| {}).unwrap();
    let (one, two) = (shadow(&ended), shadow(&promoted));
    for engine in [&ended, &promoted, &later] {
        let _ = engine.close(SOON).await;
    }
    drop(one);
    assert!(refused(&ended).await);
    two.promote().unwrap();
    assert!(refused(&promoted).await);
    let three = shadow(&later);
    assert!(refused(&later).await);
    drop(three);
    assert!(refused(&later).await);

    let engine = Engine::without_hooks();
    let _ = engine.close(SOON).await;
    let (channel, _records) = Channel::waiting(8);
    assert!(refused(&engine.with_recorder(channel)).await);
}

#[tokio::test]
async fn a_permit_is_neither_issued_nor_redeemed() {
    let engine = Engine::without_hooks();
    let clear = async || engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let (permit, running) = engine.issue(clear().await, &context(), SOON).unwrap();
    drop(running);
    let cleared = clear().await;
    let _ = engine.close(SOON).await;
    assert!(engine.redeem(&permit, &call("ls"), &context()).is_err());
    assert!(engine.issue(cleared, &context(), SOON).is_err());
}

#[tokio::test]
async fn an_approval_clears_nothing_any_more() {
    let engine = engine([sync("ask", |_| Ok(Verdict::ask("sure?")))]);
    let context = StepContext::new("s");
    let Gate::Asked(asked) = engine.dispatch(bash("make"), &context).await else { panic!() };
    let _ = engine.close(SOON).await;
    assert_eq!(asked.approve(&engine, &context).await.outcome(), Outcome::Deny);
}
