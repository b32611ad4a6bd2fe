//! Promise: work that grows with the step ends when its time is over, and costs nothing where the
//! step is small.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use hookgate::contract::{BuiltHandler, Invocation, SyncHandler};
use hookgate::matcher::{MatchSpec, Test};
use hookgate::table::Limits;
use hookgate::{
    Engine, Event, FailureClass, Gate, HandlerTable, Hook, HookEngine, Posture, Role, Verdict,
};
use serde_json::json;

use crate::support::{bash, command, context, engine, sync, waiting};

const LARGE: usize = 200 << 10;

fn large() -> String {
    "x".repeat(LARGE)
}

fn heavy(id: &str, handler: impl SyncHandler + 'static) -> Hook {
    Hook::new(id, "test", BuiltHandler::from_sync(handler).heavy()).event(Event::PreToolUse)
}

fn matching(regex: &str) -> MatchSpec {
    MatchSpec::new().input("/command", Test::regex(regex))
}

/// Keeps a thread busy for long.
fn endless(_: Invocation<'_>) -> hookgate::contract::Reply {
    std::thread::sleep(Duration::from_secs(3));
    Ok(Verdict::none())
}

#[tokio::test]
async fn a_handler_that_takes_too_long_for_a_large_step_is_not_waited_for() {
    let ticks = Arc::new(AtomicU64::new(0));
    let ticking = tokio::spawn({
        let ticks = ticks.clone();
        async move {
            loop {
                tokio::time::sleep(Duration::from_millis(5)).await;
                ticks.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let engine = engine([heavy("slow", endless).timeout(Duration::from_millis(200))]);
    let started = Instant::now();
    let (gate, report) = engine.dispatch_reported(bash(&large()), &context()).await;
    assert!(started.elapsed() < Duration::from_millis(2_500), "{:?}", started.elapsed());
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].failure, Some(FailureClass::Timeout), "{report:?}");
    assert!(ticks.load(Ordering::SeqCst) > 2, "the thread of the runtime was free meanwhile");
    ticking.abort();
    assert_eq!(engine.left_behind(), 1);
    // It counts as long as it has the thread.
    let ended = async {
        while engine.left_behind() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.unwrap();

    // The deadline of the whole dispatch ends it as well, and observers too.
    let mut limits = Limits::default();
    limits.dispatch_deadline = Duration::from_millis(200);
    let observer = heavy("observer", endless).role(Role::Observe).timeout(Duration::from_secs(60));
    let mut builder = HandlerTable::builder();
    builder.limits(limits).insert(observer);
    let engine = Engine::new(builder.build().unwrap());
    let started = Instant::now();
    let (gate, report) = engine.dispatch_reported(bash(&large()), &context()).await;
    assert!(started.elapsed() < Duration::from_millis(2_500), "{:?}", started.elapsed());
    assert!(gate.cleared().is_some());
    assert_eq!(report.messages, ["the observer `observer` failed (timeout)"]);
}

#[tokio::test]
async fn each_hook_is_invoked_once_and_only_large_steps_leave_the_thread() {
    let calls = Arc::new(Mutex::new(Vec::<(String, ThreadId)>::new()));
    let note = |calls: &Arc<Mutex<Vec<(String, ThreadId)>>>| {
        let calls = calls.clone();
        move |invocation: Invocation<'_>| {
            calls.lock().unwrap().push((invocation.hook.to_owned(), std::thread::current().id()));
            Ok(Verdict::none())
        }
    };
    let engine = engine([
        sync("first", note(&calls)),
        heavy("second", note(&calls)),
        sync("third", note(&calls)).matching(matching("^x")),
        sync("no-match", note(&calls)).matching(matching("^y")),
        heavy("observer", note(&calls)).role(Role::Observe),
    ]);
    let here = std::thread::current().id();
    for (command, elsewhere) in
        [("xyz".to_owned(), &[][..]), (large(), &["second", "third", "observer"][..])]
    {
        let gate = engine.dispatch(bash(&command), &context()).await;
        assert!(gate.cleared().is_some());
        let calls = std::mem::take(&mut *calls.lock().unwrap());
        let ids: Vec<_> = calls.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["first", "second", "third", "observer"]);
        for (id, thread) in &calls {
            assert_eq!(*thread != here, elsewhere.contains(&id.as_str()), "{id}");
        }
    }
}

#[tokio::test]
async fn what_a_hook_says_about_a_large_step_counts_as_ever() {
    let says = |verdict: Verdict| move |_: Invocation<'_>| Ok(verdict.clone());
    let rewrites = heavy("rewrites", |invocation: Invocation<'_>| {
        let shorter = command(invocation).replace('x', "yy");
        Ok(Verdict::none().patch("tool_input", json!({ "command": shorter })))
    })
    .role(Role::Rewrite);
    // The rewritten step is evaluated again, also by the hook that matches only now.
    let sees_y = sync("sees-y", says(Verdict::deny("y"))).matching(matching("^yy"));
    let engine = engine([sees_y, rewrites]);
    let (gate, report) = engine.dispatch_reported(bash(&large()), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.by, ["sees-y"]);
    let rounds: Vec<_> = report.votes.iter().map(|vote| (&*vote.hook, vote.round)).collect();
    assert_eq!(rounds, [("rewrites", 1), ("sees-y", 2)]);
    // A panic on the other thread is a failure of the hook.
    let panics = heavy("panics", |_: Invocation<'_>| panic!("boom")).on_failure(Posture::Ask);
    let engine = crate::support::engine([panics]);
    let (gate, report) = engine.dispatch_reported(bash(&large()), &context()).await;
    assert!(matches!(gate, Gate::Asked(_)));
    assert_eq!(report.votes[0].failure, Some(FailureClass::Panic), "{report:?}");
}

#[tokio::test]
async fn rewriters_of_a_large_step_change_it_one_after_the_other() {
    let adds = |id: &'static str| {
        let add = move |call: Invocation<'_>| {
            let command = command(call);
            Ok(if command.contains(id) {
                Verdict::none()
            } else {
                Verdict::none().patch("tool_input", json!({ "command": command + id }))
            })
        };
        heavy(id, add).role(Role::Rewrite)
    };
    let engine = engine([adds("a"), adds("b")]);
    let tool = engine.dispatch(bash(&large()), &context()).await.cleared().unwrap();
    assert_eq!(tool.call().tool_input["command"], large() + "ab");
}

