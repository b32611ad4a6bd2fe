//! Promise: a hook that depends on another one is called only if that has ended well, whichever hook was faster; what
//! does not depend on each other runs at the same time; and dependencies that cannot hold are refused before
//! anything runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::contribution::ContextPiece;
use hookgate::contract::payload::{Planning, PromptCompile, PromptContext, SessionEnd, TurnPolicy};
use hookgate::decision::VoteOutcome;
use hookgate::table::{BuildProblem, Limits, TableBuilder};
use hookgate::testing::Script;
use hookgate::{
    Engine, Event, FailureClass, Gate, Hook, HookEngine, Mode, Outcome, Role, StepContext, Verdict,
};
use tokio::sync::Barrier;

use crate::support::{Log, bash, context, engine, sync, waiting};

/// What is wrong with a table of these hooks: hook, key and problem.
fn problems(hooks: impl IntoIterator<Item = Hook>) -> Vec<(String, &'static str, BuildProblem)> {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    let errors = builder.build().err().map(|errors| errors.errors().to_vec()).unwrap_or_default();
    errors.into_iter().map(|error| (error.hook, error.key, error.problem)).collect()
}

/// A hook that waits once and logs when it begins and ends.
fn logged(log: &Log, id: &'static str, times: usize) -> Hook {
    let log = log.clone();
    waiting(id, move |_| {
        let log = log.clone();
        Box::pin(async move {
            log.push(format!("{id} begins"));
            for _ in 0..times {
                tokio::task::yield_now().await;
            }
            log.push(format!("{id} ends"));
            Ok(Verdict::none())
        })
    })
}

fn silent(id: &str) -> Hook {
    Hook::sync(id, |_| Ok(Verdict::none()))
}

fn planning() -> Planning {
    Planning::new("hello")
}

#[tokio::test]
async fn independent_hooks_run_at_the_same_time_also_beside_one_that_must_wait() {
    // `second` comes after `first`, which ends only once `third` has begun: in groups one after the other that would
    // never be.
    let barrier = Arc::new(Barrier::new(2));
    let meets = |id: &str| {
        let barrier = Arc::clone(&barrier);
        waiting(id, move |_| {
            let barrier = Arc::clone(&barrier);
            Box::pin(async move {
                barrier.wait().await;
                Ok(Verdict::none())
            })
        })
    };
    let log = Log::default();
    let engine = engine([meets("first"), logged(&log, "second", 1).after("first"), meets("third")]);
    let context = context();
    let dispatch = engine.dispatch_reported(bash("x"), &context);
    let (gate, report) = tokio::time::timeout(Duration::from_secs(20), dispatch).await.unwrap();
    assert!(gate.is_cleared());
    assert_eq!(log.take(), ["second begins", "second ends"]);
    let votes: Vec<_> = report.votes.iter().map(|vote| vote.hook.as_str()).collect();
    assert_eq!(votes, ["first", "second", "third"], "in the order of the hooks");
}

#[tokio::test]
async fn a_hook_begins_once_those_before_it_are_over_and_not_sooner() {
    for bound in [1, 2, 8] {
        let log = Log::default();
        let mut limits = Limits::default();
        limits.concurrency = bound;
        let hooks = [
            logged(&log, "a", 5),
            logged(&log, "b", 1).after("a"),
            logged(&log, "c", 1).before("b"),
            logged(&log, "d", 1).needs("b"),
        ];
        let mut builder: TableBuilder = hooks.into_iter().collect();
        builder.limits(limits);
        let engine = Engine::new(builder.build().unwrap());
        assert!(engine.dispatch(bash("x"), &context()).await.is_cleared());
        let log = log.take();
        let at = |line: &str| log.iter().position(|logged| logged == line).expect(line);
        assert!(at("a ends") < at("b begins"), "{log:?}");
        assert!(at("c ends") < at("b begins"), "{log:?}");
        assert!(at("b ends") < at("d begins"), "{log:?}");
        if bound > 1 {
            assert!(at("c begins") < at("a ends"), "they do not wait for each other: {log:?}");
        }
    }
}

#[tokio::test]
async fn no_hook_behind_a_deny_begins_although_others_still_run() {
    let log = Log::default();
    let deny = waiting("deny", |_| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Verdict::deny("no"))
        })
    });
    let engine = engine([deny, logged(&log, "late", 0).after("deny"), logged(&log, "beside", 50)]);
    let Gate::Denied(denied) = engine.dispatch(bash("x"), &context()).await else { panic!() };
    assert_eq!(denied.feedback(), "denied by deny: no");
    assert_eq!(log.take(), ["beside begins"]);
}

