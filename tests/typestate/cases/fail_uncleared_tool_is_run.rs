//! A tool that was not cleared cannot be run.

use hookgate::ToolUse;

fn main() {
    let tool = ToolUse::propose("Bash", "{}").unwrap();
    let _ = tool.run(async |_| Ok::<_, String>(""));
}