#[tokio::test]
async fn a_step_that_a_patch_makes_large_leaves_the_thread_where_the_dispatch_may_wait() {
    let here = std::thread::current().id();
    for (waits, elsewhere) in [(false, false), (true, true)] {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let note = |id: &'static str| {
            let calls = calls.clone();
            move || calls.lock().unwrap().push((id, std::thread::current().id() != here))
        };
        let (enlarge, read) = (note("enlarges"), note("heavy"));
        let enlarges = sync("enlarges", move |_| {
            enlarge();
            Ok(Verdict::none().patch("tool_input", json!({ "command": large() })))
        });
        let reads = heavy("heavy", move |_: Invocation<'_>| {
            read();
            Ok(Verdict::none())
        });
        let waiting = waits.then(|| waiting("z", |_| Box::pin(async { Ok(Verdict::none()) })));
        let hooks = [enlarges.role(Role::Rewrite), reads].into_iter().chain(waiting);
        assert!(engine(hooks).dispatch(bash("x"), &context()).await.is_cleared());
        assert_eq!(*calls.lock().unwrap(), [("enlarges", false), ("heavy", elsewhere)]);
    }
}

#[tokio::test]
async fn concurrent_guards_leave_it_as_well() {
    let together = Arc::new(tokio::sync::Barrier::new(2));
    let meets = |id: &str| {
        let together = together.clone();
        waiting(id, move |_| {
            let together = together.clone();
            Box::pin(async move {
                together.wait().await;
                Ok(Verdict::none())
            })
        })
    };
    let engine = engine([
        meets("a").matching(matching("^x")),
        waiting("no-match", |_| Box::pin(async { Ok(Verdict::deny("never")) }))
            .matching(matching("^y")),
        meets("b").matching(matching("x$")),
        heavy("c", |_: Invocation<'_>| Ok(Verdict::ask("large"))),
    ]);
    let (gate, report) = engine.dispatch_reported(bash(&large()), &context()).await;
    assert!(matches!(gate, Gate::Asked(_)), "{report:?}");
    let votes: Vec<_> = report.votes.iter().map(|vote| vote.hook.as_str()).collect();
    assert_eq!(votes, ["a", "b", "c"]);
}

/// A thousand conditions on a field of a megabyte.
#[tokio::test]
async fn many_conditions_on_a_large_field_end_with_the_dispatch() {
    let mut limits = Limits::default();
    limits.dispatch_deadline = Duration::from_millis(20);
    let mut builder = HandlerTable::builder();
    builder.limits(limits);
    for i in 0..1_000 {
        let hook = sync(&format!("h{i}"), |_| Ok(Verdict::deny("matched")));
        builder.insert(
            hook.matching(matching(&format!("(?i)[a-z]+{i}[0-9]{{3}}\\s+end")))
                .on_failure(Posture::Allow),
        );
    }
    let engine = Engine::new(builder.build().unwrap());
    let started = Instant::now();
    let command = "abc ".repeat(256 << 10);
    let (gate, report) = engine.dispatch_reported(bash(&command), &context()).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(gate.cleared().is_some(), "the posture is allow");
    let failed = report.votes.iter().filter(|vote| vote.failure == Some(FailureClass::Timeout));
    assert!(failed.count() > 0, "the machine is too fast for this test");
}

#[test]
fn without_a_runtime_all_is_done_on_the_calling_thread() {
    let calls = Arc::new(AtomicUsize::new(0));
    let engine = engine([heavy("h", {
        let calls = calls.clone();
        move |_: Invocation<'_>| {
            calls.fetch_add(1, Ordering::SeqCst);
            Ok(Verdict::deny("no"))
        }
    })]);
    let context = context();
    let mut dispatch = std::pin::pin!(engine.dispatch(bash(&large()), &context));
    let polled = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Gate::Denied(_))));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

