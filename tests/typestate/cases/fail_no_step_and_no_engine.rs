//! What is no step, and what is no engine, is told with what is one.

use hookgate::{Engine, HookEngine, StepContext};

async fn run<E: HookEngine>(_: &E) {}

fn main() {
    let engine = Engine::without_hooks();
    drop(engine.dispatch("ls", &StepContext::new("s")));
    let loaded: Result<Engine, String> = Ok(engine);
    drop(run(&loaded));
}
