//! What the integration tests share.

use std::sync::{Arc, Mutex};

use hookgate::contract::payload::ToolCall;
use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, Reply, ReplyFuture};
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, Hook, Registry, StepContext, ToolUse};
use serde_json::{Value, json};

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
    Hook::new(id, "test", BuiltHandler::from_sync(answer)).event(Event::PreToolUse)
}

/// A registry with every kind of handler that was compiled in.
pub fn registry() -> Registry {
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    registry.add(hookgate::command::kind());
    registry.add(hookgate::http::kind());
    registry.add(hookgate::prompt::kind());
    registry
}

/// A handler that is an async function.
pub struct Waits<F>(pub F);

impl<F> AsyncHandler for Waits<F>
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync,
{
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        (self.0)(invocation)
    }
}

/// A hook that waits, at `pre_tool_use`.
pub fn waiting<F>(id: &str, answer: F) -> Hook
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    Hook::new(id, "test", BuiltHandler::from_async(Waits(answer))).event(Event::PreToolUse)
}

/// An engine with these hooks.
pub fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    Engine::new(builder.build().expect("the hooks are good"))
}

pub fn call(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({ "command": command }))
}

pub fn bash(command: &str) -> ToolUse {
    ToolUse::from(call(command))
}

pub fn context() -> StepContext<'static> {
    StepContext::new("session-1")
}

/// The command that a hook sees.
pub fn command(invocation: Invocation<'_>) -> String {
    let input = invocation.tool().map(|call| call.tool_input.clone()).unwrap_or(Value::Null);
    input["command"].as_str().unwrap_or_default().to_owned()
}
