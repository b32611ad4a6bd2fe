//! A clearance is used up by running the tool, and cannot be copied before.

use hookgate::{Cleared, ToolUse};

async fn twice(tool: ToolUse<Cleared>) {
    let _ = tool.run(async |_| Ok::<_, String>("")).await;
    let _ = tool.run(async |_| Ok::<_, String>("")).await;
}

async fn kept(tool: &ToolUse<Cleared>) -> ToolUse<Cleared> {
    tool.clone()
}

fn main() {}