/// The builtin whose work grows with what it reads declares it.
#[cfg(feature = "builtin")]
#[tokio::test]
async fn secrets_in_a_large_result_are_redacted_all_the_same() {
    let registry = crate::support::registry();
    let text = "[[hook]]\nid = 'r'\nevent = 'post_tool_use'\nbuiltin = 'redact_secrets'\n";
    let loaded = hookgate::config::Loader::new(&registry).parse("t", text, "/".as_ref());
    let table = loaded.unwrap_or_else(|errors| panic!("{errors}")).table;
    let engine = Engine::new(table);
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let text = format!("{} {secret}", "word ".repeat(LARGE / 5));
    let result = hookgate::contract::payload::PostToolUse::new(crate::support::call("x"), text);
    let mut value = serde_json::to_value(&result).unwrap();
    value["hook_event_name"] = "post_tool_use".into();
    let line = value.to_string();
    let mut incoming = hookgate::envelope::Incoming::parse(line.as_bytes()).unwrap();
    let report = engine.evaluate(&mut incoming).await;
    assert_eq!(report.patched, ["tool_response"], "{:?}", report.votes);
    assert!(!report.final_fields["tool_response"].as_str().unwrap().contains(secret));
}

#[tokio::test]
async fn a_copy_of_a_step_says_as_the_step_does_whether_it_is_the_final_round() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let looks = |id: &'static str| {
        let seen = Arc::clone(&seen);
        heavy(id, move |call: Invocation<'_>| {
            seen.lock().unwrap().push((id, call.envelope.is_rejudge()));
            Ok(Verdict::none())
        })
    };
    let changes = sync("changes", |_| {
        let other = format!("y{}", large());
        Ok(Verdict::none().patch("tool_input", json!({ "command": other })))
    });
    let hooks = [looks("before"), changes.role(Role::Rewrite), looks("behind"), looks("last")];
    assert!(engine(hooks).dispatch(bash(&large()), &context()).await.is_cleared());
    let mut seen = seen.lock().unwrap().clone();
    // Neighbours are called at the same time.
    seen.sort_unstable();
    assert_eq!(seen, [("before", false), ("before", true), ("behind", false), ("last", false)]);
}
