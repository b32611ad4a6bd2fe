//! A handler that is named once, for several hooks. `shared_handlers.rs` reads it.

use std::collections::BTreeMap;
use std::ops::Range;

use hookgate_contract::BuiltHandler;
use serde_json::Value;

/// A handler that several hooks may use.
#[derive(Clone)]
pub(super) struct SharedHandler {
    pub(super) kind: String,
    /// `None` if a mistake in it was reported.
    pub(super) built: Option<BuiltHandler>,
    /// The settings that it was built from.
    pub(super) settings: Value,
    /// Where its name stands.
    pub(super) key_span: Range<usize>,
    /// Whether a hook uses it.
    pub(super) is_used: bool,
}

/// The shared handlers of a file, by name.
pub(super) type SharedHandlers = BTreeMap<String, SharedHandler>;
