//! What one hook depends on at one event. `dependencies.rs` finds it.

use crate::hook_id::HookId;

/// What a hook depends on at one event, and whether others depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dependencies {
    /// Whether it matters to other hooks how it ends.
    pub(crate) noted: bool,
    /// The hooks whose end decides whether it is called.
    pub(crate) needs: Box<[Need]>,
    /// The hooks of the event that must be over before it is called.
    pub(crate) follows: Box<[HookId]>,
}

/// A hook whose end decides whether another one is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// The hook.
    pub(crate) id: HookId,
    /// Whether it is called at the same event, so that how it ends is known within the dispatch.
    pub(crate) here: bool,
    /// Whether it must have been called. If not, only its failure counts.
    pub(crate) must_be_called: bool,
}

impl Dependencies {
    /// Returns whether anything is to be done about them at a call.
    pub(super) fn any(&self) -> bool {
        self.noted || !self.needs.is_empty()
    }
}
