//! An answer of the model, shown while it comes.

use hookgate::contract::payload::PostLlmResponse;
use hookgate::stream::{Exposure, StreamGate};
use hookgate::{Gate, Scope};

/// Shows the parts of an answer as far as they may be shown, and returns what the user sees in the end.
pub(crate) async fn show(scope: &Scope, parts: &[&str]) -> String {
    let context = scope.context();
    let mut gate = StreamGate::new(scope, &context, Exposure::NONE);
    let (mut shown, mut came) = (String::new(), String::new());
    for part in parts {
        came.push_str(part);
        match gate.push(part).await {
            Ok(released) => shown.push_str(&released.text),
            // The request to the model would be ended here.
            Err(cut) => {
                shown.push_str(&format!("[{cut}]"));
                break;
            }
        }
    }
    // The whole is a step, like any answer: it is judged, and recorded.
    let ended = gate.finish(PostLlmResponse::new(came, Vec::new())).await;
    shown.push_str(&ended.rest);
    if let (Some(piece), Gate::Cleared(_)) = (ended.retraction, &ended.gate) {
        shown.replace_range(piece.from..piece.to, &piece.replacement);
    }
    shown
}
