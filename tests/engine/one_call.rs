//! Promise: a call of a tool and its result are one step to hooks and records: they have the same id, without the host
//! naming it. What is tried again, or taken from a cache, keeps the clearance and passes the hooks of the result.

use hookgate::contract::Answer;
use hookgate::engine::DynHookEngine;
use hookgate::recorder::Channel;
use hookgate::step::Ran;
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict,
};
use serde_json::{Value, json};

use crate::support::{Log, bash, context, engine, sync};

const TOOL: [Event; 3] = [Event::PreToolUse, Event::PostToolUse, Event::PostToolUseFailure];

/// A hook that writes down the id of each step.
fn notes(log: &Log, waits: bool) -> Hook {
    let log = log.clone();
    match waits {
        false => Hook::sync("notes", move |invocation| {
            log.push(invocation.envelope.step_id());
            Ok(Verdict::none())
        }),
        true => Hook::async_fn("notes", move |invocation| {
            log.push(invocation.envelope.step_id());
            Box::pin(async {
                tokio::task::yield_now().await;
                Ok(Verdict::none())
            })
        }),
    }
}

/// Has a tool run, and returns what came of it.
async fn run<E: HookEngine + ?Sized>(engine: &E, context: &StepContext<'_>) {
    let Gate::Cleared(cleared) = engine.dispatch(bash("ls"), context).await else { panic!() };
    let ran = cleared.run(async |_| Ok::<_, String>("a file")).await;
    assert!(engine.dispatch(ran, context).await.is_cleared());
}

#[tokio::test]
async fn both_steps_of_a_call_have_one_id_and_the_next_call_has_another() {
    let log = Log::default();
    for waits in [false, true] {
        let (dropping, _records) = Channel::dropping(64);
        let hooks = || [notes(&log, waits).events(TOOL)];
        let recorded = engine(hooks()).with_recorder(dropping);
        let plain = engine(hooks());
        let shared = std::sync::Arc::new(engine(hooks()));
        let scope = shared.scope("s").open().unwrap();
        for engine in [&plain as &dyn DynHookEngine, &recorded, &scope] {
            run(engine, &context()).await;
            run(engine, &context()).await;
        }
        run(&plain, &context()).await;
        run(&plain, &context()).await;
        run(&recorded, &context()).await;
        run(&recorded, &context()).await;
        let seen = log.take();
        let (pairs, rest) = seen.as_chunks::<2>();
        assert!(rest.is_empty() && pairs.len() == 10, "{seen:?}");
        let calls: std::collections::HashSet<&String> =
            pairs.iter().map(|[call, _]| call).collect();
        assert_eq!(calls.len(), 10, "each call has an id of its own: {seen:?}");
        for [call, result] in pairs {
            assert_eq!(call, result);
        }
    }
}

#[tokio::test]
async fn the_records_of_a_call_have_the_id_of_its_hooks_and_one_that_the_host_gives_goes_before() {
    let log = Log::default();
    let (channel, mut records) = Channel::dropping(8);
    let engine = engine([notes(&log, false).events(TOOL)]).with_recorder(channel);
    for named in [None, Some("by-the-host")] {
        let mut context = context();
        context.step_id = named;
        let Gate::Cleared(cleared) = engine.dispatch(bash("ls"), &context).await else { panic!() };
        let ran = cleared.run(async |_| Err::<Value, _>("no such file")).await;
        let (gate, report) = engine.dispatch_reported(ran, &context).await;
        assert!(gate.is_cleared());
        let seen = log.take();
        assert_eq!(seen, [report.step_id.as_deref().unwrap(); 2]);
        assert_eq!(seen[0] == "by-the-host", named.is_some());
        for _ in 0..2 {
            let record = serde_json::to_value(records.next().await.unwrap()).unwrap();
            assert_eq!(record["report"]["step_id"], seen[0], "{record}");
        }
    }
    // A host that gives the result a name of its own is believed.
    let named = context().step_id("call");
    let Gate::Cleared(cleared) = engine.dispatch(bash("ls"), &named).await else { panic!() };
    let ran = cleared.run(async |_| Ok::<_, String>("a file")).await;
    let result = context().step_id("result");
    assert!(engine.dispatch(ran, &result).await.is_cleared());
    assert_eq!(log.take(), ["call", "result"]);
}

