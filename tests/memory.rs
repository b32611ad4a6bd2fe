//! Promise: dispatches leave nothing in memory. A million of them (two hundred thousand where time is short),
//! evaluated by builtins, grow the process by less than a byte each.
#![cfg(feature = "builtin")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use hookgate_test_support as support;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hookgate::approval::Parked;
use hookgate::config::Loader;
use hookgate::{
    Asked, Engine, Event, Gate, HandlerTable, Hook, HookEngine, Scope, StepContext, ToolUse,
    Verdict,
};
use support::{bash, context};
use tokio::runtime::Runtime;

const WARM_UP: u32 = 50_000;

/// One hook of each kind: it denies, has no opinion, counts, patches or adds context.
const HOOKS: &str = r#"
[[hook]]
id = "no-removal"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = 'rm\s+-rf' } }
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "limit"
event = "pre_tool_use"
builtin = { name = "max_iterations", limit = 4000000 }

[[hook]]
id = "redact"
event = "pre_tool_use"
builtin = { name = "redact_secrets", tool_input = true }

[[hook]]
id = "date"
event = "user_prompt_submit"
builtin = "add_date"
"#;

/// The tests measure the process, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

/// What the process holds in memory, in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// By how many bytes a dispatch grows the process.
fn slope(engine: &Engine, dispatches: u32) -> f64 {
    let commands = ["ls -la", "rm -rf /", "echo AKIAIOSFODNN7EXAMPLE"];
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut before = 0;
        for round in 0..WARM_UP + dispatches {
            if round == WARM_UP {
                before = resident();
            }
            let command = commands.get((round % 3) as usize).unwrap();
            drop(engine.dispatch(bash(command), &context()).await);
        }
        (resident() as f64 - before as f64) / f64::from(dispatches)
    })
}

#[test]
fn dispatches_leave_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let registry = support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", HOOKS, Path::new("/"));
    let engine = Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table);
    let slope = slope(&engine, support::cases(200_000, 1_000_000));
    eprintln!("{slope:.3} bytes per dispatch");
    assert!(slope < 1.0, "{slope} bytes per dispatch");
}

/// A session's own engine must be small: the ring of the stream is made for subscribers.
#[test]
fn an_engine_without_subscribers_takes_little_memory() {
    const ENGINES: usize = 2_000;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let each = |make: fn() -> Box<dyn std::any::Any>| {
        let before = resident();
        let all: Vec<_> = (0..ENGINES).map(|_| make()).collect();
        let grown = resident().saturating_sub(before);
        drop(all);
        grown / ENGINES as u64
    };
    let silent = each(|| Box::new(Engine::without_hooks()));
    assert!(silent < 2 << 10, "an engine takes {silent} bytes");
    // The control: the ring is seen.
    let subscribed = each(|| {
        let engine = Engine::without_hooks();
        let events = engine.subscribe();
        Box::new((engine, events))
    });
    assert!(subscribed > 64 << 10, "an engine with a listener takes {subscribed} bytes");
}

