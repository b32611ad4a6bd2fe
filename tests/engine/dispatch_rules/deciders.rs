//! Promise: rules 1 to 5 hold: the order of the deciders, their roles, concurrent guards, the final
//! round, and how votes become one decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::payload::PermissionRequest;
use hookgate::contract::{BuiltHandler, Invocation};
use hookgate::decision::VoteOutcome;
use hookgate::{Event, FailureClass, Gate, HandlerTable, Hook, HookEngine, Outcome, Role, Verdict};
use serde_json::json;

use super::{containing, rewrite, slow, watch};
use crate::support::{Log, bash, call, command, context, engine, sync, waiting};

#[tokio::test]
async fn rule_1_each_hook_sees_the_step_as_earlier_ones_rewrote_it() {
    let log = Log::default();
    let engine = engine([
        rewrite("a", "one", "two"),
        watch("b", &log),
        rewrite("c", "two", "three"),
        watch("d", &log),
    ]);
    let Gate::Cleared(tool) = engine.dispatch(bash("one"), &context()).await else { panic!() };
    assert_eq!(tool.call().tool_input["command"], "three");
    assert_eq!(tool.decision().unwrap().patched, ["tool_input"]);
    // b evaluated `two`, so it is called again with `three`; d has seen that already.
    assert_eq!(log.take(), ["b two", "d three", "b three"]);
}

#[tokio::test]
async fn rule_2_a_verdict_that_exceeds_its_role_is_illegal() {
    let patching = |role| {
        let hook = sync("h", |_| Ok(Verdict::none().patch("tool_input", json!({"command": "x"}))));
        engine([hook.role(role)])
    };
    let (gate, report) = patching(Role::Guard).dispatch_reported(bash("a"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal));
    let gate = patching(Role::Rewrite).dispatch(bash("a"), &context()).await;
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "x");
    // The answer of an observer is not used.
    let engine = engine([sync("o", |_| Ok(Verdict::deny("no"))).role(Role::Observe)]);
    let (gate, report) = engine.dispatch_reported(bash("a"), &context()).await;
    assert!(gate.cleared().is_some());
    assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal));
    assert_eq!(report.messages.len(), 1, "the failure is reported");
}

#[tokio::test]
async fn rule_2_default_roles_follow_the_event() {
    let role_at = |event| {
        let hook = Hook::new(
            "h",
            "test",
            BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::none())),
        );
        let table = HandlerTable::builder().insert(hook.event(event)).build().unwrap();
        table.listing().next().map(|listed| listed.role())
    };
    assert_eq!(role_at(Event::SessionEnd), Some(Role::Observe));
    assert_eq!(role_at(Event::PostToolUse), Some(Role::Rewrite));
    assert_eq!(role_at(Event::PreToolUse), Some(Role::Guard));
    assert_eq!(role_at(Event::SessionStart), Some(Role::Guard));
}

