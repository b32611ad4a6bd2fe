//! The hooks of a case, in words that each adapter translates into those of its system.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;

thread_local! {
    /// How often a hook ran on this thread.
    static CALLED: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a hook runs. Every hook of every system begins with it, so a case that does not run its
/// hooks cannot be measured by mistake; it takes one instruction.
#[inline(always)]
pub(crate) fn called() {
    CALLED.set(CALLED.get().wrapping_add(1));
}

/// Returns how often hooks ran on this thread so far.
#[must_use]
pub fn calls() -> u64 {
    CALLED.get()
}

/// What a hook does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// It answers at once that it has no opinion.
    Silent,
    /// As [`Act::Silent`], through the form for hooks that may wait.
    Ready,
    /// As [`Act::Ready`], and it waits once.
    Waits,
    /// It denies.
    Deny,
    /// It allows.
    Allow,
    /// It sets the arguments.
    Rewrite,
    /// It looks at the path among the arguments.
    Typed,
    /// It takes the call as bytes of JSON.
    Json,
    /// It takes the call as a parsed [`serde_json::Value`].
    Value,
}

/// What a hook is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// All tool calls.
    Every,
    /// The calls of one tool.
    Tool(String),
    /// The calls of the tools that match a glob.
    Glob(String),
    /// Another event.
    OtherEvent,
    /// Another event, too: each number stands for one of those that a system has.
    NumberedEvent(u32),
}

/// One hook.
#[derive(Debug, Clone)]
pub struct HookSpec {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub about: About,
    /// What it does.
    pub act: Act,
}

impl HookSpec {
    /// Returns a hook.
    pub fn new(id: impl Into<String>, about: About, act: Act) -> Self {
        Self { id: id.into(), about, act }
    }
}

/// Looks up the path among the arguments of a call, which stand under a name: what a hook that takes the call as
/// a value does with it, the same in every system.
pub(crate) fn path_within<'v>(call: &'v Value, arguments: &str) -> Option<&'v Value> {
    call.get(arguments)?.get("path")
}

/// Waits once, and can go on at once.
#[derive(Debug, Default)]
pub(crate) struct Once(bool);

impl Future for Once {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
