//! The loop of a runtime: the arms of states that cannot be reached are left out.

use hookgate::contract::payload::SessionEnd;
use hookgate::{Engine, Gate, HookEngine, Noop, StepContext, ToolUse};

async fn tool_call<E: HookEngine>(engine: &E, context: &StepContext<'_>) -> Result<String, String> {
    let proposed = ToolUse::propose("Bash", r#"{"command":"ls"}"#).map_err(|e| e.to_string())?;
    let ran = match engine.dispatch(proposed, context).await {
        Gate::Cleared(tool) => tool.run(async |input| Ok::<_, String>(input.to_string())).await,
        Gate::Answered(ran) => ran,
        Gate::Denied(denied) => return Ok(denied.feedback()),
        Gate::Asked(asked) => return Ok(asked.question().to_owned()),
        Gate::Halted(halted) => return Err(halted.to_string()),
    };
    match engine.dispatch(ran, context).await {
        Gate::Cleared(done) => Ok(done.into_message()),
        Gate::Denied(denied) => Ok(denied.feedback()),
        Gate::Halted(halted) => Err(halted.to_string()),
    }
}

async fn end<E: HookEngine>(engine: &E, context: &StepContext<'_>) {
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), context).await;
}

fn is_send<T: Send>(_: T) {}

fn main() {
    let (engine, context) = (Engine::without_hooks(), StepContext::new("s"));
    is_send(tool_call(&engine, &context));
    is_send(tool_call(&Noop, &context));
    is_send(end(&engine, &context));
}
