//! What the model gets with the next turn.

use serde_json::{Value, json};

use crate::foreign::HookResult;

/// The effect: the texts that the model gets with the next turn.
pub(super) const LATER: &str = "delivered_later";

/// Notes texts that the model gets with the next turn.
pub(super) fn deliver_later(texts: Vec<Value>, result: &mut HookResult) {
    if !texts.is_empty() {
        result.effect.insert(LATER.to_owned(), json!({ "context": texts }));
    }
}
