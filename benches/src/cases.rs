//! What is measured.
//!
//! A case is a loop. A dispatch consumes its step, so building one is a part of the loop, and each
//! case names a baseline to subtract. For a dispatch that is the same loop with [`Noop`], which is
//! the loop without hooks (`machine_code` compares the two); for that one, a loop that builds,
//! looks at and drops the steps.
//!
//! The steps are tool calls, of 168 bytes. Where a case ends in `_small` they are turn boundaries,
//! of 48 bytes: the difference is what it costs to move the step into the future and out again.

mod effects;
mod engines;

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::contract::payload::{ToolCall, TurnBoundary};
use hookgate::{Gate, HookEngine, HookStep, Noop, StepContext, ToolUse};
use serde_json::Value;

use crate::error::MeasureError;
pub(crate) use engines::no_match;

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
    case("sync_10", "noop", 10_000, || dispatched(engines::silent(10), call)),
    case("patch_1", "noop", 10_000, || dispatched(engines::patching(), call)),
    case("async_1", "noop", 10_000, in_runtime),
    case("noop_200B", "empty", 10_000, || dispatched(Noop, large(200))),
    case("noop_4KB", "empty", 5_000, || dispatched(Noop, large(4 << 10))),
    case("noop_256KB", "empty", 200, || dispatched(Noop, large(256 << 10))),
    case("envelope_200B", "noop_200B", 10_000, || dispatched(engines::reading(10), large(200))),
    case("envelope_4KB_1", "noop_4KB", 5_000, || dispatched(engines::reading(1), large(4 << 10))),
    case("envelope_4KB", "noop_4KB", 5_000, || dispatched(engines::reading(10), large(4 << 10))),
    case("envelope_256KB", "noop_256KB", 200, || {
        dispatched(engines::reading(10), large(256 << 10))
    }),
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

/// As [`dispatched`], with a handler that may wait: it is called inside of a runtime only.
fn in_runtime() -> Loop {
    let mut inner = dispatched(engines::waiting(), call);
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
