//! Promise: every form of an engine (a reference, a box, an option, `dyn`) evaluates as the engine
//! does, and what it clears is cleared by that engine.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookgate::contract::payload::{SessionEnd, UserPromptSubmit};
use hookgate::engine::DynHookEngine;
use hookgate::engine::permit::IssueErrorReason;
use hookgate::{
    Engine, Event, Gate, Generation, HandlerTable, HookEngine, HookStep, Noop, Outcome,
    StepContext, ToolUse, Verdict,
};

use crate::spans::Capture;
use crate::support::{bash, command, context, engine, sync, waiting};

/// As long as a permit may be good: an interpreter that looks for undefined behaviour takes minutes for a test.
const HOUR: Duration = Duration::from_secs(3600);

/// An engine whose hook asks about `ask` and denies `deny`.
fn deciding() -> Engine {
    engine([sync("guard", |invocation| {
        Ok(match command(invocation).as_str() {
            "ask" => Verdict::ask("sure?"),
            "deny" => Verdict::deny("no"),
            _ => Verdict::none(),
        })
    })])
}

/// Dispatches by every method that the trait has, and returns the outcomes.
async fn outcomes<E: HookEngine + ?Sized>(engine: &E) -> [Outcome; 5] {
    let context = context();
    let unarmed = engine.pass(SessionEnd::new("done")).is_ok();
    assert!(unarmed && !engine.armed(Event::SessionEnd));
    let (gate, report) = engine.dispatch_reported(bash("deny"), &context).await;
    assert_eq!(gate.outcome(), report.decision);
    let approved = match engine.dispatch(bash("ask"), &context).await {
        Gate::Asked(asked) => asked.approve(engine, &context).await,
        gate => gate,
    };
    [
        engine.dispatch(bash("ls"), &context).await.outcome(),
        engine.dispatch(bash("ask"), &context).await.outcome(),
        engine.dispatch(bash("deny"), &context).await.outcome(),
        gate.outcome(),
        approved.outcome(),
    ]
}

const DECIDED: [Outcome; 5] =
    [Outcome::Allow, Outcome::Ask, Outcome::Deny, Outcome::Deny, Outcome::Allow];

#[tokio::test]
async fn every_form_of_an_engine_decides_as_the_engine() {
    assert_eq!(outcomes(&deciding()).await, DECIDED);
    assert_eq!(outcomes(&&deciding()).await, DECIDED);
    assert_eq!(outcomes(&Box::new(deciding())).await, DECIDED);
    assert_eq!(outcomes(&Arc::new(deciding())).await, DECIDED);
    assert_eq!(outcomes(&Some(deciding())).await, DECIDED);
    let erased: Arc<dyn DynHookEngine> = Arc::new(deciding());
    assert_eq!(outcomes(&*erased).await, DECIDED);
    assert_eq!(outcomes(&erased).await, DECIDED);
    assert_eq!(outcomes(&Some(erased)).await, DECIDED);
    assert_eq!(outcomes(&(Box::new(Some(deciding())) as Box<dyn DynHookEngine>)).await, DECIDED);
}

#[tokio::test]
async fn no_engine_in_any_form_clears_everything_and_approves_nothing_of_an_engine() {
    const CLEARED: [Outcome; 5] = [Outcome::Allow; 5];
    let none: Option<Engine> = None;
    assert_eq!(outcomes(&none).await, CLEARED);
    let shared: Arc<dyn DynHookEngine> = Arc::new(None::<Engine>);
    assert_eq!(outcomes(&shared).await, CLEARED);
    assert_eq!(outcomes(&Noop).await, CLEARED);
    let erased: Arc<dyn DynHookEngine> = Arc::new(Noop);
    assert_eq!(outcomes(&erased).await, CLEARED);

    let ours = deciding();
    let ask = async || match ours.dispatch(bash("ask"), &context()).await {
        Gate::Asked(asked) => asked,
        _ => panic!("the hook asks"),
    };
    assert_eq!(ask().await.approve(&none, &context()).await.outcome(), Outcome::Deny);
    assert_eq!(ask().await.approve(&erased, &context()).await.outcome(), Outcome::Deny);
    // The control: the engine that has asked approves, in whatever form.
    assert!(ask().await.approve(&Some(&ours), &context()).await.is_cleared());
    let erased: &dyn DynHookEngine = &ours;
    assert!(ask().await.approve(erased, &context()).await.is_cleared());
}

