//! Promise: a hook can be tried out before a step is at stake. A probe decides nothing, costs no
//! budget, remembers what it found out, and ends in time whatever the check does.
#![cfg(all(feature = "command", feature = "prompt"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

use hookgate_test_support as support;
use hookgate_test_support::model_server as server;

use std::path::Path;
use std::time::{Duration, Instant};

use hookgate::config::Loader;
use hookgate::contract::ProbeFuture;
use hookgate::contract::{BuiltHandler, Invocation, Probe};
use hookgate::table::Limits;
use hookgate::{Engine, Event, Failure, FailureClass, HandlerTable, Hook, Outcome, Verdict};
use server::{Mode, Server};
use support::{bash, context};

fn load(config: &str) -> HandlerTable {
    let registry = support::registry();
    Loader::new(&registry).parse("hooks.toml", config, Path::new("/")).unwrap().table
}

fn judge(server: &Server, more: &str) -> HandlerTable {
    load(&format!(
        "[[hook]]\nid = 'judge'\nevent = 'pre_tool_use'\n[hook.prompt]\nmodel = 'm'\n\
         base_url = '{}'\nprompt = 'No force.'\nbackoff = '1ms'\n{more}\n",
        server.base_url
    ))
}

async fn checked(table: &HandlerTable) -> Option<Result<String, Failure>> {
    table.specs().next().unwrap().check_live(table.limits()).await
}

#[tokio::test]
async fn the_form_that_was_found_out_is_not_found_out_again() {
    for (tried, calls) in [(true, 2), (false, 3)] {
        let server = Server::start(Mode::SupportsFormat(None)).await;
        let table = judge(&server, "");
        if tried {
            assert!(checked(&table).await.unwrap().unwrap().contains("`text`"));
            assert_eq!(server.calls(), 3);
        }
        // The control: a judge that was not tried out finds it out at its first step.
        let engine = Engine::new(table);
        let before = server.calls();
        for command in ["ls", "pwd"] {
            let report = engine.dispatch_reported(bash(command), &context()).await.1;
            assert_eq!(report.decision, Outcome::Allow, "{report:?}");
        }
        assert_eq!(server.calls() - before, if tried { calls } else { calls + 1 });
    }
}

#[tokio::test]
async fn it_costs_no_budget_and_is_not_remembered() {
    let server = Server::start(Mode::Decision("deny")).await;
    let table = judge(&server, "budget = { hour = { calls = 1 } }\nlimits = { rate = 1 }");
    for _ in 0..3 {
        assert!(checked(&table).await.unwrap().is_ok());
    }
    assert_eq!(server.calls(), 3);
    // The very step that the question shows is evaluated anew, and by the rule.
    let engine = Engine::new(table);
    let report = engine.dispatch_reported(bash("date"), &context()).await.1;
    assert_eq!((report.decision, server.calls()), (Outcome::Deny, 4));
    assert_eq!(server::rules(&server.seen()[3])[0].1, "No force.");
    // The control: a second step is over the budget.
    let report = engine.dispatch_reported(bash("pwd"), &context()).await.1;
    assert!(report.votes[0].failure.is_some(), "{report:?}");
    assert_eq!(server.calls(), 4);
}

#[tokio::test]
async fn a_worker_that_was_tried_out_answers_the_first_step() {
    let answer = r#"{\"id\":$id,\"verdict\":{\"decision\":\"deny\",\"reason\":\"no\"}}"#;
    let shell = format!(
        "sleep 1; echo '{{\"ready\":1}}'; read call; id=${{call#*:}}; id=${{id%%,*}}; \
         echo \"{answer}\"; cat >&2"
    );
    let table = load(&format!(
        "[[hook]]\nid = 'w'\nevent = 'pre_tool_use'\n[hook.command]\nmode = 'worker'\n\
         shell = '''{shell}'''\n"
    ));
    let (second, since) = (Duration::from_secs(1), Instant::now());
    let found = checked(&table).await.unwrap().unwrap();
    assert!(found.contains("is ready, in "), "{found}");
    assert!(since.elapsed() >= second);
    // It was kept: from now on no call waits for its start.
    let since = Instant::now();
    assert!(checked(&table).await.unwrap().is_ok());
    let report = Engine::new(table).dispatch_reported(bash("ls"), &context()).await.1;
    assert_eq!(report.decision, Outcome::Deny, "{report:?}");
    assert_eq!(report.reason.as_deref(), Some("no"));
    assert!(since.elapsed() < second, "{:?}", since.elapsed());
}

/// What an embedder's own check does.
#[derive(Clone, Copy)]
enum Does {
    Finds,
    Hangs,
    Panics,
    PanicsLater,
}

impl Probe for Does {
    fn check<'a>(&'a self, hook: &'a str, timeout: Duration) -> ProbeFuture<'a> {
        assert!(!matches!(self, Self::Panics), "at once");
        Box::pin(async move {
            tokio::task::yield_now().await;
            match self {
                Self::Hangs => std::future::pending().await,
                Self::PanicsLater => panic!("later"),
                Self::Finds | Self::Panics => Ok(format!("{hook} has {timeout:?}")),
            }
        })
    }
}

fn own(does: Option<Does>) -> Hook {
    let built = BuiltHandler::from_sync(|_: Invocation<'_>| -> Result<Verdict, Failure> {
        panic!("a judgement")
    });
    let built = match does {
        Some(does) => built.probe(does),
        None => built,
    };
    Hook::new("own", "mine", built).event(Event::PreToolUse)
}

#[tokio::test(start_paused = true)]
async fn a_check_of_an_embedder_ends_in_time_and_alone() {
    let quick = Duration::from_millis(200);
    let check = async |hook: Hook| hook.build().check_live(&Limits::default()).await;
    assert_eq!(check(own(None)).await, None);
    assert_eq!(check(own(Some(Does::Finds))).await, Some(Ok("own has 5s".into())));
    let found = check(own(Some(Does::Finds)).timeout(quick)).await;
    assert_eq!(found, Some(Ok("own has 200ms".into())));
    let late = check(own(Some(Does::Hangs)).timeout(quick)).await.unwrap().unwrap_err();
    assert_eq!((late.class, &*late.detail), (FailureClass::Timeout, "no answer within 200ms"));
    let since = tokio::time::Instant::now();
    let late = check(own(Some(Does::Hangs))).await.unwrap().unwrap_err();
    assert_eq!((late.class, since.elapsed().as_secs()), (FailureClass::Timeout, 5));
    for (does, text) in [(Does::Panics, "at once"), (Does::PanicsLater, "later")] {
        let failure = check(own(Some(does))).await.unwrap().unwrap_err();
        assert_eq!(failure.class, FailureClass::Panic);
        assert!(failure.detail.contains(text), "{failure}");
    }
}
