//! What is measured.
//!
//! A case is a loop. A dispatch consumes its step, so building one is a part of the loop, and each
//! case names a baseline to subtract. For a dispatch that is the same loop with [`Noop`], which is
//! the loop without hooks (`machine_code` compares the two); for that one, a loop that builds,
//! looks at and drops the steps.
//!
//! The steps are tool calls, of 128 bytes. Where a case ends in `_small` they are turn boundaries,
//! of 48 bytes: the difference is what it costs to move the step into the future and out again.

mod builds;
mod effects;
mod engines;
mod journal;
mod turns;
mod waits;

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::contract::payload::{ToolCall, TurnBoundary};
use hookgate::{Engine, Gate, HookEngine, HookStep, Noop, StepContext, ToolUse};
use hookgate_store::EnvelopeMode;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::MeasureError;
use builds::Pattern;
pub(crate) use engines::{no_match, silent};

const _: () = assert!(size_of::<ToolUse>() <= 128, "what is said above of the steps is not so");

/// The tool of all steps; no hook that must not match names it.
const TOOL: &str = "read_file";

/// One thing that is measured.
pub(crate) struct Case {
    /// The name on the command line and in the limits.
    pub(crate) name: &'static str,
    /// The case whose cost is subtracted.
    pub(crate) baseline: &'static str,
    /// How many more rounds the second run makes than the first.
    pub(crate) rounds: u64,
    /// Sets the case up and gives the loop.
    pub(crate) load: fn() -> Loop,
}

/// Runs a case a number of times.
pub(crate) type Loop = Box<dyn FnMut(u64)>;