/// What is told of steps that an engine clears, in this process: see the test below.
async fn cleared_by(form: &str) {
    let none: Option<Engine> = None;
    let shared: Arc<dyn DynHookEngine> = Arc::new(None::<Engine>);
    let step = || bash("ls");
    match form {
        "none pass" => drop(none.pass(step())),
        "none dispatch" => drop(none.dispatch(step(), &context()).await),
        "none reported" => drop(none.dispatch_reported(step(), &context()).await),
        "dyn pass" => drop(shared.pass(step())),
        "dyn dispatch" => drop(shared.dispatch(step(), &context()).await),
        "dyn reported" => drop(shared.dispatch_reported(step(), &context()).await),
        "arc of dyn" => drop(Some(shared).pass(step())),
        "noop" => drop((Arc::new(Noop) as Arc<dyn DynHookEngine>).pass(step())),
        _ => drop((Arc::new(deciding()) as Arc<dyn DynHookEngine>).pass(step())),
    }
}

#[tokio::test]
#[ignore = "a process of its own, which the test below starts"]
async fn a_process_of_its_own() {
    let Ok(form) = std::env::var("CLEARED_BY") else { return };
    let capture = Capture::at(tracing::Level::WARN);
    let _told = tracing::subscriber::set_default(capture.clone());
    cleared_by(&form).await;
    cleared_by(&form).await;
    let events = capture.events();
    println!("told {} times: {events:?}", events.len());
}

#[test]
fn that_there_is_no_engine_is_told_once_in_a_process_whatever_form_it_has() {
    for (form, told) in [
        ("none pass", 1),
        ("none dispatch", 1),
        ("none reported", 1),
        ("dyn pass", 1),
        ("dyn dispatch", 1),
        ("dyn reported", 1),
        ("arc of dyn", 1),
        ("noop", 0),
        ("an engine", 0),
    ] {
        let own = std::env::current_exe().unwrap();
        let output = std::process::Command::new(own)
            .args(["--exact", "engines::a_process_of_its_own", "--ignored", "--nocapture"])
            .env("CLEARED_BY", form)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&format!("told {told} times")), "{form}: {text}");
        assert_eq!(text.contains("the engine is `None`"), told == 1, "{form}: {text}");
    }
}

/// What an engine tells of itself: the events with hooks, and the generation.
fn told<E: HookEngine + ?Sized>(engine: &E) -> (Vec<Event>, u64) {
    let armed = Event::NAMED.into_iter().filter(|event| engine.armed(*event)).collect();
    (armed, engine.generation().get())
}

#[tokio::test]
async fn every_form_of_an_engine_tells_the_same_of_it() {
    let ours = deciding();
    ours.edit(|_| {}).unwrap();
    let (optional, erased): (_, &dyn DynHookEngine) = (Some(&ours), &ours);
    let erased_option: &dyn DynHookEngine = &optional;
    let expected = (vec![Event::PreToolUse], 2);
    assert_eq!(told(&ours), expected);
    assert_eq!(told(&optional), expected);
    assert_eq!(told(erased), expected);
    assert_eq!(told(erased_option), expected);
    assert_eq!(told(&Some(erased)), expected);
    let none: Option<Engine> = None;
    let (erased_none, erased_noop): (&dyn DynHookEngine, &dyn DynHookEngine) = (&none, &Noop);
    let without = (vec![], 0);
    assert_eq!(told(&Noop), without);
    assert_eq!(told(&none), without);
    assert_eq!(told(erased_noop), without);
    assert_eq!(told(erased_none), without);

    // What one form has cleared is cleared by all of them, and not by another engine in any form.
    let cleared = optional.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    assert!(cleared.is_cleared_by(&ours) && cleared.is_cleared_by(&optional));
    assert!(cleared.is_cleared_by(erased) && cleared.is_cleared_by(erased_option));
    assert!(!cleared.is_cleared_by(&Some(deciding())));
    assert!(!cleared.is_cleared_by(&none) && !cleared.is_cleared_by(erased_noop));
    let cleared = erased_noop.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    assert!(cleared.is_cleared_by(&none) && cleared.is_cleared_by(erased_none));
    assert!(!cleared.is_cleared_by(&optional));
    // Nor does an option with another engine approve what this one has asked: it asks itself.
    let Gate::Asked(asked) = ours.dispatch(bash("ask"), &context()).await else { panic!() };
    assert!(matches!(asked.approve(&Some(deciding()), &context()).await, Gate::Asked(_)));
}

#[tokio::test]
async fn what_is_cleared_behind_dyn_is_cleared_by_that_engine_only() {
    let ours = Arc::new(deciding());
    let erased: Arc<dyn DynHookEngine> = ours.clone();
    let cleared = erased.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    assert!(cleared.is_cleared_by(&*ours) && cleared.is_cleared_by(&erased));
    assert!(!cleared.is_cleared_by(&Noop) && !cleared.is_cleared_by(&deciding()));
    assert!(ours.issue(cleared, &context(), HOUR).is_ok());
}

