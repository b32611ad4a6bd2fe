//! The rules as hooks of hookgate.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::matcher::Test;
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict,
};
use serde::Deserialize;
use serde_json::Value;

use crate::Judge;

/// An engine with the ten rules.
#[derive(Debug)]
pub struct Hooks(Engine);

#[derive(Deserialize)]
struct Line<'a> {
    session_id: &'a str,
    tool_name: String,
    tool_input: Value,
}

impl Hooks {
    /// Makes the engine.
    ///
    /// # Errors
    /// The rules do not compile.
    pub fn new() -> Result<Self, hookgate::table::BuildErrors> {
        let deny = |id: &str| {
            Hook::sync(id, |_| Ok(Verdict::deny("a rule says no"))).event(Event::PreToolUse)
        };
        let hooks = [
            deny("delete").tool("delete_file"),
            deny("prod").tool("mcp__prod__*"),
            deny("kill").tool("kill_process"),
            deny("rm").tool("Bash").input("/command", Test::contains("rm -rf")),
            deny("push").tool("Bash").input("/command", Test::contains("git push --force")),
            deny("curl").tool("Bash").input("/command", Test::contains("curl ")),
            deny("etc").tool("Write").input("/path", Test::starts_with("/etc/")),
            deny("ssh").tool("Write").input("/path", Test::contains("/.ssh/")),
            deny("env").tool("Read").input("/path", Test::ends_with(".env")),
            deny("http").tool("WebFetch").input("/url", Test::starts_with("http://")),
        ];
        let mut table = HandlerTable::builder();
        hooks.into_iter().for_each(|hook| _ = table.insert(hook));
        Ok(Self(Engine::new(table.build()?)))
    }
}

impl Judge for Hooks {
    fn name(&self) -> &'static str {
        "hookgate"
    }

    fn denies(&mut self, line: &str) -> bool {
        let Ok(line) = serde_json::from_str::<Line<'_>>(line) else { return true };
        let Ok(step) = ToolUse::from_value(line.tool_name, line.tool_input) else { return true };
        let context = StepContext::new(line.session_id);
        // None of the hooks waits, so the first poll is the last.
        match pin!(self.0.dispatch(step, &context)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(gate) => !matches!(gate, Gate::Cleared(_)),
            Poll::Pending => true,
        }
    }
}
