//! A state that can be reached must be handled.

use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};

async fn careless(engine: &Engine, tool: ToolUse, context: &StepContext<'_>) {
    match engine.dispatch(tool, context).await {
        Gate::Cleared(_) | Gate::Answered(_) | Gate::Asked(_) | Gate::Halted(_) => {}
    }
}

fn main() {}
