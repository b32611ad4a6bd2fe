//! Promise: hooks can keep an agent from stopping only a few times in a row, whether or not the
//! host counts.

use hookgate::contract::BuiltHandler;
use hookgate::contract::payload::{Payload, SessionEnd, Stop, SubagentStop};
use hookgate::{Contract, Engine, Event, Gate, Hook, HookEngine, Invocation, StepContext, Verdict};

use crate::support::engine;

/// Denies each stop whose last message is not `done`.
fn stubborn() -> Engine {
    let answer = |invocation: Invocation<'_>| {
        let done = invocation.json()?["last_assistant_message"] == "done";
        Ok(if done { Verdict::none() } else { Verdict::deny("run the tests") })
    };
    let silent = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none()));
    engine([
        Hook::new("h", "test", BuiltHandler::from_sync(answer))
            .event(Event::Stop)
            .event(Event::SubagentStop),
        Hook::new("end", "test", silent).event(Event::SessionEnd),
    ])
}

async fn denied(engine: &Engine, context: &StepContext<'_>) -> bool {
    matches!(engine.dispatch(Stop::default(), context).await, Gate::Denied(_))
}

/// How often a session is kept from stopping before it stops.
async fn row(engine: &Engine, context: &StepContext<'_>) -> u32 {
    for count in 0..100 {
        if !denied(engine, context).await {
            return count;
        }
    }
    100
}

#[tokio::test]
async fn three_times_in_a_row_is_all_where_the_host_does_not_count() {
    let engine = stubborn();
    let (one, two) = (StepContext::new("one"), StepContext::new("two"));
    assert!(denied(&engine, &one).await && denied(&engine, &two).await);
    // Sessions are counted apart.
    assert_eq!((row(&engine, &one).await, row(&engine, &two).await), (2, 2));
    assert_eq!(row(&engine, &one).await, 3, "a stop that goes through ends the row");
    // So are the agents of a session, and the events.
    let agents = ["a", "b"].map(|id| one.agent(id, "worker"));
    assert_eq!((row(&engine, &agents[0]).await, row(&engine, &agents[1]).await), (3, 3));
    for _ in 0..3 {
        let step = SubagentStop::default();
        assert!(matches!(engine.dispatch(step, &agents[0]).await, Gate::Denied(_)));
    }
    assert!(engine.dispatch(SubagentStop::default(), &agents[0]).await.cleared().is_some());
}

#[tokio::test]
async fn a_row_ends_with_a_stop_with_the_session_and_when_the_session_is_forgotten() {
    let engine = stubborn();
    let context = StepContext::new("s");
    let twice =
        async || assert!(denied(&engine, &context).await && denied(&engine, &context).await);
    twice().await;
    let done = Stop::new().last_assistant_message("done");
    assert!(engine.dispatch(done, &context).await.cleared().is_some());
    twice().await;
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("exit"), &context).await;
    twice().await;
    engine.forget_session("s");
    assert_eq!(row(&engine, &context).await, 3);
}

#[tokio::test]
async fn where_the_host_counts_its_count_is_the_one() {
    let engine = stubborn();
    let context = StepContext::new("s");
    let stop = |so_far| Stop::new().continues_so_far(so_far);
    for _ in 0..10 {
        assert!(matches!(engine.dispatch(stop(0), &context).await, Gate::Denied(_)));
    }
    assert!(engine.dispatch(stop(3), &context).await.cleared().is_some());
}

#[tokio::test]
async fn agents_that_take_turns_are_counted_apart_and_of_too_many_some_are_forgotten() {
    let engine = stubborn();
    let session = StepContext::new("s");
    let ids: Vec<String> = (0..257).map(|number| format!("{number:03}")).collect();
    let agent = |number: usize| session.agent(&ids[number], "worker");
    for _ in 0..2 {
        for number in [0, 1, 2] {
            assert!(denied(&engine, &agent(number)).await);
        }
    }
    for number in [0, 1, 2] {
        assert_eq!(row(&engine, &agent(number)).await, 1, "{number}");
    }
    // One more than are counted: the first of them begins anew.
    for number in 0..257 {
        assert!(denied(&engine, &agent(number)).await);
    }
    assert_eq!(row(&engine, &agent(1)).await, 2);
    assert_eq!(row(&engine, &agent(0)).await, 3);
}

/// The stop of an embedder's own loop. It does not count.
#[derive(Debug, Clone, serde::Serialize)]
struct OwnStop {
    last_assistant_message: &'static str,
}

impl Payload for OwnStop {
    fn contract(&self) -> &'static Contract {
        Event::Stop.contract()
    }
}

hookgate::hook_step!(OwnStop: Event::Stop.contract() => Cleared, Denied, Halted);

#[tokio::test]
async fn the_engine_counts_for_a_payload_that_does_not() {
    let (engine, context) = (stubborn(), StepContext::new("s"));
    for count in 0..4 {
        let gate = engine.dispatch(OwnStop { last_assistant_message: "more" }, &context).await;
        assert_eq!(matches!(gate, Gate::Denied(_)), count < 3, "{count}");
    }
}

/// An engine that denies a stop if told to, and a session that denies each.
fn patient(deny: &std::sync::Arc<std::sync::atomic::AtomicBool>) -> std::sync::Arc<Engine> {
    let deny = std::sync::Arc::clone(deny);
    let guard = Hook::sync("tests", move |_| {
        let deny = deny.load(std::sync::atomic::Ordering::Relaxed);
        let verdict = if deny { Verdict::deny("run the tests") } else { Verdict::none() };
        Ok(verdict.annotate("by", "the engine"))
    });
    std::sync::Arc::new(engine([guard.event(Event::Stop)]))
}

#[tokio::test]
async fn hooks_of_a_session_use_up_no_denial_of_the_engine() {
    for host_counts in [false, true] {
        let deny = std::sync::Arc::default();
        let engine = patient(&deny);
        let own = Hook::sync("own", |_| Ok(Verdict::deny("go on").annotate("by", "the session")));
        let scope = engine.scope("s").hook(own.event(Event::Stop)).open().unwrap();
        let stop = async |so_far: u64| {
            let step = if host_counts { Stop::new().continues_so_far(so_far) } else { Stop::new() };
            match scope.dispatch(step, &scope.context()).await {
                Gate::Denied(denied) => {
                    assert_eq!(denied.decision().annotations["by"], "the engine");
                    Some(denied.decision().by.join(" "))
                }
                _ => None,
            }
        };
        for so_far in 0..3 {
            assert_eq!(stop(so_far).await.as_deref(), Some("scope/own"));
        }
        // Those of the session have had theirs; what the engine denies is denied.
        deny.store(true, std::sync::atomic::Ordering::Relaxed);
        for so_far in 3..6 {
            assert_eq!(stop(so_far).await.as_deref(), Some("tests"), "{host_counts}");
        }
        assert_eq!(stop(6).await, None, "three are all for the engine too");
    }
}
