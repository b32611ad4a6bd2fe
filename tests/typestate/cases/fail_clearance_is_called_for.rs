//! What clears a step inside of the engine cannot be called from outside, under any name.

use hookgate::step::FromCleared;
use hookgate::{Cleared, HookStep, ToolUse};

fn clear<S: HookStep>(step: S) -> S::Cleared {
    S::Cleared::clear(step)
}

fn main() {
    let tool = ToolUse::propose("Bash", "{}").unwrap();
    let _ = <ToolUse<Cleared> as FromCleared<ToolUse>>::clear(tool);
    let _ = clear(ToolUse::propose("Bash", "{}").unwrap());
    let _ = hookgate::step::clearance::Stamp::NO_ENGINE;
}
