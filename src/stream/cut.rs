//! A text that goes no further.

use serde::Serialize;

use crate::decision::{Decision, Outcome};
use crate::hook_id::HookId;

/// A hook has denied a piece of the text: nothing more of it is shown.
///
/// The runtime ends the request to the model, so that nothing more is made and paid for. It shows the
/// [`stub`](Self::stub) behind what was shown. The model's next turn may see the first [`keep`](Self::keep) bytes of what
/// was shown, and then the stub. To have the text recorded, it [finishes](super::StreamGate::finish) with what came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{stub}")]
#[non_exhaustive]
pub struct Cut {
    /// How many bytes were shown.
    pub shown: usize,
    /// How many of these the transcript may keep: all that hooks have judged, or none if one wants the whole.
    pub keep: usize,
    /// Deny, halt if the run ends with it, or cancelled if the host has cancelled the dispatch.
    pub outcome: Outcome,
    /// The hooks that denied.
    pub hooks: Vec<HookId>,
    /// Why, in the words of these hooks.
    pub reason: String,
    /// What stands in the place of the rest.
    pub stub: String,
}

impl Cut {
    pub(super) fn new(decision: &Decision, shown: usize, keep: usize) -> Self {
        let reason = decision.reason.clone().unwrap_or_else(|| "no reason given".to_owned());
        let by = decision.by.join(", ");
        let stub = match decision.outcome {
            Outcome::Cancelled => format!("cancelled: {reason}"),
            Outcome::Halt => format!("halted by {by}: {reason}"),
            _ => format!("denied by {by}: {reason}"),
        };
        let hooks = decision.by.iter().cloned().collect();
        Self { shown, keep, outcome: decision.outcome, hooks, reason, stub }
    }
}
