//! Promise: rules 6 to 8 hold: what observers see, work in the background, and the modes that do not
//! enforce.

use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::BuiltHandler;
use hookgate::contract::payload::PostToolUse;
use hookgate::decision::VoteOutcome;
use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, Mode, Role, Verdict};

use super::{rewrite, watch};
use crate::support::{Log, bash, command, context, engine, sync, waiting};

#[tokio::test]
async fn rule_6_observers_see_the_step_with_the_decision() {
    let log = Log::default();
    let observer = |id: &'static str| {
        let log = log.clone();
        sync(id, move |invocation| {
            log.push(format!("{id} {}", invocation.json()?["decision"]));
            Ok(Verdict::none())
        })
        .role(Role::Observe)
    };
    let engine = engine([
        observer("first").priority(1),
        rewrite("r", "one", "two"),
        sync("denies", |_| Ok(Verdict::deny("no"))),
        watch("never", &log),
        observer("last"),
    ]);
    assert!(matches!(engine.dispatch(bash("one"), &context()).await, Gate::Denied(_)));
    let decision = r#"{"by":["denies"],"outcome":"deny","patched":["tool_input"],"reason":"no"}"#;
    assert_eq!(log.take(), [format!("first {decision}"), format!("last {decision}")]);
}

#[tokio::test]
async fn rule_7_background_observers_never_delay_and_drops_are_counted() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let log = Log::default();
    let hook = {
        let (gate, log) = (gate.clone(), log.clone());
        waiting("slow", move |invocation| {
            let (gate, log) = (gate.clone(), log.clone());
            let seen = command(invocation);
            Box::pin(async move {
                gate.acquire().await.unwrap().forget();
                log.push(seen);
                Ok(Verdict::none())
            })
        })
    };
    let mut limits = hookgate::table::Limits::default();
    limits.background_queue = 2;
    limits.concurrency = 1;
    let hook = hook.role(Role::Observe).background(true).timeout(Duration::from_secs(60));
    let engine = Engine::new(HandlerTable::builder().limits(limits).insert(hook).build().unwrap());
    let mut messages = 0;
    for i in 0..20 {
        let (gate, report) = engine.dispatch_reported(bash(&i.to_string()), &context()).await;
        assert!(gate.cleared().is_some());
        messages += report.messages.len();
    }
    let counts = engine.background();
    assert!(counts.dropped >= 15, "{counts:?}");
    assert_eq!(messages, 2, "the first drop and the tenth are reported, not every one");
    // A drain that is too short says what is left; a longer one ends when all is done.
    assert!(engine.drain(Duration::from_millis(20)).await.pending > 0);
    gate.add_permits(100);
    let counts = engine.drain(Duration::from_secs(10)).await;
    assert_eq!((counts.pending, counts.finished + counts.dropped), (0, 20));
    assert_eq!(log.take()[0], "0");
}

#[tokio::test]
async fn rule_7_a_background_rewrite_is_published_and_never_applied() {
    let hook = Hook::new(
        "bg",
        "test",
        BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
            Ok(Verdict::none().patch("tool_response", "shorter"))
        }),
    )
    .event(Event::PostToolUse)
    .background(true);
    let engine = engine([hook]);
    let mut events = engine.subscribe();
    let line = br#"{"hook_event_name":"post_tool_use","session_id":"s","tool_name":"Bash","tool_input":{},"tool_response":"long"}"#;
    let mut incoming = hookgate::envelope::Incoming::parse(line).unwrap();
    let first = engine.evaluate(&mut incoming).await;
    assert!(first.patched.is_empty() && first.published.is_empty());
    assert_eq!(engine.drain(Duration::from_secs(5)).await.pending, 0);
    let second = engine.evaluate(&mut incoming).await;
    assert_eq!(incoming.into_payload::<PostToolUse>().unwrap().tool_response, "long");
    let [patch] = second.published.as_slice() else { panic!("{second:?}") };
    assert_eq!((patch.hook.as_str(), patch.revision), ("bg", 1));
    assert_eq!(patch.patch["tool_response"], "shorter");
    let published = std::iter::from_fn(|| events.try_next()).any(|event| {
        matches!(
            event.unwrap().what,
            hookgate::events::HookEventKind::PatchPublished { revision: 1, .. }
        )
    });
    assert!(published);
}

#[tokio::test]
async fn rule_8_warn_and_shadow_never_decide_patch_or_add() {
    for mode in [Mode::Warn, Mode::Shadow] {
        let engine = engine([
            sync("denies", |_| Ok(Verdict::deny("no").context("c"))).mode(mode),
            rewrite("rewrites", "a", "b").mode(mode),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("a"), &context()).await;
        assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "a");
        assert!(report.context.is_empty());
        let would: Vec<_> = report.votes.iter().map(|vote| vote.outcome).collect();
        assert_eq!(would, [VoteOutcome::Would, VoteOutcome::Would], "{mode:?}");
        assert_eq!(
            report.messages.is_empty(),
            mode == Mode::Shadow,
            "only warn has a message for the user"
        );
    }
    let engine = engine([sync("off", |_| Ok(Verdict::deny("no"))).mode(Mode::Off)]);
    assert!(!engine.armed(Event::PreToolUse));
}