/// There are thousands of sessions, each with hooks of its own over the table of one engine.
#[test]
fn a_session_takes_little_memory_and_gives_all_of_it_back() {
    const SESSIONS: usize = 1_000;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let events = [Event::PreToolUse, Event::PostToolUse, Event::UserPromptSubmit, Event::Stop];
    let base = |index: usize| {
        let hook = Hook::sync(format!("base-{index}"), |_| Ok(Verdict::none()));
        hook.event(events[index % events.len()])
    };
    let engine = std::sync::Arc::new(support::engine((0..20).map(base)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let open = || -> Vec<Scope> {
        let mine = || support::sync("mine", |_| Ok(Verdict::deny("no")));
        let scope = |n| engine.scope(format!("session-{n}")).cwd("/srv/ledger").hook(mine()).open();
        (0..SESSIONS).map(|n| scope(n).unwrap()).collect()
    };
    // Others have taken what the allocator had kept.
    let others = open();
    let before = resident();
    let sessions = open();
    let each = resident().saturating_sub(before) / SESSIONS as u64;
    eprintln!("{each} bytes for a session");
    assert!(each < 4 << 10, "a session takes {each} bytes");
    for scope in &sessions {
        let dispatch = runtime.block_on(scope.dispatch(bash("ls"), &scope.context()));
        assert!(!dispatch.is_cleared());
    }
    drop((sessions, others));
    // Thousands of swaps, and sessions that come and go between them, leave nothing.
    let rest = resident();
    for _ in 0..support::cases(20, 300) {
        engine.swap(HandlerTable::clone(&engine.table()));
        for scope in open() {
            drop(runtime.block_on(scope.dispatch(bash("ls"), &scope.context())));
            scope.end();
        }
    }
    let grown = resident().saturating_sub(rest);
    assert!(grown < 2 << 20, "{grown} bytes are left");
}

/// An engine that asks about each step.
fn asking() -> Engine {
    support::engine([support::sync("asks", |_| Ok(Verdict::ask("sure?")))])
}

fn asked(runtime: &Runtime, engine: &Engine, context: &StepContext<'_>) -> Asked<ToolUse> {
    match runtime.block_on(engine.dispatch(bash("make"), context)) {
        Gate::Asked(asked) => asked,
        _ => panic!("nobody asks"),
    }
}

/// Tables come and go, and users approve what they are asked about: thirty thousand tables and a hundred thousand
/// approvals, where there is time for so many.
#[test]
fn swaps_and_approvals_leave_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let engine = std::sync::Arc::new(asking());
    let table = |stamp: u32| {
        let guards = (0..8).map(|n| {
            support::sync(&format!("guard-{n}"), |_| Ok(Verdict::none())).tag(stamp.to_string())
        });
        let mut table = HandlerTable::builder();
        table.extend(guards);
        table.insert(support::sync("asks", |_| Ok(Verdict::ask("sure?"))));
        table.build().unwrap()
    };
    let swap = |swaps: u32| {
        for stamp in 0..swaps {
            engine.swap(table(stamp));
            let scope = engine.scope("s").hook(support::sync("mine", |_| Ok(Verdict::none())));
            let scope = scope.open().unwrap();
            drop(runtime.block_on(scope.dispatch(bash("ls"), &scope.context())));
        }
    };
    let approve = |approvals: u32| {
        for number in 0..approvals {
            let session = format!("session-{number}");
            let context = StepContext::new(&session);
            let asked = asked(&runtime, &engine, &context);
            assert!(runtime.block_on(asked.approve(&*engine, &context)).is_cleared());
        }
    };
    swap(1_000);
    approve(5_000);
    let before = resident();
    let (swaps, approvals) = (support::cases(3_000, 30_000), support::cases(10_000, 100_000));
    swap(swaps);
    approve(approvals);
    let grown = resident().saturating_sub(before);
    eprintln!("{grown} bytes are left of {swaps} swaps and {approvals} approvals");
    assert!(grown < 1 << 20, "{grown} bytes are left");
}

/// A question that was resumed is known for thirty days, so that no copy of it is resumed once more: that is its id, and
/// nothing else of it.
#[test]
fn of_a_question_that_was_resumed_its_id_is_left() {
    const MOST: u64 = 200;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let engine = asking();
    let answer = |questions: u32| {
        for number in 0..questions {
            let session = format!("session-{number}");
            let context = StepContext::new(&session);
            let asked = asked(&runtime, &engine, &context);
            let parked = asked.park(&engine, &context, Duration::from_secs(3_600)).unwrap();
            let kept = serde_json::to_vec(&parked).unwrap();
            let parked = Parked::from_json(&kept).unwrap();
            let asked = engine.resume::<ToolUse>(parked, &context).unwrap();
            assert!(runtime.block_on(asked.approve(&engine, &context)).is_cleared());
        }
    };
    answer(2_000);
    let (before, questions) = (resident(), support::cases(10_000, 100_000));
    answer(questions);
    let each = resident().saturating_sub(before) / u64::from(questions);
    eprintln!("{each} bytes for a question that was resumed");
    assert!(each < MOST, "{each} bytes for each");
}

/// The control: a hook that keeps sixteen bytes of every step is seen.
#[test]
fn a_hook_that_keeps_something_is_seen() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = support::engine([support::sync("leaks", |_| {
        std::hint::black_box(Box::leak(Box::new([1_u64; 2])));
        Ok(Verdict::none())
    })]);
    assert!(slope(&engine, 200_000) > 8.0);
}
