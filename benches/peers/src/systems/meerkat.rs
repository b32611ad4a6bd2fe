//! Meerkat: `DefaultHookEngine` of meerkat-hooks. Its hooks are about events, not about tools.

use std::hint::black_box;
use std::sync::Arc;

use arc_swap::ArcSwap;
use futures::future::BoxFuture;
use meerkat_core::config::{HookAdapterConfig, HookEntryConfig, HooksConfig};
use meerkat_core::event::ToolCallArguments;
use meerkat_core::hooks::{
    HookDecision, HookEngine, HookEngineError, HookExecutionReport, HookId, HookInvocation,
    HookPoint, HookReasonCode, HookToolCall,
};
use meerkat_core::types::SessionId;
use meerkat_core::{HookCapability, HookExecutionMode};
use meerkat_hooks::{DefaultHookEngine, InProcessHookHandler, RuntimeHookResponse};

use crate::call::Calls;
use crate::hooks::{About, Act, HookSpec, Once, called, path_within};
use crate::system::{Adapter, Verdict};

/// The adapter of Meerkat.
#[derive(Debug)]
pub(crate) struct Meerkat;

/// The session of all calls.
const SESSION: SessionId = SessionId(uuid::Uuid::nil());

impl Adapter for Meerkat {
    const NAME: &'static str = "Meerkat";
    const VERSION: &'static str = "0.9.8";
    const REWRITES: bool = false;
    const SWAPS_IN_PLACE: bool = false;
    /// An engine never changes: a host that swaps holds a pointer to it, which it reads once per session.
    type Engine = ArcSwap<DefaultHookEngine>;
    type Step = HookInvocation;
    type Outcome = Result<HookExecutionReport, HookEngineError>;

    fn engine(hooks: &[HookSpec]) -> Option<Self::Engine> {
        engine(hooks).map(ArcSwap::from_pointee)
    }

    #[inline(always)]
    fn step(calls: &Calls) -> HookInvocation {
        let mut step = HookInvocation::new(HookPoint::PreToolExecution, SESSION);
        step.tool_call = Some(HookToolCall {
            tool_use_id: "toolu_1".to_owned(),
            name: calls.tool(),
            args: ToolCallArguments::from_value(calls.arguments())
                .unwrap_or_else(|_| ToolCallArguments::empty()),
            provenance: None,
        });
        step
    }

    async fn agent(
        host: &Self::Engine,
        step: impl Fn() -> HookInvocation,
        done: impl Fn(Self::Outcome),
        times: u64,
    ) {
        let engine = host.load_full();
        for _ in 0..times {
            done(engine.execute(step(), None).await);
        }
    }

    fn verdict(outcome: Self::Outcome) -> Verdict {
        match outcome.map(|report| report.decision) {
            Ok(None | Some(HookDecision::Allow)) => Verdict::Allowed,
            Ok(Some(HookDecision::Deny { .. })) | Err(_) => Verdict::Denied,
        }
    }

    fn swap(host: &Self::Engine, hooks: &[HookSpec]) -> bool {
        engine(hooks).map(|engine| host.store(Arc::new(engine))).is_some()
    }

    /// An engine cannot be changed: it is built anew.
    fn replace(host: &Self::Engine, hooks: &[HookSpec], _index: usize) -> bool {
        Self::swap(host, hooks)
    }
}

fn engine(hooks: &[HookSpec]) -> Option<DefaultHookEngine> {
    let entries: Option<Vec<_>> = hooks.iter().map(entry).collect();
    let config = HooksConfig { entries: entries?, ..HooksConfig::default() };
    let engine = DefaultHookEngine::new(config);
    Some(hooks.iter().fold(engine, |engine, spec| {
        engine.with_in_process_handler(spec.id.as_str(), handler(spec.act, spec.id.clone()))
    }))
}

/// All points beside [`HookPoint::PreToolExecution`].
const OTHER_POINTS: [HookPoint; 13] = [
    HookPoint::RunStarted,
    HookPoint::RunCompleted,
    HookPoint::RunFailed,
    HookPoint::PreLlmRequest,
    HookPoint::PostLlmResponse,
    HookPoint::PostToolExecution,
    HookPoint::TurnBoundary,
    HookPoint::RuntimeInputAccepted,
    HookPoint::RuntimeInputRejected,
    HookPoint::RuntimeInputDeduplicated,
    HookPoint::PeerIngressCommitted,
    HookPoint::PeerEgressCommitted,
    HookPoint::InteractionCompleted,
];

fn entry(spec: &HookSpec) -> Option<HookEntryConfig> {
    let point = match spec.about {
        About::Every => HookPoint::PreToolExecution,
        About::OtherEvent => HookPoint::TurnBoundary,
        About::NumberedEvent(number) => *OTHER_POINTS.get(usize::try_from(number).ok()?)?,
        // A hook that is about some tools would have to compare their names by itself.
        About::Tool(_) | About::Glob(_) => return None,
    };
    if spec.act == Act::Rewrite {
        return None;
    }
    Some(HookEntryConfig {
        id: HookId::new(spec.id.as_str()),
        point,
        mode: HookExecutionMode::Foreground,
        // Some points only tell what has happened, and refuse all else.
        capability: if point.is_observe_only() {
            HookCapability::Observe
        } else {
            HookCapability::Guardrail
        },
        runtime: HookAdapterConfig::in_process(spec.id.as_str()),
        ..HookEntryConfig::default()
    })
}

/// What a handler returns.
type Response = BoxFuture<'static, Result<RuntimeHookResponse, String>>;

fn handler(act: Act, id: String) -> InProcessHookHandler {
    Arc::new(move |invocation: HookInvocation| -> Response {
        let id = (act == Act::Deny).then(|| id.clone());
        Box::pin(async move {
            called();
            let decision = match act {
                Act::Deny => id.map(|id| {
                    HookDecision::deny(HookId(id), HookReasonCode::PolicyViolation, "no", None)
                }),
                Act::Allow => Some(HookDecision::Allow),
                Act::Waits => {
                    Once::default().await;
                    None
                }
                Act::Typed => {
                    let call = invocation.tool_call.as_ref();
                    black_box(call.and_then(|call| call.args.as_value().get("path")));
                    None
                }
                Act::Json => {
                    black_box(serde_json::to_vec(&invocation).map_or(0, |bytes| bytes.len()));
                    None
                }
                Act::Value => {
                    let value = serde_json::to_value(&invocation).unwrap_or_default();
                    let call = value.get("tool_call").unwrap_or(&value);
                    black_box(path_within(call, "args"));
                    None
                }
                Act::Silent | Act::Ready | Act::Rewrite => None,
            };
            black_box(&invocation);
            Ok(RuntimeHookResponse { decision })
        })
    })
}
