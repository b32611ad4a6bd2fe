//! A cleared step cannot be written down either: its fields are private.

use hookgate::Cleared;
use hookgate::contract::payload::ToolCall;

fn main() {
    let call = ToolCall::new("Bash", serde_json::json!({}));
    let _ = Cleared { payload: call, decision: None };
}