#[tokio::test(start_paused = true)]
async fn rule_3_adjacent_guards_run_concurrently_and_count_in_order() {
    let log = Log::default();
    let engine = engine([
        slow("a", 30, &log, Verdict::none().context("from a")),
        slow("b", 10, &log, Verdict::none().context("from b")),
        slow("c", 20, &log, Verdict::none().context("from c")),
    ]);
    let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert!(gate.cleared().is_some());
    assert_eq!(report.context, ["from a", "from b", "from c"]);
    assert_eq!(log.take(), ["a begins", "b begins", "c begins", "b ends", "c ends", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn rule_3_a_deny_cancels_only_the_hooks_after_it() {
    let log = Log::default();
    let engine = engine([
        slow("a", 30, &log, Verdict::none().context("from a")),
        slow("b", 10, &log, Verdict::deny("b says no")),
        slow("c", 20, &log, Verdict::halt("c would halt")),
    ]);
    let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
    let Gate::Denied(denied) = gate else { panic!() };
    assert_eq!(denied.decision().by, ["b"]);
    assert_eq!(report.context, ["from a"], "a was awaited");
    let outcomes: Vec<_> = report.votes.iter().map(|v| (v.hook.as_str(), v.outcome)).collect();
    assert_eq!(
        outcomes,
        [("a", VoteOutcome::Verdict), ("b", VoteOutcome::Verdict), ("c", VoteOutcome::Cancelled)]
    );
    assert!(!log.take().contains(&"c ends".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn rule_3_an_answer_that_came_before_a_deny_does_not_count_behind_it() {
    let log = Log::default();
    let engine = engine([
        slow("denies", 30, &log, Verdict::deny("a says no")),
        slow("halts", 10, &log, Verdict::halt("b would halt").message("from b")),
        slow("speaks", 5, &log, Verdict::none().message("from c")),
    ]);
    let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert!(log.take().contains(&"halts ends".to_owned()));
    assert_eq!((gate.outcome(), &*report.by[0]), (Outcome::Deny, "denies"));
    assert!(report.messages.is_empty(), "{:?}", report.messages);
    let outcomes: Vec<_> = report.votes.iter().map(|vote| vote.outcome).collect();
    assert_eq!(outcomes, [VoteOutcome::Verdict, VoteOutcome::Cancelled, VoteOutcome::Cancelled]);
}

#[tokio::test(start_paused = true)]
async fn rule_3_a_rewriter_or_a_dependency_separates_groups() {
    let log = Log::default();
    let engine = engine([
        slow("a", 10, &log, Verdict::none()),
        slow("b", 10, &log, Verdict::none()).after("a"),
    ]);
    let _ = engine.dispatch(bash("x"), &context()).await;
    assert_eq!(log.take(), ["a begins", "a ends", "b begins", "b ends"]);
}

/// The guards after the last rewriter are not called again, so what they see is what runs.
#[tokio::test(start_paused = true)]
async fn rule_3_a_guard_that_waits_sees_what_a_rewriter_before_it_wrote_also_if_that_waits() {
    let log = Log::default();
    let rewriter = |id: &str, to: &'static str| {
        waiting(id, move |_| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Ok(Verdict::none().patch("tool_input", json!({ "command": to })))
            })
        })
        .role(Role::Rewrite)
    };
    let guard = {
        let log = log.clone();
        waiting("guard", move |call| {
            let seen = command(call);
            log.push(seen.clone());
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Ok(if seen == "two" { Verdict::deny("not two") } else { Verdict::none() })
            })
        })
    };
    let alone = engine([rewriter("first", "two"), guard.clone()]);
    assert!(matches!(alone.dispatch(bash("one"), &context()).await, Gate::Denied(_)));
    assert_eq!(log.take(), ["two"]);
    // After several rewriters, each with a group of its own.
    let several = engine([rewriter("first", "three"), rewriter("second", "two"), guard]);
    assert!(matches!(several.dispatch(bash("one"), &context()).await, Gate::Denied(_)));
    assert_eq!(log.take(), ["two"]);
}

#[tokio::test(start_paused = true)]
async fn rule_3_concurrency_is_bounded() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let hooks = (0..30).map(|i| {
        let (running, most) = (running.clone(), most.clone());
        waiting(&format!("h{i}"), move |_| {
            let (running, most) = (running.clone(), most.clone());
            Box::pin(async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(5)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Verdict::none())
            })
        })
    });
    let _ = engine(hooks).dispatch(bash("x"), &context()).await;
    let most = most.load(Ordering::SeqCst);
    assert!((2..=8).contains(&most), "{most} at the same time");
}

