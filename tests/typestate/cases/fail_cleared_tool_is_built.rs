//! A cleared tool cannot be built by hand, from a proposal or from a default.

use hookgate::contract::payload::ToolCall;
use hookgate::{Cleared, ToolUse};

fn main() {
    let call = ToolCall::new("Bash", serde_json::json!({}));
    let _ = ToolUse::<Cleared>::from(call);
    let _ = ToolUse::<Cleared>::default();
}
