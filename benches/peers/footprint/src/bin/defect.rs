//! defect: one hook that denies.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol_schema::SessionId;
use defect_agent::hooks::step::{BeforeToolApply, HookControl};
use defect_agent::hooks::{
    DefaultHookEngine, HandlerTable, HookCtx, HookEngine, HookError, HookMatcher, StepHandler,
    StepHandlerEntry,
};
use defect_agent::tool::SafetyClass;
use futures::future::BoxFuture;
use hookgate_footprint::succeed_if_denied;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

struct No;

impl StepHandler for No {
    fn handle_step<'a>(
        &'a self,
        _: &'a Value,
        _: HookCtx<'a>,
    ) -> BoxFuture<'a, Result<Option<Value>, HookError>> {
        Box::pin(async { Ok(Some(json!({ "control": "veto" }))) })
    }
}

fn main() -> ExitCode {
    let engine = DefaultHookEngine::new();
    let mut table = HandlerTable::empty();
    let entry = StepHandlerEntry::new(HookMatcher::default(), Arc::new(No));
    table.push_step("before_tool_apply", entry);
    engine.reload(table);
    let mut call = BeforeToolApply {
        tool_name: "Bash".to_owned(),
        safety: SafetyClass::ReadOnly,
        args: json!({ "command": "ls" }),
        result: None,
    };
    let session = SessionId::new("session-1");
    succeed_if_denied(async {
        let context = HookCtx::new(&session, Path::new("/work"), CancellationToken::new());
        engine.dispatch(&mut call, context).await != HookControl::Proceed
    })
}
