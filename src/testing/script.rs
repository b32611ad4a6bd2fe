//! A handler that replies as it is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use hookgate_contract::{
    AsyncHandler, BuiltHandler, Failure, FailureClass, Invocation, Reply, ReplyFuture, SyncHandler,
    Verdict,
};
use serde_json::Value;

use crate::hook_id::HookId;
use crate::table::Hook;

/// A scripted handler: it gives its replies in order, then [`Verdict::none()`] for ever, and remembers
/// every [invocation](ScriptedCall).
///
/// Clones share the replies and what is remembered, so one script can be several hooks: the order in
/// which they were invoked is then the order of [`calls`](Self::calls).
///
/// ```
/// use hookgate::testing::{self, Script};
/// use hookgate::{Event, FailureClass, HookEngine, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let script = Script::new().reply(Verdict::none()).fail(FailureClass::Unreachable, "no network");
/// let engine = testing::engine([
///     script.hook("first").event(Event::PreToolUse),
///     script.async_hook("second").event(Event::PreToolUse).after("first"),
/// ]);
/// let gate = engine.dispatch(testing::tool_call("Read").step(), &testing::context()).await;
/// assert!(!gate.is_cleared(), "a guard that fails denies");
///
/// let calls = script.take_calls();
/// assert_eq!(calls.iter().map(|call| call.hook.as_str()).collect::<Vec<_>>(), ["first", "second"]);
/// assert_eq!(calls[0].envelope["hook_event_name"], "pre_tool_use");
/// assert!(script.calls().is_empty());
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    replies: VecDeque<Reply>,
    calls: Vec<ScriptedCall>,
}

/// One invocation of a [`Script`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScriptedCall {
    /// The hook that was invoked.
    pub hook: String,
    /// The name of the event: `pre_tool_use`.
    pub event: String,
    /// The tool that the step is about, if it is about one.
    pub tool: Option<String>,
    /// The arguments of the tool; null if the step is not about a tool.
    pub input: Value,
    /// The whole envelope; null if the step is larger than the limits of the table allow.
    pub envelope: Value,
}

impl Script {
    /// Creates a script without replies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reply.
    #[must_use]
    pub fn reply(self, verdict: Verdict) -> Self {
        self.push(Ok(verdict))
    }

    /// Adds a failure.
    #[must_use]
    pub fn fail(self, class: FailureClass, detail: &'static str) -> Self {
        self.push(Err(Failure::new(class, detail)))
    }

    /// Returns a hook with this handler that replies at once. It has no event yet.
    #[track_caller]
    pub fn hook(&self, id: impl Into<HookId>) -> Hook {
        Hook::new(id, "script", BuiltHandler::from_sync(self.clone()))
    }

    /// Returns a hook with this handler that replies after it has waited once, as one does that asks a
    /// service. It has no event yet.
    #[track_caller]
    pub fn async_hook(&self, id: impl Into<HookId>) -> Hook {
        Hook::new(id, "script", BuiltHandler::from_async(self.clone()))
    }

    /// Returns the invocations so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<ScriptedCall> {
        self.with_state(|state| state.calls.clone())
    }

    /// Returns the invocations so far, and forgets them.
    #[must_use]
    pub fn take_calls(&self) -> Vec<ScriptedCall> {
        self.with_state(|state| std::mem::take(&mut state.calls))
    }

    fn push(self, reply: Reply) -> Self {
        self.with_state(|state| state.replies.push_back(reply));
        self
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SyncHandler for Script {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let tool = invocation.tool();
        let call = ScriptedCall {
            hook: invocation.hook.to_owned(),
            event: invocation.contract().name.to_string(),
            tool: tool.map(|tool| tool.tool_name.clone()),
            input: tool.map(|tool| tool.tool_input.clone()).unwrap_or_default(),
            envelope: invocation.json().cloned().unwrap_or_default(),
        };
        self.with_state(|state| {
            state.calls.push(call);
            state.replies.pop_front().unwrap_or_else(|| Ok(Verdict::none()))
        })
    }
}

impl AsyncHandler for Script {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            SyncHandler::handle(self, invocation)
        })
    }
}
