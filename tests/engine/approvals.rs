//! Promise: what the user has approved is good for the step that he was asked about, in its session, and as long as
//! the hooks that asked are in force; a change elsewhere asks him nothing twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support;
use hookgate::contract::Handler;
use hookgate::table::TableBuilder;
use hookgate::{
    Asked, Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, HookSpec, Invocation,
    StepContext, ToolUse, Verdict,
};
use support::{bash, context, engine, sync, waiting};

type Question = Asked<ToolUse>;

/// An engine that asks about each call, and how often it has.
fn asking() -> (Engine, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&calls);
    let hook = sync("ask", move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(Verdict::ask("sure?"))
    });
    (engine([hook]), calls)
}

async fn ask(engine: &Engine, context: &StepContext<'_>) -> Question {
    let Gate::Asked(asked) = engine.dispatch(bash("make"), context).await else { panic!() };
    asked
}

fn denies(id: &str) -> Hook {
    Hook::sync(id, |_| Ok(Verdict::deny("no")))
}

fn insert(engine: &Engine, hook: &Hook) {
    engine
        .edit(|table| {
            table.insert(hook.clone());
        })
        .unwrap();
}

#[tokio::test]
async fn a_change_at_another_event_asks_nobody_again() {
    let (engine, calls) = asking();
    let asked = ask(&engine, &context()).await;
    insert(&engine, &denies("at-stop").event(Event::Stop));
    let gate = asked.approve(&engine, &context()).await;
    assert_eq!(gate.decision().unwrap().by, ["the user"]);
    assert!(gate.is_cleared());
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_change_of_the_hooks_that_asked_has_the_step_evaluated_anew() {
    let (engine, _) = asking();
    let asked = ask(&engine, &context()).await;
    insert(&engine, &denies("no").event(Event::PreToolUse));
    let Gate::Denied(denied) = asked.approve(&engine, &context()).await else { panic!() };
    assert_eq!(denied.decision().by, ["no"]);
    // Also if the change was taken back by then: what was put in force meanwhile may be what the user has seen.
    let (engine, calls) = asking();
    let before = engine.table().as_ref().clone();
    let asked = ask(&engine, &context()).await;
    engine.swap(HandlerTable::empty());
    engine.swap(before);
    assert!(matches!(asked.approve(&engine, &context()).await, Gate::Asked(_)));
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

/// Conditions that count steps know a step by its id.
#[tokio::test]
async fn a_step_that_is_evaluated_anew_keeps_its_id_in_its_session() {
    let ids = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&ids);
    let hook = sync("ask", move |call| {
        seen.lock().unwrap().push(call.envelope.step_id().to_owned());
        Ok(Verdict::ask("sure?"))
    });
    let engine = engine([hook]);
    for (number, session) in ["s", "another"].into_iter().enumerate() {
        let asked = ask(&engine, &StepContext::new("s")).await;
        let more = Hook::sync(format!("more-{number}"), |_| Ok(Verdict::none()));
        insert(&engine, &more.event(Event::PreToolUse));
        let gate = asked.approve(&engine, &StepContext::new(session)).await;
        assert!(matches!(gate, Gate::Asked(_)), "it was asked anew");
        let ids = std::mem::take(&mut *ids.lock().unwrap());
        assert_eq!(ids.len(), 2);
        assert_eq!(ids[0] == ids[1], session == "s", "{ids:?}");
    }
}

/// What limits calls counts a step once, however often it is evaluated; a limit that was added meanwhile counts it too.
#[cfg(feature = "builtin")]
#[tokio::test]
async fn a_step_that_is_evaluated_anew_is_counted_once() {
    use hookgate::builtin::{Limit, MaxIterations};
    use hookgate::contract::BuiltHandler;

    type Limits = fn() -> BuiltHandler;
    let kinds: [Limits; 2] = [|| Limit::calls(2).into(), || MaxIterations::new(2).into()];
    for limit in kinds {
        let limit = |id: &str| Hook::new(id, "rust", limit()).event(Event::PreToolUse);
        let engine = engine([limit("first"), sync("ask", |_| Ok(Verdict::ask("sure?")))]);
        let asked = ask(&engine, &context()).await;
        insert(&engine, &limit("later"));
        let Gate::Asked(asked) = asked.approve(&engine, &context()).await else { panic!() };
        assert!(asked.approve(&engine, &context()).await.is_cleared());
        // Both have counted one step.
        assert!(matches!(engine.dispatch(bash("ls"), &context()).await, Gate::Asked(_)));
        let by = async || match engine.dispatch(bash("ls"), &context()).await {
            Gate::Halted(halted) => halted.decision().by[0].as_str().to_owned(),
            gate => panic!("the third of two: {gate:?}"),
        };
        assert_eq!(by().await, "first");
        engine.edit(|table| assert!(table.remove("first"))).unwrap();
        assert_eq!(by().await, "later");
    }
}

#[tokio::test]
async fn the_same_hooks_in_a_new_table_ask_nobody_again() {
    let (engine, calls) = asking();
    let asked = ask(&engine, &context()).await;
    let same = engine.table().as_ref().clone();
    assert_eq!(engine.swap(same), 2);
    assert!(asked.approve(&engine, &context()).await.is_cleared());
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    // A closure of the same name that does something else is another hook.
    let asked = ask(&engine, &context()).await;
    let (other, _) = asking();
    engine.swap(other.table().as_ref().clone());
    assert!(matches!(asked.approve(&engine, &context()).await, Gate::Asked(_)));
}

#[tokio::test]
async fn an_approval_is_good_for_its_session_and_step_only() {
    let (engine, calls) = asking();
    let named = context().step_id("step-1");
    let elsewhere = [
        (context(), StepContext::new("another session")),
        (named, StepContext::new("another session").step_id("step-1")),
        (named, context().step_id("step-2")),
    ];
    for (number, (asked_in, approved_in)) in (1..).zip(elsewhere) {
        let asked = ask(&engine, &asked_in).await;
        let gate = asked.approve(&engine, &approved_in).await;
        assert!(matches!(gate, Gate::Asked(_)), "{approved_in:?}");
        assert_eq!(calls.load(Ordering::Relaxed), 2 * number);
    }
    // A context that does not name the step is that of the session.
    assert!(ask(&engine, &named).await.approve(&engine, &context()).await.is_cleared());
    assert!(ask(&engine, &named).await.approve(&engine, &named).await.is_cleared());
}

fn asks() -> Hook {
    sync("ask", |_| Ok(Verdict::ask("sure?")))
}

fn asks_later() -> Hook {
    waiting("ask", |_| Box::pin(async { Ok(Verdict::ask("sure?")) }))
}

/// Returns whether an approval of what the first table has asked holds when the second one is in force.
async fn holds_across(first: HandlerTable, second: HandlerTable) -> bool {
    let engine = Engine::new(first);
    let asked = ask(&engine, &context()).await;
    engine.swap(second);
    let gate = asked.approve(&engine, &context()).await;
    assert!(matches!(gate, Gate::Cleared(_) | Gate::Asked(_)));
    gate.is_cleared()
}

#[tokio::test]
async fn an_approval_of_what_a_closure_has_asked_holds_while_it_is_the_same_closure() {
    let table = |hook: &Hook| TableBuilder::from_iter([hook.clone()]).build().unwrap();
    for hook in [asks, asks_later] {
        let (one, other) = (hook(), hook());
        assert!(holds_across(table(&one), table(&one)).await);
        assert!(!holds_across(table(&one), table(&other)).await);
    }
    assert!(!holds_across(table(&asks()), table(&asks_later())).await);
}

/// A layer that changes nothing but is another one each time.
fn layer(handler: Handler) -> Handler {
    match handler {
        Handler::Sync(inner) => {
            Handler::Sync(Arc::new(move |call: Invocation<'_>| inner.handle(call)))
        }
        waiting @ Handler::Async(_) => waiting,
    }
}

#[cfg(feature = "builtin")]
#[tokio::test]
async fn an_approval_of_what_a_config_has_asked_holds_while_it_says_the_same_and_has_the_same_layers()
 {
    const ASK: &str = "[[hook]]\nid = \"ask\"\nevent = \"pre_tool_use\"\n\
                       builtin = { name = \"ask\", reason = \"sure?\" }\n";
    let registry = support::registry();
    let load = |text: &str, layers: usize| {
        let loaded = hookgate::config::Loader::new(&registry).parse("t", text, "/".as_ref());
        let table = loaded.unwrap().table;
        let wrapped =
            |spec: &HookSpec| (0..layers).fold(spec.clone(), |it, _| it.map_handler(layer));
        table.specs().map(wrapped).collect::<TableBuilder>().build().unwrap()
    };
    assert!(holds_across(load(ASK, 0), load(ASK, 0)).await);
    assert!(!holds_across(load(ASK, 0), load(&ASK.replace("sure", "really"), 0)).await);
    // Who knows what another layer does.
    for (before, after) in [(0, 1), (1, 0), (1, 1), (1, 2)] {
        assert!(!holds_across(load(ASK, before), load(ASK, after)).await, "{before} {after}");
    }
    let layered = load(ASK, 1);
    assert!(holds_across(layered.clone(), layered).await);
}