/// The cases; a baseline is one too, and its own baseline is the empty loop.
pub(crate) const CASES: &[Case] = &[
    case("empty", "empty", 10_000, empty),
    case("build_small", "empty", 10_000, || build(boundary)),
    case("noop_small", "build_small", 10_000, || dispatched(Noop, boundary)),
    case("unarmed_pass_small", "build_small", 10_000, || passed(boundary)),
    case("unarmed_dispatch_small", "noop_small", 10_000, || {
        dispatched(engines::unarmed(), boundary)
    }),
    case("build", "empty", 10_000, || build(call)),
    case("noop", "build", 10_000, || dispatched(Noop, call)),
    case("unarmed_pass", "build", 10_000, || passed(call)),
    case("unarmed_dispatch", "noop", 10_000, || dispatched(engines::unarmed(), call)),
    case("no_match_1", "noop", 10_000, || dispatched(no_match(1), call)),
    case("no_match_100", "noop", 10_000, || dispatched(no_match(100), call)),
    case("no_match_10000", "noop", 10_000, || dispatched(no_match(10_000), call)),
    case("sync_1", "noop", 10_000, || dispatched(engines::silent(1), call)),
    case("scope_no_match", "no_match_1", 10_000, || dispatched(engines::scope(no_match(1)), call)),
    case("scope_sync", "sync_1", 10_000, || dispatched(engines::scope(engines::silent(1)), call)),
    case("sync_10", "noop", 10_000, || dispatched(engines::silent(10), call)),
    case("patch_1", "noop", 10_000, || dispatched(engines::patching(), call)),
    case("deny_1", "noop", 10_000, || denied(engines::denying(), call)),
    case("allow_1", "noop", 10_000, || dispatched(engines::allowing(), call)),
    case("noop_64B_object", "empty", 10_000, || dispatched(Noop, object(64))),
    case("rewrite_1", "noop_64B_object", 10_000, || dispatched(engines::rewriting(1), object(64))),
    case("rewrite_10", "noop_64B_object", 5_000, || dispatched(engines::rewriting(10), object(64))),
    case("value_64B_1", "noop_64B_object", 10_000, || dispatched(engines::parsing(), object(64))),
    case("noop_200B_object", "empty", 10_000, || dispatched(Noop, object(200))),
    case("value_200B_1", "noop_200B_object", 5_000, || dispatched(engines::parsing(), object(200))),
    case("json_64B_1", "noop_64B_object", 10_000, || dispatched(engines::reading(1), object(64))),
    case("async_1", "noop", 10_000, || in_runtime(1)),
    case("async_10", "noop", 2_000, || in_runtime(10)),
    case("pending_1", "noop", 10_000, || waits::once(1)),
    case("pending_10", "noop", 2_000, || waits::once(10)),
    case("noop_20B", "empty", 10_000, || dispatched(Noop, large(20))),
    case("noop_200B", "empty", 10_000, || dispatched(Noop, large(200))),
    case("noop_4KB", "empty", 5_000, || dispatched(Noop, large(4 << 10))),
    case("noop_256KB", "empty", 200, || dispatched(Noop, large(256 << 10))),
    case("envelope_20B_1", "noop_20B", 10_000, || dispatched(engines::reading(1), large(20))),
    case("envelope_200B_1", "noop_200B", 10_000, || dispatched(engines::reading(1), large(200))),
    case("serde_200B", "noop_200B", 10_000, || serialised(200)),
    case("envelope_200B", "noop_200B", 10_000, || dispatched(engines::reading(10), large(200))),
    case("envelope_4KB_1", "noop_4KB", 5_000, || dispatched(engines::reading(1), large(4 << 10))),
    case("envelope_4KB", "noop_4KB", 5_000, || dispatched(engines::reading(10), large(4 << 10))),
    case("envelope_256KB", "noop_256KB", 200, || {
        dispatched(engines::reading(10), large(256 << 10))
    }),
    case("engine_empty", "empty", 1_000, builds::empty_engine),
    case("build_10", "empty", 500, || builds::swapped(10, Pattern::Exact)),
    case("build_1000", "empty", 10, || builds::swapped(1_000, Pattern::Exact)),
    case("build_10000", "empty", 2, || builds::swapped(10_000, Pattern::Exact)),
    case("build_globs_10", "empty", 200, || builds::swapped(10, Pattern::Glob)),
    case("build_globs_1000", "empty", 4, || builds::swapped(1_000, Pattern::Glob)),
    case("replace_1000", "empty", 50, || builds::replaced(1_000, Pattern::Exact)),
    case("replace_globs_1000", "empty", 20, || builds::replaced(1_000, Pattern::Glob)),
    case("add_remove_1000", "empty", 20, || builds::added_and_removed(1_000)),
    case("recorded_1", "noop_200B_object", 5_000, || journal::handed_over(object(200))),
    case("journal_full_1", "noop_200B_object", 5_000, || {
        journal::written(EnvelopeMode::Full, object(200))
    }),
    case("journal_redacted_1", "noop_200B_object", 5_000, || {
        journal::written(EnvelopeMode::Redacted, object(200))
    }),
    case("build_turn", "empty", 2_000, turns::built),
    case("turn_unarmed", "build_turn", 2_000, turns::unarmed),
    case("effects_typical", "empty", 2_000, effects::typical),
];

const fn case(name: &'static str, baseline: &'static str, rounds: u64, load: fn() -> Loop) -> Case {
    Case { name, baseline, rounds, load }
}

/// Returns the case of a name.
pub(crate) fn find(name: &str) -> Result<&'static Case, MeasureError> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| MeasureError::NoCase(name.to_owned()))
}

fn empty() -> Loop {
    Box::new(|times| {
        for round in 0..times {
            black_box(round);
        }
    })
}

/// A step whose input is next to nothing.
pub(crate) fn call() -> ToolUse {
    ToolUse::from(ToolCall::new(TOOL, Value::Null))
}

/// Makes steps whose input is a text of so many bytes.
fn large(bytes: usize) -> impl Fn() -> ToolUse {
    let input = "x".repeat(bytes);
    move || ToolUse::from(ToolCall::new(TOOL, Value::String(input.clone())))
}

