//! Text that was shown, and should not have been.

use serde::Serialize;

use crate::hook_id::HookId;

/// A piece of the shown text that is to be taken back, because the whole was denied or changed.
///
/// A host that cannot take back what a user has seen reports that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Retraction {
    /// Where it begins, in bytes of all that was shown.
    pub from: usize,
    /// Where it ends: at the end of what was shown.
    pub to: usize,
    /// What takes its place: the rest of the text as it was cleared, or the stub of a denied one.
    pub replacement: String,
    /// The hooks that denied or changed the text.
    pub hooks: Vec<HookId>,
    /// Why, in the words of these hooks.
    pub reason: String,
}
