//! Meerkat: one hook that denies.

use std::process::ExitCode;
use std::sync::Arc;

use futures::future::BoxFuture;
use hookgate_footprint::succeed_if_denied;
use meerkat_core::config::{HookAdapterConfig, HookEntryConfig, HooksConfig};
use meerkat_core::event::ToolCallArguments;
use meerkat_core::hooks::{
    HookDecision, HookEngine, HookId, HookInvocation, HookPoint, HookReasonCode, HookToolCall,
};
use meerkat_core::types::SessionId;
use meerkat_core::{HookCapability, HookExecutionMode};
use meerkat_hooks::{DefaultHookEngine, InProcessHookHandler, RuntimeHookResponse};
use serde_json::json;

fn main() -> ExitCode {
    let entry = HookEntryConfig {
        id: HookId::new("no"),
        point: HookPoint::PreToolExecution,
        mode: HookExecutionMode::Foreground,
        capability: HookCapability::Guardrail,
        runtime: HookAdapterConfig::in_process("no"),
        ..HookEntryConfig::default()
    };
    let config = HooksConfig { entries: vec![entry], ..HooksConfig::default() };
    let engine = DefaultHookEngine::new(config).with_in_process_handler("no", handler());
    let Ok(arguments) = ToolCallArguments::from_value(json!({ "command": "ls" })) else {
        return ExitCode::FAILURE;
    };
    let mut call = HookInvocation::new(HookPoint::PreToolExecution, SessionId::new());
    call.tool_call = Some(HookToolCall {
        tool_use_id: "toolu_1".to_owned(),
        name: "Bash".to_owned(),
        args: arguments,
        provenance: None,
    });
    succeed_if_denied(async {
        let report = engine.execute(call, None).await;
        report.is_ok_and(|report| matches!(report.decision, Some(HookDecision::Deny { .. })))
    })
}

/// What a handler returns.
type Response = BoxFuture<'static, Result<RuntimeHookResponse, String>>;

fn handler() -> InProcessHookHandler {
    Arc::new(|_: HookInvocation| -> Response {
        Box::pin(async {
            let id = HookId::new("no");
            let deny = HookDecision::deny(id, HookReasonCode::PolicyViolation, "no", None);
            Ok(RuntimeHookResponse { decision: Some(deny) })
        })
    })
}
