//! Hooks whose answer depends on what a hook that was set aside would have kept.
//!
//! A hook can set a mark that another one tests. If the first has a mistake, the mark may never be set, and a
//! guard that tests it may have nothing to say. So it gets its posture as well: it fails, and says why.

use crate::table::{HookSpec, Layer, SetAside};

/// Why what a hook would have kept is lost.
#[derive(Debug, Clone)]
pub(super) struct LostHistory {
    /// The layer of the hook. Those above do not know what it keeps.
    pub(super) layer: Layer,
    /// What is wrong with it.
    pub(super) why: String,
}

impl LostHistory {
    /// Returns what stands in the place of a hook that depends on what others have kept. `None` if it does
    /// not, and if it was set aside before.
    pub(super) fn in_place_of(&self, spec: &HookSpec) -> Option<HookSpec> {
        if spec.origin().layer() < self.layer || spec.why_set_aside().is_some() {
            return None;
        }
        let by_condition = spec
            .matcher()
            .all_registered()
            .iter()
            .any(|(built, _)| built.condition().uses_history());
        let left = match (by_condition, spec.built().uses_history) {
            (true, _) => SetAside::Events,
            (false, true) => SetAside::Order,
            (false, false) => return None,
        };
        Some(spec.clone().set_aside(None, left, self.why.clone()))
    }
}

/// Tells whether a condition of a hook keeps what others may test.
pub(super) fn keeps_history(spec: &HookSpec) -> bool {
    spec.matcher().registered.iter().any(|built| built.condition().keeps_history())
}
