//! What no hook engine can be cheaper than: the same hooks, called by a loop that knows them.

use std::fmt;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::{Call, Calls};
use crate::hooks::{About, Act, HookSpec, called, path_within};
use crate::system::{Adapted, Adapter, System, Verdict};

/// The floor of the cases in which calls are evaluated.
///
/// Without a hook that runs it is a load and a branch. A hook is called through a pointer. JSON and values are made
/// once, by serde_json, for all hooks together.
#[derive(Debug)]
pub struct Floor;

impl Floor {
    /// Returns the floor as a system.
    #[must_use]
    pub fn system() -> Box<dyn System> {
        Box::new(Adapted(Self))
    }
}

/// A hook that is called through a pointer: whether the call may happen.
type DirectHook = Box<dyn Fn(&mut Call, &mut Made) -> bool + Send + Sync>;

/// The hooks that run, behind a flag.
pub struct Direct {
    armed: AtomicBool,
    hooks: Vec<DirectHook>,
}

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("hooks", &self.hooks.len()).finish_non_exhaustive()
    }
}

/// What was made of a call so far.
#[derive(Default)]
struct Made {
    json: Option<Vec<u8>>,
    value: Option<Value>,
}

impl Adapter for Floor {
    const NAME: &'static str = "floor";
    const VERSION: &'static str = "";
    type Engine = Direct;
    type Step = Call;
    type Outcome = (Call, bool);

    fn engine(hooks: &[HookSpec]) -> Option<Direct> {
        let run: Vec<_> = hooks.iter().filter(|hook| hook.about == About::Every).collect();
        let armed = AtomicBool::new(!run.is_empty());
        Some(Direct { armed, hooks: run.into_iter().map(|hook| direct(hook.act)).collect() })
    }

    #[inline(always)]
    fn step(calls: &Calls) -> Call {
        Call { tool: calls.tool(), arguments: calls.arguments() }
    }

    async fn agent(
        engine: &Direct,
        step: impl Fn() -> Call,
        done: impl Fn((Call, bool)),
        times: u64,
    ) {
        for _ in 0..times {
            let (mut call, mut cleared) = (step(), true);
            if engine.armed.load(Ordering::Relaxed) {
                let mut made = Made::default();
                cleared = engine.hooks.iter().all(|hook| hook(&mut call, &mut made));
            }
            done((call, cleared));
        }
    }

    fn verdict((call, cleared): (Call, bool)) -> Verdict {
        if cleared { Verdict::Rewritten(call.arguments) } else { Verdict::Denied }
    }

    fn swap(_engine: &Direct, _hooks: &[HookSpec]) -> bool {
        false
    }

    fn replace(_engine: &Direct, _hooks: &[HookSpec], _index: usize) -> bool {
        false
    }
}

fn direct(act: Act) -> DirectHook {
    match act {
        Act::Silent | Act::Allow => Box::new(|call, _| {
            called();
            black_box(&*call);
            true
        }),
        // The floor of a future is one that is boxed, polled once and ready.
        Act::Ready | Act::Waits => Box::new(|call, _| {
            let ready: BoxFuture<'_, bool> = Box::pin(async {
                called();
                black_box(&*call);
                true
            });
            black_box(ready).now_or_never().unwrap_or_default()
        }),
        Act::Deny => Box::new(|_, _| {
            called();
            black_box(false)
        }),
        Act::Rewrite => Box::new(|call, _| {
            called();
            call.arguments = json!({ "path": "/tmp/x" });
            true
        }),
        Act::Typed => Box::new(|call, _| {
            called();
            black_box(call.arguments.get("path"));
            true
        }),
        Act::Json => Box::new(|call, made| {
            called();
            let json = made
                .json
                .get_or_insert_with(|| serde_json::to_vec(&written(call)).unwrap_or_default());
            black_box(json.len());
            true
        }),
        Act::Value => Box::new(|call, made| {
            called();
            let value = made.value.get_or_insert_with(|| json!(written(call)));
            black_box(path_within(value, "tool_input"));
            true
        }),
    }
}

/// A call with a header, as a program without an engine would write it.
#[derive(Serialize)]
struct Written<'a> {
    hook_event_name: &'a str,
    session_id: &'a str,
    tool_name: &'a str,
    tool_input: &'a Value,
}

fn written(call: &Call) -> Written<'_> {
    Written {
        hook_event_name: "pre_tool_use",
        session_id: "session-1",
        tool_name: &call.tool,
        tool_input: &call.arguments,
    }
}
