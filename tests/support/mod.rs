//! What the integration tests share.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::sync::{Arc, Mutex};

use hookgate::contract::payload::ToolCall;
use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, Reply, ReplyFuture};
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, Hook, Registry, StepContext, ToolUse};
use serde_json::{Value, json};

/// What hooks have seen, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn push(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A hook that answers at once, at `pre_tool_use`.
pub(crate) fn sync(
    id: &str,
    answer: impl Fn(Invocation<'_>) -> Reply + Send + Sync + 'static,
) -> Hook {
    Hook::new(id, "test", BuiltHandler::from_sync(answer)).event(Event::PreToolUse)
}

/// A registry with every kind of handler that was compiled in.
pub(crate) fn registry() -> Registry {
    let registry = Registry::new();
    #[cfg(feature = "builtin")]
    registry.add(hookgate::builtin::kind());
    #[cfg(feature = "command")]
    registry.add(hookgate::command::kind());
    #[cfg(feature = "http")]
    registry.add(hookgate::http::kind());
    #[cfg(feature = "prompt")]
    registry.add(hookgate::prompt::kind());
    registry
}

/// A handler that is an async function.
pub(crate) struct Waits<F>(pub(crate) F);

impl<F> AsyncHandler for Waits<F>
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync,
{
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        (self.0)(invocation)
    }
}

/// A hook that waits, at `pre_tool_use`.
pub(crate) fn waiting<F>(id: &str, answer: F) -> Hook
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    Hook::new(id, "test", BuiltHandler::from_async(Waits(answer))).event(Event::PreToolUse)
}

/// An engine with these hooks.
pub(crate) fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    Engine::new(builder.build().expect("the hooks are good"))
}

pub(crate) fn call(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({ "command": command }))
}

pub(crate) fn bash(command: &str) -> ToolUse {
    ToolUse::from(call(command))
}

pub(crate) fn context() -> StepContext<'static> {
    StepContext::new("session-1")
}

/// The command that a hook sees.
pub(crate) fn command(invocation: Invocation<'_>) -> String {
    let input = invocation.tool().map(|call| call.tool_input.clone()).unwrap_or(Value::Null);
    input["command"].as_str().unwrap_or_default().to_owned()
}
