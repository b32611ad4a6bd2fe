//! Promise: a subscriber receives the events of a dispatch, and the number of those that it missed.

use std::time::Duration;

use hookgate::contract::payload::ToolCall;
use hookgate::events::{HookEvent, Subscription};
use hookgate::{HookEngine, ToolUse, Verdict};
use serde_json::json;

use crate::support::{bash, context, engine, sync, waiting};

/// Returns the events so far; none was lost.
pub(crate) fn received(events: &mut Subscription) -> Vec<HookEvent> {
    std::iter::from_fn(|| events.try_next()).map(Result::unwrap).collect()
}

/// The hooks and what happened to them.
pub(crate) fn event_names(events: &mut Subscription) -> Vec<String> {
    let name = |event: &HookEvent| {
        let what = serde_json::to_value(&event.what).unwrap();
        format!("{} {}", event.hook, what["type"].as_str().unwrap())
    };
    received(events).iter().map(name).collect()
}

#[tokio::test]
async fn a_subscriber_that_is_too_slow_learns_how_much_it_lost() {
    let engine = engine([sync("h", |_| Ok(Verdict::none()))]);
    let mut events = engine.subscribe();
    for _ in 0..2_000 {
        drop(engine.dispatch(bash("x"), &context()).await);
    }
    let lost = events.next().await.unwrap().unwrap_err();
    assert!(lost.missed > 0 && lost.to_string().contains("lost"), "{lost}");
    let rest = received(&mut events).len() as u64;
    assert_eq!(rest + lost.missed, 4_000, "each dispatch tells of a start and an end");
    assert!(format!("{events:?}").contains("Subscription"));
    drop(engine);
    assert!(events.next().await.is_none(), "the engine is gone");
}

#[tokio::test]
async fn events_can_be_joined_to_the_call_on_the_screen() {
    let engine = engine([sync("h", |_| Ok(Verdict::none()))]);
    let mut events = engine.subscribe();
    let mut call = ToolCall::new("Bash", json!({}));
    call.tool_use_id = Some("toolu_1".into());
    let context = context().turn(7).agent("a-1", "reviewer").step_id("step-9");
    drop(engine.dispatch(ToolUse::from(call), &context).await);
    for event in received(&mut events) {
        let event = serde_json::to_value(&event).unwrap();
        for (key, value) in [
            ("step_id", json!("step-9")),
            ("session_id", json!("session-1")),
            ("turn", json!(7)),
            ("agent_id", json!("a-1")),
            ("tool_name", json!("Bash")),
            ("tool_use_id", json!("toolu_1")),
        ] {
            assert_eq!(event[key], value, "{key}");
        }
    }
    // A step that the host does not name has one name in all of its events.
    drop(engine.dispatch(bash("x"), &crate::support::context()).await);
    let ids: Vec<_> = received(&mut events).into_iter().map(|event| event.step_id).collect();
    assert!(ids.len() == 2 && ids[0] == ids[1] && !ids[0].is_empty(), "{ids:?}");
}

#[tokio::test]
async fn whatever_was_begun_has_an_end() {
    let never = |id| {
        let hook = waiting(id, |_| Box::pin(std::future::pending()));
        hook.timeout(Duration::from_secs(60))
    };
    let denies = waiting("denies", |_| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Verdict::deny("no"))
        })
    });
    // A guard that an earlier one makes needless.
    let together = engine([denies, never("slow")]);
    let mut events = together.subscribe();
    drop(together.dispatch(bash("x"), &context()).await);
    let seen = event_names(&mut events);
    assert!(seen.contains(&"slow hook_started".into()), "{seen:?}");
    assert_eq!(seen.iter().filter(|event| *event == "slow hook_cancelled").count(), 1, "{seen:?}");
    assert!(!seen.contains(&"denies hook_cancelled".into()), "{seen:?}");

    // A dispatch that is dropped.
    let alone = engine([never("slow")]);
    let mut events = alone.subscribe();
    let context = context();
    let dispatch = alone.dispatch(bash("x"), &context);
    assert!(tokio::time::timeout(Duration::from_millis(20), dispatch).await.is_err());
    assert_eq!(event_names(&mut events), ["slow hook_started", "slow hook_cancelled"]);
}

#[test]
fn what_happened_has_a_name_on_the_wire() {
    let dropped =
        hookgate::events::HookEventKind::Dropped { why: hookgate::events::DropReason::QueueFull };
    let value = serde_json::to_value(dropped).unwrap();
    assert_eq!(value, json!({"type": "hook_dropped", "why": "queue_full"}));
}