/// Makes steps whose input is an object of about so many bytes: a path, and edits where there is room.
fn object(bytes: usize) -> impl Fn() -> ToolUse {
    let edit = json!({"line": 1, "old": "let answer = 41;", "new": "let answer = 42;"});
    let edits = bytes.saturating_sub(32) / edit.to_string().len();
    let input = match edits {
        0 => json!({"path": "/repo/src/lib.rs", "note": "x".repeat(bytes.saturating_sub(40))}),
        edits => json!({"path": "/repo/src/lib.rs", "edits": vec![edit; edits]}),
    };
    move || ToolUse::from(ToolCall::new(TOOL, input.clone()))
}

/// The end of an agent's turn.
fn boundary() -> TurnBoundary {
    TurnBoundary::default()
}

fn build<S: HookStep>(step: impl Fn() -> S + 'static) -> Loop {
    Box::new(move |times| {
        for _ in 0..times {
            black_box(&step());
        }
    })
}

fn passed<S: HookStep>(step: impl Fn() -> S + 'static) -> Loop {
    let engine = engines::unarmed();
    Box::new(move |times| {
        for _ in 0..times {
            match engine.pass(step()) {
                Ok(cleared) => {
                    black_box(&cleared);
                }
                Err(step) => refused(step),
            }
        }
    })
}

/// An agent's loop that has each of its steps evaluated.
fn dispatched<E, S>(engine: E, step: impl Fn() -> S + 'static) -> Loop
where
    E: HookEngine + 'static,
    S: HookStep,
{
    Box::new(move |times| now(agent(&engine, &step, times)))
}

/// As [`dispatched`], with steps that must all be denied.
fn denied<S: HookStep>(engine: Engine, step: impl Fn() -> S + 'static) -> Loop {
    Box::new(move |times| {
        let context = StepContext::new("session-1").turn(3);
        for _ in 0..times {
            match now(engine.dispatch(step(), &context)) {
                Gate::Denied(denied) => {
                    black_box(&denied);
                }
                gate => refused(gate),
            }
        }
    })
}

/// What the JSON of a step costs without an engine: serde_json alone writes one that is as large as the envelope.
fn serialised(bytes: usize) -> Loop {
    let step = large(bytes);
    Box::new(move |times| {
        for _ in 0..times {
            let step = step();
            let out = serde_json::to_vec(&written(step.payload()));
            black_box(&out.map_or(0, |out| out.len()));
        }
    })
}

fn written(call: &ToolCall) -> Written<'_> {
    let step_id = "01893c0a-7c3e-7000-8000-000000000000";
    let (hook_event_name, session_id) = ("pre_tool_use", "session-1");
    Written { protocol: 1, hook_event_name, step_id, session_id, turn: 3, generation: 1, call }
}

/// A step with the fields of its header, as a program without an engine would write it.
#[derive(Serialize)]
struct Written<'a> {
    protocol: u32,
    hook_event_name: &'a str,
    step_id: &'a str,
    session_id: &'a str,
    turn: u64,
    generation: u64,
    call: &'a ToolCall,
}

/// As [`dispatched`], with handlers that may wait: they are called inside of a runtime only.
fn in_runtime(hooks: usize) -> Loop {
    let mut inner = dispatched(engines::waiting(hooks), call);
    Box::new(move |times| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime for a case: {error}"));
        let _entered = runtime.enter();
        inner(times);
    })
}

/// Has steps evaluated; all of them must be cleared.
pub(crate) async fn agent<E: HookEngine, S: HookStep>(
    engine: &E,
    step: &impl Fn() -> S,
    times: u64,
) {
    let context = StepContext::new("session-1").turn(3);
    for _ in 0..times {
        match engine.dispatch(step(), &context).await {
            Gate::Cleared(cleared) => {
                black_box(&cleared);
            }
            gate => refused(gate),
        }
    }
}

#[cold]
fn refused<T>(_: T) {
    panic!("a step of the bench was not cleared: the case does not measure what it says");
}

/// Polls a future that is ready at once.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a case waits: it must be ready when it is first polled"),
    }
}
