//! Promise: the eleven dispatch rules hold.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::contribution::PolicySetting;
use hookgate::contract::payload::{PermissionRequest, PostToolUse, Stop, UserPromptSubmit};
use hookgate::contract::{BuiltHandler, Cancel};
use hookgate::decision::VoteOutcome;
use hookgate::matcher::{MatchSpec, Test};
use hookgate::{
    Engine, Event, FailureClass, Gate, HandlerTable, Hook, HookEngine, Mode, Outcome, Posture,
    Role, Verdict,
};
use serde_json::json;
use support::{Log, bash, call, command, context, engine, sync, waiting};

fn rewrite(id: &str, from: &'static str, to: &'static str) -> Hook {
    sync(id, move |invocation| {
        let seen = command(invocation);
        if !seen.contains(from) {
            return Ok(Verdict::none());
        }
        Ok(Verdict::none().patch("tool_input", json!({ "command": seen.replace(from, to) })))
    })
    .role(Role::Rewrite)
}

fn watch(id: &'static str, log: &Log) -> Hook {
    let log = log.clone();
    sync(id, move |invocation| {
        log.push(format!("{id} {}", command(invocation)));
        Ok(Verdict::none())
    })
}

fn containing(text: &str) -> MatchSpec {
    MatchSpec::new().input("/command", Test::regex(text))
}

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

fn slow(id: &'static str, wait: u64, log: &Log, verdict: Verdict) -> Hook {
    let log = log.clone();
    waiting(id, move |_| {
        let (log, verdict) = (log.clone(), verdict.clone());
        Box::pin(async move {
            log.push(format!("{id} begins"));
            tokio::time::sleep(Duration::from_millis(wait)).await;
            log.push(format!("{id} ends"));
            Ok(verdict)
        })
    })
}