#[tokio::test]
async fn a_hook_whose_need_has_failed_is_skipped_and_so_are_those_that_need_it() {
    for waits in [false, true] {
        let script = Script::new().fail(FailureClass::Unreachable, "no network");
        let hook = |id: &str| if waits { script.async_hook(id) } else { script.hook(id) };
        let allow =
            |id: &str| hook(id).event(Event::PreToolUse).on_failure(hookgate::Posture::Allow);
        let engine = engine([
            allow("lookup"),
            allow("check").needs("lookup"),
            allow("other"),
            hook("guard").event(Event::PreToolUse).needs("check"),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
        let called: Vec<_> = script.take_calls().into_iter().map(|call| call.hook).collect();
        assert_eq!(called, ["lookup", "other"]);
        let found: Vec<_> =
            report.votes.iter().map(|vote| (vote.hook.as_str(), vote.failure)).collect();
        let skipped = Some(FailureClass::Skipped);
        let expected = [
            ("lookup", Some(FailureClass::Unreachable)),
            ("check", skipped),
            ("other", None),
            ("guard", skipped),
        ];
        assert_eq!(found, expected);
        // A guard that was not asked does not let the step pass by itself.
        let Gate::Denied(denied) = gate else { panic!("{report:?}") };
        assert!(denied.feedback().contains("`check`, on which it depends, has failed (skipped)"));
        assert!(report.messages.iter().any(|text| text.contains("(unreachable)")), "{report:?}");
        assert_eq!(engine.failures("guard", FailureClass::Skipped), 1);
    }
}

#[tokio::test]
async fn the_posture_of_a_skipped_hook_is_its_own() {
    let failing = || sync("plan", |_| Err(hookgate::Failure::new(FailureClass::Exit, "status 1")));
    let on = |guard: Hook| {
        let hooks = [failing().on_failure(hookgate::Posture::Allow), guard.needs("plan")];
        async move { engine(hooks).dispatch(bash("x"), &context()).await.outcome() }
    };
    let guard = || sync("guard", |_| Ok(Verdict::none()));
    assert_eq!(on(guard()).await, Outcome::Deny);
    let skipped = FailureClass::Skipped;
    assert_eq!(on(guard().on_failure_of(skipped, hookgate::Posture::Ask)).await, Outcome::Ask);
    assert_eq!(on(guard().on_failure_of(skipped, hookgate::Posture::Allow)).await, Outcome::Allow);
    assert_eq!(on(guard().mode(Mode::Shadow)).await, Outcome::Allow);
}

#[tokio::test]
async fn after_alone_is_order_unless_the_earlier_hook_is_required() {
    for required in [false, true] {
        let script = Script::new().fail(FailureClass::Exit, "status 1");
        let engine = engine([
            script.hook("policy").event(Event::TurnPolicy).required(required),
            script.hook("more").event(Event::TurnPolicy).after("policy"),
            script.hook("beside").event(Event::TurnPolicy),
        ]);
        let gate = engine.dispatch(TurnPolicy(planning()), &context()).await;
        let called: Vec<_> = script.take_calls().into_iter().map(|call| call.hook).collect();
        let decision = gate.decision().unwrap();
        let failed: Vec<_> =
            decision.failed_required.iter().map(|one| (one.hook.as_str(), one.class)).collect();
        if required {
            assert_eq!(called, ["policy", "beside"]);
            assert_eq!(failed, [("policy", FailureClass::Exit)]);
            assert!(decision.messages.iter().any(|text| text.contains("`more` failed (skipped)")));
        } else {
            assert_eq!(called, ["policy", "more", "beside"]);
            assert!(failed.is_empty() && decision.complete().is_ok());
        }
    }
}

#[tokio::test]
async fn a_need_reaches_across_the_phases_of_a_turn_and_ends_with_it() {
    let script = Script::new();
    let engine = engine([
        script.hook("plan").event(Event::TurnPolicy),
        script.hook("sections").event(Event::PromptCompile).needs("plan"),
    ]);
    let turn = |number| StepContext::new("s").turn(number);
    let skipped = async |context: StepContext<'_>| {
        let (_, report) = engine.dispatch_reported(PromptCompile(planning()), &context).await;
        report.votes[0].failure
    };
    assert_eq!(skipped(turn(1)).await, Some(FailureClass::Skipped), "it was not called");
    drop(engine.dispatch(TurnPolicy(planning()), &turn(1)).await);
    assert_eq!(skipped(turn(1)).await, None);
    assert_eq!(skipped(turn(2)).await, Some(FailureClass::Skipped), "that was another turn");
    assert_eq!(skipped(turn(1).agent("sub", "worker")).await, Some(FailureClass::Skipped));
    assert_eq!(skipped(StepContext::new("other").turn(1)).await, Some(FailureClass::Skipped));

    // The last end of a turn counts.
    let failing = engine_of_failing_plan();
    drop(failing.dispatch(TurnPolicy(planning()), &turn(1)).await);
    let (_, report) = failing.dispatch_reported(PromptCompile(planning()), &turn(1)).await;
    let detail = report.votes[0].detail.as_deref().unwrap();
    assert_eq!(detail, "`plan`, on which it depends, has failed (timeout)");

    // What is known of a session is forgotten with it.
    drop(engine.dispatch(TurnPolicy(planning()), &turn(3)).await);
    assert_eq!(skipped(turn(3)).await, None);
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), &turn(3)).await;
    engine.forget_session("s");
    assert_eq!(skipped(turn(3)).await, Some(FailureClass::Skipped));
}

