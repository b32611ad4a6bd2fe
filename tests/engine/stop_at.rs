//! Promise: `limits.stop_at` says which decision ends the calls of the hooks after it, and weakens
//! nothing else: the hooks before it judge the final bytes.

use hookgate::contract::{BuiltHandler, Failure, StopAt};
use hookgate::decision::VoteOutcome;
use hookgate::events::HookEventKind;
use hookgate::table::Limits;
use hookgate::{
    Engine, Event, FailureClass, Gate, HandlerTable, Hook, Outcome, Report, Role, Verdict,
};
use serde_json::json;

use crate::support::{Log, bash, command, context, sync, waiting};

fn engine(stop_at: StopAt, hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut builder = HandlerTable::builder();
    builder.limits(Limits::new().stop_at(stop_at));
    for hook in hooks {
        builder.insert(hook);
    }
    Engine::new(builder.build().unwrap())
}

/// A hook that writes down what it sees, and answers.
fn seeing(id: &'static str, log: &Log, verdict: Verdict) -> Hook {
    let log = log.clone();
    sync(id, move |call| {
        log.push(format!("{id} {}", command(call)));
        Ok(verdict.clone())
    })
}

fn to(text: &str) -> Verdict {
    Verdict::none().patch("tool_input", json!({"command": text}))
}

async fn report(engine: &Engine) -> Report {
    engine.dispatch_reported(bash("one"), &context()).await.1
}

#[tokio::test]
async fn at_ask_the_hooks_after_it_are_not_called_and_those_before_it_see_the_final_bytes() {
    let log = Log::default();
    let engine = engine(
        StopAt::Ask,
        [
            seeing("guard", &log, Verdict::none()),
            seeing("rewriter", &log, to("two")).role(Role::Rewrite),
            seeing("asks", &log, Verdict::ask("sure?")),
            seeing("later", &log, Verdict::deny("never heard")),
        ],
    );
    let (gate, report) = engine.dispatch_reported(bash("one"), &context()).await;
    assert_eq!(log.take(), ["guard one", "rewriter one", "asks two", "guard two"]);
    assert_eq!((report.decision, &*report.by[0]), (Outcome::Ask, "asks"));
    let Gate::Asked(asked) = gate else { panic!() };
    let Gate::Cleared(tool) = asked.approve(&engine, &context()).await else { panic!() };
    assert_eq!(tool.call().tool_input["command"], "two");
}

#[tokio::test]
async fn a_guard_before_an_ask_still_denies_the_final_bytes() {
    let guard = sync("guard", |call| match command(call).as_str() {
        "two" => Ok(Verdict::deny("two is forbidden")),
        _ => Ok(Verdict::ask("one is doubtful")),
    });
    let rewriter = sync("rewriter", |_| Ok(to("two"))).role(Role::Rewrite).priority(-1);
    let asks = sync("asks", |_| Ok(Verdict::ask("sure?")));
    // The first guard asks about its version: nothing after it is called, so nothing is rewritten.
    let first = engine(StopAt::Ask, [guard.clone().priority(-2), rewriter.clone(), asks.clone()]);
    assert_eq!(report(&first).await.reason.as_deref(), Some("one is doubtful"));
    let after = engine(StopAt::Ask, [guard.after("rewriter"), rewriter, asks]);
    assert_eq!(report(&after).await.decision, Outcome::Deny);
}

#[tokio::test]
async fn a_rewriter_that_asks_has_its_patch_applied() {
    let engine = engine(
        StopAt::Ask,
        [
            sync("both", |_| {
                let mut verdict = to("two");
                verdict.parts_mut().unwrap().decision =
                    Verdict::ask("").into_parts().unwrap().decision;
                Ok(verdict)
            })
            .role(Role::Rewrite),
            sync("later", |_| Ok(Verdict::deny("never heard"))),
        ],
    );
    let report = report(&engine).await;
    assert_eq!((report.decision, report.votes.len()), (Outcome::Ask, 1));
    assert_eq!(report.final_fields["tool_input"]["command"], "two");
}

