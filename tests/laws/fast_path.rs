//! Law: whether a dispatch is reported changes nothing else. It calls the same hooks about the same bytes and
//! decides the same. One that is not reported, and whose hooks answer at once, takes a shorter way.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::sync::{Arc, Mutex};

use hookgate::contract::{Reply, ReplyFuture, Role};
use hookgate::matcher::Test;
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, Invocation, Outcome, Posture, StepContext,
    ToolUse, Verdict,
};
use proptest::prelude::*;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Does {
    Nothing,
    /// Nothing, and it is called about one command only.
    NothingIf,
    Allow,
    Ask,
    Deny,
    /// Denies the command that a rewriter sets.
    DenyRewritten,
    Rewrite,
    /// Rewrites the command of the agent and asks; about any other it has no opinion.
    RewriteAsking,
    Panic,
    Observe,
}

const ALL: [Does; 10] = [
    Does::Nothing,
    Does::NothingIf,
    Does::Allow,
    Does::Ask,
    Does::Deny,
    Does::DenyRewritten,
    Does::Rewrite,
    Does::RewriteAsking,
    Does::Panic,
    Does::Observe,
];

/// Which hooks were called, in their order, each with the command that it has read.
type Calls = Arc<Mutex<Vec<(String, String)>>>;

fn hook(index: usize, does: Does, waits: bool, calls: &Calls) -> Hook {
    let calls = Arc::clone(calls);
    let answer = move |call: Invocation<'_>| {
        let command = call.envelope.payload().tool().unwrap().tool_input["command"].to_string();
        calls.lock().unwrap().push((call.hook.to_string(), command.clone()));
        Ok(match does {
            Does::Allow => Verdict::allow(),
            Does::Ask => Verdict::ask("sure?"),
            Does::Deny => Verdict::deny("no"),
            Does::DenyRewritten if command.contains("rewritten") => Verdict::deny("rewritten"),
            Does::Rewrite => Verdict::none().patch("tool_input", json!({"command": "rewritten"})),
            Does::RewriteAsking if command.contains("ls") => {
                Verdict::ask("sure?").patch("tool_input", json!({"command": "other"}))
            }
            Does::Panic => panic!("as it is meant to"),
            _ => Verdict::none(),
        })
    };
    let id = format!("h{index}");
    let hook = match waits {
        false => Hook::sync(id, answer),
        true => Hook::async_fn(id, waiting(answer)),
    };
    let hook = hook.event(Event::PreToolUse).on_failure(Posture::Allow);
    match does {
        Does::Observe => hook.role(Role::Observe),
        Does::Rewrite | Does::RewriteAsking => hook.role(Role::Rewrite),
        Does::NothingIf => hook.input("/command", Test::equals("ls")),
        _ => hook,
    }
}

/// An answer that has to be waited for.
fn waiting(
    answer: impl Fn(Invocation<'_>) -> Reply + Send + Sync + 'static,
) -> impl for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> {
    let answer = Arc::new(answer);
    move |call| {
        let answer = Arc::clone(&answer);
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer(call)
        })
    }
}

/// What was decided, the final command if the step goes on, and the calls.
fn decide(
    hooks: &[(Does, bool)],
    reported: bool,
) -> (Outcome, Option<String>, Vec<(String, String)>) {
    let calls = Calls::default();
    let mut builder = HandlerTable::builder();
    for (index, (does, waits)) in hooks.iter().enumerate() {
        builder.insert(hook(index, *does, *waits, &calls));
    }
    let engine = Engine::new(builder.build().unwrap());
    let context = StepContext::new("s");
    let step = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let gate = runtime.block_on(async {
        match reported {
            true => engine.dispatch_reported(step, &context).await.0,
            false => engine.dispatch(step, &context).await,
        }
    });
    let outcome = gate.decision().map_or(Outcome::Allow, |decision| decision.outcome);
    let command = match &gate {
        Gate::Cleared(tool) => Some(tool.call().tool_input["command"].to_string()),
        _ => None,
    };
    let calls = calls.lock().unwrap().clone();
    (outcome, command, calls)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_report_changes_neither_calls_nor_decision(
        hooks in proptest::collection::vec(
            (proptest::sample::select(&ALL[..]), proptest::bool::weighted(0.2)),
            0..6,
        ),
    ) {
        prop_assert_eq!(decide(&hooks, false), decide(&hooks, true));
    }
}

/// The cases that a step of the fast path could leave out.
#[test]
fn nothing_is_left_out_after_silence() {
    use Does::{Deny, DenyRewritten, Nothing, Observe, Panic, Rewrite, RewriteAsking};
    let ids =
        |calls: Vec<(String, String)>| calls.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let at_once = |hooks: &[Does]| {
        decide(&hooks.iter().map(|does| (*does, false)).collect::<Vec<_>>(), false)
    };
    let (_, _, calls) = at_once(&[Nothing, Observe]);
    assert_eq!(ids(calls), ["h0", "h1"], "the observer is called after silence");
    let (outcome, _, calls) = at_once(&[Nothing, DenyRewritten, Rewrite]);
    assert_eq!(
        (outcome, ids(calls).len()),
        (Outcome::Deny, 5),
        "both guards see the final version"
    );
    let (outcome, _, _) = at_once(&[RewriteAsking, Rewrite]);
    assert_eq!(
        outcome,
        Outcome::Ask,
        "its patch is a part of the final bytes, and so its ask counts"
    );
    let (outcome, _, _) = at_once(&[Nothing, Panic, Deny]);
    assert_eq!(outcome, Outcome::Deny, "what follows a panic is called");
}
