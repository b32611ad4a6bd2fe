//! The engines of the cases.

use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::sync::Arc;
use std::task::Poll;

use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, ReplyFuture};
use hookgate::matcher::MatchSpec;
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, HandlerTable, Hook, Role, Scope, Verdict};
use serde_json::json;

/// Returns an engine with a hook at another event only.
pub(crate) fn unarmed() -> Engine {
    let hook = Hook::new("stop", "bench", silent_handler()).event(Event::Stop);
    all([hook])
}

/// Returns an engine with so many hooks at the event of the step, none for its tool; each tenth has a glob.
pub(crate) fn no_match(hooks: usize) -> Engine {
    let mut table = HandlerTable::builder();
    for index in 0..hooks {
        let mut when = MatchSpec::default();
        if index % 10 == 9 {
            when.tool_glob.push(format!("mcp__server_{index}__*"));
        } else {
            when.tool.push(format!("tool_{index}"));
        }
        table.insert(hook(index, silent_handler()).matching(when));
    }
    engine(table)
}

/// Returns an engine with so many hooks that match and have no opinion.
pub(crate) fn silent(hooks: usize) -> Engine {
    all((0..hooks).map(|index| hook(index, silent_handler())))
}

/// Returns a scope over an engine, with a hook of its own at another event.
pub(crate) fn scope(engine: Engine) -> Scope {
    let hook = Hook::new("stop", "bench", silent_handler()).event(Event::Stop);
    match Arc::new(engine).scope("bench").hook(hook).open() {
        Ok(scope) => scope,
        Err(error) => panic!("the scope of a case does not open: {error}"),
    }
}

/// Returns an engine with one hook, which sets the input of the tool.
pub(crate) fn patching() -> Engine {
    let handler = |_: Invocation<'_>| Ok(Verdict::none().patch("tool_input", json!(1)));
    all([hook(0, BuiltHandler::from_sync(handler)).role(Role::Rewrite)])
}

/// Returns an engine with one hook, which denies.
pub(crate) fn denying() -> Engine {
    let handler = |_: Invocation<'_>| Ok(Verdict::deny("no"));
    all([hook(0, BuiltHandler::from_sync(handler))])
}

/// Returns an engine with one hook, which allows.
pub(crate) fn allowing() -> Engine {
    let handler = |_: Invocation<'_>| Ok(Verdict::allow());
    all([hook(0, BuiltHandler::from_sync(handler))])
}

/// Returns an engine with so many hooks that set the input of the tool to the same object.
pub(crate) fn rewriting(hooks: usize) -> Engine {
    let handler =
        |_: Invocation<'_>| Ok(Verdict::none().patch("tool_input", json!({"path": "/tmp/x"})));
    let rewriter = |index| hook(index, BuiltHandler::from_sync(handler)).role(Role::Rewrite);
    all((0..hooks).map(rewriter))
}

/// Returns an engine with one hook, which reads the step as a JSON value.
pub(crate) fn parsing() -> Engine {
    let handler = |invocation: Invocation<'_>| {
        black_box(invocation.json()?.get("tool_input"));
        Ok(Verdict::none())
    };
    all([hook(0, BuiltHandler::from_sync(handler))])
}

/// Returns an engine with so many hooks whose handlers may wait but need not.
pub(crate) fn waiting(hooks: usize) -> Engine {
    all((0..hooks).map(|index| hook(index, BuiltHandler::from_async(Waiting))))
}

/// Returns an engine with so many hooks that read the envelope.
pub(crate) fn reading(hooks: usize) -> Engine {
    let handler = |invocation: Invocation<'_>| {
        black_box(invocation.envelope.bytes()?.len());
        Ok(Verdict::none())
    };
    all((0..hooks).map(|index| hook(index, BuiltHandler::from_sync(handler))))
}

/// Returns an engine with so many hooks whose handlers wait once.
pub(crate) fn pending(hooks: usize) -> Engine {
    all((0..hooks).map(|index| hook(index, BuiltHandler::from_async(Pending))))
}

struct Pending;

impl AsyncHandler for Pending {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            black_box(invocation.hook);
            wait_once().await;
            Ok(Verdict::none())
        })
    }
}

/// Is ready when it is polled for the second time.
fn wait_once() -> impl Future<Output = ()> {
    let mut has_waited = false;
    poll_fn(move |cx| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}

struct Waiting;

impl AsyncHandler for Waiting {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            black_box(invocation.hook);
            Ok(Verdict::none())
        })
    }
}

fn silent_handler() -> BuiltHandler {
    BuiltHandler::from_sync(|invocation: Invocation<'_>| {
        black_box(invocation.hook);
        Ok(Verdict::none())
    })
}

fn hook(index: usize, handler: BuiltHandler) -> Hook {
    Hook::new(format!("hook-{index}"), "bench", handler).event(Event::PreToolUse)
}

fn all(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    engine(hooks.into_iter().collect::<TableBuilder>())
}

fn engine(table: TableBuilder) -> Engine {
    match table.build() {
        Ok(table) => Engine::new(table),
        Err(errors) => panic!("the hooks of a case do not compile: {errors}"),
    }
}