#[tokio::test]
async fn a_step_whose_id_nobody_has_seen_has_none_to_share() {
    let log = Log::default();
    let silent = sync("silent", |_| Ok(Verdict::none()));
    let at_result = notes(&log, false).event(Event::PostToolUse);
    let engine = engine([silent, at_result]);
    run(&engine, &context()).await;
    run(&engine, &context()).await;
    let seen = log.take();
    assert_eq!(seen.len(), 2);
    assert_ne!(seen[0], seen[1]);
}

/// An engine with a guard that allows once, and a redaction of results.
fn gates(log: &Log) -> Engine {
    let log = log.clone();
    let guard = sync("guard", move |_| {
        log.push("judged");
        Ok(Verdict::none())
    });
    let withhold = Hook::sync("withhold", |invocation| {
        let secret = invocation.envelope.value()?["tool_response"] == json!("secret");
        Ok(if secret { Verdict::deny("a secret") } else { Verdict::none() })
    });
    let withhold = withhold.event(Event::PostToolUse);
    Engine::new(HandlerTable::builder().insert(guard).insert(withhold).build().unwrap())
}

async fn cleared(engine: &Engine) -> ToolUse<hookgate::step::Cleared> {
    let Gate::Cleared(cleared) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    cleared
}

async fn text(engine: &Engine, ran: ToolUse<Ran>) -> Result<String, String> {
    match engine.dispatch(ran, &context()).await {
        Gate::Cleared(done) => Ok(done.into_message()),
        Gate::Denied(denied) => Err(denied.feedback()),
        gate => panic!("{gate:?}"),
    }
}

#[tokio::test]
async fn a_tool_is_tried_again_with_the_arguments_that_were_judged_once() {
    let log = Log::default();
    let engine = gates(&log);
    // It succeeds at the attempt, of so many; after so many calls there is a result.
    for (succeeds, attempts, calls, expected) in [
        (0, 3, 1, Ok("attempt 0")),
        (2, 3, 3, Ok("attempt 2")),
        (3, 3, 3, Err("attempt 2 failed")),
        (0, 0, 1, Ok("attempt 0")),
    ] {
        let mut inputs = Vec::new();
        let ran = cleared(&engine).await.run_attempts(attempts, async |input, attempt| {
            inputs.push(input.clone());
            match attempt == succeeds {
                true => Ok(format!("attempt {attempt}")),
                false => Err(format!("attempt {attempt} failed")),
            }
        });
        let ran = ran.await;
        assert_eq!(inputs, vec![json!({"command": "ls"}); calls]);
        assert_eq!(log.take(), ["judged"]);
        let text = text(&engine, ran).await.unwrap();
        match expected {
            Ok(expected) => assert_eq!(text, expected),
            Err(expected) => assert!(text.contains(expected), "{text}"),
        }
    }
}

#[tokio::test]
async fn what_comes_from_a_cache_passes_the_hooks_of_the_result() {
    let engine = gates(&Log::default());
    let supplied = cleared(&engine).await.supply(Answer::new("kept"));
    assert!(supplied.is_supplied());
    assert_eq!(text(&engine, supplied).await, Ok("kept".to_owned()));
    let supplied = cleared(&engine).await.supply(Answer::new("secret"));
    assert_eq!(text(&engine, supplied).await, Err("withheld by withhold: a secret".to_owned()));
    let failed = cleared(&engine).await.supply(Answer::new("no such file").failed());
    let Gate::Cleared(done) = engine.dispatch(failed, &context()).await else { panic!() };
    assert!(done.is_error());
}

#[tokio::test]
async fn a_refusal_is_written_as_json_without_the_step() {
    let deny = sync("guard", |_| Ok(Verdict::deny("not today")));
    let engine = engine([deny]);
    let Gate::Denied(denied) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    let written = serde_json::to_value(&denied).unwrap();
    assert_eq!(written["feedback"], "denied by guard: not today");
    assert_eq!(written["decision"]["by"], json!(["guard"]));
    assert!(!written.to_string().contains("ls"), "{written}");
}
