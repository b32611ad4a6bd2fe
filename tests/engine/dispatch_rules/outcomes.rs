//! Promise: what comes out of a dispatch is in its outcome, its messages and its events: stops in a
//! row, contributions, halts, answers and redacted results.

use std::time::Duration;

use hookgate::contract::BuiltHandler;
use hookgate::contract::contribution::PolicySetting;
use hookgate::contract::payload::{PostToolUse, Stop, UserPromptSubmit};
use hookgate::decision::Contributed;
use hookgate::{Engine, Event, Gate, Hook, HookEngine, Outcome, Posture, Role, Verdict};
use serde_json::json;

use super::rewrite;
use crate::support;
use crate::support::{bash, call, command, context, engine, sync};

#[tokio::test]
async fn an_agent_is_kept_from_stopping_at_most_three_times_in_a_row() {
    let hook = Hook::new(
        "not-yet",
        "test",
        BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::deny("run the tests"))),
    )
    .event(Event::Stop);
    let engine = engine([hook]);
    let stop = |so_far| Stop::new().continues_so_far(so_far);
    for so_far in 0..3 {
        let Gate::Denied(denied) = engine.dispatch(stop(so_far), &context()).await else {
            panic!()
        };
        assert_eq!(denied.feedback(), "denied by not-yet: run the tests");
    }
    let cleared = engine.dispatch(stop(3), &context()).await.cleared().unwrap();
    assert!(cleared.messages()[0].contains("not-yet"), "{:?}", cleared.messages());
}

#[tokio::test]
async fn contributions_are_taken_where_the_contract_takes_them() {
    let policy = || PolicySetting::new("shell", "network", false);
    let at = |event| {
        Hook::new(
            "h",
            "test",
            BuiltHandler::from_sync(move |_: hookgate::Invocation<'_>| {
                Ok(Verdict::none().contribute(policy()))
            }),
        )
        .event(event)
    };
    let engine = engine([at(Event::TurnPolicy).event(Event::UserPromptSubmit)]);
    let step = hookgate::contract::payload::TurnPolicy::default();
    let cleared = engine.dispatch(step, &context()).await.cleared().unwrap();
    assert_eq!(cleared.contributions(), [Contributed::new("h", policy())]);
    let gate = engine.dispatch(UserPromptSubmit::new("hi"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "an illegal contribution fails closed");
}

#[tokio::test]
async fn the_stream_reports_what_hooks_do() {
    let engine = engine([
        rewrite("r", "a", "b"),
        sync("panics", |_| panic!("boom")).on_failure(Posture::Allow),
        sync("denies", |_| Ok(Verdict::deny("no"))),
    ]);
    let mut events = engine.subscribe();
    let _ = engine.dispatch(bash("a"), &context()).await;
    let seen: Vec<_> = std::iter::from_fn(|| events.try_next())
        .map(|event| {
            let event = event.unwrap();
            let what = serde_json::to_value(&event.what).unwrap();
            format!("{} {}", event.hook, what["type"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        seen,
        [
            "r hook_started",
            "r hook_completed",
            "r hook_rewrite_applied",
            "panics hook_started",
            "panics hook_failed",
            "denies hook_started",
            "denies hook_completed",
            "denies hook_denied",
        ]
    );
}

#[tokio::test]
async fn the_outcome_of_a_halt_and_of_an_answer() {
    let engine = engine([sync("h", |invocation| {
        Ok(match command(invocation).as_str() {
            "halt" => Verdict::halt("stop everything"),
            "cached" => Verdict::none().answer("from the cache", false),
            _ => Verdict::none(),
        })
    })
    .role(Role::Rewrite)]);
    let Gate::Halted(halted) = engine.dispatch(bash("halt"), &context()).await else { panic!() };
    assert_eq!(halted.to_string(), "halted by h: stop everything");
    let (gate, report) = engine.dispatch_reported(bash("cached"), &context()).await;
    let Gate::Answered(ran) = gate else { panic!() };
    assert!(ran.is_supplied());
    assert_eq!((report.decision, report.by), (Outcome::Answered, vec!["h".into()]));
    let done = engine.dispatch(ran, &context()).await.cleared().unwrap();
    assert_eq!(done.into_message(), "from the cache");
}

#[cfg(feature = "builtin")]
#[tokio::test]
async fn a_secret_in_the_blocks_of_a_result_is_redacted_with_it() {
    use hookgate::config::Loader;
    use hookgate::step::ToolResult;
    let text = "[[hook]]\nid = 'r'\nevent = 'post_tool_use'\nbuiltin = 'redact_secrets'\n";
    let registry = support::registry();
    let table = Loader::new(&registry).parse("t", text, std::path::Path::new(".")).unwrap().table;
    let engine = Engine::new(table);
    let mut result = PostToolUse::new(call("env"), "nothing to see");
    result.content_blocks = Some(json!([{"type": "text", "text": "AKIAIOSFODNN7EXAMPLE"}]));
    let mut incoming = hookgate::envelope::Incoming::parse(
        &serde_json::to_vec(&{
            let mut value = serde_json::to_value(&result).unwrap();
            value["hook_event_name"] = "post_tool_use".into();
            value
        })
        .unwrap(),
    )
    .unwrap();
    assert_eq!(engine.evaluate(&mut incoming).await.patched, ["tool_response"]);
    // The same through the typed step, whose payload is a success or a failure.
    let tool = engine.dispatch(bash("env"), &context()).await.cleared().unwrap();
    let ran = tool.run(async |_| Ok::<_, String>("nothing to see")).await;
    let ran = ran.content_blocks(json!([{"text": "AKIAIOSFODNN7EXAMPLE"}]));
    let done = engine.dispatch(ran.duration(Duration::from_millis(7)), &context()).await;
    let done = done.cleared().unwrap();
    let ToolResult::Success(result) = done.result() else { panic!() };
    assert_eq!((&result.content_blocks, result.duration_ms), (&None, Some(7)));
}
