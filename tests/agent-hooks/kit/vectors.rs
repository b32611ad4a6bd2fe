//! The vectors, as they were published: of behaviour, and of host declarations.

use std::path::Path;

use agent_hooks::ctk::load_vectors;
use serde_json::Value;

/// Loads all vectors, those of declarations as well: what is left out is counted.
pub(crate) fn load(kit: &Path) -> Vec<Value> {
    ["vectors", "declaration"]
        .iter()
        .flat_map(|part| load_vectors(kit.join(part)).unwrap())
        .collect()
}