#[tokio::test(start_paused = true)]
async fn rule_3_adjacent_guards_are_asked_together_and_count_in_order() {
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
async fn rule_3_a_rewriter_or_a_dependency_separates_groups() {
    let log = Log::default();
    let engine = engine([
        slow("a", 10, &log, Verdict::none()),
        slow("b", 10, &log, Verdict::none()).after("a"),
    ]);
    let _ = engine.dispatch(bash("x"), &context()).await;
    assert_eq!(log.take(), ["a begins", "a ends", "b begins", "b ends"]);
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
async fn rule_4_a_guard_that_matches_only_after_a_rewrite_is_asked() {
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
async fn rule_4_a_patch_that_changes_nothing_is_no_rewrite() {
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

#[tokio::test]
async fn rule_6_observers_see_the_step_with_the_decision() {
    let log = Log::default();
    let observer = |id: &'static str| {
        let log = log.clone();
        sync(id, move |invocation| {
            log.push(format!("{id} {}", invocation.json()?["decision"]));
            Ok(Verdict::none())
        })
        .role(Role::Observe)
    };
    let engine = engine([
        observer("first").priority(1),
        rewrite("r", "one", "two"),
        sync("denies", |_| Ok(Verdict::deny("no"))),
        watch("never", &log),
        observer("last"),
    ]);
    assert!(matches!(engine.dispatch(bash("one"), &context()).await, Gate::Denied(_)));
    let decision = r#"{"by":["denies"],"outcome":"deny","patched":["tool_input"],"reason":"no"}"#;
    assert_eq!(log.take(), [format!("first {decision}"), format!("last {decision}")]);
}

#[tokio::test]
async fn rule_7_background_observers_never_delay_and_drops_are_counted() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let log = Log::default();
    let hook = {
        let (gate, log) = (gate.clone(), log.clone());
        waiting("slow", move |invocation| {
            let (gate, log) = (gate.clone(), log.clone());
            let seen = command(invocation);
            Box::pin(async move {
                gate.acquire().await.unwrap().forget();
                log.push(seen);
                Ok(Verdict::none())
            })
        })
    };
    let mut limits = hookgate::table::Limits::default();
    limits.background_queue = 2;
    limits.concurrency = 1;
    let hook = hook.role(Role::Observe).background(true).timeout(Duration::from_secs(60));
    let engine = Engine::new(HandlerTable::builder().limits(limits).insert(hook).build().unwrap());
    let mut messages = 0;
    for i in 0..20 {
        let (gate, report) = engine.dispatch_reported(bash(&i.to_string()), &context()).await;
        assert!(gate.cleared().is_some());
        messages += report.messages.len();
    }
    let counts = engine.background();
    assert!(counts.dropped >= 15, "{counts:?}");
    assert_eq!(messages, 2, "the first drop and the tenth are reported, not every one");
    // A drain that is too short says what is left; a longer one ends when all is done.
    assert!(engine.drain(Duration::from_millis(20)).await.pending > 0);
    gate.add_permits(100);
    let counts = engine.drain(Duration::from_secs(10)).await;
    assert_eq!((counts.pending, counts.finished + counts.dropped), (0, 20));
    assert_eq!(log.take()[0], "0");
}

#[tokio::test]
async fn rule_7_a_background_rewrite_is_published_and_never_applied() {
    let hook = Hook::new(
        "bg",
        "test",
        BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
            Ok(Verdict::none().patch("tool_response", "shorter"))
        }),
    )
    .event(Event::PostToolUse)
    .background(true);
    let engine = engine([hook]);
    let mut events = engine.subscribe();
    let line = br#"{"hook_event_name":"post_tool_use","session_id":"s","tool_name":"Bash","tool_input":{},"tool_response":"long"}"#;
    let mut incoming = hookgate::envelope::Incoming::parse(line).unwrap();
    let first = engine.evaluate(&mut incoming).await;
    assert!(first.patched.is_empty() && first.published.is_empty());
    assert_eq!(engine.drain(Duration::from_secs(5)).await.pending, 0);
    let second = engine.evaluate(&mut incoming).await;
    assert_eq!(incoming.into_payload::<PostToolUse>().unwrap().tool_response, "long");
    let [patch] = second.published.as_slice() else { panic!("{second:?}") };
    assert_eq!((patch.hook.as_str(), patch.revision), ("bg", 1));
    assert_eq!(patch.patch["tool_response"], "shorter");
    let published = std::iter::from_fn(|| events.try_next()).any(|event| {
        matches!(
            event.unwrap().what,
            hookgate::events::HookEventKind::PatchPublished { revision: 1, .. }
        )
    });
    assert!(published);
}

#[tokio::test]
async fn rule_8_warn_and_shadow_never_decide_patch_or_add() {
    for mode in [Mode::Warn, Mode::Shadow] {
        let engine = engine([
            sync("denies", |_| Ok(Verdict::deny("no").context("c"))).mode(mode),
            rewrite("rewrites", "a", "b").mode(mode),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("a"), &context()).await;
        assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "a");
        assert!(report.context.is_empty());
        let would: Vec<_> = report.votes.iter().map(|vote| vote.outcome).collect();
        assert_eq!(would, [VoteOutcome::Would, VoteOutcome::Would], "{mode:?}");
        assert_eq!(report.messages.is_empty(), mode == Mode::Shadow, "only warn tells the user");
    }
    let engine = engine([sync("off", |_| Ok(Verdict::deny("no"))).mode(Mode::Off)]);
    assert!(!engine.armed(Event::PreToolUse));
}

