//! defect: `DefaultHookEngine` of defect-agent.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use agent_client_protocol_schema::SessionId;
use defect_agent::hooks::step::{ALL_EVENT_NAMES, BeforeToolApply, HookControl};
use defect_agent::hooks::{
    DefaultHookEngine, HandlerTable, HookCtx, HookEngine, HookError, HookMatcher, NoopHookEngine,
    StepHandler, StepHandlerEntry,
};
use defect_agent::tool::SafetyClass;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::call::Calls;
use crate::hooks::{About, Act, HookSpec, Once, called, path_within};
use crate::rounds::{Rounds, block_on};
use crate::system::{Adapter, Verdict};

/// The adapter of defect.
#[derive(Debug)]
pub(crate) struct Defect;

impl Adapter for Defect {
    const NAME: &'static str = "defect";
    const VERSION: &'static str = "0.1.0-alpha.6";
    type Engine = DefaultHookEngine;
    type Step = BeforeToolApply;
    type Outcome = (BeforeToolApply, HookControl);

    fn engine(hooks: &[HookSpec]) -> Option<DefaultHookEngine> {
        let engine = DefaultHookEngine::new();
        Self::swap(&engine, hooks).then_some(engine)
    }

    #[inline(always)]
    fn step(calls: &Calls) -> BeforeToolApply {
        BeforeToolApply {
            tool_name: calls.tool(),
            safety: SafetyClass::ReadOnly,
            args: calls.arguments(),
            result: None,
        }
    }

    async fn agent(
        engine: &DefaultHookEngine,
        step: impl Fn() -> BeforeToolApply,
        done: impl Fn(Self::Outcome),
        times: u64,
    ) {
        let (session, cwd, cancel) = surroundings();
        for _ in 0..times {
            let mut step = step();
            let context = HookCtx::new(&session, cwd, cancel.clone());
            let control = engine.dispatch(&mut step, context).await;
            done((step, control));
        }
    }

    fn verdict((step, control): Self::Outcome) -> Verdict {
        match control {
            HookControl::Proceed if step.args == json!({ "path": "/tmp/x" }) => {
                Verdict::Rewritten(step.args)
            }
            HookControl::Proceed => Verdict::Allowed,
            _ => Verdict::Denied,
        }
    }

    fn swap(engine: &DefaultHookEngine, hooks: &[HookSpec]) -> bool {
        let mut table = HandlerTable::empty();
        for spec in hooks {
            let Some(event) = event(&spec.about) else { return false };
            table.push_step(event, entry(spec));
        }
        engine.reload(table);
        true
    }

    /// A table cannot be changed: it is built anew.
    fn replace(engine: &DefaultHookEngine, hooks: &[HookSpec], _index: usize) -> bool {
        Self::swap(engine, hooks)
    }

    fn without_hooks(calls: Calls) -> Option<Rounds> {
        Some(Rounds::new(move |times| {
            block_on(async {
                let (session, cwd, cancel) = surroundings();
                for _ in 0..times {
                    let mut step = Self::step(&calls);
                    let context = HookCtx::new(&session, cwd, cancel.clone());
                    black_box(&NoopHookEngine.dispatch(&mut step, context).await);
                    black_box(&step);
                }
            });
        }))
    }
}

fn surroundings() -> (SessionId, &'static Path, CancellationToken) {
    (SessionId::new("session-1"), Path::new("/work"), CancellationToken::new())
}

fn event(about: &About) -> Option<&'static str> {
    const TOOL: &str = "before_tool_apply";
    match about {
        About::Every | About::Tool(_) | About::Glob(_) => Some(TOOL),
        About::OtherEvent => Some("before_turn_end"),
        About::NumberedEvent(number) => {
            let mut others = ALL_EVENT_NAMES.iter().filter(|name| **name != TOOL);
            others.nth(usize::try_from(*number).ok()?).copied()
        }
    }
}

fn entry(spec: &HookSpec) -> StepHandlerEntry {
    let mut matcher = HookMatcher::default();
    match &spec.about {
        About::Every | About::OtherEvent | About::NumberedEvent(_) => {}
        About::Tool(name) => matcher.tool = Some(name.clone()),
        About::Glob(glob) => matcher.tool_glob = Some(glob.clone()),
    }
    StepHandlerEntry::new(matcher, Arc::new(Acting(spec.act))).with_name(Some(spec.id.clone()))
}

struct Acting(Act);

impl StepHandler for Acting {
    fn handle_step<'a>(
        &'a self,
        envelope: &'a Value,
        _context: HookCtx<'a>,
    ) -> BoxFuture<'a, Result<Option<Value>, HookError>> {
        match self.0 {
            Act::Silent | Act::Ready | Act::Allow => Box::pin(async move {
                called();
                black_box(envelope);
                Ok(None)
            }),
            Act::Waits => Box::pin(async move {
                called();
                Once::default().await;
                black_box(envelope);
                Ok(None)
            }),
            Act::Deny => Box::pin(async move {
                called();
                Ok(Some(json!({ "control": "veto" })))
            }),
            Act::Rewrite => Box::pin(async move {
                called();
                Ok(Some(json!({ "args": { "path": "/tmp/x" } })))
            }),
            Act::Typed | Act::Value => Box::pin(async move {
                called();
                black_box(path_within(envelope, "args"));
                Ok(None)
            }),
            Act::Json => Box::pin(async move {
                called();
                black_box(serde_json::to_vec(envelope).map_or(0, |bytes| bytes.len()));
                Ok(None)
            }),
        }
    }
}
