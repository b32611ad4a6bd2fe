//! How a dispatch goes on after hooks were called.

use hookgate_contract::Patch;

/// How to go on after a group of hooks was called.
pub(super) enum Next {
    /// With the hooks after it.
    Continue,
    /// Not at all: a hook has denied or halted.
    Stop,
    /// Not with the hooks after the one at an index, which asks and perhaps sets fields. Those before it
    /// see the final version.
    Last(usize, Patch),
    /// The hook at an index sets fields; the hooks after it see the new version of the step.
    Patch(usize, Patch),
}