#[tokio::test(start_paused = true)]
async fn guards_that_wait_are_cut_off_by_an_ask_as_by_a_deny() {
    let slow = |id, millis, verdict: Verdict| {
        waiting(id, move |_| {
            let verdict = verdict.clone();
            Box::pin(async move {
                tokio::time::sleep(std::time::Duration::from_millis(millis)).await;
                Ok(verdict)
            })
        })
    };
    let hooks = || {
        [
            slow("first", 20, Verdict::none()),
            slow("asks", 10, Verdict::ask("sure?")),
            slow("later", 30, Verdict::deny("no")),
        ]
    };
    let asked = report(&engine(StopAt::Ask, hooks())).await;
    assert_eq!(asked.decision, Outcome::Ask);
    assert_eq!(asked.votes[2].outcome, VoteOutcome::Cancelled);
    assert_eq!(report(&engine(StopAt::Deny, hooks())).await.decision, Outcome::Deny);
}

#[tokio::test]
async fn at_halt_all_are_heard_past_a_deny_and_a_failure() {
    let log = Log::default();
    let broken = |_: hookgate::Invocation<'_>| Err(Failure::new(FailureClass::Exit, "exit 1"));
    let engine = engine(
        StopAt::Halt,
        [
            seeing("rewriter", &log, to("two")).role(Role::Rewrite),
            seeing("denies", &log, Verdict::deny("no")),
            sync("broken", broken),
            seeing("again", &log, to("three")).role(Role::Rewrite),
            seeing("allows", &log, Verdict::allow()),
        ],
    );
    let mut events = engine.subscribe();
    let report = report(&engine).await;
    assert_eq!(log.take(), ["rewriter one", "denies two", "again two", "allows three"]);
    assert_eq!(report.decision, Outcome::Deny);
    assert_eq!(report.by, ["denies", "broken"]);
    let votes: Vec<_> = report.votes.iter().map(|vote| vote.hook.as_str()).collect();
    assert_eq!(votes, ["rewriter", "denies", "broken", "again", "allows"]);
    let mut denied = Vec::new();
    while let Ok(Some(event)) =
        tokio::time::timeout(std::time::Duration::from_millis(50), events.next()).await
    {
        let event = event.unwrap();
        if matches!(event.what, HookEventKind::Denied { .. }) {
            denied.push(event.hook.to_string());
        }
    }
    assert_eq!(denied, ["denies", "broken"], "each is announced");
}

#[tokio::test]
async fn at_halt_a_halt_and_an_illegal_verdict_end_the_calls() {
    let ends = async |first: Hook| {
        let hooks = [first, sync("later", |_| Ok(Verdict::allow()))];
        let report = report(&engine(StopAt::Halt, hooks)).await;
        (report.decision, report.votes.len())
    };
    assert_eq!(ends(sync("a", |_| Ok(Verdict::halt("enough")))).await, (Outcome::Halt, 1));
    let illegal = sync("a", |_| Ok(Verdict::none().patch("no_such_field", 1))).role(Role::Rewrite);
    assert_eq!(ends(illegal).await, (Outcome::Deny, 1));
}

#[tokio::test]
async fn a_handler_that_is_asked_once_keeps_its_first_answer_and_others_are_asked_again() {
    let log = Log::default();
    let hook = |id: &'static str, verdict: Verdict, once: bool| {
        let log = log.clone();
        let built = BuiltHandler::from_sync(move |call: hookgate::Invocation<'_>| {
            log.push(format!("{id} {}", command(call)));
            Ok(verdict.clone())
        });
        let built = if once { built.once() } else { built };
        Hook::new(id, "test", built).event(Event::PreToolUse).role(Role::Rewrite)
    };
    let engine = engine(
        StopAt::Deny,
        [
            hook("guard", Verdict::none(), false),
            hook("once", Verdict::ask("first version"), true),
            hook("rewriter", to("two"), false),
        ],
    );
    let report = report(&engine).await;
    assert_eq!(log.take(), ["guard one", "once one", "rewriter one", "guard two"]);
    assert_eq!(report.reason.as_deref(), Some("first version"), "what it said stands");
}

#[tokio::test]
async fn the_note_of_an_observer_is_in_its_vote() {
    let noted = sync("watcher", |_| Ok(Verdict::none().note("seen"))).role(Role::Observe);
    let report = report(&engine(StopAt::Deny, [noted])).await;
    assert_eq!(report.votes[0].outcome, VoteOutcome::Observed);
    assert_eq!(report.votes[0].detail.as_deref(), Some("seen"));
}
