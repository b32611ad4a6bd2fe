//! The result of a tool cannot be asked about, so there is nothing to approve.

use hookgate::step::Ran;
use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};

async fn result(engine: &Engine, ran: ToolUse<Ran>, context: &StepContext<'_>) {
    match engine.dispatch(ran, context).await {
        Gate::Cleared(_) | Gate::Denied(_) | Gate::Halted(_) => {}
        Gate::Asked(asked) => {
            let _ = asked.approve(engine, context).await;
        }
    }
}

fn main() {}
