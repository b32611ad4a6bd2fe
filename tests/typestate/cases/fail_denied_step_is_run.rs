//! A denied tool can be looked at, not run.

use hookgate::{Denied, ToolUse};

async fn run(denied: Denied<ToolUse>) {
    let _ = denied.payload();
    let _ = denied.run(async |_| Ok::<_, String>("")).await;
}

fn main() {}
