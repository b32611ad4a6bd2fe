//! What the integration tests share: short names for the parts of `hookgate::testing`, and a log.

use std::sync::{Arc, Mutex};

use hookgate::contract::payload::ToolCall;
use hookgate::contract::{Invocation, Reply, ReplyFuture};
use hookgate::testing::{ToolCallBuilder, tool_call};
pub use hookgate::testing::{context, engine};
use hookgate::{Event, Hook, Registry, ToolUse};

/// What hooks have seen, in order.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn push(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A hook that answers at once, at `pre_tool_use`.
pub fn sync(id: &str, answer: impl Fn(Invocation<'_>) -> Reply + Send + Sync + 'static) -> Hook {
    Hook::sync(id, answer).event(Event::PreToolUse)
}

/// A hook that waits, at `pre_tool_use`.
pub fn waiting<F>(id: &str, answer: F) -> Hook
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    Hook::async_fn(id, answer).event(Event::PreToolUse)
}

/// A registry with every kind of handler that was compiled in.
pub fn registry() -> Registry {
    Registry::from_iter([
        hookgate::builtin::kind(),
        #[cfg(target_os = "linux")]
        hookgate::command::kind(),
        hookgate::http::kind(),
        #[cfg(target_os = "linux")]
        hookgate::mcp::kind(),
        hookgate::prompt::kind(),
        hookgate::rego::kind(),
    ])
}

fn shell(command: &str) -> ToolCallBuilder {
    tool_call("Bash").input("command", command)
}

pub fn call(command: &str) -> ToolCall {
    shell(command).call()
}

pub fn bash(command: &str) -> ToolUse {
    shell(command).step()
}

/// The command that a hook sees.
pub fn command(invocation: Invocation<'_>) -> String {
    let command = invocation.tool().and_then(|call| call.tool_input["command"].as_str());
    command.unwrap_or_default().to_owned()
}
