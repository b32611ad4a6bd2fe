//! CPEX: one hook that denies.

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use cpex_core::context::PluginContext;
use cpex_core::error::PluginViolation;
use cpex_core::hooks::payload::Extensions;
use cpex_core::hooks::{HookHandler, HookTypeDef, PluginResult};
use cpex_core::manager::PluginManager;
use cpex_core::plugin::{Plugin, PluginConfig};
use hookgate_footprint::succeed_if_denied;
use serde_json::{Value, json};

#[expect(missing_docs, reason = "a program has no readers of its documentation")]
#[derive(Debug, Clone)]
pub struct ToolPayload {
    _tool: String,
    _arguments: Value,
}

cpex_core::impl_plugin_payload!(ToolPayload);

cpex_core::define_hook! {
    /// Before a tool runs.
    BeforeTool, "tool_pre_invoke" => {
        payload: ToolPayload,
        result: PluginResult<ToolPayload>,
    }
}

struct No(PluginConfig);

#[async_trait]
impl Plugin for No {
    fn config(&self) -> &PluginConfig {
        &self.0
    }
}

impl HookHandler<BeforeTool> for No {
    async fn handle(
        &self,
        _: &ToolPayload,
        _: &Extensions,
        _: &mut PluginContext,
    ) -> PluginResult<ToolPayload> {
        PluginResult::deny(PluginViolation::new("policy", "no"))
    }
}

fn main() -> ExitCode {
    let manager = PluginManager::default();
    let config = PluginConfig {
        name: "no".to_owned(),
        hooks: vec![BeforeTool::NAME.to_owned()],
        ..PluginConfig::default()
    };
    let plugin = Arc::new(No(config.clone()));
    if manager.register_handler::<BeforeTool, _>(plugin, config).is_err() {
        return ExitCode::FAILURE;
    }
    let call = ToolPayload { _tool: "Bash".to_owned(), _arguments: json!({ "command": "ls" }) };
    succeed_if_denied(async {
        let invoked = manager.invoke::<BeforeTool>(call, Extensions::default(), None).await;
        invoked.0.is_denied()
    })
}
