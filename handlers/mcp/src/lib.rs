//! Hooks that are asked of MCP servers.

mod factory;
mod handler;
mod http;
mod interceptor;
mod message;
mod server;
mod settings;
mod sse;
mod stdio;
mod tool;

use std::sync::LazyLock;

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, HandlerKind};

pub use settings::SETTINGS;

/// The key of these handlers in a config.
pub const KIND: &str = "mcp";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Builds a handler that asks a server.
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    factory::build(settings, context)
}