fn engine_of_failing_plan() -> Engine {
    engine([
        Script::new().fail(FailureClass::Timeout, "late").hook("plan").event(Event::TurnPolicy),
        silent("sections").event(Event::PromptCompile).needs("plan"),
    ])
}

#[tokio::test]
async fn calls_at_the_same_time_do_not_take_the_ends_of_each_other() {
    // Two calls of a tool in one turn: of one the lookup fails, of the other it does not.
    let lookup = waiting("lookup", |call| {
        let fails = crate::support::command(call) == "bad";
        Box::pin(async move {
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            match fails {
                true => Err(hookgate::Failure::new(FailureClass::Unreachable, "no network")),
                false => Ok(Verdict::none()),
            }
        })
    });
    let lookup = lookup.on_failure(hookgate::Posture::Allow);
    let engine = engine([lookup, logged(&Log::default(), "guard", 3).needs("lookup")]);
    for _ in 0..20 {
        let context = context();
        let (good, bad) = tokio::join!(
            engine.dispatch(bash("good"), &context),
            engine.dispatch(bash("bad"), &context)
        );
        assert_eq!((good.outcome(), bad.outcome()), (Outcome::Allow, Outcome::Deny));
    }
}

#[tokio::test]
async fn a_skipped_guard_stays_skipped_in_the_final_round() {
    let script = Script::new();
    let failing = sync("lookup", |_| Err(hookgate::Failure::new(FailureClass::Exit, "status 1")));
    let rewrite = sync("rewrite", |_| {
        Ok(Verdict::none().patch("tool_input", serde_json::json!({"command": "y"})))
    });
    let engine = engine([
        failing.on_failure(hookgate::Posture::Allow),
        script
            .hook("guard")
            .event(Event::PreToolUse)
            .needs("lookup")
            .on_failure(hookgate::Posture::Ask),
        rewrite.role(Role::Rewrite),
    ]);
    assert_eq!(engine.dispatch(bash("x"), &context()).await.outcome(), Outcome::Ask);
    assert!(script.calls().is_empty());
}

#[tokio::test]
async fn an_observer_is_skipped_and_told_of() {
    let script = Script::new();
    let engine = engine([
        sync("guard", |_| Err(hookgate::Failure::new(FailureClass::Exit, "1")))
            .on_failure(hookgate::Posture::Allow),
        script.hook("audit").event(Event::PreToolUse).role(Role::Observe).needs("guard"),
        script
            .hook("later")
            .event(Event::PreToolUse)
            .role(Role::Observe)
            .background(true)
            .needs("guard"),
    ]);
    let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert!(script.calls().is_empty());
    let failed = report.votes.iter().filter(|vote| vote.failure == Some(FailureClass::Skipped));
    let failed: Vec<_> = failed.map(|vote| (vote.hook.as_str(), vote.outcome)).collect();
    assert_eq!(failed, [("audit", VoteOutcome::Failed), ("later", VoteOutcome::Failed)]);
    let told = |id: &str| {
        report.messages.iter().any(|text| text.contains(&format!("`{id}` failed (skipped)")))
    };
    assert!(told("audit") && told("later"), "{:?}", report.messages);
}

