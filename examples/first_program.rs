//! A guard as a closure, an engine, a tool call.
use hookgate::{Engine, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let guard = Hook::sync("no-shell", |_| Ok(Verdict::deny("no shell here")));
    let guard = guard.event(hookgate::Event::PreToolUse).tool("Bash");
    let engine = Engine::new(HandlerTable::builder().insert(guard).build()?);
    let call = ToolUse::propose("Bash", r#"{"command":"ls"}"#)?;
    match engine.dispatch(call, &StepContext::new("session-1")).await {
        Gate::Denied(denied) => println!("{denied}"),
        gate => println!("{}", gate.outcome().name()),
    }
    Ok(())
}
