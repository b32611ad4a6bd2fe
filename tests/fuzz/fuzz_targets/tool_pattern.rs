//! Any text under `tool` is refused, or takes in the names that a naive matcher takes in.
//! `cargo +nightly fuzz run tool_pattern`
#![no_main]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::contract::BuiltHandler;
use hookgate::contract::payload::ToolCall;
use hookgate::matcher::MatchSpec;
use hookgate::{
    Engine, Event, HandlerTable, Hook, HookEngine, Invocation, StepContext, ToolUse, Verdict,
};
use hookgate_test_support::naive_glob;
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|input: (Vec<String>, String)| {
    let (patterns, name) = input;
    // The naive matcher tries everything.
    if patterns.is_empty() || patterns.concat().len() > 40 || name.len() > 40 {
        return;
    }
    let mut matcher = MatchSpec::default();
    matcher.tool.clone_from(&patterns);
    let deny = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::deny("it matches")));
    let hook = Hook::new("h", "fuzz", deny).event(Event::PreToolUse).matching(matcher);
    let Ok(table) = HandlerTable::builder().insert(hook).build() else { return };
    let (engine, context) = (Engine::new(table), StepContext::new("s"));
    let step = ToolUse::from(ToolCall::new(name.clone(), Value::Null));
    let mut dispatch = pin!(engine.dispatch(step, &context));
    // A synchronous hook completes the dispatch at the first poll.
    let Poll::Ready(gate) = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it waits");
    };
    let expected = naive_glob::naive_names(&patterns, &name);
    assert_eq!(gate.cleared().is_none(), expected, "{patterns:?} on {name:?}");
});