#[tokio::test]
async fn what_is_gathered_is_in_the_order_of_the_hooks_whichever_was_faster() {
    let gather = |id: &'static str, times: usize| {
        Hook::async_fn(id, move |_| {
            Box::pin(async move {
                for _ in 0..times {
                    tokio::task::yield_now().await;
                }
                Ok(Verdict::none().contribute(ContextPiece::new(id, "text")))
            })
        })
        .event(Event::PromptContext)
    };
    let mut first = None;
    for times in [[9, 1, 5, 0], [0, 5, 1, 9], [3, 3, 3, 3]] {
        let [a, b, c, d] = times;
        let hooks =
            [gather("a", a), gather("b", b).after("a"), gather("c", c), gather("d", d).needs("c")];
        let gate = engine(hooks).dispatch(PromptContext(planning()), &context()).await;
        let gathered = gate.decision().unwrap().contributions.clone();
        assert_eq!(gathered.len(), 4);
        assert_eq!(*first.get_or_insert_with(|| gathered.clone()), gathered);
    }
}

#[test]
fn needs_that_cannot_be_met_make_no_table_and_call_nothing() {
    let calls = Arc::new(AtomicUsize::new(0));
    let hook = |id: &str, event| {
        let calls = Arc::clone(&calls);
        let counted = move |_: hookgate::Invocation<'_>| {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(Verdict::none())
        };
        Hook::sync(id, counted).event(event)
    };
    let policy = |id: &str| hook(id, Event::TurnPolicy);
    let compile = |id: &str| hook(id, Event::PromptCompile);
    let cycle = |ids: &[&str]| BuildProblem::Cycle(ids.iter().map(|&id| id.to_owned()).collect());

    let found = problems([policy("a").needs("b")]);
    let [(id, "needs", BuildProblem::MissingDependency { id: missing, .. })] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((id.as_str(), missing.as_str()), ("a", "b"));
    let off = BuildProblem::DisabledDependency("b".into());
    let found = problems([compile("a").needs("b"), policy("b").mode(Mode::Off)]);
    assert_eq!(found, [("a".into(), "needs", off)]);
    assert_eq!(problems([policy("a").needs("a")]), [("a".into(), "needs", cycle(&["a", "a"]))]);
    let found = problems([policy("a").needs("b"), policy("b").needs("a")]);
    assert_eq!(found, [("a".into(), "needs", cycle(&["a", "b", "a"]))]);
    // No single event shows this circle.
    let found = problems([
        hook("a", Event::PreToolUse).needs("b"),
        hook("b", Event::PostToolUse).needs("c"),
        hook("c", Event::Stop).needs("a"),
    ]);
    assert_eq!(found, [("a".into(), "needs", cycle(&["a", "b", "c", "a"]))]);
    let later = BuildProblem::LaterDependency("b".into());
    let found = problems([policy("a").needs("b"), compile("b")]);
    assert_eq!(found, [("a".into(), "needs", later)]);
    let background = BuildProblem::AfterBackground("b".into());
    for event in [Event::PreToolUse, Event::Stop] {
        let b = hook("b", Event::PreToolUse).role(Role::Observe).background(true);
        let a = hook("a", event).role(Role::Observe).needs("b");
        assert_eq!(problems([a, b]), [("a".into(), "needs", background.clone())], "{event:?}");
    }
    let observer = BuildProblem::AfterObserver("b".into());
    let b = hook("b", Event::PreToolUse).role(Role::Observe);
    let found = problems([hook("a", Event::PreToolUse).needs("b"), b]);
    assert_eq!(found, [("a".into(), "needs", observer)]);

    // The controls: what can be met.
    assert_eq!(problems([policy("a"), compile("b").needs("a")]), []);
    assert_eq!(
        problems([hook("a", Event::PreToolUse).needs("b"), hook("b", Event::PostToolUse)]),
        []
    );
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_need_that_comes_with_an_edit_is_met_by_a_hook_that_was_there_before() {
    let script = Script::new();
    let engine = engine([script.hook("plan").event(Event::TurnPolicy)]);
    let context = StepContext::new("s").turn(1);
    engine
        .edit(|table| {
            table.insert(script.hook("sections").event(Event::PromptCompile).needs("plan"));
        })
        .unwrap();
    drop(engine.dispatch(TurnPolicy(planning()), &context).await);
    let (_, report) = engine.dispatch_reported(PromptCompile(planning()), &context).await;
    assert_eq!(report.votes[0].failure, None);
    // A hook in the place of another one keeps what depends on it.
    engine
        .edit(|table| {
            table.replace(script.hook("plan").event(Event::TurnPolicy).tag("new"));
        })
        .unwrap();
    let context = context.turn(2);
    drop(engine.dispatch(TurnPolicy(planning()), &context).await);
    let (_, report) = engine.dispatch_reported(PromptCompile(planning()), &context).await;
    assert_eq!(report.votes[0].failure, None);
}
