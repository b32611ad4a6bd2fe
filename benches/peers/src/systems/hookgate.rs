//! hookgate.

use std::hint::black_box;

use hookgate::contract::{Invocation, ReplyFuture};
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, Noop, Role, StepContext, ToolUse, Verdict,
};
use serde_json::json;

use crate::call::Calls;
use crate::hooks::{About, Act, HookSpec, Once, called, path_within};
use crate::rounds::{Rounds, block_on};
use crate::system::{self, Adapter};

/// The adapter of hookgate.
#[derive(Debug)]
pub(crate) struct Hookgate;

impl Adapter for Hookgate {
    const NAME: &'static str = "hookgate";
    const VERSION: &'static str = "this commit";
    type Engine = Engine;
    type Step = ToolUse;
    type Outcome = Gate<ToolUse>;

    fn engine(hooks: &[HookSpec]) -> Option<Engine> {
        hooks.iter().all(|spec| event(&spec.about).is_some()).then(|| Engine::new(table(hooks)))
    }

    #[inline(always)]
    fn step(calls: &Calls) -> ToolUse {
        ToolUse::from(hookgate::contract::payload::ToolCall::new(calls.tool(), calls.arguments()))
    }

    async fn agent(
        engine: &Engine,
        step: impl Fn() -> ToolUse,
        done: impl Fn(Gate<ToolUse>),
        times: u64,
    ) {
        let context = StepContext::new("session-1").turn(3);
        for _ in 0..times {
            done(engine.dispatch(step(), &context).await);
        }
    }

    fn verdict(gate: Gate<ToolUse>) -> system::Verdict {
        match gate {
            Gate::Cleared(cleared) if cleared.decision().is_none_or(|by| by.patched.is_empty()) => {
                system::Verdict::Allowed
            }
            Gate::Cleared(cleared) => system::Verdict::Rewritten(cleared.call().tool_input.clone()),
            _ => system::Verdict::Denied,
        }
    }

    fn swap(engine: &Engine, hooks: &[HookSpec]) -> bool {
        engine.swap(table(hooks));
        true
    }

    fn replace(engine: &Engine, hooks: &[HookSpec], index: usize) -> bool {
        let edited = engine.edit(|table| {
            table.replace(hook(&hooks[index]));
        });
        edited.is_ok()
    }

    fn without_hooks(calls: Calls) -> Option<Rounds> {
        Some(Rounds::new(move |times| {
            block_on(async {
                let context = StepContext::new("session-1").turn(3);
                for _ in 0..times {
                    black_box(&Noop.dispatch(Self::step(&calls), &context).await);
                }
            });
        }))
    }
}

fn table(hooks: &[HookSpec]) -> HandlerTable {
    let mut table = HandlerTable::builder();
    for spec in hooks {
        table.insert(hook(spec));
    }
    match table.build() {
        Ok(table) => table,
        Err(errors) => panic!("the hooks of a case do not compile: {errors}"),
    }
}

fn hook(spec: &HookSpec) -> Hook {
    // Nothing is built of hooks at events that there are not.
    let hook = event(&spec.about).into_iter().fold(acting(spec), Hook::event);
    match &spec.about {
        About::Tool(name) | About::Glob(name) => hook.tool(name.as_str()),
        About::Every | About::OtherEvent | About::NumberedEvent(_) => hook,
    }
}

fn event(about: &About) -> Option<Event> {
    match about {
        About::Every | About::Tool(_) | About::Glob(_) => Some(Event::PreToolUse),
        About::OtherEvent => Some(Event::Stop),
        About::NumberedEvent(number) => {
            let mut others = Event::NAMED.into_iter().filter(|event| *event != Event::PreToolUse);
            others.nth(usize::try_from(*number).ok()?)
        }
    }
}

fn acting(spec: &HookSpec) -> Hook {
    let id = spec.id.as_str();
    match spec.act {
        Act::Silent => Hook::sync(id, |call| {
            called();
            black_box(call.hook);
            Ok(Verdict::none())
        }),
        Act::Ready => Hook::async_fn(id, ready),
        Act::Waits => Hook::async_fn(id, waits),
        Act::Deny => Hook::sync(id, |_| {
            called();
            Ok(Verdict::deny("no"))
        }),
        Act::Allow => Hook::sync(id, |_| {
            called();
            Ok(Verdict::allow())
        })
        .may_allow(true),
        Act::Rewrite => Hook::sync(id, |_| {
            called();
            Ok(Verdict::none().patch("tool_input", json!({ "path": "/tmp/x" })))
        })
        .role(Role::Rewrite),
        Act::Typed => Hook::sync(id, |call| {
            called();
            black_box(call.tool().and_then(|tool| tool.tool_input.get("path")));
            Ok(Verdict::none())
        }),
        Act::Json => Hook::sync(id, |call| {
            called();
            black_box(call.envelope.bytes()?.len());
            Ok(Verdict::none())
        }),
        Act::Value => Hook::sync(id, |call| {
            called();
            black_box(path_within(call.json()?, "tool_input"));
            Ok(Verdict::none())
        }),
    }
}

fn ready(call: Invocation<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        called();
        black_box(call.hook);
        Ok(Verdict::none())
    })
}

fn waits(call: Invocation<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        called();
        Once::default().await;
        black_box(call.hook);
        Ok(Verdict::none())
    })
}