#[tokio::test(start_paused = true)]
async fn rule_9_deadlines_of_hook_and_dispatch() {
    let log = Log::default();
    let never = |id| slow(id, 1_000_000, &log, Verdict::none());
    let one = engine([never("a").timeout(Duration::from_millis(50))]);
    let (gate, report) = one.dispatch_reported(bash("x"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].detail.as_deref(), Some("no answer within 50ms"));
    assert_eq!(report.reason_code, Some(hookgate::contract::ReasonCode::Timeout));
    let mut limits = hookgate::table::Limits::default();
    limits.dispatch_deadline = Duration::from_secs(3);
    let table = HandlerTable::builder()
        .limits(limits)
        .insert(never("a").timeout(Duration::from_secs(2)).on_failure(Posture::Allow))
        .insert(never("b").after("a").timeout(Duration::from_secs(2)).on_failure(Posture::Allow))
        .insert(never("c").after("b").on_failure(Posture::Allow))
        .build()
        .unwrap();
    let started = tokio::time::Instant::now();
    let (gate, report) = Engine::new(table).dispatch_reported(bash("x"), &context()).await;
    assert!(started.elapsed() < Duration::from_millis(3100), "{:?}", started.elapsed());
    let failures: Vec<_> = report.votes.iter().map(|vote| vote.failure).collect();
    assert_eq!(failures, [Some(FailureClass::Timeout); 3]);
    assert_eq!(
        gate.cleared().unwrap().decision().unwrap().messages.len(),
        3,
        "all three are reported"
    );
}

struct Flag(tokio::sync::watch::Receiver<bool>);

impl Cancel for Flag {
    fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    fn cancelled<'a>(&'a self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let mut flag = self.0.clone();
        Box::pin(async move {
            let _ = flag.wait_for(|cancelled| *cancelled).await;
        })
    }
}

#[tokio::test]
async fn rule_9_a_cancelled_dispatch_stops_and_fails_closed() {
    struct Running(Arc<AtomicUsize>);
    impl Drop for Running {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let running = Arc::new(AtomicUsize::new(0));
    let hook = {
        let running = running.clone();
        waiting("h", move |_| {
            running.fetch_add(1, Ordering::SeqCst);
            let guard = Running(running.clone());
            Box::pin(async move {
                let _guard = guard;
                std::future::pending().await
            })
        })
    };
    let engine = engine([hook.timeout(Duration::from_secs(60))]);
    let (cancel, flag) = tokio::sync::watch::channel(false);
    let flag = Flag(flag);
    let context = context().cancel(&flag);
    let dispatch = engine.dispatch_reported(bash("x"), &context);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.send(true).unwrap();
    };
    let ((gate, report), ()) = tokio::join!(dispatch, stop);
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].failure, Some(FailureClass::Cancelled));
    assert_eq!(running.load(Ordering::SeqCst), 0, "nothing is left running");
}

#[tokio::test]
async fn rule_10_a_panic_is_the_failure_of_its_handler() {
    let before: Hook = waiting("before", |_| panic!("before there is a future"));
    let inside = waiting("inside", |_| Box::pin(async { panic!("in the future") }));
    let sync_one = sync("sync", |_| panic!("at once"));
    for (hook, text) in [(before, "before there"), (inside, "in the future"), (sync_one, "at once")]
    {
        let engine = engine([
            hook.on_failure(Posture::Allow),
            sync("later", |_| Ok(Verdict::deny("still asked"))),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
        assert!(matches!(gate, Gate::Denied(_)));
        assert_eq!(report.by, ["later"]);
        assert_eq!(report.votes[0].failure, Some(FailureClass::Panic));
        assert!(report.votes[0].detail.as_ref().unwrap().contains(text));
    }
}

#[tokio::test]
async fn rule_11_ids_and_votes_are_made_only_for_a_report() {
    let log = Log::default();
    let engine = engine([{
        let log = log.clone();
        sync("h", move |invocation| {
            log.push(invocation.envelope.step_id());
            Ok(Verdict::none())
        })
    }]);
    let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert_eq!(log.take(), [report.step_id.unwrap()]);
    assert_eq!(report.votes.len(), 1);
    assert!(report.votes[0].duration_us.is_some());
}

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
    assert_eq!(cleared.contributions(), [policy().into()]);
    let gate = engine.dispatch(UserPromptSubmit::new("hi"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "an illegal contribution fails closed");
}

#[tokio::test]
async fn the_stream_tells_what_hooks_do() {
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