#[tokio::test]
async fn an_engine_behind_dyn_waits_for_handlers() {
    let slow = waiting("slow", |_| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Verdict::deny("late"))
        })
    });
    let erased: Arc<dyn DynHookEngine> = Arc::new(engine([slow]));
    assert_eq!(erased.dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
}

#[tokio::test]
async fn an_issue_that_fails_gives_the_clearance_back() {
    let (ours, other) = (deciding(), deciding());
    let cleared = ours.dispatch(bash("ls"), &context()).await.cleared().unwrap();
    let error = other.issue(cleared, &context(), HOUR).unwrap_err();
    assert_eq!(error.reason(), IssueErrorReason::OtherEngine);
    assert!(ours.issue(error.into_step(), &context(), HOUR).is_ok());
}

#[tokio::test]
async fn a_swap_that_is_refused_gives_the_table_back() {
    let engine = Engine::without_hooks();
    engine.swap(HandlerTable::empty());
    let table = HandlerTable::empty();
    let error = engine.swap_if(Generation::new(1), table).unwrap_err();
    assert_eq!([error.expected(), error.found()], [1, 2]);
    assert_eq!(engine.swap(error.into_table()), 3);
}

/// Reads a gate of any step: the table of outcomes, deciders and reasons that a log keeps.
fn line<S: HookStep>(gate: &Gate<S>) -> String {
    let decision = gate.decision();
    let by = decision.map(|decision| decision.by.join(",")).unwrap_or_default();
    let reason = decision.and_then(|decision| decision.reason.as_deref()).unwrap_or_default();
    format!("{} {} [{by}] {reason}", S::CONTRACT.name, gate.outcome().name())
}

#[tokio::test]
async fn generic_code_reads_every_gate() {
    let engine = deciding();
    let context = context();
    let gate = engine.dispatch(bash("ls"), &context).await;
    assert!(gate.is_cleared());
    assert_eq!(line(&gate), "pre_tool_use allow [] ");
    let gate = engine.dispatch(bash("deny"), &context).await;
    assert!(!gate.is_cleared());
    assert_eq!(line(&gate), "pre_tool_use deny [guard] no");
    assert_eq!(
        line(&engine.dispatch(bash("ask"), &context).await),
        "pre_tool_use ask [guard] sure?"
    );
    let gate = engine.dispatch(UserPromptSubmit::new("hi"), &context).await;
    assert_eq!(line(&gate), "user_prompt_submit allow [] ");
    let gate = engine.dispatch(SessionEnd::new("done"), &context).await;
    assert_eq!(line(&gate), "session_end allow [] ");
}

#[tokio::test]
async fn a_refused_step_comes_out_by_value_and_can_be_proposed_again() {
    let engine = deciding();
    let Gate::Denied(denied) = engine.dispatch(bash("deny"), &context()).await else { panic!() };
    let Gate::Denied(denied) = engine.dispatch(denied.into_step(), &context()).await else {
        panic!("it is evaluated again")
    };
    assert_eq!(denied.into_step().into_call().tool_input["command"], "deny");
    let Gate::Asked(asked) = engine.dispatch(bash("ask"), &context()).await else { panic!() };
    assert_eq!(asked.into_step().into_call().tool_input["command"], "ask");
}

/// Polls a dispatch until it is ready, and once more; returns whether that panicked.
fn panics_when_polled_again(engine: &Engine, context: &StepContext<'_>, step: ToolUse) -> bool {
    let mut dispatch = engine.dispatch(step, context);
    assert!(format!("{dispatch:?}").starts_with("DispatchFuture { event: \"pre_tool_use\""));
    let mut cx = Context::from_waker(Waker::noop());
    while Pin::new(&mut dispatch).poll(&mut cx).is_pending() {}
    std::panic::catch_unwind(AssertUnwindSafe(|| {
        let polled: Poll<_> = Pin::new(&mut dispatch).poll(&mut cx);
        drop(polled);
    }))
    .is_err()
}

#[tokio::test]
async fn a_dispatch_that_is_polled_after_its_end_panics_and_does_not_hang() {
    let context = context();
    let ready = || waiting("ready", |_| Box::pin(async { Ok(Verdict::none()) }));
    for engine in [Engine::without_hooks(), deciding(), engine([ready()])] {
        assert!(panics_when_polled_again(&engine, &context, bash("ls")));
        assert!(panics_when_polled_again(&engine, &context, bash("deny")));
    }
}