#[tokio::test]
async fn rule_4_a_guard_that_matches_only_after_a_rewrite_is_invoked() {
    let no_force = || {
        sync("no-force", |_| Ok(Verdict::deny("no force")))
            .matching(containing("--force"))
            .priority(1)
    };
    let engine = engine([no_force(), rewrite("adds-force", "push", "push --force")]);
    let (gate, report) = engine.dispatch_reported(bash("git push"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.by, ["no-force"]);
    assert_eq!(report.votes.last().unwrap().round, 2);
    assert_eq!(report.final_fields["tool_input"]["command"], "git push --force");
    // The control: without the guard the rewritten step runs.
    engine.swap(
        HandlerTable::builder()
            .insert(rewrite("adds-force", "push", "push --force"))
            .build()
            .unwrap(),
    );
    assert!(engine.dispatch(bash("git push"), &context()).await.cleared().is_some());
}

/// A hook that asks about whatever it sees, where the command contains a text.
fn asks(id: &'static str, of: &str, waits: bool, log: &Log) -> Hook {
    let log = log.clone();
    let ask = move |call: Invocation<'_>| {
        log.push(format!("{id} {}", command(call).trim_start()));
        Ok(Verdict::ask("sure?"))
    };
    let hook = match waits {
        true => waiting(id, move |call| Box::pin(std::future::ready(ask(call)))),
        false => sync(id, ask),
    };
    hook.matching(containing(of))
}

#[tokio::test]
async fn rule_4_a_hook_that_was_called_is_called_again_though_its_conditions_hold_no_more() {
    let small = "git push --force".to_owned();
    // Its conditions are evaluated on another thread.
    let large = " ".repeat(200 << 10) + &small;
    for (command, waits) in [(&small, false), (&small, true), (&large, false), (&large, true)] {
        for several in [false, true] {
            let log = Log::default();
            let one = asks("one", "--force$", waits, &log);
            let two = several.then(|| asks("two", "--force$", waits, &log));
            let never = asks("never", "never", waits, &log);
            let hooks = [one].into_iter().chain(two);
            let engine = engine(hooks.chain([never, rewrite("no-force", " --force", "")]));
            let gate = engine.dispatch(bash(command), &context()).await;
            assert_eq!(gate.outcome(), Outcome::Ask);
            let mut calls = log.take();
            calls.sort();
            let expected: &[&str] = match several {
                true => &[
                    "one git push",
                    "one git push --force",
                    "two git push",
                    "two git push --force",
                ],
                false => &["one git push", "one git push --force"],
            };
            assert_eq!(calls, expected, "{waits}");
        }
    }
}

#[tokio::test]
async fn rule_4_the_later_vote_replaces_the_earlier_one() {
    let asks = sync("asks", |invocation| {
        assert_eq!(invocation.envelope.is_rejudge(), !command(invocation).contains("--force"));
        Ok(if command(invocation).contains("--force") {
            Verdict::ask("force?").context("it wants force")
        } else {
            Verdict::none().context("it is harmless")
        })
    });
    let engine = engine([asks, rewrite("no-force", " --force", "")]);
    let (gate, report) = engine.dispatch_reported(bash("git push --force"), &context()).await;
    assert!(gate.cleared().is_some());
    assert_eq!(report.context, ["it is harmless"]);
}

#[tokio::test]
async fn rule_4_a_rewriter_that_speaks_in_both_rounds_is_one_voice() {
    let asks = sync("asks", |invocation| {
        let seen = command(invocation);
        let ask = Verdict::ask("sure?");
        Ok(match seen.strip_prefix("sudo ") {
            Some(rest) => ask.patch("tool_input", json!({ "command": rest })),
            None => ask,
        })
    });
    let engine = engine([asks.role(Role::Rewrite), rewrite("no-force", " --force", "")]);
    let (gate, report) = engine.dispatch_reported(bash("sudo git push --force"), &context()).await;
    assert!(matches!(gate, Gate::Asked(_)));
    assert_eq!(report.final_fields["tool_input"]["command"], "git push");
    assert_eq!(report.votes.iter().map(|vote| vote.round).collect::<Vec<_>>(), [1, 1, 2]);
    assert_eq!((report.by, report.reason.as_deref()), (vec!["asks".into()], Some("sure?")));
}

