//! The engines of the cases.

use std::hint::black_box;

use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, ReplyFuture};
use hookgate::matcher::MatchSpec;
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, HandlerTable, Hook, Role, Verdict};
use serde_json::json;

/// Hooks at another event only.
pub(crate) fn unarmed() -> Engine {
    let hook = Hook::new("stop", "bench", silent_handler()).event(Event::Stop);
    all([hook])
}

/// So many hooks at the event of the step, none for its tool; each tenth has a glob.
pub(crate) fn no_match(hooks: usize) -> Engine {
    let mut table = HandlerTable::builder();
    for place in 0..hooks {
        let mut when = MatchSpec::default();
        if place % 10 == 9 {
            when.tool_glob.push(format!("mcp__server_{place}__*"));
        } else {
            when.tool.push(format!("tool_{place}"));
        }
        table.insert(hook(place, silent_handler()).matching(when));
    }
    engine(table)
}

/// So many hooks that match and say nothing.
pub(crate) fn silent(hooks: usize) -> Engine {
    all((0..hooks).map(|place| hook(place, silent_handler())))
}

/// One hook that sets the input of the tool.
pub(crate) fn patching() -> Engine {
    let handler = |_: Invocation<'_>| Ok(Verdict::none().patch("tool_input", json!(1)));
    all([hook(0, BuiltHandler::from_sync(handler)).role(Role::Rewrite)])
}

/// One hook whose handler may wait but need not.
pub(crate) fn waiting() -> Engine {
    all([hook(0, BuiltHandler::from_async(Waiting))])
}

/// So many hooks that read the envelope.
pub(crate) fn reading(hooks: usize) -> Engine {
    let handler = |invocation: Invocation<'_>| {
        black_box(invocation.envelope.bytes()?.len());
        Ok(Verdict::none())
    };
    all((0..hooks).map(|place| hook(place, BuiltHandler::from_sync(handler))))
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

fn hook(place: usize, handler: BuiltHandler) -> Hook {
    Hook::new(format!("hook-{place}"), "bench", handler).event(Event::PreToolUse)
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
