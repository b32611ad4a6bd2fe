//! A dispatch consumes the step.

use hookgate::{Engine, HookEngine, StepContext, ToolUse};

async fn again(engine: &Engine, context: &StepContext<'_>) {
    let tool = ToolUse::propose("Bash", "{}").unwrap();
    let _ = engine.dispatch(tool, context).await;
    let _ = engine.dispatch(tool, context).await;
}

fn main() {}