#[tokio::test]
async fn rule_4_what_a_rewriter_said_with_its_patch_stands_wherever_it_is_among_others() {
    // It has nothing to say of what it wrote.
    let asks = || {
        sync("asks", |invocation| {
            let seen = command(invocation);
            let Some(rest) = seen.strip_prefix("sudo ") else { return Ok(Verdict::none()) };
            Ok(Verdict::ask("sure?").patch("tool_input", json!({ "command": rest })))
        })
        .role(Role::Rewrite)
    };
    let silent = |number| sync(&format!("silent-{number}"), |_| Ok(Verdict::none()));
    for before in 0..4 {
        let others = (0..before).map(silent);
        let engine = engine(others.chain([asks(), rewrite("no-force", " --force", "")]));
        let (gate, report) =
            engine.dispatch_reported(bash("sudo git push --force"), &context()).await;
        assert!(matches!(gate, Gate::Asked(_)), "{before} before it");
        assert_eq!(report.final_fields["tool_input"]["command"], "git push");
        assert_eq!((report.by, report.reason.as_deref()), (vec!["asks".into()], Some("sure?")));
    }
}

#[tokio::test]
async fn rule_4_a_patch_that_changes_nothing_is_not_a_rewrite() {
    let log = Log::default();
    let same = sync("same", |invocation| {
        Ok(Verdict::none().patch("tool_input", invocation.tool().unwrap().tool_input.clone()))
    });
    let engine = engine([watch("guard", &log), same.role(Role::Rewrite)]);
    let gate = engine.dispatch(bash("x"), &context()).await;
    assert!(gate.cleared().unwrap().decision().unwrap().patched.is_empty());
    assert_eq!(log.take(), ["guard x"]);
}

#[tokio::test]
async fn rule_5_the_strictest_wins_and_reasons_name_exactly_its_hooks() {
    let engine = engine([
        sync("allows", |_| Ok(Verdict::allow().context("c1").annotate("k", 1))),
        sync("asks", |_| Ok(Verdict::ask("one").context("c2").annotate("k", 2))),
        sync("asks-too", |_| Ok(Verdict::ask("two").message("m"))),
        sync("silent", |_| Ok(Verdict::none())),
    ]);
    let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
    let Gate::Asked(asked) = gate else { panic!() };
    assert_eq!(asked.question(), "one; two");
    assert_eq!(report.by, ["asks", "asks-too"]);
    assert_eq!(report.context, ["c1", "c2"]);
    assert_eq!(report.messages, ["m"]);
    assert_eq!(report.annotations["k"], 2, "the later key wins");
}

#[tokio::test]
async fn rule_5_an_allow_approves_only_where_the_hook_may() {
    let allows = |may| {
        let hook = Hook::new(
            "h",
            "test",
            BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::allow())),
        );
        engine([hook.event(Event::PermissionRequest).may_allow(may)])
    };
    let request = || PermissionRequest::new(call("ls"));
    let cleared = allows(true).dispatch(request(), &context()).await.cleared().unwrap();
    assert_eq!(cleared.approved_by(), ["h"]);
    let cleared = allows(false).dispatch(request(), &context()).await.cleared().unwrap();
    assert!(cleared.approved_by().is_empty(), "the user is still asked");
}

#[tokio::test]
async fn rule_5_of_several_summaries_the_first_wins() {
    use hookgate::contract::payload::PreCompact;
    let summary = |id: &'static str| {
        Hook::new(
            id,
            "test",
            BuiltHandler::from_sync(move |_: hookgate::Invocation<'_>| {
                Ok(Verdict::none().patch("summary", id))
            }),
        )
        .event(Event::PreCompact)
        .role(Role::Rewrite)
    };
    let engine = engine([summary("first"), summary("second")]);
    let cleared = engine.dispatch(PreCompact::new("manual"), &context()).await.cleared().unwrap();
    assert_eq!(cleared.payload().summary.as_deref(), Some("first"));
}
